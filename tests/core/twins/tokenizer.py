"""The tokenizer in a few lines of plain Python, for test_tokenizer.py and test_vocabulary.py."""

import re
import unicodedata
from collections import Counter

BETWEEN_LETTERS = set(".'‘’·\u0387\u055f\u05f4\u2024\u2027\ufe13\ufe52\uff07\uff0e")
BETWEEN_DIGITS = set(".,'‘’\u060c\u066c\u07f8\u0589\u2024\u202f\u2044\ufe10\ufe50\ufe52\uff07\uff0c\uff0e")
LETTERS = set("\u055a\u055b\u055c\u055e\u05f3")
NO_JOINERS = set("\u200b\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u08e2")


def kind(character):
    """L(etter), D(igit), M(ark), J(oiner of any), or another."""
    category = unicodedata.category(character)
    if category[0] == "L" or category == "Nl" or character in LETTERS:
        return "L"
    if category in ("Cf", "Pc") and character not in NO_JOINERS:
        return "J"
    return {"Nd": "D"}.get(category, category[0] if category[0] == "M" else " ")


def words(text, apostrophes="keep"):
    """Words as Unicode sees them, one character after the other."""
    between = {
        "L": BETWEEN_LETTERS - set("'‘’\uff07") if apostrophes == "split" else BETWEEN_LETTERS,
        "D": BETWEEN_DIGITS,
    }
    found, word, base = [], "", ""
    for at, character in enumerate(text):
        own = kind(character)
        after = kind(text[at + 1]) if at + 1 < len(text) else " "
        if own in "LD":
            word, base = word + character, own
        elif word and (
            own == "M"
            or (own == "J" and after in ("LD" if character == "_" else "LDM"))
            or (own not in "MJ" and character in between[base] and after == base)
        ):
            word += character
        else:
            found, word = [*found, word], ""
    return [word for word in [*found, word] if word]


def terms_between(found, ngrams, stop_words):
    """The terms of tokens, where no n-gram reaches over a stop word."""
    longest = min(ngrams[1], len(found))
    runs = (found[k : k + n] for n in range(ngrams[0], longest + 1) for k in range(len(found) - n + 1))
    return Counter(" ".join(run) for run in runs if not set(run) & set(stop_words))


def tokens(text, pattern, stop_words=()):
    return [token for token in re.findall(pattern, text) if token not in stop_words]


def terms(text, pattern, ngrams=(1, 1), stop_words=()):
    found = tokens(text, pattern, stop_words)
    longest = min(ngrams[1], len(found))
    return Counter(" ".join(found[k : k + n]) for n in range(ngrams[0], longest + 1) for k in range(len(found) - n + 1))


def matrix(counters):
    """The sorted terms, and the rows as sorted lists of (column, count)."""
    columns = {term: k for k, term in enumerate(sorted({term for counter in counters for term in counter}))}
    return columns, [sorted((columns[term], count) for term, count in counter.items()) for counter in counters]


def learnt(terms, longest, known):
    """The node of each term. *known* maps tokens, and pairs of nodes, to numbers in the order of first occurrence."""
    nodes = []
    for term in terms:
        whole = -1
        for number, token in enumerate(term.split(b" ")):
            if not token or number >= longest:
                whole = -1
                break
            node = known.setdefault(token, len(known))
            whole = node if number == 0 else known.setdefault((whole, node), len(known))
        nodes.append(whole)
    return nodes
