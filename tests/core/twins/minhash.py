"""The computations of core/minhash.c in plain Python."""

from __future__ import annotations

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def word_hash(word):
    """The hash of a word in lower case."""
    h = GOLDEN
    for byte in word.encode("utf-8", "surrogatepass"):
        h = ((h ^ byte) * 0x100000001B3) & MASK
    return mixed(h)


def shingles(words, width):
    hashes = [word_hash(word) for word in words]
    found = []
    for first in range(len(hashes) - width + 1):
        value = width
        for one in hashes[first : first + width]:
            value = mixed((value * GOLDEN + one) & MASK)
        found.append(value)
    return found


def whole(words):
    value = GOLDEN
    for word in words:
        value = mixed((value + word_hash(word)) & MASK)
    return value


def band_keys(hashes, bands, rows):
    minima = []
    for k in range(bands * rows):
        bits = mixed((GOLDEN * (k + 1)) & MASK)
        factor, shift = (bits & 0xFFFFFFFF) | 1, bits >> 32
        minima.append(min([(factor * (h >> 32) + shift) & 0xFFFFFFFF for h in hashes], default=0xFFFFFFFF))
    keys = []
    for band in range(bands):
        key = band
        for value in minima[band * rows : (band + 1) * rows]:
            key = mixed((key * GOLDEN + value) & MASK)
        keys.append(key)
    return keys
