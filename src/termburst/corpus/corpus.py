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
from termburst.corpus.shown import Reports, as_html, in_words, warn_of_single_documents, words_of
from termburst.corpus.splitting import AsCounted, Pieces, by_pattern, by_tokens
from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import CountingOptions
from termburst.forks import check_fork
from termburst.limits import memory_allowed
from termburst.reading.documents import Text
from termburst.schemes import RECOMMENDED_SCHEME

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus.checks import CorpusCheck
    from termburst.inference.plr import Explanation
    from termburst.report.server import Exploration, Server
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
        """The report about reading: what was skipped, repaired or guessed. None if nothing was read from files."""
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

    # Questions

    def check(
        self, *, cluster: str | None = None, threshold: float = 0.7, halves: int = 10, seed: int = 0
    ) -> CorpusCheck:
        """Does inference hold here? Near-copies, shared passages, dominant authors, too few documents, false alarms.

        Parameters
        ----------
        cluster : column of the metadata whose values may depend within, such as the author
            The halves are then dealt by its values, at least ten.
        threshold : Jaccard index of runs of five words from which two documents are near-copies, from 0.5 to 1
        halves : how many times the corpus is halved at random to count false alarms
        seed : of the random numbers

        Returns
        -------
        CorpusCheck
            Print it for the answer in words and a table; its fields have the details. See :doc:`check`.

        Examples
        --------
        >>> import termburst as tb
        >>> found = tb.read(["so it goes on and on", "the crowd said nothing", "So it goes on, and on!"]).check()
        >>> found.duplicates.rows()
        [('3', '1', 1.0)]
        """
        from termburst.corpus.checks import check

        check_fork()
        return check(self, cluster=cluster, threshold=threshold, halves=halves, seed=seed)

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
            if len(self) == 1 and isinstance(other, Corpus) and len(other) == 1:
                warn_of_single_documents()
            return keyness(self._filled(), other, **options)
        by = by if by is not None else self.by
        if by is None:
            raise ValueError("give the column to compare by, as by=..., or another corpus")
        labels = columns.column_of(self._metadata, by)
        if labels.null_count():
            advice = f"leave them out with corpus.where(pl.col({by!r}).is_not_null())"
            raise ValueError(f"{labels.null_count():,} documents have nothing in the column {by!r:.60}; {advice}")
        if labels.dtype.is_nested() or str(labels.dtype) in ("Binary", "Object"):
            raise ValueError(f"the column {by!r:.60} has {labels.dtype}, by which documents cannot be compared")
        groups = labels.unique().sort()
        if len(groups) == len(self):
            warn_of_single_documents()
        if len(groups) != 2 or "contrasts" in options:
            return keyness_groups(self._filled(), labels.to_list(), **options)
        a, b = (self.counts[(labels == group).to_numpy()] for group in groups)
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
        from termburst.tables.frames import term_frame

        return term_frame(self.terms, measured(self._filled(), measures))

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

    def kwic(self, query: str, *, where: Any = None, **options: Any) -> pl.DataFrame:
        r"""Every place where a word, a phrase or a pattern stands, with the text around it: one row per line.

        A plain word matches where the regular expression ``(?<!\w)word(?!\w)`` does, in upper or lower case, whatever
        the corpus counts as a word. ``free*`` and ``b?t`` have wildcards, ``free world`` is a phrase, and with
        ``regex=True`` the query is a regular expression.

        Parameters
        ----------
        where : Polars expression of the metadata, or boolean array: the documents to search
        options : width, sort, columns, limit, regex, ignore_case; see `termburst.concordance.kwic.kwic`

        Returns
        -------
        polars.DataFrame
            id, left, match, right, position (characters of the document before the match), and the metadata *columns*.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["So it goes.", "And so on."], metadata={"year": [1945, 1949]})
        >>> corpus.kwic("so", width=7, columns=["year"]).rows()
        [('1', '', 'So', ' it goe', 0, 1945), ('2', 'And ', 'so', ' on.', 4, 1949)]
        """
        from termburst.concordance.kwic import kwic

        corpus = self if where is None else self.where(where)
        return kwic(corpus._texts("there is nothing to search"), query, corpus._metadata, **options)

    def collocates(self, node: str, window: int = 5, *, within: str = "document", **options: Any) -> pl.DataFrame:
        """Which words stand near a node more often than their documents explain? The smallest p-values come first.

        Other words of a document are shuffled in thought, and the node stays where it is. So a word that is only about
        the same thing as the node, and therefore in the same documents, is not called a collocate. See
        `termburst.inference.collocates.attraction` for the test, and `coburst` for the other question: which words
        come in the same documents?

        Parameters
        ----------
        node : a word as the corpus counts it, a phrase, or a pattern such as "free*"
        window : tokens on each side, stop words included
        within : "document" or "sentence", over whose ends the window does not reach
        options : min_count, adjust, confidence, include_node; see `termburst.concordance.collocates.collocates`

        Returns
        -------
        polars.DataFrame
            term; n, its tokens in the corpus; n_window, those near the node; documents in which it is near the node;
            expected, the mean of n_window if the words of each document are shuffled; log_dice; log_ratio (log₂ of the
            odds ratio of being near the node, within documents), ci_low, ci_high; p_value, one-sided, for attraction;
            q_value, adjusted over the words that share a document with the node; log10_p; p_upper, the chance of
            n_window or more, which is p_value without mid-p.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["a free world and a free world", "the free world or war in the world", "war and the sea"])
        >>> corpus.collocates("free", window=1).select("term", "n", "n_window", "documents").rows()[0]
        ('world', 4, 3, 2)
        """
        from termburst.concordance.collocates import collocates

        texts = self._texts("its words have no order")
        source: Any = texts  # read again for each node if the positions would take too much memory
        if len(self) and 8 * self.tokens < memory_allowed() // 2:
            in_sentences = within == "sentence"
            source = self._documents.positions_in_sentences if in_sentences else self._documents.positions
        return collocates(
            source, node, counting=self.counting or CountingOptions(), window=window, within=within, **options
        )

    def ngrams(self, size: int = 2, *, min_count: int = 2) -> pl.DataFrame:
        """The n-grams with how firmly their words hold together; see `termburst.concordance.ngrams.ngrams`.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["new york and new york", "york is new"]).ngrams().select("term", "n", "documents").rows()
        [('new york', 2, 1)]
        """
        from termburst.concordance.ngrams import ngrams

        self._texts("its words have no order")
        return ngrams(self._documents.positions, size, min_count=min_count)

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

    def server(self, *, title: str | None = None, port: int = 0, **options: Any) -> Server:
        """The live page of this corpus, ready to be served on this machine; see `termburst.report.server.Server`.

        Parameters
        ----------
        title : heading of the page
        port : on 127.0.0.1; 0 takes a free one
        options : of `termburst.report.summarize`
        """
        from termburst.report.explorer import Explorer
        from termburst.report.server import Server

        explorer = Explorer(
            replace(self._filled(), reading=self.reading), self._metadata, title or self.name, **options
        )
        explorer.page()  # so that the first answer is there at once, and what is wrong is said before the address
        return Server(explorer, port)

    def explore(self, *, browser: bool = True, port: int = 0, **options: Any) -> Exploration:
        """Open the live page of this corpus: every term, every line, any phrase, any comparison of groups.

        It is served by this process, on this machine only, until ``close()`` is called or Python ends. In a notebook
        the page is shown in the cell.

        Parameters
        ----------
        browser : whether to open the page in the browser, outside notebooks
        port : on 127.0.0.1; 0 takes a free one
        options : of `termburst.report.summarize`

        Examples
        --------
        >>> import termburst as tb
        >>> with tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9).explore(browser=False) as page:
        ...     page.address.startswith("http://127.0.0.1:")
        True
        """
        from termburst.report.server import Exploration

        return Exploration(self.server(port=port, **options), browser=browser)

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
