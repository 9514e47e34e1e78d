"""The questions about terms: one method for each, and each is one call of the library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from termburst.corpus import metadata as columns
from termburst.corpus.base import CorpusBase
from termburst.corpus.condition_groups import part_to_compare, with_conditions_shown
from termburst.corpus.shown import warn_of_single_documents
from termburst.messages import named, shown
from termburst.names import (
    Adjustment,
    Columns,
    Compare,
    Fit,
    Form,
    Invalid,
    KeynessMethod,
    PenaltyName,
    Sort,
    Statistic,
    TermOrder,
    TermSort,
)
from termburst.options import given, made_from
from termburst.questions.burstiness_test import Burstiness
from termburst.questions.dispersion import Dispersion
from termburst.questions.fits import Fits
from termburst.questions.keyness import Keyness
from termburst.questions.sides import Sides, column_formula
from termburst.questions.term_table import TermTable

if TYPE_CHECKING:
    import polars as pl


class TermQuestions(CorpusBase):
    """What can be asked about terms. The options of each question are those of its class in `questions/`."""

    def burstiness(
        self,
        *,
        statistic: Statistic = "plr",
        mu: float | None = None,
        sigma2: float = 1.0,
        form: Form = "printed",
        adjust: Adjustment = "bh",
        mid_p: bool = False,
        min_count: int = 1,
        draws: int = 9_999,
        seed: int = 0,
        dispersion: bool = True,
        intervals: bool = True,
        sort: TermSort | None = "lower_bound",
        columns: Columns = "main",
    ) -> pl.DataFrame:
        """Which terms come in bursts? See `termburst.burstiness_test`, which explains the options and the columns.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9)
        >>> corpus.burstiness().select("term", "n", "b").rows()[0]
        ('ha', 4, 1)
        """
        asked = made_from(Burstiness, locals())
        if self._framed is not None:
            return self._framed.burstiness(asked)
        from termburst.questions.burstiness_test import burstiness_test

        self._warn_of_one_document()
        return burstiness_test(self._sums(), **given(asked))

    def keyness(
        self,
        other: Any = None,
        *,
        by: str | None = None,
        groups: Iterable[Any] | None = None,
        contrasts: bool | None = None,
        reference: Any = None,
        formula: str | None = None,
        contrast: str | Sequence[str] | None = None,
        cluster: str | None = None,
        strata: str | None = None,
        compare: Compare = "frequency",
        method: KeynessMethod = "beta-binomial",
        confidence: float | None = 0.95,
        adjust: Adjustment = "bh",
        sort: Sort | None = "p",
        min_count: int = 1,
    ) -> pl.DataFrame:
        """Which terms are more frequent in one part of the corpus than in another?

        Parameters
        ----------
        other : corpus, counts or statistics to compare with: this corpus is A, the other is B; or a formula
        by : column of the metadata whose values are the groups; by default the one named by `group`
            Of two groups the first in order is A; of more, each is compared with all others. Or a condition, such as
            "year >= 1945": documents that meet it are A.
        groups : the values of that column to compare, such as ["Democratic", "Republican"]; the first is A
            Documents with other values are left out.
        contrasts : of more than two groups, whether each is compared with the rest, as by default; False asks in one
            test whether the groups differ
        reference : a list of word frequencies to compare with: see `termburst.read_word_list`
        formula, contrast, cluster, strata : covariates of the metadata, such as "party + year", and what goes with them
            See `termburst.keyness`. With contrast, cluster or strata, *by* is a formula of one column.
        compare, method, confidence, adjust, sort, min_count : see `termburst.keyness`, which explains the columns

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["ha ha so"] * 6 + ["so it goes on"] * 8, metadata={"who": ["clown"] * 6 + ["crowd"] * 8})
        >>> corpus.keyness(by="who").select("term", "n_a", "n_b").rows()[0]
        ('ha', 12, 0)
        """
        asked, sides = made_from(Keyness, locals()), made_from(Sides, locals())
        if isinstance(other, str) and formula is None:
            sides, other = replace(sides, formula=other), None
        sides = sides.checked(asked, other, reference, by=self.by)
        if self._framed is not None:
            return self._framed.keyness(asked, sides, other, reference)
        if other is not None or reference is not None:
            return self._with_another(asked, other, reference)
        return self.counted()._by_metadata(asked, sides)

    def _with_another(self, asked: Keyness, other: Any, reference: Any) -> pl.DataFrame:
        """`keyness` of this corpus and another one, or a word list."""
        from termburst.questions.keyness import keyness

        if isinstance(other, (list, tuple)):
            raise ValueError("read the texts or counts first, with the same options: corpus.keyness(tb.read(...))")
        b = other._sums() if isinstance(other, CorpusBase) else other
        a = self._sums()
        if isinstance(other, CorpusBase) and len(self) == len(other) == 1:
            warn_of_single_documents()
        return keyness(a, b, reference=reference, **given(asked))

    def _by_metadata(self, asked: Keyness, sides: Sides) -> pl.DataFrame:
        """`keyness` of groups of documents, or by a formula of their metadata."""
        from termburst.questions.keyness import keyness

        part, by, formula = self, sides.by, sides.formula
        if by is not None:
            part, by = part_to_compare(self, by, sides.groups)
            columns.column_of(part._metadata, by)
            formula = column_formula(by) if sides.has_design else None
        if formula is not None:
            about = {"formula": formula, "metadata": part._metadata, **sides.design}
            return with_conditions_shown(keyness(part._filled(), **about, **given(asked)))
        by = cast("str", by)
        labels = columns.labels_of(part._metadata, by)
        values = labels.unique().sort()
        if len(values) == 1:
            problem = f"the column {by!r:.60} has only one value, {values[0]!r:.60}; choose another with "
            raise ValueError(problem + named("by"))
        if len(values) == len(part) == 2:
            warn_of_single_documents()
        if len(values) != 2 or sides.contrasts:
            return keyness(part._filled(), by=labels.to_list(), contrasts=sides.contrasts, **given(asked))
        a, b = (part._filled().counts[(labels == value).to_numpy()] for value in values)
        return keyness(a, b, terms=part.terms, **given(asked))

    def dispersion(self, measures: str | Iterable[str] | None = None, sort: TermOrder | None = "term") -> pl.DataFrame:
        """How evenly is each term spread over the documents? One row per term; see `termburst.dispersion`.

        In addition, *measures* may have "arf" for a corpus with texts: the average reduced frequency, see
        `termburst.inference.average_reduced_frequency`.
        With ``sort=None`` rows may come in any order, which costs least on an engine.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["so it goes", "so so"]).dispersion("dp").columns
        ['term', 'dp']
        >>> tb.read(["so it goes on", "so so"]).dispersion(["arf"]).rows()[-1]
        ('so', 2.0)
        """
        asked = made_from(Dispersion, locals())
        return asked.answer(self._filled()) if self._framed is None else self._framed.dispersion(asked)

    def term_table(
        self,
        *,
        mu: float | None = None,
        sigma2: float = 1.0,
        form: Form = "printed",
        penalty: PenaltyName = "gamma",
        invalid: Invalid = "clamp",
        parts: bool = False,
        fit: Fit = "penalized",
        effects: bool = True,
        intervals: bool = True,
        confidence: float = 0.95,
        sort: TermSort | None = "lower_bound",
        min_count: int = 1,
    ) -> pl.DataFrame:
        """Every term with its statistics, the burstiest first; see `termburst.term_table`.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9).term_table()["term"][0]
        'ha'
        """
        asked = made_from(TermTable, locals())
        if self._framed is not None:
            return self._framed.term_table(asked)
        from termburst.questions.term_table_plan import table_of

        self._warn_of_one_document()
        return table_of(asked, self._sums() if fit == "exact" else self.statistics)

    def fit_beta_binomial(self, *, sort: TermOrder | None = "term") -> pl.DataFrame:
        """The exact beta-binomial fit of every term: one row per term.

        Parameters
        ----------
        sort : "term", or None for any order, which costs least on an engine

        Returns
        -------
        frame
            term, n, b, mean, alpha, alpha_not, alpha_0, loglik, loglik_binomial, standard_error_alpha,
            standard_error_alpha_not and status, as in `termburst.models.BetaBinomialFit`.

        Examples
        --------
        >>> import termburst as tb
        >>> found = tb.read(["ha ha ha said he", "he said no", "no he said"]).fit_beta_binomial()
        >>> found.filter(status="converged")["term"].to_list()
        ['ha']
        """
        asked = made_from(Fits, locals())
        if self._framed is not None:
            return self._framed.fit_beta_binomial(asked)
        from termburst.models.cells import term_cells
        from termburst.questions.burstiness_plan import FitPlan
        from termburst.questions.plans import run_in_memory

        statistics = self._sums()
        return run_in_memory(FitPlan(asked.sort), self.terms, [term_cells(statistics)])

    def count_rows(self) -> pl.DataFrame:
        """The counts as rows of document, term and count: what can be stored, and scanned instead of the texts.

        A document without terms has one row, with the term "" and the count 0, so that it is not lost.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["so so it goes", "?"], id=["a", "b"]).count_rows().rows()
        [('a', 'goes', 1), ('a', 'it', 1), ('a', 'so', 2), ('b', '', 0)]
        """
        if self._framed is not None:
            return self._framed.count_rows()
        from termburst.questions.frames import count_frame

        counted = self._documents.counted
        return count_frame(self._documents.ids, counted.terms, counted.counts)

    def patterns(self, batch: str | None = None) -> pl.DataFrame:
        """The patterns of the documents: all that fits and tests need of them, and what `termburst.ledgers` takes.

        A row (term, count, length, documents, batch) gives the number of *documents* of *length* tokens that have the
        term *count* times. A row without a term says how many documents of that length there are. Such a frame can be
        stored, and scanned in place of the documents.

        Parameters
        ----------
        batch : an id of these documents, by which a ledger recognises them

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["so so", "so so"]).patterns("monday").rows()
        [('so', 2, 2, 2, 'monday'), (None, 0, 2, 2, 'monday')]
        """
        if not isinstance(batch, str | None):
            raise ValueError(f"batch must be a string; got {shown(batch)}")
        if batch == "":
            raise ValueError("batch must not be empty")
        if self._framed is not None:
            return self._framed.patterns(batch)
        from termburst.backends.frames import COUNTED
        from termburst.questions.frames import pattern_frame

        statistics = self._sums()
        found = pattern_frame(statistics, batch)
        if statistics.counting is not None:
            COUNTED.put(found, statistics.counting)
        return found
