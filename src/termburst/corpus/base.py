"""Documents with their ids and metadata, and other corpora made from them: `Corpus` without its questions."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from termburst.corpus import metadata as columns
from termburst.corpus import steps
from termburst.corpus.documents import Documents
from termburst.corpus.metadata import expression_of, rows_meeting
from termburst.corpus.read_arguments import ReadArguments
from termburst.corpus.saved import Summed
from termburst.corpus.scanned import Held, Scanned
from termburst.corpus.shown import Reports, in_words, warn_of_single_documents
from termburst.corpus.steps import Step, about, none_meets
from termburst.corpus.stream import HeldSource, Stream
from termburst.counting.counted_corpus import CountedCorpus, texts_at
from termburst.counting.options import CountingOptions, words_of
from termburst.display import html_table
from termburst.forks import check_fork
from termburst.messages import named, shown
from termburst.reading.conditions import is_condition
from termburst.reading.documents import Text
from termburst.reading.options import ReadingOptions

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus.framed import Framed
    from termburst.statistics.term_statistics import TermStatistics


BATCH = 2000  # documents of a corpus in memory that make one batch


@dataclass(frozen=True, slots=True, eq=False)
class DocumentBatch:
    """Some documents of a corpus in a row: ids, texts (or token lists), and a frame of what is known of them."""

    ids: Sequence[str]
    texts: Sequence[Text]
    metadata: pl.DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class CorpusBase:
    """What a corpus has, and other corpora made from it; `Corpus` has the questions, too."""

    _documents: Documents | Scanned | Summed | Framed
    _frame: pl.DataFrame | None  # of a corpus that is scanned, what was found in a pass
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
        """The report about reading: what was skipped, repaired or guessed, and how words are found. None for counts.

        A corpus that is scanned has it after the first question.
        """
        found = self._reports
        if self._scanned is not None and self._scanned.last is not None:
            found = self._scanned.last.with_language().reports
        return found[0] if len(found) == 1 else Reports(found) if found else None

    @property
    def dropped(self) -> pl.DataFrame | None:
        """The near-copies that `drop_duplicates` left out: id, duplicate_of, jaccard. None if it was not called.

        A corpus that is scanned has it after the first question.
        """
        found = self._dropped
        if self._scanned is not None and self._scanned.last is not None:
            found = self._scanned.last.dropped
        return None if found is None else found.clone()

    @property
    def counting(self) -> CountingOptions | None:
        """How words are found and counted; None if the corpus was made from counts."""
        return self._documents.counting

    @property
    def words(self) -> str:
        """The same in words, for people."""
        return words_of(self.counting)

    @property
    def counts(self) -> Any:
        """n_ij, documents × terms, as a `scipy.sparse.csr_array`. It is read-only; copy it to change it."""
        return self._documents.counted.counts

    @property
    def terms(self) -> NDArray[np.object_]:
        """The names of the columns of `counts`, in alphabetical order."""
        if self.is_counted:
            return self._documents.counted.terms
        terms: Any = self.statistics.terms
        return terms

    @property
    def statistics(self) -> TermStatistics:
        """`TermStatistics` with detail="patterns", which can be saved, added, and compared with other corpora."""
        if isinstance(self._documents, Documents):
            self._filled()
        return self._documents.statistics

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return int(self.counts.sum()) if self.is_counted else self.statistics.tokens

    @property
    def is_counted(self) -> bool:
        """Whether `counts` are known, or can be made from texts in memory."""
        return isinstance(self._documents, Documents) or self._documents.is_counted

    @property
    def is_saved(self) -> bool:
        """Whether there are only saved statistics, and no documents."""
        return isinstance(self._documents, Summed)

    def __len__(self) -> int:
        """The number of documents."""
        return self._documents.size

    # Other corpora made from it

    def where(self, condition: Any) -> Self:
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
        if not isinstance(self._documents, Documents):
            return self._then(steps.where(condition))
        if isinstance(condition, str):
            expression = expression_of(self._metadata, condition, "where")
            rows = np.array(rows_meeting(self._metadata, expression), dtype=np.intp)
        else:
            rows = columns.chosen_rows(self._metadata, condition)
        if not rows.size:
            raise ValueError(none_meets(condition, len(self)))
        return replace(self, _documents=self._documents.rows(rows), _frame=self._metadata[rows])

    def group(self, column: str) -> Self:
        """The same documents, with the column of the metadata, or the condition, by which `keyness` compares them.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["so it goes", "so so"], metadata={"party": ["x", "y"]}).group("party").by
        'party'
        """
        if not isinstance(column, str):
            raise ValueError(f"column must be a name, or a condition such as 'year >= 1945'; got {shown(column)}")
        if not isinstance(self._documents, Documents):
            return replace(self._then(steps.group(column)), by=column)
        if not is_condition(column):
            columns.column_of(self._metadata, column)
        return replace(self, by=column)

    def bin(self, column: str, every: float | str = 10) -> Self:
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
        if not isinstance(column, str):
            raise ValueError(f"column must be the name of a column; got {shown(column)}")
        if not isinstance(self._documents, Documents):
            return self._then(steps.bins(column, every))
        return replace(self, _frame=columns.binned(self._metadata, column, every))

    def split(self, *, tokens: int | None = None, pattern: str | None = None) -> Self:
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
        step = steps.split(tokens, pattern)
        if not isinstance(self._documents, Documents):
            return self._then(step)
        texts, counting = self._texts("there is nothing to cut"), self.counting or CountingOptions()
        source = HeldSource(self.name, self._documents.ids, texts, looked_at=True)
        held = Scanned(Stream((source,), ReadArguments(ReadingOptions(), counting), (step,))).held
        parent = np.cumsum((held.frame["piece"] == 1).to_numpy()) - 1
        rest = self._metadata[parent].drop("id", "parent", "piece", strict=False)
        return replace(self, _documents=held.documents, _frame=held.frame.hstack(rest))

    def with_metadata(self, metadata: Any) -> Self:
        """The same documents with more metadata: columns such as ``{"year": years}``, a frame, or a list of dicts.

        Rows are matched by a column "id" if there is one, or by their order, for which a corpus that is scanned is
        counted first. Columns that exist are replaced.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["so", "it"], id=["a", "b"]).with_metadata({"id": ["b", "a"], "year": [1949, 1945]})
        >>> corpus.metadata["year"].to_list()
        [1945, 1949]
        """
        by_id = columns.by_id(metadata)
        if by_id is not None and not self.is_counted:
            return self._then(steps.more_metadata(by_id))
        held = self.counted()
        return replace(held, _frame=columns.joined(held._metadata, metadata))

    def drop_duplicates(self, *, threshold: float = 0.7) -> Self:
        """The documents without near-copies of earlier ones; `dropped` then says which were left out.

        Two documents are near-copies if the Jaccard index of their runs of five words reaches the threshold (0.5 to 1).
        Documents of fewer than five words stay. Without texts, the counts are compared. See :doc:`keyness-study`.

        Examples
        --------
        >>> import termburst as tb
        >>> texts = ["so it goes on and on and on", "the crowd said nothing at all", "So it goes on, and on, and on!"]
        >>> corpus = tb.read(texts, id=["a", "b", "c"]).drop_duplicates()
        >>> corpus.ids, corpus.dropped.rows()
        (['a', 'b'], [('c', 'a', 1.0)])
        """
        from termburst.inference.duplicates import near_duplicates
        from termburst.questions.corpus_check import dropped_frame, shingles_of

        check_fork()
        if not isinstance(self._documents, Documents):
            return self._then(steps.drop_duplicates(threshold))
        texts = self._documents.texts
        found = near_duplicates(shingles_of(texts, None if texts is not None else self.counts), threshold)
        kept = np.flatnonzero(found.kept)
        chosen = replace(self, _documents=self._documents.rows(kept), _frame=self._metadata[kept])
        return replace(chosen, _dropped=dropped_frame(self.ids, found))

    # What is scanned

    def counted(self) -> Self:
        """The same documents after a pass that has counted each of them, as `termburst.read` does.

        Their texts stay where they are. Documents can then be chosen, and metadata added, without another pass.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import termburst as tb
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "a.csv").write_text("text\\nso it goes\\nso so\\n")
        ...     tb.scan(folder).counted().where([False, True]).ids
        ['a.csv:2']
        """
        return self if isinstance(self._documents, Documents | Summed) else self._with(self._documents.held)

    def in_memory(self) -> Self:
        """The same documents with their texts in memory, in one pass, for questions that read them several times.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import termburst as tb
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "a.txt").write_text("so it goes")
        ...     corpus = tb.scan(folder).in_memory()
        >>> list(corpus.texts)
        ['so it goes']
        """
        return self if isinstance(self._documents, Documents | Summed) else self._with(self._documents.in_memory)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[DocumentBatch]:
        """The documents in batches, each with ids, texts and metadata: what a question about texts goes through.

        A corpus that is scanned is read once, and no more than a batch is held in memory.

        Parameters
        ----------
        columns : the metadata that are needed; by default all
            Of a corpus that is scanned, a column has a type of its own in each batch, and is null if no document of
            the batch has it.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["so it goes", "so so"], metadata={"year": [1945, 1949]})
        >>> [(batch.ids, batch.texts, batch.metadata["year"].to_list()) for batch in corpus.batches(["year"])]
        [(['1', '2'], ('so it goes', 'so so'), [1945, 1949])]
        """
        scanned, texts = self._scanned, self._texts("there are no texts to go through")
        if scanned is not None and not scanned.is_counted:
            yield from self._streamed(scanned, columns)
            return
        frame = self._metadata if columns is None else self._metadata.select("id", *columns)
        for first in range(0, len(self), BATCH):
            some = range(first, min(first + BATCH, len(self)))
            yield DocumentBatch(self.ids[first : some.stop], tuple(texts_at(texts, some)), frame[first : some.stop])

    def _streamed(self, scanned: Scanned, names: Sequence[str] | None) -> Iterator[DocumentBatch]:
        """The batches of a corpus that is read now."""
        wanted = None if names is None else tuple(names)
        stream = scanned.stream if wanted is None else replace(scanned.stream, columns=wanted)
        with stream.reading() as (found, batches):
            scanned.note(found)
            documents = 0
            for batch in batches:
                documents += len(batch.ids)
                frame = about(batch, wanted or ())
                yield DocumentBatch(batch.ids, batch.texts, frame if wanted is None else frame.select("id", *wanted))
            if not documents:
                raise ValueError(f"{stream.name}: there are no documents to read")

    @property
    def _scanned(self) -> Scanned | None:
        """The documents, if they are read when a question is asked."""
        return self._documents if isinstance(self._documents, Scanned) else None

    @property
    def _framed(self) -> Framed | None:
        """The documents, if they are in a frame of an engine, which answers."""
        found: Any = self._documents
        return found if found.in_engine else None

    @property
    def _metadata(self) -> pl.DataFrame:
        documents: Any = self._documents
        return documents.held.frame if self._frame is None else self._frame

    def _then(self, step: Step) -> Self:
        """A corpus that is scanned, with one more step; ValueError for saved statistics."""
        if self._framed is not None:
            return replace(self, _documents=self._framed.then(step))
        if isinstance(self._documents, Summed):
            option, what = step.option, "columns" if step.needs else "documents"
            omit = f"{self._documents.name} contains statistics, which have no {what}; omit "
            raise ValueError(omit + named(option, python=f"{option}()"))
        documents: Any = self._documents
        return replace(self, _documents=Scanned(documents.stream.then(step)))

    def _with(self, held: Held) -> Self:
        reports, dropped = held.reading.with_language().reports, held.reading.dropped
        return replace(self, _documents=held.documents, _frame=held.frame, _reports=reports, _dropped=dropped)

    # How it is shown and used

    def __counted_corpus__(self) -> CountedCorpus:
        """Its counts, for functions that take counts."""
        if isinstance(self._documents, Summed) or self._framed is not None:
            raise ValueError(
                f"{self.name} has no counts by document in memory; ask the corpus itself, as in corpus.burstiness(), "
                "or give corpus.statistics to a function of sums"
            )
        return self._filled()

    def __repr__(self) -> str:
        """What it is, in words."""
        return in_words(self)

    def _repr_html_(self) -> str:
        """What it is, and its metadata if they are in memory."""
        return html_table(in_words(self), self.metadata if isinstance(self._documents, Documents) else None)

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
            whose = self.name if getattr(self.reading, "files", 0) else getattr(self._documents, "name", "the corpus")
            whose = self._scanned.stream.name if self._scanned else whose
            warn_of_single_documents(f"{whose} is a single document, but burstiness shows only between documents")
