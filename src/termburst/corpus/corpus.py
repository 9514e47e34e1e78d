"""`Corpus`: documents with their ids and metadata, and one method for each question."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.corpus import metadata as columns
from termburst.corpus.documents import Documents
from termburst.corpus.shown import Reports, as_html, in_words, words_of
from termburst.corpus.splitting import AsCounted, Pieces, by_pattern, by_tokens
from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import CountingOptions
from termburst.forks import check_fork
from termburst.reading.documents import Text
from termburst.schemes import RECOMMENDED_SCHEME

if TYPE_CHECKING:
    import polars as pl

    from termburst.inference.plr import Explanation
    from termburst.statistics.term_statistics import TermStatistics
    from termburst.weight_files import Weights


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents with ids and metadata; make one with `termburst.read`.

    A corpus is never changed: `where`, `group`, `bin` and `split` return another one. Functions that take counts, such
    as `termburst.burstiness_test`, also take a corpus.

    Examples
    --------
    >>> import polars as pl
    >>> import termburst as tb
    >>> texts = ["ha ha ha, said the clown", "the crowd said nothing", "nothing, said the clown"]
    >>> corpus = tb.read(texts, metadata={"year": [1948, 1951, 1953]})
    >>> corpus.where(pl.col("year") > 1950).ids
    ['2', '3']
    >>> corpus.bin("year", every=10).metadata["year_bin"].to_list()
    [1940, 1950, 1950]
    """

    _documents: Documents
    _metadata: pl.DataFrame
    name: str = "corpus"
    by: str | None = None
    _reports: tuple[Any, ...] = ()

    # What it has

    @property
    def ids(self) -> list[str]:
        """The ids of the documents."""
        return list(self._documents.ids)

    @property
    def texts(self) -> Sequence[Text]:
        """The texts, or token lists. Those in files are read when you ask for them, so asking for all takes time."""
        return self._texts("there are no texts to show")

    @property
    def metadata(self) -> pl.DataFrame:
        """What is known of each document: one row per document, and the first column is "id"."""
        return self._metadata.clone()

    @property
    def reading(self) -> Any:
        """The report about reading: what was skipped, repaired or guessed. None if nothing was read from files."""
        return self._reports[0] if len(self._reports) == 1 else Reports(self._reports) if self._reports else None

    @property
    def counting(self) -> CountingOptions | None:
        """How words are found and counted; None if the corpus was made from counts."""
        return self._documents.counting

    @property
    def counts(self) -> Any:
        """n_ij, documents × terms, as a `scipy.sparse.csr_array`. It is read-only; copy it to change it."""
        return self._documents.counted.counts

    @property
    def terms(self) -> NDArray[np.object_]:
        """The names of the columns of `counts`, in alphabetical order."""
        return self._documents.counted.terms

    @property
    def statistics(self) -> TermStatistics:
        """`TermStatistics` with detail="patterns", which can be saved, added, and compared with other corpora."""
        self._filled()
        return self._documents.statistics

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return int(self.counts.sum())

    @property
    def is_counted(self) -> bool:
        """Whether `counts` are known, or can be made from texts in memory."""
        return not self._documents.is_slow

    def __len__(self) -> int:
        """The number of documents."""
        return len(self._documents.ids)

    # Other corpora made from it

    def where(self, condition: Any) -> Corpus:
        """The documents for which a condition is true.

        Parameters
        ----------
        condition : Polars expression of the metadata, or boolean array with one value per document
            Documents for which it is null are left out.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["so it goes", "so so", "on"], id=["a", "b", "c"]).where([True, False, True]).ids
        ['a', 'c']
        """
        rows = columns.chosen_rows(self._metadata, condition)
        if not rows.size:
            raise ValueError(f"the condition is true for none of the {len(self):,} documents")
        return self._derived(self._documents.rows(rows), self._metadata[rows])

    def group(self, column: str) -> Corpus:
        """The same documents, with the column of the metadata by which `keyness` compares them.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["so it goes", "so so"], metadata={"party": ["x", "y"]}).group("party").by
        'party'
        """
        columns.column_of(self._metadata, column)
        return replace(self, by=column)

    def bin(self, column: str, every: float | str = 10) -> Corpus:
        """The same documents, with one more column ``<column>_bin``: the lower end of the interval of each value.

        Parameters
        ----------
        column : a column of numbers or dates
        every : width of the intervals: a number (for dates, of years), or for dates a duration such as "3mo"

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["so", "it"], metadata={"year": [1945, 1953]}).bin("year", every=10).metadata["year_bin"].to_list()
        [1940, 1950]
        """
        return self._derived(self._documents, columns.binned(self._metadata, column, every))

    def split(self, *, tokens: int | None = None, pattern: str | None = None) -> Corpus:
        r"""Cut the documents into pieces, which become the documents of a new corpus.

        Parameters
        ----------
        tokens : number of tokens of a piece, stop words included; the last piece of a document may be shorter
        pattern : regular expression of the beginning of a piece, where ``^`` is the beginning of a line
            Text before the first match is one more piece.

        Returns
        -------
        Corpus
            Its metadata have the columns "parent", the id of the document, and "piece", the number of the piece in it,
            and all columns of the parent.

        Examples
        --------
        >>> import termburst as tb
        >>> novel = tb.read(["CHAPTER 1\nso it goes\nCHAPTER 2\nso so"], id=["novel"])
        >>> novel.split(pattern=r"^CHAPTER").metadata.rows()
        [('novel:1', 'novel', 1), ('novel:2', 'novel', 2)]
        """
        check_fork()
        texts = self._texts("there is nothing to cut")
        if (tokens is None) == (pattern is None):
            raise ValueError("give tokens= or pattern=, and not both; for example split(tokens=1000)")
        counting = self.counting or CountingOptions()
        if pattern is not None:
            pieces = Pieces.cut(texts, by_pattern(pattern))
            if len(pieces) == len(self):
                raise ValueError(f"the pattern {pattern!r:.60} cuts no document; check it, or use split(tokens=1000)")
        elif isinstance(tokens, Integral) and not isinstance(tokens, bool) and tokens > 0:
            pieces = Pieces.cut(texts, by_tokens(int(tokens), counting), AsCounted(counting))
        else:
            raise ValueError(f"tokens must be a whole number above 0; got {tokens!r:.60}")
        return self._derived(*self._pieces(pieces))

    def with_metadata(self, metadata: Any) -> Corpus:
        """The same documents with more metadata: columns such as ``{"year": years}``, a frame, or a list of dicts.

        Rows are matched by a column "id" if there is one, or by their order. Columns that exist are replaced.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["so", "it"], id=["a", "b"]).with_metadata({"id": ["b", "a"], "year": [1949, 1945]})
        >>> corpus.metadata["year"].to_list()
        [1945, 1949]
        """
        return self._derived(self._documents, columns.joined(self._metadata, metadata))

    # Questions

    def burstiness(self, **options: Any) -> pl.DataFrame:
        """Which terms come in bursts? See `termburst.burstiness_test`, which explains the options and the columns.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9)
        >>> corpus.burstiness().select("term", "n", "b").rows()[0]
        ('ha', 4, 1)
        """
        from termburst.tables import burstiness_test

        self._warn_of_one_document()
        return burstiness_test(self._filled(), **options)

    def keyness(self, other: Any = None, *, by: str | None = None, **options: Any) -> pl.DataFrame:
        """Which terms are more frequent in one part of the corpus than in another?

        Parameters
        ----------
        other : corpus, counts or statistics to compare with: this corpus is A, the other is B
            Or a formula of columns of the metadata, such as "party + year": see `termburst.keyness_design`.
        by : column of the metadata whose values are the groups; by default the one named by `group`
            Two groups are compared with `termburst.keyness`; the first in order is A. More than two are compared with
            `termburst.keyness_groups`.
        options : of these functions, which also explain the columns; with cluster= or strata=, *by* is a formula

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["ha ha so"] * 6 + ["so it goes on"] * 8, metadata={"who": ["clown"] * 6 + ["crowd"] * 8})
        >>> corpus.keyness(by="who").select("term", "n_a", "n_b").rows()[0]
        ('ha', 12, 0)
        """
        from termburst.tables import keyness, keyness_groups

        if by is not None and other is None and options.keys() & {"cluster", "strata", "contrast"}:
            columns.column_of(self._metadata, by)
            other, by = by if by.isidentifier() else f"`{by}`", None
        if isinstance(other, str):
            if by is not None:
                raise ValueError("give a formula, or by=, and not both")
            return keyness(self._filled(), formula=other, metadata=self._metadata, **options)
        if isinstance(other, (list, tuple)):
            raise ValueError("read the texts or counts first, with the same options: corpus.keyness(tb.read(...))")
        if other is not None:
            if by is not None:
                raise ValueError("give another corpus, or by=, and not both")
            self._check_same_words(other)
            return keyness(self._filled(), other, **options)
        by = by if by is not None else self.by
        if by is None:
            raise ValueError("give the column to compare by, as by=..., or another corpus")
        labels = columns.column_of(self._metadata, by)
        if labels.null_count():
            advice = f"leave them out with corpus.where(pl.col({by!r}).is_not_null())"
            raise ValueError(f"{labels.null_count():,} documents have nothing in the column {by!r:.60}; {advice}")
        groups = labels.unique().sort()
        if len(groups) != 2 or "contrasts" in options:
            return keyness_groups(self._filled(), labels.to_list(), **options)
        a, b = (self.counts[(labels == group).to_numpy()] for group in groups)
        return keyness(a, b, terms=self.terms, **options)

    def dispersion(self, measures: str | Iterable[str] | None = None) -> pl.DataFrame:
        """How evenly is each term spread over the documents? One row per term; see `termburst.dispersion`.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["so it goes", "so so"]).dispersion("dp").columns
        ['term', 'dp']
        """
        from termburst.inference.dispersion import dispersion
        from termburst.tables.frames import term_frame

        return term_frame(self.terms, dispersion(self._filled(), measures))

    def term_table(self, **options: Any) -> pl.DataFrame:
        """Every term with its statistics, the burstiest first; see `termburst.term_table`.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9).term_table()["term"][0]
        'ha'
        """
        from termburst.tables import term_table

        self._warn_of_one_document()
        return term_table(self.statistics, **options)

    def coburst(self, pairs: Iterable[tuple[str, str]] | None = None, **options: Any) -> pl.DataFrame:
        """Which pairs of terms burst in the same documents? See `termburst.coburst`.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["ha ha ho ho so"] * 6 + ["so it goes on and on"] * 9)
        >>> corpus.coburst([("ha", "ho")], event="occurrence")["shared"][0]
        6
        """
        from termburst.tables import coburst

        return coburst(self._filled(), pairs, **options)

    def weights(self, scheme: str = RECOMMENDED_SCHEME, **options: Any) -> Weights:
        """A weight for every term in every document, with the terms and ids; see `termburst.TermWeighting`.

        Examples
        --------
        >>> import termburst as tb
        >>> weights = tb.read(["so it goes", "so so"], id=["a", "b"]).weights("tf-idf")
        >>> weights.matrix.shape, weights.terms.tolist(), weights.documents.tolist()
        ((2, 3), ['goes', 'it', 'so'], ['a', 'b'])
        """
        from termburst.estimators.term_weighting import TermWeighting
        from termburst.weight_files import Weights

        matrix = TermWeighting(scheme, **options).fit_transform(self._filled().counts)
        return Weights(matrix, self.terms, np.array(self._documents.ids, dtype=object))

    def explain(self, term: str, **options: Any) -> Explanation:
        """λ of one term as the sum of its named parts; see `termburst.explain`.

        Examples
        --------
        >>> import termburst as tb
        >>> list(tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9).explain("ha").parts)[:2]
        ['tf_icf', 'btf_idf']
        """
        from termburst.inference.plr import explain

        return explain(self.statistics, term, **options)

    def report(self, path: str | PathLike[str], *, title: str | None = None, **options: Any) -> Path:
        """Write a page to explore the corpus (.html), or its numbers (.json); see `termburst.report.summarize`.

        Returns
        -------
        pathlib.Path
            The file.
        """
        from termburst.files import atomic_path, check_output
        from termburst.report import render, summarize

        target = Path(path)
        if target.suffix.lower() not in (".html", ".htm", ".json"):
            raise ValueError(f"{target}: the name of a report must end in .html (the page) or .json (its numbers)")
        check_output(target)
        summary = summarize(self, title=title or self.name, **options)
        page = json.dumps(summary, allow_nan=False) if target.suffix.lower() == ".json" else render(summary)
        with atomic_path(target) as temporary:
            temporary.write_bytes(page.encode())
        return target

    # How it is shown and used

    def __counted_corpus__(self) -> CountedCorpus:
        """Its counts, for functions that take counts."""
        return self._filled()

    def __repr__(self) -> str:
        """What it is, in words."""
        return in_words(self)

    def _repr_html_(self) -> str:
        """What it is, and the metadata of the first documents."""
        return as_html(self)

    def _derived(self, documents: Documents, frame: pl.DataFrame) -> Corpus:
        return replace(self, _documents=documents, _metadata=frame)

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

    def _pieces(self, pieces: Pieces) -> tuple[Documents, pl.DataFrame]:
        """The documents and the metadata of pieces."""
        import polars as pl

        parents = [self._documents.ids[k] for k in pieces.parent.tolist()]
        first = np.searchsorted(pieces.parent, pieces.parent, side="left")
        piece = np.arange(len(pieces)) - first + 1
        ids = [f"{parent}:{k}" for parent, k in zip(parents, piece.tolist(), strict=True)]
        rest = self._metadata[pieces.parent].drop("id", "parent", "piece", strict=False)
        frame = pl.DataFrame({"id": ids, "parent": parents, "piece": piece}).hstack(rest)
        return Documents(ids, self.counting, pieces), frame

    def _check_same_words(self, other: Any) -> None:
        """Refuse to compare with counts of other words: every difference of the rule would look like a difference."""
        theirs = getattr(other, "counting", None)
        if self.counting is not None and isinstance(theirs, CountingOptions) and theirs != self.counting:
            raise ValueError(
                f"this corpus was counted with other options (words: {words_of(self.counting)}) than the other one "
                f"(words: {words_of(theirs)}); read both with the same options"
            )

    def _warn_of_one_document(self) -> None:
        if len(self) == 1:
            warnings.warn(
                "the corpus is a single document, but burstiness shows only between documents; cut it with "
                "corpus.split(tokens=1000), or read each line as a document with tb.read(..., lines=True)",
                stacklevel=3,
            )
