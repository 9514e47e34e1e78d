"""What the page says of terms in their texts: places, example lines, collocates, words that bring on words."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Sequence
from math import log10
from typing import Any

import numpy as np
import polars as pl

from termburst.counting.counted_corpus import CountedCorpus, texts_at
from termburst.counting.options import CountingOptions, checked_counting
from termburst.limits import memory_allowed
from termburst.reading.documents import Text
from termburst.report.pieces import SMALLEST_LOG10_P, SURE, Dict, plain

_AROUND = 70  # characters of context on each side of a term
COLLOCATES = 12  # words near a term
TRIGGERS = 24  # words that come together with a term
_WITH_COLLOCATES, _COLLOCATE_ROWS = 200, 30_000_000  # terms of a page that have them; words × terms that are tested
_FULL, _FEW_LINES = 200, 5  # the first terms have all lines asked for, the others few
_FEW_TERMS = 64  # of one document, up to which it is faster to look for each than to cut the whole text into tokens
_LONGEST = 120  # characters of a term in a line
MOST_TOKENS = 250_000  # of documents where pairs of words are looked for: an urn for two million takes 20 seconds
LEAST_DOCUMENTS = 20
MOST_REPEATED = 0.5  # pairs that rest on repeated passages in more of their documents are signatures and quotations
_SPACES, _FIRST_WORD, _LAST_WORD = map(re.compile, (r"\s+", r"^\S*\s", r"\s\S*$"))


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


def term_panels(corpus: CountedCorpus, terms: Sequence[str], most: int, lines: int) -> list[Dict]:
    """For each term, its places (see `term_places`) and example lines from the documents with the highest counts.

    `places` and `occurrences` are in the order of the corpus. At most two lines are from one document. Terms beyond the
    first hundreds have few lines, so that a page stays small.

    Examples
    --------
    >>> (panel,) = term_panels(CountedCorpus.from_texts(["so so", "it goes"]), ["so"], 250, 1)
    >>> panel["places"], panel["occurrences"], panel["lines"][0]["after"]
    ([0], [2], ' so')
    """
    places = term_places(corpus, terms, most)
    quoted = []
    kept = [lines if rank < _FULL else min(lines, _FEW_LINES) for rank in range(len(terms))]
    for term, (documents, occurrences), most_lines in zip(terms, places, kept, strict=True):
        order = np.argsort(-np.array(occurrences), kind="stable")
        quoted.append((term, [documents[k] for k in order[:most_lines]]))
    found = term_lines(corpus, quoted, 2)
    return [
        {"places": documents, "occurrences": occurrences, "lines": some[:most_lines]}
        for (documents, occurrences), some, most_lines in zip(places, found, kept, strict=True)
    ]


def term_lines(corpus: CountedCorpus, wanted: Sequence[tuple[str, Sequence[int]]], each: int) -> list[list[Dict]]:
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
    by_document: dict[int, dict[str, list[Dict]]] = defaultdict(dict)
    for term, places in wanted:
        for document in places:
            by_document[document][term] = []
    documents = sorted(by_document)
    for document, text in zip(documents, texts_at(corpus.texts, documents), strict=True):
        _fill(by_document[document], text, document, checked_counting(corpus.counting), each)
    return [[line for j in places for line in by_document[j][term]] for term, places in wanted]


def _fill(lines: dict[str, list[Dict]], text: Text, document: int, counting: CountingOptions, each: int) -> None:
    """Add lines around the first *each* occurrences of the terms that are the keys of *lines*."""
    few = counting.ngrams == (1, 1) and len(lines) <= _FEW_TERMS
    placed = counting.placed_words(text, lines, each) if few else None
    if placed is not None:
        for term, places in placed[1].items():
            lines[term] += [{"document": document} | _line(placed[0], *place) for place in places]
        return
    shown, tokens = counting.placed_tokens(text)
    stop_words = counting.stop_word_set()
    left = len(lines) * each
    shortest, longest = counting.ngrams
    run: list[tuple[str, int, int]] = []  # the last tokens, at most as many as a term can have
    for token in tokens:
        if longest == 1 and token[0] not in lines:  # true of most tokens
            continue
        if token[0] in stop_words:
            run = run if counting.ngrams_over_stop_words else []
            continue
        run = [*run[-(longest - 1) :], token] if longest > 1 else [token]
        for size in range(shortest, min(longest, len(run)) + 1):
            found = lines.get(" ".join(word for word, _, _ in run[-size:]))
            if found is not None and len(found) < each:
                found.append({"document": document} | _line(shown, run[-size][1], run[-1][2]))
                left -= 1
                if not left:
                    return


def _line(text: str, start: int, stop: int) -> dict[str, str]:
    before, after = text[max(start - _AROUND, 0) : start], text[stop : stop + _AROUND]
    if start > _AROUND:  # cut between words, if there are any
        before = "…" + _FIRST_WORD.sub("", before)
    if stop + _AROUND < len(text):
        after = _LAST_WORD.sub(" ", after) + "…"
    term = text[start:stop] if stop - start <= _LONGEST else text[start : start + _LONGEST] + "…"
    return {name: _SPACES.sub(" ", part) for name, part in (("before", before), ("term", term), ("after", after))}


def first_collocates(corpus: CountedCorpus, terms: Sequence[str]) -> list[list[Dict]]:
    """The collocates of the first terms; of none if the corpus has no texts, is very large, or counts n-grams.

    Examples
    --------
    >>> corpus = CountedCorpus.from_texts(["so so it goes on and on"] * 3)
    >>> first_collocates(corpus, ["so"])
    [[]]
    """
    from termburst.concordance.positions import TokenPositions
    from termburst.questions.collocates import Collocates

    counting = checked_counting(corpus.counting)
    if not terms or corpus.texts is None or counting.ngrams != (1, 1):
        return []
    if 16 * int(corpus.counts.sum()) > memory_allowed():
        return []
    positions = TokenPositions.of(corpus.texts, counting)
    most = min(_WITH_COLLOCATES, _COLLOCATE_ROWS // max(len(positions.words), 1))  # each takes a table of all words
    found = []
    for term in terms[:most]:
        try:
            found.append(sure_collocates(Collocates(term, top=COLLOCATES).answer(positions, counting)))
        except ValueError:  # the term is no word if it stands alone, such as a token with white space in it
            found.append([])
    return found


def sure_collocates(table: pl.DataFrame) -> list[Dict]:
    """The first rows of a frame of `collocates` with q ≤ 0.05, as the page shows them."""
    rows = table.select("term", "n_window", "documents", "log_ratio", "q_value").iter_rows()
    sure = [row for row in rows if row[4] is not None and row[4] <= SURE][:COLLOCATES]
    return [
        {"term": term, "n_window": near, "documents": documents, "log_ratio": ratio, "log10_q": shown_q(q)}
        for term, near, documents, ratio, q in sure
    ]


def sure_triggers(table: pl.DataFrame) -> list[Dict]:
    """The rows of a frame of `triggers` for one word that surely come together, as the page shows them."""
    return _shown_pairs(table.filter(table["q_together"] <= SURE), ("direction", "term"))


def _shown_pairs(table: pl.DataFrame, names: tuple[str, ...]) -> list[Dict]:
    """The rows of a frame of `triggers`; a ratio that is infinite or not known is None."""
    return [
        {name: row[name] for name in (*names, "documents", "expected", "later", "earlier")}
        | {name: None if row[name] is None else plain(row[name]) for name in ("ratio", "ci_low", "ci_high")}
        | {f"log10_{name}": shown_q(row[name]) for name in ("q_together", "q_after")}
        for row in table.iter_rows(named=True)
    ]


def shown_q(q: float) -> float:
    """log₁₀ of a q-value that may be 0, because it is too small for a float."""
    return log10(max(q, 10.0**SMALLEST_LOG10_P))


def surest_pairs(corpus: Any, most: int) -> Dict:
    """The pairs of words where one surely brings on the other, or a sentence that says why there are none.

    The words surely come together, and one surely comes later: q_together and q_after are at most 0.05.

    A large corpus is represented by evenly spaced documents with about 250,000 tokens.

    Returns
    -------
    dict
        pairs, a list of dicts (source, target, documents, expected, later, earlier, ratio, ci_low, ci_high,
        log10_q_together, log10_q_after; a number that is infinite or not known is None), those that most surely come
        together first; looked_at, how many documents were used; why, a sentence if there are no pairs, or None;
        unbounded, whether entries of the fitted urn grow without bound.

    Examples
    --------
    >>> texts = ["socrates and plato so it goes", "so it goes and so on", "it is so and so"] * 20
    >>> found = surest_pairs(CountedCorpus.from_texts(texts), 3)
    >>> found["why"], "socrates" in {pair["source"] for pair in found["pairs"]}
    (None, True)
    >>> surest_pairs(CountedCorpus.from_texts(texts[:3]), 3)["why"]
    'They were not looked for: with 3 documents no pair could be sure. It takes 20.'
    """
    nothing: Dict = {"pairs": [], "looked_at": 0, "why": None, "unbounded": False}
    if why := _why_not(corpus):
        return {**nothing, "why": f"They were not looked for: {why}"}
    from termburst.concordance.polya_urn import fit_polya_urn
    from termburst.concordance.positions import TokenPositions
    from termburst.concordance.sequences import OrderedWords
    from termburst.questions.triggers import Triggers

    tokens, documents = int(corpus.counts.sum()), len(corpus.ids)
    wanted = min(max(documents * MOST_TOKENS // max(tokens, 1), LEAST_DOCUMENTS), documents)
    chosen = (np.arange(wanted) * documents // wanted).tolist()
    counting = checked_counting(corpus.counting)
    positions = TokenPositions.of(texts_at(corpus.texts, chosen), counting)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of an unbounded fit: the page says so itself
            urn = fit_polya_urn(OrderedWords(positions, counting.stop_word_set()), "full")
    except ValueError as error:  # from which nothing can be learned, such as documents of one word
        return {**nothing, "why": f"They were not looked for: {error}."}
    pairs = _shown_pairs(Triggers(top=most, after=True, most_repeated=MOST_REPEATED).answer(urn), ("source", "target"))
    none = None if pairs else f"No word surely brings on another (q ≤ {SURE})."
    return {"pairs": pairs, "looked_at": len(chosen), "why": none, "unbounded": urn.status == "unbounded"}


def _why_not(corpus: Any) -> str:
    if not isinstance(corpus, CountedCorpus) or corpus.texts is None:
        return "the corpus was made from counts, which have no order of words."
    if checked_counting(corpus.counting).ngrams != (1, 1):
        return "the terms are n-grams, and this needs single words."
    if len(corpus.ids) < LEAST_DOCUMENTS:
        return f"with {len(corpus.ids)} documents no pair could be sure. It takes {LEAST_DOCUMENTS}."
    return ""
