"""How often the guesses of reading are right, on texts that no rule and no test was chosen on.

Languages: the rules were chosen on the Declaration of Human Rights (UDHR). Held out are German newspaper articles
(GNAD), English reviews, questions, messages, abstracts and web pages, Reuters and the inaugural addresses: the first
300 characters of each document, or all of a shorter one.

Encodings: the rules were chosen on single sentences. Held out are the articles 2 to 30 of the UDHR, one file per
article, in encodings that the language is written in. A guess is right if it decodes the bytes to the same text: cp1252
is right for what was written in latin-1. Articles that are ASCII in that language are left out.

    TERMBURST_DATA=… python benchmarks/guesses.py [--documents 300]
"""

from __future__ import annotations

import argparse
import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from termburst.counting.scripts import guess_language
from termburst.reading.encodings import guess_encoding

CHARACTERS = 300
ENGLISH = ("ag", "cr", "mr", "ohsumed", "sms", "trec", "webkb")
# File of the UDHR → encodings in which such texts lie on disks.
WRITTEN_IN = {
    "deu": ("cp1252", "latin-1", "utf-16", "utf-16-le"), "fra": ("cp1252", "latin-1", "utf-16"),
    "spa": ("cp1252", "latin-1"), "por_PT": ("cp1252", "latin-1"), "ita": ("cp1252",), "swe": ("cp1252",),
    "nld": ("cp1252",), "fin": ("cp1252",), "isl": ("cp1252",), "pol": ("cp1250",), "ces": ("cp1250",),
    "hun": ("cp1250",), "slk": ("cp1250",), "tur": ("cp1254",), "rus": ("cp1251", "koi8_r", "utf-16"),
    "ukr": ("cp1251",), "bul": ("cp1251",), "ell_monotonic": ("cp1253",), "heb": ("cp1255",), "arb": ("cp1256",),
    "jpn": ("shift_jis", "euc_jp"), "cmn_hans": ("gb18030",), "kor": ("euc_kr",), "tha": ("cp874",),
}  # fmt: skip


def held_out(data: Path, most: int) -> Iterator[tuple[str, str, list[str]]]:
    """(name, language, texts) of the sets that the guess was not chosen on."""
    for name in ("gnad", *ENGLISH):
        frame = pl.read_parquet(data / "classification" / f"{name}.parquet")
        column = "text" if "text" in frame.columns else next(c for c in frame.columns if frame[c].dtype == pl.String)
        texts = frame[column].drop_nulls().sample(fraction=1, shuffle=True, seed=1).head(most).to_list()
        yield name, "de" if name == "gnad" else "en", texts
    for name in ("reuters", "inaugural"):
        with zipfile.ZipFile(data / "nltk_data" / "corpora" / f"{name}.zip") as archive:
            files = [file for file in archive.namelist() if re.search(r"/test/\d+$|\d{4}-\w+\.txt$", file)]
            yield name, "en", [archive.read(file).decode("utf-8", "replace") for file in files[:most]]


def articles(text: str) -> list[str]:
    """The articles of the declaration from the second on: the paragraphs behind the preamble, in pieces of 3 lines."""
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) > 30]
    body = lines[len(lines) // 4 :]  # behind the preamble and article 1, whose sentences the tests have
    return ["\n".join(body[k : k + 3]) for k in range(0, len(body) - 2, 3)]


def languages(data: Path, most: int) -> None:
    """Print one row per set."""
    print(f"{'language of':<14} {'documents':>9} {'right':>7} {'no guess':>9}  most frequent error")
    for name, code, texts in held_out(data, most):
        guesses = [guess_language([text[:CHARACTERS]]) for text in texts]
        found = Counter("" if guess is None else guess[0] for guess in guesses)
        wrong = [(count, other) for other, count in found.items() if other not in ("", code)]
        shown = f"{max(wrong)[1]}: {max(wrong)[0]}" if wrong else "–"
        print(f"{name:<14} {len(texts):>9,} {found[code] / len(texts):>7.1%} {found[''] / len(texts):>9.1%}  {shown}")


def encodings(data: Path) -> None:
    """Print one row per language and encoding, and the sum."""
    right = total = 0
    print(f"\n{'encoding of':<14} {'written in':<10} {'texts':>6} {'right':>7}  errors")
    with zipfile.ZipFile(data / "nltk_data" / "corpora" / "udhr2.zip") as archive:
        for name, names in WRITTEN_IN.items():
            texts = articles(archive.read(f"udhr2/{name}.txt").decode())
            for encoding in names:
                hits, tried, errors = 0, 0, Counter[str]()
                for text in texts:
                    content = text.encode(encoding, "ignore")
                    if content.isascii():
                        continue
                    guess, tried = guess_encoding(content), tried + 1
                    decoded = None if guess is None else content.decode(guess.encoding, "replace")
                    if decoded is not None and decoded.removeprefix("\ufeff") == content.decode(encoding):
                        hits += 1
                    else:
                        errors["none" if guess is None else guess.encoding] += 1
                right, total = right + hits, total + tried
                shown = ", ".join(f"{other}: {count}" for other, count in errors.most_common(3)) or "–"
                print(f"{name:<14} {encoding:<10} {tried:>6,} {hits / max(tried, 1):>7.1%}  {shown}")
    print(f"{'all':<25} {total:>6,} {right / total:>7.1%}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=300, help="of each set, at most")
    data = Path(os.environ["TERMBURST_DATA"])
    languages(data, parser.parse_args().documents)
    encodings(data)


if __name__ == "__main__":
    main()
