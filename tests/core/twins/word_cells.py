"""How often each word occurs in each document, in plain Python, as `tb_word_cells` counts it."""

from collections import Counter


def word_cells(tokens, chosen, ends, words):
    """For each word its (document, count), in the order of the documents."""
    found = [[] for _ in range(words)]
    start = 0
    for document, end in enumerate(ends):
        counted = Counter(token for token, kept in zip(tokens[start:end], chosen[start:end], strict=True) if kept)
        for word, count in counted.items():
            found[word].append((document, count))
        start = end
    return found
