"""The documents behind a report: where a term occurs, and the lines it occurs in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions, checked_counting
from termburst.reading.documents import Text
from termburst.statistics.term_statistics import TermStatistics

_AROUND = 70  # characters of context on each side of a term
_LONGEST = 120  # characters of a term in a line


@dataclass(frozen=True, slots=True, eq=False)  # eq: comparing matrices has no single truth value
class Documents:
    """Counted documents: what statistics forget and a panel about a term shows.

    Attributes
    ----------
    counts : documents × terms, sparse
    terms : array of str, the names of the columns
    ids : list of str, a name a document
    texts : list of str (or of lists of tokens), or None where there are only counts: then there are no lines to show
    counting : how the texts were counted, so that a term is found in them again
    """

    counts: Any
    terms: NDArray[np.object_]
    ids: list[str]
    texts: Sequence[Text] | None
    counting: CountingOptions

    @classmethod
    def from_texts(
        cls, texts: Iterable[Text], ids: Iterable[Any] | None = None, *, counting: CountingOptions | None = None
    ) -> Documents:
        """Count *texts*; a document without an id is named by its number, from 1.

        Examples
        --------
        >>> Documents.from_texts(["so it goes", "so so"]).ids
        ['1', '2']
        """
        counting, kept = checked_counting(counting), list(texts)
        counts, terms = counting.count(kept)
        names = [str(number + 1) for number in range(len(kept))] if ids is None else [str(one) for one in ids]
        if len(names) != len(kept):
            raise ValueError(f"there are {len(kept):,} texts and {len(names):,} ids: give an id for each text")
        return cls(counts, terms, names, kept, counting)

    def rows(self, chosen: Sequence[int]) -> Documents:
        """Some of the documents, by their numbers: one side of a comparison.

        Examples
        --------
        >>> Documents.from_texts(["so it goes", "so so", "on it"], ["a", "b", "c"]).rows([0, 2]).ids
        ['a', 'c']
        """
        ids, texts = [self.ids[k] for k in chosen], None if self.texts is None else [self.texts[k] for k in chosen]
        return Documents(self.counts[chosen], self.terms, ids, texts, self.counting)

    def statistics(self) -> TermStatistics:
        """All that the fits and tests of a report need."""
        return TermStatistics.from_counts(self.counts, self.terms, "patterns")

    def places(self, terms: Sequence[str], most: int) -> list[tuple[list[int], list[int]]]:
        """For each term the documents that hold it, in their order, and how often they do: the *most* with the most."""
        column = {term: number for number, term in enumerate(self.terms)}
        by_term = self.counts.tocsc()
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

    def panel(self, terms: Sequence[str], most: int, lines: int) -> list[dict[str, Any]]:
        """For each term the *most* documents with the most of it, and example lines from the first of them.

        `places` and `occurrences` are in the order of the documents; two lines at most are from one document.
        """
        places = self.places(terms, most)
        quoted = []
        for term, (documents, occurrences) in zip(terms, places, strict=True):
            order = np.argsort(-np.array(occurrences), kind="stable")
            quoted.append((term, [documents[k] for k in order[: (lines + 1) // 2]]))
        found = self.lines(quoted, 2)
        return [
            {"places": documents, "occurrences": occurrences, "lines": some[:lines]}
            for (documents, occurrences), some in zip(places, found, strict=True)
        ]

    def lines(self, wanted: Sequence[tuple[str, Sequence[int]]], each: int) -> list[list[dict[str, Any]]]:
        """For each (term, documents) the first *each* lines of every document that the term occurs in.

        Examples
        --------
        >>> documents = Documents.from_texts(["So it goes, and so on."])
        >>> documents.lines([("so", [0])], 2)[0][1]
        {'document': 0, 'before': 'So it goes, and ', 'term': 'so', 'after': ' on.'}
        """
        if self.texts is None:
            return [[] for _ in wanted]
        by_document: dict[int, dict[str, list[dict[str, Any]]]] = defaultdict(dict)
        for term, documents in wanted:
            for document in documents:
                by_document[document][term] = []
        for document, lines in by_document.items():
            _fill(lines, self.texts[document], document, self.counting, each)
        return [[line for j in documents for line in by_document[j][term]] for term, documents in wanted]


def _fill(
    lines: dict[str, list[dict[str, Any]]], text: Text, document: int, counting: CountingOptions, each: int
) -> None:
    """Add the first *each* occurrences of the terms that *lines* has as keys, as lines of the text."""
    shown, tokens = _tokens(text, counting)
    left = len(lines) * each
    shortest, longest = counting.ngrams
    run: list[tuple[str, int, int]] = []  # the last tokens, as many as a term may have
    for token in tokens:
        if longest == 1 and token[0] not in lines:  # as most are
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
    """The text to show, and its tokens with their places in it, stop words left out."""
    stop_words = _stop_words(counting)
    if isinstance(text, list):  # of tokens, which may hold spaces
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
    group = pattern.groups  # at most one, which then is the token
    found = ((m.group(group), *m.span(group)) for m in pattern.finditer(searched))
    return shown, (token for token in found if token[0] not in stop_words)


def _stop_words(counting: CountingOptions) -> frozenset[str]:
    if counting.stop_words == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    return frozenset(counting.stop_words or ())


def _line(text: str, start: int, stop: int) -> dict[str, str]:
    before, after = text[max(start - _AROUND, 0) : start], text[stop : stop + _AROUND]
    if start > _AROUND:  # cut between words where there are any
        before = "…" + re.sub(r"^\S*\s", "", before)
    if stop + _AROUND < len(text):
        after = re.sub(r"\s\S*$", " ", after) + "…"
    term = text[start:stop] if stop - start <= _LONGEST else text[start : start + _LONGEST] + "…"
    return {name: re.sub(r"\s+", " ", part) for name, part in (("before", before), ("term", term), ("after", after))}
