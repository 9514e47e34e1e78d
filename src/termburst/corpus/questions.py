"""The questions about terms: one method for each, and each is one call of the library."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from termburst.corpus import metadata as columns
from termburst.corpus.condition_groups import part_to_compare, with_conditions_shown
from termburst.corpus.shown import warn_of_single_documents
from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import CountingOptions
from termburst.messages import Message, named
from termburst.reading.conditions import is_condition
from termburst.reading.documents import Text

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus.corpus import Corpus
    from termburst.statistics.term_statistics import TermStatistics


class Questions:
    """What can be asked about terms. `Corpus` inherits from it, and has the documents and the metadata."""

    if TYPE_CHECKING:  # what a question may use of `Corpus`
        _documents: Any  # Documents, Scanned or Summed

        @property
        def _metadata(self) -> pl.DataFrame: ...

        @property
        def _scanned(self) -> Any: ...

        def counted(self) -> Corpus: ...

        def in_memory(self) -> Corpus: ...

        name: str
        by: str | None

        @property
        def reading(self) -> Any: ...

        @property
        def counting(self) -> CountingOptions | None: ...

        @property
        def is_counted(self) -> bool: ...

        @property
        def counts(self) -> Any: ...

        @property
        def terms(self) -> NDArray[np.object_]: ...

        @property
        def statistics(self) -> TermStatistics: ...

        @property
        def tokens(self) -> int: ...

        def __len__(self) -> int: ...

        def where(self, condition: Any) -> Corpus: ...

        def with_metadata(self, metadata: Any) -> Corpus: ...

        def group(self, column: str) -> Corpus: ...

    def burstiness(self, **options: Any) -> pl.DataFrame:
        """Which terms come in bursts? See `termburst.burstiness_test`, which explains the options and the columns.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9)
        >>> corpus.burstiness().select("term", "n", "b").rows()[0]
        ('ha', 4, 1)
        """
        from termburst.questions.burstiness_test import burstiness_test

        self._warn_of_one_document()
        return burstiness_test(self._sums(), **options)

    def keyness(
        self,
        other: Any = None,
        *,
        by: str | None = None,
        groups: Iterable[Any] | None = None,
        contrasts: bool | None = None,
        **options: Any,
    ) -> pl.DataFrame:
        """Which terms are more frequent in one part of the corpus than in another?

        Parameters
        ----------
        other : corpus, counts or statistics to compare with: this corpus is A, the other is B
            Or a formula of columns of the metadata, such as "party + year": see `termburst.keyness_design`.
        by : column of the metadata whose values are the groups; by default the one named by `group`
            Two groups are compared with `termburst.keyness`; the first in order is A. More than two are compared with
            `termburst.keyness_groups`. Or a condition, such as "year >= 1945": documents that meet it are A.
        groups : the values of that column to compare, such as ["Democratic", "Republican"]; the first is A
            Documents with other values are left out.
        contrasts : of more than two groups, whether each is compared with the rest, as by default; False asks in one
            test whether the groups differ
        options : of these functions, which also explain the columns; with cluster= or strata=, *by* is a formula

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["ha ha so"] * 6 + ["so it goes on"] * 8, metadata={"who": ["clown"] * 6 + ["crowd"] * 8})
        >>> corpus.keyness(by="who").select("term", "n_a", "n_b").rows()[0]
        ('ha', 12, 0)
        """
        from termburst.questions.keyness import keyness

        compared = other is not None and not isinstance(other, str)
        if "reference" in options and not (compared or by is not None or groups is not None):
            return keyness(self._sums(), other, **options)
        if compared:
            return self._with_another(other, by, groups, options)
        options |= {} if contrasts is None else {"contrasts": contrasts}
        if by is not None and not isinstance(by, str):
            raise ValueError('by must be the name of a column, or a condition as text, such as by="year >= 1945"')
        asked = self if by in (None, self.by) or self.is_counted or self._scanned is None else self.group(by)
        return asked.counted()._by_metadata(other, by, groups, options)

    def _with_another(self, other: Any, by: str | None, groups: Any, options: dict[str, Any]) -> pl.DataFrame:
        """`keyness` of this corpus and another one."""
        from termburst.questions.keyness import keyness

        if isinstance(other, (list, tuple)):
            raise ValueError("read the texts or counts first, with the same options: corpus.keyness(tb.read(...))")
        if by is not None or groups is not None:
            raise ValueError("give another corpus or a formula, or by=, and not both")
        b = other._sums() if isinstance(other, Questions) else other
        a = self._sums()
        if isinstance(other, Questions) and len(self) == len(other) == 1:
            warn_of_single_documents()
        return keyness(a, b, **options)

    def _by_metadata(self, formula: str | None, by: str | None, groups: Any, options: dict[str, Any]) -> pl.DataFrame:
        """`keyness` of groups of documents, or by a formula of their metadata."""
        from termburst.questions.keyness import keyness, keyness_groups

        if formula is not None and (by is not None or groups is not None):
            raise ValueError("give another corpus or a formula, or by=, and not both")
        by = self.by if by is None and formula is None else by
        if by is None and groups is not None:
            raise ValueError("groups= needs by=, the column that has these values, and no other corpus or formula")
        if by is not None and (groups is not None or (is_condition(by) and by not in self._metadata.columns)):
            part, column = part_to_compare(cast("Corpus", self), by, groups)
            return with_conditions_shown(part._by_metadata(None, column, None, options))
        if by is not None and options.keys() & {"cluster", "strata", "contrast"}:
            columns.column_of(self._metadata, by)
            formula = by if by.isidentifier() else f"`{by}`"
        if formula is not None:
            return keyness(self._filled(), formula=formula, metadata=self._metadata, **options)
        if by is None:
            raise ValueError("give the column to compare by, as by=..., or another corpus")
        labels = columns.labels_of(self._metadata, by)
        values = labels.unique().sort()
        if len(values) == 1:
            problem = f"the column {by!r:.60} has only one value, {values[0]!r:.60}; choose another with "
            raise ValueError(problem + named("by"))
        if len(values) == len(self) == 2:
            warn_of_single_documents()
        if len(values) != 2 or "contrasts" in options:
            return keyness_groups(self._filled(), labels.to_list(), **{"contrasts": True, **options})
        a, b = (self._filled().counts[(labels == value).to_numpy()] for value in values)
        return keyness(a, b, terms=self.terms, **options)

    def dispersion(self, measures: str | Iterable[str] | None = None) -> pl.DataFrame:
        """How evenly is each term spread over the documents? One row per term; see `termburst.dispersion`.

        In addition, *measures* may have "dp_nofreq" (`termburst.dp_nofreq`), "dp_interval" (the columns dp_low and
        dp_high, `termburst.dp_interval`) and, for a corpus with texts, "arf" (`termburst.average_reduced_frequency`).

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["so it goes", "so so"]).dispersion("dp").columns
        ['term', 'dp']
        >>> tb.read(["so it goes on", "so so"]).dispersion(["arf"]).rows()[-1]
        ('so', 2.0)
        """
        from termburst.corpus.measures import measured
        from termburst.questions.frames import term_frame

        return term_frame(self.terms, measured(self._filled(), measures))

    def term_table(self, **options: Any) -> pl.DataFrame:
        """Every term with its statistics, the burstiest first; see `termburst.term_table`.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9).term_table()["term"][0]
        'ha'
        """
        from termburst.questions.term_table import term_table

        self._warn_of_one_document()
        return term_table(self._sums() if options.get("fit") == "exact" else self.statistics, **options)

    def __token_positions__(self) -> tuple[Any, Container[str]]:
        """Which word stands where, for functions that need the order of words; None for counts. And the stop words."""
        if self._documents.texts is None:
            self._filled()
            return None, frozenset()
        return self._documents.__token_positions__()

    def _sums(self) -> TermStatistics:
        """What questions about sums over documents need; ValueError for saved statistics of less detail."""
        found = self.statistics
        if found.detail != "patterns":
            has, needs = named("detail", found.detail), named("detail", "patterns")
            ways = f"{getattr(self._documents, 'name', self.name)} was built with " + has + ", but this question needs "
            raise ValueError(ways + needs + "; count the texts again so")
        return found

    def _texts(self, problem: str) -> Sequence[Text]:
        if self._documents.texts is None:
            raise ValueError(f"the corpus was made from counts: {problem}")
        return self._documents.texts

    def _filled(self) -> CountedCorpus:
        """The counts; ValueError if there is no term."""
        counted = self._documents.counted
        if not counted.counts.nnz:
            raise ValueError("no document contains a term; perhaps all are empty or contain only stop words")
        return counted

    def _warn_of_one_document(self) -> None:
        if len(self) == 1:
            files = self.reading is not None and self.reading.files if self._scanned is None else True
            whose = getattr(self._documents, "name", None) or (
                self._scanned.stream.name if self._scanned else self.name
            )
            one, pieces = named("lines", True), named("split", 1000, python="corpus.split(tokens=1000)")
            warnings.warn(
                Message(
                    whose if files else "the corpus",
                    " is a single document, but burstiness shows only between documents; ",
                    one, " makes each line a document, ", pieces, " makes pieces of 1,000 tokens",
                ),
                stacklevel=3,
            )  # fmt: skip
