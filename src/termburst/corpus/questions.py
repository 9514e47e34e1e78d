"""The questions to a corpus: one method for each, and each is one call of the library."""

from __future__ import annotations

import json
import warnings
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from termburst.corpus import metadata as columns
from termburst.corpus.condition_groups import part_to_compare, with_conditions_shown
from termburst.corpus.layers import with_layers
from termburst.corpus.shown import warn_of_single_documents
from termburst.counting.counted_corpus import CountedCorpus
from termburst.counting.options import CountingOptions
from termburst.limits import memory_allowed
from termburst.messages import Message, named
from termburst.reading.conditions import is_condition
from termburst.reading.documents import Text
from termburst.schemes import RECOMMENDED_SCHEME, named_scheme

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus.corpus import Corpus
    from termburst.inference.plr import Explanation
    from termburst.report.server import Exploration, Server
    from termburst.statistics.term_statistics import TermStatistics
    from termburst.weight_files import Weights


class Questions:
    """What can be asked of a corpus. `Corpus` inherits from it, and has the documents and the metadata."""

    if TYPE_CHECKING:  # what a question may use of `Corpus`
        _documents: Any  # Documents, Scanned or Summed

        @property
        def _metadata(self) -> pl.DataFrame: ...

        @property
        def _scanned(self) -> Any: ...

        def counted(self) -> Corpus: ...

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
        from termburst.questions import burstiness_test

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
        from termburst.questions import keyness

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
        from termburst.questions import keyness

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
        from termburst.questions import keyness, keyness_groups

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

        counted = self._filled()
        return term_frame(counted.terms, measured(counted, measures))

    def term_table(self, **options: Any) -> pl.DataFrame:
        """Every term with its statistics, the burstiest first; see `termburst.term_table`.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9).term_table()["term"][0]
        'ha'
        """
        from termburst.questions import term_table

        self._warn_of_one_document()
        return term_table(self._sums() if options.get("fit") == "exact" else self.statistics, **options)

    def coburst(self, pairs: Iterable[tuple[str, str]] | None = None, **options: Any) -> pl.DataFrame:
        """Which pairs of terms burst in the same documents? See `termburst.coburst`.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["ha ha ho ho so"] * 6 + ["so it goes on and on"] * 9)
        >>> corpus.coburst([("ha", "ho")], event="occurrence")["shared"][0]
        6
        """
        from termburst.questions import coburst

        return coburst(self._filled(), pairs, **options)

    def kwic(
        self, query: str, *, where: Any = None, layer: str | None = None, show: str | None = None, **options: Any
    ) -> pl.DataFrame:
        r"""Every place where a word, a phrase or a pattern stands, with the text around it: one row per line.

        A plain word matches where the regular expression ``(?<!\w)word(?!\w)`` does, in upper or lower case, whatever
        the corpus counts as a word. ``free*`` and ``b?t`` have wildcards, ``free world`` is a phrase, and with
        ``regex=True`` the query is a regular expression.

        Parameters
        ----------
        where : the documents to search, by a condition as `Corpus.where` takes it, such as "year >= 1945"
        layer, show : of an annotated corpus (CoNLL-U, vertical, TEI with <w>): the layer to search and the layer to
            show, each "form", "lemma", "upos" or "lemma_upos"; by default the layer that the corpus was read with
            ``corpus.kwic("be", layer="lemma", show="form")`` finds *am* and *was* in the running text.
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
        texts = corpus._texts("there is nothing to search")
        if layer is not None or show is not None:
            own = (self.counting and self.counting.layer) or "form"
            texts, options = with_layers(texts, layer or own, show or own), {"layers": True, **options}
        return kwic(texts, query, corpus._metadata, **options)

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
        options : min_count, adjust, confidence, include_node, limit; see
            `termburst.concordance.collocates.collocates`

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
        if len(self) and 16 * self.tokens < memory_allowed():
            in_sentences = within == "sentence"
            source = self._documents.positions_in_sentences if in_sentences else self._documents.positions
        return collocates(
            source, node, counting=self.counting or CountingOptions(), window=window, within=within, **options
        )

    def triggers(self, term: str | None = None, *, fit: Any = None, **options: Any) -> pl.DataFrame:
        """Which words come in the same documents as a word, and which of them come later, or earlier?

        Both questions are tested. A word brings on another if they come together, and the other one comes later more
        often than in shuffled documents. The surest pairs come first. An urn that is fitted to the order of words says
        how many times likelier. The first call fits it and takes longer; then any word is quick.

        Parameters
        ----------
        term : a word; by default the surest pairs of all words
        fit : of `termburst.fit_polya_urn` with kind="full", for options of your own
        options : top, after, adjust, confidence, min_documents, most_repeated; see
            `termburst.concordance.triggers.triggers`, which explains the columns

        Examples
        --------
        >>> import termburst as tb
        >>> texts = ["socrates asked plato and plato asked", "the sea and the sun", "a ship on the sea"] * 8
        >>> tb.read(texts).triggers("socrates").select("direction", "term", "documents").rows()[0]
        ('brings on', 'asked', 8)
        """
        from termburst.concordance.triggers import triggers

        if fit is None:
            self._texts("its words have no order")
            fit = self._documents.urn
        return triggers(fit, term, **options)

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

    def weights(self, scheme: str = RECOMMENDED_SCHEME, *, y: Any = None, **options: Any) -> Weights:
        """A weight for every term in every document, with the terms and ids; see `termburst.TermWeighting`.

        Parameters
        ----------
        y : column of the metadata, or one label per document, for the schemes that compare classes ("class-bm25", …)
        options : mu, sigma2, norm, transductive, invalid, sparse_output, of `termburst.TermWeighting`

        Examples
        --------
        >>> import termburst as tb
        >>> weights = tb.read(["so it goes", "so so"], id=["a", "b"]).weights("tf-idf")
        >>> weights.matrix.shape, weights.terms.tolist(), weights.documents.tolist()
        ((2, 3), ['goes', 'it', 'so'], ['a', 'b'])
        >>> corpus = tb.read(["so it goes", "so so", "it is"], metadata={"who": ["x", "y", "x"]})
        >>> corpus.weights("class-bm25", y="who").matrix.shape
        (3, 4)
        """
        from termburst.estimators.term_weighting import TermWeighting
        from termburst.weight_files import Weights

        if y is not None and not named_scheme(scheme).uses_labels:
            raise ValueError(f"the scheme {scheme!r} uses no labels; omit y=, or take a scheme such as 'class-lift'")
        counts = self._filled().counts
        self._warn_of_one_document()
        labels = columns.labels_of(self._metadata, y).to_list() if isinstance(y, str) else y
        matrix = TermWeighting(scheme, **options).fit_transform(counts, labels)
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
        numbers = target.suffix.lower() == ".json"
        summary = summarize(self, title=title or self.name, **{"full": numbers, **options})
        page = json.dumps(summary, allow_nan=False) if numbers else render(summary)
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
