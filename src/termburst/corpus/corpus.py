"""`Corpus`: documents with their ids and metadata, and other corpora made from it.

Its questions are in `questions.py` and `document_questions.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termburst.corpus import metadata as columns
from termburst.corpus.condition_groups import rows_of_condition
from termburst.corpus.document_questions import DocumentQuestions
from termburst.corpus.documents import Documents
from termburst.corpus.shown import Reports, as_html, in_words
from termburst.corpus.splitting import AsCounted, Pieces, by_pattern, by_tokens
from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import CountingOptions
from termburst.forks import check_fork
from termburst.reading.documents import Text

if TYPE_CHECKING:
    import polars as pl

    from termburst.statistics.term_statistics import TermStatistics


@dataclass(frozen=True, eq=False, repr=False)
class Corpus(DocumentQuestions):
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
    _dropped: pl.DataFrame | None = None

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
        """The report about reading: what was skipped, repaired or guessed, and how words are found. None for counts."""
        return self._reports[0] if len(self._reports) == 1 else Reports(self._reports) if self._reports else None

    @property
    def dropped(self) -> pl.DataFrame | None:
        """The near-copies that `drop_duplicates` left out: id, duplicate_of, jaccard. None if it was not called."""
        return None if self._dropped is None else self._dropped.clone()

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
        condition : text such as "year >= 1945 AND party = 'x'", Polars expression of the metadata, or boolean array
            The array has one value per document. Documents for which a condition is null are left out.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["so it goes", "so so", "on"], id=["a", "b", "c"], metadata={"year": [1944, 1945, 1946]})
        >>> corpus.where("year >= 1945").ids, corpus.where([True, False, True]).ids
        (['b', 'c'], ['a', 'c'])
        """
        if isinstance(condition, str):
            rows = np.array(rows_of_condition(self._metadata, condition), dtype=np.intp)
        else:
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

    def drop_duplicates(self, *, threshold: float = 0.7) -> Corpus:
        """The documents without near-copies of earlier ones; `dropped` then says which were left out.

        Two documents are near-copies if the Jaccard index of their runs of five words reaches the threshold (0.5 to 1).
        Documents of fewer than five words stay. Without texts, the counts are compared. See :doc:`check`.

        Examples
        --------
        >>> import termburst as tb
        >>> texts = ["so it goes on and on and on", "the crowd said nothing at all", "So it goes on, and on, and on!"]
        >>> corpus = tb.read(texts, id=["a", "b", "c"]).drop_duplicates()
        >>> corpus.ids, corpus.dropped.rows()
        (['a', 'b'], [('c', 'a', 1.0)])
        """
        from termburst.corpus.checks import without_duplicates

        check_fork()
        kept, dropped = without_duplicates(self, threshold)
        return replace(self._derived(self._documents.rows(kept), self._metadata[kept]), _dropped=dropped)

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
