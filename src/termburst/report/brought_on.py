"""Words that bring on words, for the page: the surest pairs, from a bounded number of tokens."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from termburst.counting.counted_corpus import CountedCorpus, texts_at
from termburst.counting.options import checked_counting
from termburst.report.occurrences import shown_q, shown_ratio
from termburst.report.pieces import SURE, Dict

MOST_TOKENS = 250_000  # of the documents that are looked at: an urn for two million takes 20 seconds
LEAST_DOCUMENTS = 20
MOST_REPEATED = 0.5  # pairs that rest on repeated passages in more of their documents are signatures and quotations


def surest_pairs(corpus: Any, most: int) -> Dict:
    """The pairs of words where one surely brings on the other, or a sentence that says why there are none.

    The words surely come together, and one surely comes later: q_together and q_after are at most 0.05.

    A large corpus is represented by evenly spaced documents with about 250,000 tokens.

    Returns
    -------
    dict
        pairs, a list of dicts (source, target, documents, expected, later, earlier, log10_q_after, ratio, ci_low,
        ci_high; a number that is infinite or not known is None), those that most surely come together first; looked_at,
        how many documents were used; why, a sentence if there are no pairs, or None; unbounded, whether entries of the
        fitted urn grow without bound.

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
    table = Triggers(top=most, after=True, most_repeated=MOST_REPEATED).answer(urn)
    pairs = [_pair(row) for row in table.iter_rows(named=True)]
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


def _pair(row: dict[str, Any]) -> Dict:
    ratios = {name: shown_ratio(row[name]) for name in ("ratio", "ci_low", "ci_high")}
    plain = {name: row[name] for name in ("source", "target", "documents", "expected", "later", "earlier")}
    return {**plain, "log10_q_after": shown_q(row["q_after"]), **ratios}
