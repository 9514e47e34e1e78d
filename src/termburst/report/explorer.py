"""Answers for the live page: the panel of any term, concordance lines, collocates, comparisons, and a page to keep.

An `Explorer` holds one counted corpus with its metadata and computes what the page asks for. It knows nothing of HTTP:
`server.py` turns requests into calls. What was computed once is kept.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from termburst.concordance.positions import TokenPositions
from termburst.concordance.queries import AskedQuery
from termburst.concordance.sequences import OrderedWords
from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import checked_counting
from termburst.display import LINES
from termburst.models.fit_beta_binomial import BetaBinomialFit, fit_beta_binomial
from termburst.questions.collocates import Collocates
from termburst.questions.explore import Explore
from termburst.questions.kwic import Kwic
from termburst.questions.triggers import Triggers
from termburst.reading.documents import Text
from termburst.report.occurrences import COLLOCATES, TRIGGERS, sure_collocates, sure_triggers
from termburst.report.pieces import Dict, axes_of
from termburst.report.render import render
from termburst.report.summarize import panels_of, summarize
from termburst.report.summarize_keyness import side_panels, summarize_keyness
from termburst.statistics.term_statistics import TermStatistics, as_statistics

LONGEST_QUERY = 300  # characters of a word, phrase or regular expression
MOST_LINES = 500  # concordance lines in one answer
MOST_GROUPS = 12  # groups that a comparison on the page may have
BINS = 5  # about as many intervals as a column of many numbers is cut into
_WIDTH = 70  # characters on each side of a match
_KEPT = 64  # answers of each kind that are kept
SECONDS = 10.0  # that one regular expression may take, for all documents together
MOST_REPEATS = 10_000  # of all {n} of a pattern, multiplied: to compile it has no limit of time


class Explorer:
    """One corpus, and the answers to what its live page asks.

    Parameters
    ----------
    corpus : CountedCorpus
    metadata : frame with one row per document, the first column "id"; None if nothing is known of the documents
    asked : the options of the page

    Examples
    --------
    >>> explorer = Explorer(CountedCorpus.from_texts(["ha ha ha so", "so it goes", "so on", "it is so"]))
    >>> explorer.term("ha")["panel"]["occurrences"]
    [3]
    """

    def __init__(
        self, corpus: CountedCorpus, metadata: pl.DataFrame | None = None, asked: Explore | None = None
    ) -> None:
        self.corpus, self.metadata, self.asked = corpus, metadata, asked or Explore()
        self.counting = checked_counting(corpus.counting)
        self.column = {str(term): number for number, term in enumerate(corpus.terms)}
        # What the page asks for again is not computed again.
        for name in ("page", "term", "kwic", "collocates", "triggers", "sides", "compare"):
            setattr(self, name, lru_cache(_KEPT)(getattr(self, name)))
        self._fitting = threading.Lock()  # several tabs must not fit the same urn

    @cached_property
    def statistics(self) -> TermStatistics:
        """The statistics of the corpus, with detail="patterns"."""
        return as_statistics(self.corpus, "patterns")

    @cached_property
    def fit(self) -> BetaBinomialFit:
        """The exact fit of every term."""
        return fit_beta_binomial(self.statistics)

    @cached_property
    def summary(self) -> Dict:
        """The summary of the corpus without panels: the page asks for each when it is needed."""
        found = summarize(self.corpus, **vars(self.asked.report(panels=0, pairs=0)))
        return {**found, "live": True, "axes": axes_of(self), "groups": self.groupings()}

    def page(self) -> str:
        """The live page of the whole corpus."""
        return render(self.summary)

    def groupings(self) -> list[Dict]:
        """The columns of the metadata that documents can be compared by, with the size of each group."""
        if self.metadata is None:
            return []
        found = []
        for name in self.metadata.columns[1:]:
            sizes = self.labels(name).drop_nulls().value_counts(name="documents")
            sizes = sizes.sort("documents", sizes.columns[0], descending=[True, False])
            if 2 <= sizes.height <= MOST_GROUPS:
                groups = [{"name": str(row[0]), "documents": row[1]} for row in sizes.iter_rows()]
                found.append({"column": name, "groups": groups})
        return found

    def labels(self, column: str) -> pl.Series:
        """The group of each document by a column of the metadata; many different numbers are put into intervals."""
        assert self.metadata is not None  # there are no columns without it
        values = self.metadata[column]
        numbers = (
            values.cast(pl.Float64, strict=False) if values.dtype == pl.String or values.dtype.is_numeric() else None
        )
        if numbers is None or numbers.null_count() > values.null_count() or values.n_unique() <= MOST_GROUPS:
            return values.cast(pl.String, strict=False)
        return intervals(numbers)

    def term(self, term: str, by: str = "") -> Dict:
        """The panel of any term of the corpus; in a comparison *by* a column, with the documents of each group."""
        if term not in self.column:
            raise LookupError(f"{term!r:.60} is not among the terms of this corpus; search for a part of it")
        lines = self.asked.examples
        if by:
            found = side_panels([term], self.sides(by), lines)
        else:
            settings = {key: self.summary["settings"][key] for key in ("mu", "sigma2", "form")}
            found = panels_of(self.corpus, self.statistics, [term], lines, settings, fit=self.fit, collocates=False)
        return {"panel": found["panels"][0], "documents": found["documents"]}

    def kwic(self, query: str, regex: bool = False, sort: str = "", offset: int = 0) -> Dict:
        """Concordance lines of any word, phrase or pattern: at most `MOST_LINES`, from the line *offset* on.

        `more` says whether there are further ones. A regular expression has a limit of time, since it may never end.
        """
        last = offset + MOST_LINES
        asked = Kwic(query, width=_WIDTH, sort=sort or None, top=last + 1)
        found = asked.answer(self._texts(), self._ids, pattern=timed(query) if regex else None)
        rows = found.slice(offset, MOST_LINES).rows()
        lines = [{"name": id, "before": left, "term": match, "after": right} for id, left, match, right, _ in rows]
        return {"lines": lines, "offset": offset, "more": found.height > last}

    def collocates(self, term: str) -> Dict:
        """The words that stand near a term more often than chance, the surest first."""
        found = Collocates(term, top=COLLOCATES).answer(self.positions, self.counting)
        return {"collocates": sure_collocates(found)}

    def triggers(self, term: str) -> Dict:
        """Words that come together with a term, and which come later or earlier. The first call fits an urn, once."""
        if self.counting.ngrams != (1, 1):
            raise LookupError("words that bring on words need single words: start without n-grams")
        asked, positions = Triggers(term, top=TRIGGERS), self.positions
        with self._fitting:
            fit = asked.urn(OrderedWords(positions, self.counting.stop_word_set()))
            return {"triggers": sure_triggers(asked.answer(fit))}

    @cached_property
    def positions(self) -> TokenPositions:
        """Which word stands where."""
        return TokenPositions.of(self._texts(), self.counting)

    @cached_property
    def _ids(self) -> pl.DataFrame:
        return pl.DataFrame({"id": self.corpus.ids}, schema={"id": pl.String})

    def _texts(self) -> Sequence[Text]:
        if self.corpus.texts is None:
            raise LookupError("the corpus was made from counts: it has no texts to search")
        return self.corpus.texts

    def sides(self, column: str) -> dict[str, CountedCorpus]:
        """The documents of each group of a column of the metadata."""
        if column not in {grouping["column"] for grouping in self.summary["groups"]}:
            raise LookupError(f"the documents cannot be compared by {column!r:.60}")
        labels = self.labels(column)
        names = labels.drop_nulls().unique().sort().to_list()
        return {name: self.corpus.rows((labels == name).fill_null(False).to_numpy()) for name in names}

    def compare(self, column: str) -> str:
        """The page that compares the documents by a column of the metadata."""
        from termburst.questions.keyness import keyness

        sides = self.sides(column)
        if len(sides) == 2:
            a, b = sides.values()
            table = keyness(a.counts, b.counts, terms=self.corpus.terms)
        else:
            labels = [name for name, side in sides.items() for _ in side.ids]
            counts = sp.vstack([side.counts for side in sides.values()], format="csr")
            table = keyness(counts, by=labels, terms=self.corpus.terms, contrasts=True)
        settings = {"method": "beta-binomial", "adjust": "bh", "by": column}
        title = f"{self.asked.title or 'corpus'} by {column}"
        summary = summarize_keyness(table, sides, title=title, settings=settings, panels=0)
        return render({**summary, "live": True})

    def keep(self, terms: list[str]) -> str:
        """A page without a server, with panels of the chosen *terms* before those of the burstiest."""
        chosen = [term for term in terms if term in self.column]
        return render(summarize(self.corpus, **vars(self.asked.report(chosen=chosen, examples=LINES))))


def intervals(numbers: pl.Series) -> pl.Series:
    """The interval of each number, as a label: about `BINS` intervals of a round width; null stays null.

    Examples
    --------
    >>> import polars as pl
    >>> intervals(pl.Series([1789.0, 1861.0, 1933.0, 2021.0])).to_list()
    ['1750–1799', '1850–1899', '1900–1949', '2000–2049']
    """
    finite = numbers.drop_nulls().to_numpy()
    finite = finite[np.isfinite(finite)]
    spread = float(np.ptp(finite))
    power = 10.0 ** math.floor(math.log10(spread / BINS))
    width = next(step * power for step in (1, 2, 5, 10) if step * power >= spread / BINS)
    low = (numbers / width).floor() * width
    is_whole = width >= 1 and bool(np.all(finite == np.round(finite)))
    labels = [
        None if value is None or not math.isfinite(value)
        else f"{value:.0f}–{value + width - 1:.0f}" if is_whole
        else f"{value:g} to {value + width:g}"
        for value in low
    ]  # fmt: skip
    return pl.Series(numbers.name, labels, dtype=pl.String)


class TimedPattern:
    """A compiled pattern that stops after some seconds; it has the parts of `re.Pattern` that a search uses.

    Python's `re` can search for years, keeps Python's lock while it does, and cannot be stopped: one such expression
    would stop the whole server. The package regex has the same syntax, gives the lock up, and takes a limit.
    """

    def __init__(self, compiled: Any, pattern: str, seconds: float) -> None:
        self.compiled, self.pattern, self.seconds = compiled, pattern, seconds
        self.end = time.monotonic() + seconds

    def finditer(self, text: str) -> Iterator[Any]:
        """The matches in a text. Raises ValueError when the time is over."""
        try:
            yield from self.compiled.finditer(text, concurrent=True, timeout=max(self.end - time.monotonic(), 1e-3))
        except TimeoutError:
            raise ValueError(
                f"the regular expression {self.pattern!r:.60} took longer than {self.seconds:g} s; simplify it, or "
                "use the command `termburst kwic`, where you set the limit"
            ) from None


def timed(query: str, seconds: float = SECONDS) -> AskedQuery:
    r"""A regular expression as a query that takes at most some seconds, from now on.

    Examples
    --------
    >>> [found.span() for found in timed(r"s\w+").pattern.finditer("so it sings")]
    [(0, 2), (6, 11)]
    """
    try:
        import regex
    except ImportError as error:
        raise ImportError(
            "regular expressions here need the package regex; pip install 'termburst[explore]'"
        ) from error
    in_braces = " ".join(re.findall(r"\{([^{}]*)\}", query))
    if math.prod(max(int(number), 1) for number in re.findall(r"\d{1,9}", in_braces)) > MOST_REPEATS:
        raise ValueError(f"{query!r:.60} repeats more than {MOST_REPEATS:,} times; use * or +")
    try:
        compiled = regex.compile(query, regex.IGNORECASE)
    except (regex.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{query!r:.60} is not a regular expression: {error}") from error
    if compiled.fullmatch("", timeout=1.0):
        raise ValueError(f"{query!r:.60} can match the empty string, so it would match everywhere")
    return AskedQuery(TimedPattern(compiled, query, seconds), None)  # type: ignore[arg-type]
