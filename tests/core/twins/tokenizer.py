"""The tokenizer in a few lines of plain Python, for test_tokenizer.py and test_vocabulary.py."""

import re
from collections import Counter


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
