"""Where terms occur in a counted corpus, and example lines from its texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from termburst.counting.counted_corpus import CountedCorpus, texts_at
from termburst.counting.options import CountingOptions
from termburst.reading.documents import Text

_AROUND = 70  # characters of context on each side of a term
_LONGEST = 120  # characters of a term in a line


def term_places(corpus: CountedCorpus, terms: Sequence[str], most: int) -> list[tuple[list[int], list[int]]]:
    """For each term, the documents that contain it and its count in each, in the order of the corpus.

    A term in more than *most* documents has those with the highest counts.

    Examples
    --------
    >>> corpus = CountedCorpus.from_texts(["so so", "it goes", "so so so", "so"])
    >>> term_places(corpus, ["so", "missing"], 2)
    [([0, 2], [2, 3]), ([], [])]
    """
    column = {term: number for number, term in enumerate(corpus.terms)}
    by_term = corpus.counts.tocsc()
    found: list[tuple[list[int], list[int]]] = []
    for term in terms:
        if term not in column:
            found.append(([], []))
            continue
        held = slice(*by_term.indptr[column[term] : column[term] + 2])
        documents, occurrences = by_term.indices[held], by_term.data[held]
        order = np.lexsort((documents, -occurrences))[:most]
        kept = order[np.argsort(documents[order])]
        found.append((documents[kept].tolist(), occurrences[kept].tolist()))
    return found


def term_panels(corpus: CountedCorpus, terms: Sequence[str], most: int, lines: int) -> list[dict[str, Any]]:
    """For each term, its places (see `term_places`) and example lines from the documents with the highest counts.

    `places` and `occurrences` are in the order of the corpus. At most two lines are from one document.

    Examples
    --------
    >>> (panel,) = term_panels(CountedCorpus.from_texts(["so so", "it goes"]), ["so"], 250, 1)
    >>> panel["places"], panel["occurrences"], panel["lines"][0]["after"]
    ([0], [2], ' so')
    """
    places = term_places(corpus, terms, most)
    quoted = []
    for term, (documents, occurrences) in zip(terms, places, strict=True):
        order = np.argsort(-np.array(occurrences), kind="stable")
        quoted.append((term, [documents[k] for k in order[: (lines + 1) // 2]]))
    found = term_lines(corpus, quoted, 2)
    return [
        {"places": documents, "occurrences": occurrences, "lines": some[:lines]}
        for (documents, occurrences), some in zip(places, found, strict=True)
    ]


def term_lines(
    corpus: CountedCorpus, wanted: Sequence[tuple[str, Sequence[int]]], each: int
) -> list[list[dict[str, Any]]]:
    """For each (term, documents), lines around the first *each* occurrences in every document.

    Without texts there are no lines.

    Examples
    --------
    >>> corpus = CountedCorpus.from_texts(["So it goes, and so on."])
    >>> term_lines(corpus, [("so", [0])], 2)[0][1]
    {'document': 0, 'before': 'So it goes, and ', 'term': 'so', 'after': ' on.'}
    """
    if corpus.texts is None:
        return [[] for _ in wanted]
    by_document: dict[int, dict[str, list[dict[str, Any]]]] = defaultdict(dict)
    for term, places in wanted:
        for document in places:
            by_document[document][term] = []
    documents = sorted(by_document)
    for document, text in zip(documents, texts_at(corpus.texts, documents), strict=True):
        _fill(by_document[document], text, document, corpus.counting, each)
    return [[line for j in places for line in by_document[j][term]] for term, places in wanted]


def _fill(
    lines: dict[str, list[dict[str, Any]]], text: Text, document: int, counting: CountingOptions, each: int
) -> None:
    """Add lines around the first *each* occurrences of the terms that are the keys of *lines*."""
    shown, tokens = _tokens(text, counting)
    left = len(lines) * each
    shortest, longest = counting.ngrams
    run: list[tuple[str, int, int]] = []  # the last tokens, at most as many as a term can have
    for token in tokens:
        if longest == 1 and token[0] not in lines:  # true of most tokens
            continue
        run = [*run[-(longest - 1) :], token] if longest > 1 else [token]
        for size in range(shortest, min(longest, len(run)) + 1):
            found = lines.get(" ".join(word for word, _, _ in run[-size:]))
            if found is not None and len(found) < each:
                found.append({"document": document} | _line(shown, run[-size][1], run[-1][2]))
                left -= 1
                if not left:
                    return


def _tokens(text: Text, counting: CountingOptions) -> tuple[str, Iterator[tuple[str, int, int]]]:
    """The text to show, and its tokens with their positions in it, without stop words."""
    stop_words = _stop_words(counting)
    if isinstance(text, list):  # of tokens, which may contain spaces
        ends = np.cumsum([len(token) + 1 for token in text]).tolist()
        placed = ((token, end - 1 - len(token), end - 1) for token, end in zip(text, ends, strict=True))
        return " ".join(text), (token for token in placed if token[0] not in stop_words)
    if counting.pretokenized:
        shown = text
        pattern, searched = re.compile(r"\S+"), shown
    else:
        shown = text
        pattern, searched = re.compile(counting.token_pattern), shown.lower() if counting.lowercase else shown
        if len(searched) != len(shown):  # a few letters, such as İ, are longer in lower case
            shown = searched
    group = pattern.groups  # at most one; if there is one, it is the token
    found = ((m.group(group), *m.span(group)) for m in pattern.finditer(searched))
    return shown, (token for token in found if token[0] not in stop_words)


def _stop_words(counting: CountingOptions) -> frozenset[str]:
    if counting.stop_words == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    return frozenset(counting.stop_words or ())


def _line(text: str, start: int, stop: int) -> dict[str, str]:
    before, after = text[max(start - _AROUND, 0) : start], text[stop : stop + _AROUND]
    if start > _AROUND:  # cut between words, if there are any
        before = "…" + re.sub(r"^\S*\s", "", before)
    if stop + _AROUND < len(text):
        after = re.sub(r"\s\S*$", " ", after) + "…"
    term = text[start:stop] if stop - start <= _LONGEST else text[start : start + _LONGEST] + "…"
    return {name: re.sub(r"\s+", " ", part) for name, part in (("before", before), ("term", term), ("after", after))}
