"""`Corpus`: the object that people hold, with one method for each question."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from termburst import names
from termburst.corpus import metadata as columns
from termburst.corpus.base import CorpusBase
from termburst.corpus.metadata import part_to_compare, with_conditions_shown
from termburst.corpus.saved import Summed
from termburst.corpus.scanned import with_layers
from termburst.corpus.shown import warn_of_single_documents
from termburst.counting.options import CountingOptions
from termburst.limits import memory_allowed
from termburst.messages import named, shown
from termburst.options import given, made_from
from termburst.questions.burstiness_test import Burstiness
from termburst.questions.check import Check
from termburst.questions.coburst import Coburst
from termburst.questions.collocates import Collocates
from termburst.questions.dispersion import Dispersion
from termburst.questions.explain import Explain
from termburst.questions.explore import Explore
from termburst.questions.fits import Fits
from termburst.questions.keyness import Keyness
from termburst.questions.kwic import Kwic
from termburst.questions.ngrams import Ngrams
from termburst.questions.report import Report
from termburst.questions.sides import Sides, column_formula
from termburst.questions.term_table import TermTable
from termburst.questions.triggers import Triggers
from termburst.questions.weights import Weigh

if TYPE_CHECKING:
    import polars as pl

    from termburst.concordance.polya_urn import PolyaUrnFit
    from termburst.inference.plr import Explanation
    from termburst.questions.corpus_check import CorpusCheck
    from termburst.report.server import Exploration
    from termburst.weights.weight_files import Weights


_LONE = (
    "each side is a single document, so it cannot be seen how much words vary between documents, and few terms will "
    "differ"
)


class Corpus(CorpusBase):
    """Documents with ids and metadata; make one with `termburst.read`, or with `termburst.scan`.

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

    # About terms

    def burstiness(
        self,
        *,
        statistic: names.Statistic = "plr",
        mu: float | None = None,
        sigma2: float = 1.0,
        form: names.Form = "printed",
        adjust: names.Adjustment = "bh",
        mid_p: bool = False,
        min_count: int = 1,
        draws: int = 9_999,
        seed: int = 0,
        dispersion: bool = True,
        intervals: bool = True,
        sort: names.TermSort | None = "lower_bound",
        columns: names.Columns = "main",
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
        compare: names.Compare = "frequency",
        method: names.KeynessMethod = "beta-binomial",
        confidence: float | None = 0.95,
        adjust: names.Adjustment = "bh",
        sort: names.Sort | None = "p",
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
            warn_of_single_documents(_LONE)
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
            warn_of_single_documents(_LONE)
        if len(values) != 2 or sides.contrasts:
            return keyness(part._filled(), by=labels.to_list(), contrasts=sides.contrasts, **given(asked))
        a, b = (part._filled().counts[(labels == value).to_numpy()] for value in values)
        return keyness(a, b, terms=part.terms, **given(asked))

    def dispersion(
        self, measures: str | Iterable[str] | None = None, sort: names.TermOrder | None = "term"
    ) -> pl.DataFrame:
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
        form: names.Form = "printed",
        penalty: names.PenaltyName = "gamma",
        invalid: names.Invalid = "clamp",
        parts: bool = False,
        fit: names.Fit = "penalized",
        effects: bool = True,
        intervals: bool = True,
        confidence: float = 0.95,
        sort: names.TermSort | None = "lower_bound",
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

    def fit_beta_binomial(self, *, sort: names.TermOrder | None = "term") -> pl.DataFrame:
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

    # About texts and the order of words

    def kwic(
        self,
        query: str,
        *,
        layer: names.Layer | None = None,
        show: names.Layer | None = None,
        regex: bool = False,
        case: bool = False,
        width: int | None = None,
        sort: str | Sequence[str] | None = None,
        columns: str | Sequence[str] | None = None,
        top: int | None = None,
    ) -> pl.DataFrame:
        r"""Every place where a word, a phrase or a pattern stands, with the text around it: one row per line.

        A plain word matches where the regular expression ``(?<!\w)word(?!\w)`` does, in upper or lower case, whatever
        the corpus counts as a word. ``free*`` and ``b?t`` have wildcards, ``free world`` is a phrase, and with
        ``regex=True`` the query is a regular expression. To search only some documents, choose them with `where`.

        Parameters
        ----------
        layer, show : of an annotated corpus (CoNLL-U, vertical, TEI with <w>): the layer to search and the layer to
            show, each "form", "lemma", "upos" or "lemma_upos"; by default the layer that the corpus was read with
            ``corpus.kwic("be", layer="lemma", show="form")`` finds *am* and *was* in the running text.
        case : whether upper and lower case are different
        width : characters on each side, by default 60; runs of white space become one space
        sort : "L1" to "L3" or "R1" to "R3", "match", "id", or a column of the metadata; or several; "-year" is
            descending. "R1" is the first word to the right. Equal lines stay in the order of the corpus.
        columns : columns of the metadata to show
        top : at most this number of lines: the first ones, in the order of *sort*; 0 for all

        Returns
        -------
        polars.DataFrame
            id, left, match, right, position (characters of the document before the match), and the metadata *columns*.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["So it goes.", "And so on."], metadata={"year": [1945, 1949]})
        >>> corpus.kwic("so", width=7, columns="year").rows()
        [('1', '', 'So', ' it goe', 0, 1945), ('2', 'And ', 'so', ' on.', 4, 1949)]
        """
        asked = made_from(Kwic, locals())
        if self._framed is not None:
            return self._framed.kwic(asked)
        from termburst.concordance.kwic import together

        return together(list(self.kwic_lines(asked)))

    def kwic_lines(self, asked: Kwic) -> Iterator[pl.DataFrame]:
        """The lines of `kwic` in several frames, as they are found. No text is kept of a corpus that is scanned.

        Examples
        --------
        >>> import termburst as tb
        >>> from termburst.questions.kwic import Kwic
        >>> [lines["match"].to_list() for lines in tb.read(["So it goes."]).kwic_lines(Kwic("so"))]
        [['So']]
        """
        source: Any = self
        texts: Any = self._texts("there is nothing to search")
        layers = False
        if asked.layer is not None or asked.show is not None:
            own = (self.counting and self.counting.layer) or "form"
            searched, shown = asked.layer or own, asked.show or own
            layers = (searched, shown) != (own, own)
        is_read_now = self._scanned is not None and not self._scanned.is_counted
        if layers:
            texts = with_layers(texts, searched, shown)
            source = replace(source, _documents=texts.scanned) if is_read_now else source
        if is_read_now:
            return asked.lines(((one.metadata, one.texts) for one in source.batches(asked.needs)), layers=layers)
        return asked.lines([(self._metadata, texts)], layers=layers)

    def collocates(
        self,
        node: str,
        window: int = 5,
        *,
        within: names.Span = "document",
        include_node: bool = False,
        min_count: int = 1,
        adjust: names.Adjustment = "bh",
        confidence: float = 0.95,
        sort: names.CollocateSort | None = "p",
        top: int | None = None,
    ) -> pl.DataFrame:
        """Which words stand near a node more often than their documents explain? The smallest p-values come first.

        We compare with randomly shuffled documents, in which the node stays where it is. So a word that is only about
        the same thing as the node, and therefore in the same documents, is not called a collocate. See
        `termburst.inference.collocates.attraction` for the test, and `coburst` for the other question: which words
        come in the same documents?

        Parameters
        ----------
        node : a word as the corpus counts it, a phrase, or a pattern such as "free*"
        window : tokens on each side, stop words included
        within : "document" or "sentence", over whose ends the window does not reach
        include_node : whether the node itself has a row, the first one; the test keeps it in its places, so it has no p
        min_count : leave out words with fewer tokens in the corpus
        adjust : how q is made from p; see `termburst.inference.multiplicity.adjust`
        confidence : level of the interval of log_ratio
        sort : "p", the surest first, or "log_dice", "log_ratio", "n_window", "n", the largest first; or "term"
        top : at most this number of rows, which takes less than half the time; all words are tested. 0 for all

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
        asked = made_from(Collocates, locals())
        if self._framed is not None:
            return self._framed.collocates(asked)
        source: Any = self._texts("its words have no order")
        is_held = self._scanned is None or self._scanned.is_counted  # otherwise texts are read again for each node
        if is_held and len(self) and 16 * self.tokens < memory_allowed():
            in_sentences = asked.within == "sentence"
            source = self._documents.positions_in_sentences if in_sentences else self._documents.positions
        return asked.answer(source, self.counting or CountingOptions())

    def triggers(
        self,
        term: str | None = None,
        *,
        fit: PolyaUrnFit | None = None,
        decay: float | None = None,
        min_documents: int = 5,
        after: bool = False,
        most_repeated: float = 1.0,
        adjust: names.Adjustment = "bh",
        confidence: float = 0.95,
        top: int = 50,
    ) -> pl.DataFrame:
        """Which words come in the same documents as a word, and which of them come later, or earlier?

        Two questions have a test each. *Together*: are both words in more of the same documents than by chance? The
        order of words is not used. *After*: in the documents that have both, does one come later than the other more
        often than if the words of each document were shuffled? A word **brings on** another if both q-values are at
        most 0.05. The surest pairs come first. An urn that is fitted to the order of words says how many times
        likelier. The first call fits it and takes longer; then any word is quick.

        Parameters
        ----------
        term : a word; by default the pairs of all words
        fit : of `termburst.fit_polya_urn` with kind="full", for options of your own
        decay : tokens after which what a word added to the urn counts half; by default it counts in full
        min_documents : pairs in fewer of the same documents are left out
        after : only pairs of which one word brings on the other. The q-values stay as they are
        most_repeated : pairs are left out if they rest on repeated passages in a larger share of their documents: 0.5
            leaves out most signatures, quotations and reprints. The q-values stay as they are
        adjust : how q is made from p: q_together over all pairs of words that were looked at, q_after over the pairs
            that were chosen because they come together
        confidence : level of the interval of ratio
        top : at most how many rows; 0 for all

        Returns
        -------
        polars.DataFrame
            One row per pair. For one word: direction ("brings on", "brought on by", or "together with" where the order
            is not sure) and term, the other word; for all pairs: source, the word that comes earlier in more documents,
            and target. Then documents that have both; expected, their mean if the words are independent; p_together;
            q_together; later, the documents where the target comes later than the source; earlier, those where it comes
            earlier (in the others it is neither); p_after, two-sided; q_after; ratio, 1 + M[source, target]/α[target]
            of the urn: how many times likelier one source makes the target in the rest of the document, where nothing
            else brought it on (infinite if it never comes without one of its sources, null if the urn has no such
            entry); ci_low, ci_high, from the profile likelihood; repeated: in how many of the documents both words
            stand in eight words in a row that another document has, too; log10_p_together; log10_p_after. With
            "together with" the source is the given word. Both p-values are mid-p-values.

        Examples
        --------
        >>> import termburst as tb
        >>> texts = ["socrates asked plato and plato asked", "the sea and the sun", "a ship on the sea"] * 8
        >>> tb.read(texts).triggers("socrates").select("direction", "term", "documents").rows()[0]
        ('brings on', 'asked', 8)
        """
        asked = made_from(Triggers, locals())
        if fit is None:
            self._texts("its words have no order")
            fit = asked.urn(self._documents)
        elif decay is not None:
            raise ValueError("decay is an option of the urn, which you give; give it to tb.fit_polya_urn")
        return asked.answer(fit)

    def coburst(
        self,
        pairs: Iterable[tuple[str | int, str | int]] | None = None,
        *,
        top: int = 100,
        max_terms: int = 2000,
        min_count: int = 10,
        min_documents: int = 5,
        event: names.BurstEvent = "burst",
    ) -> pl.DataFrame:
        """Which pairs of terms burst in the same documents? `termburst.coburst` explains the options and the columns.

        Examples
        --------
        >>> import termburst as tb
        >>> corpus = tb.read(["ha ha ho ho so"] * 6 + ["so it goes on and on"] * 9)
        >>> corpus.coburst([("ha", "ho")], event="occurrence")["shared"][0]
        6
        """
        return made_from(Coburst, locals()).answer(self._filled())

    def ngrams(self, size: int = 2, *, min_count: int = 2) -> pl.DataFrame:
        """The n-grams with how firmly their words hold together; see `termburst.concordance.ngrams.ngrams`.

        Examples
        --------
        >>> import termburst as tb
        >>> tb.read(["new york and new york", "york is new"]).ngrams().select("term", "n", "documents").rows()
        [('new york', 2, 1)]
        """
        asked = made_from(Ngrams, locals())
        self._texts("its words have no order")
        return asked.answer(self._documents.positions)

    # About the corpus

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
            Print it for the answer in words and a table; its fields have the details. See :doc:`keyness-study`.

        Examples
        --------
        >>> import termburst as tb
        >>> found = tb.read(["so it goes on and on", "the crowd said nothing", "So it goes on, and on!"]).check()
        >>> found.duplicates.rows()
        [('3', '1', 1.0)]
        """
        asked = made_from(Check, locals())
        if self._framed is not None:
            return self._framed.check(asked)
        held: Any = self.in_memory()
        clusters = None if asked.cluster is None else columns.column_of(held._metadata, asked.cluster)
        return asked.answer(held._filled(), held._metadata, clusters)

    def explain(
        self,
        term: str,
        *,
        mu: float | None = None,
        sigma2: float = 1.0,
        form: names.Form = "printed",
        penalty: names.PenaltyName = "gamma",
        invalid: names.Invalid = "clamp",
        fit: names.Fit = "penalized",
    ) -> Explanation:
        """How bursty one term is, in words, and its λ as the sum of named parts; see `termburst.explain`.

        Examples
        --------
        >>> import termburst as tb
        >>> list(tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9).explain("ha").parts)[:2]
        ['tf_icf', 'btf_idf']
        """
        return made_from(Explain, locals()).answer(self.statistics)

    def weights(
        self,
        scheme: str = names.DEFAULT_SCHEME,
        *,
        y: Any = None,
        mu: float | None = None,
        sigma2: float = 1.0,
        norm: names.Norm | None = None,
        invalid: names.Invalid = "clamp",
    ) -> Weights:
        """A weight for every term in every document, with the terms and ids; `termburst.TermWeighting` has the options.

        Parameters
        ----------
        y : column of the metadata, or one label per document, for the schemes that compare classes ("class-lift", …)

        Examples
        --------
        >>> import termburst as tb
        >>> weights = tb.read(["so it goes", "so so"], id=["a", "b"]).weights("tf-idf")
        >>> weights.matrix.shape, weights.terms.tolist(), weights.documents.tolist()
        ((2, 3), ['goes', 'it', 'so'], ['a', 'b'])
        >>> corpus = tb.read(["so it goes", "so so", "it is"], metadata={"who": ["x", "y", "x"]})
        >>> corpus.weights("class-lift", y="who").matrix.shape
        (3, 4)
        """
        from termburst.estimators.term_weighting import TermWeighting
        from termburst.weights.schemes import named_scheme
        from termburst.weights.weight_files import Weights

        asked = made_from(Weigh, locals())
        if y is not None and not named_scheme(scheme).uses_labels:
            raise ValueError(f"the scheme {scheme!r} uses no labels; omit y=, or take a scheme such as 'class-lift'")
        if self._framed is not None:
            if y is not None:
                from termburst.corpus.framed import way_round

                raise ValueError(f"y= is not for a frame; omit it, or {way_round(self._framed.kind)}")
            return self._framed.weights(asked)
        counts = self._filled().counts  # first: then what is scanned is read once
        self._warn_of_one_document()
        labels = columns.labels_of(self._metadata, y).to_list() if isinstance(y, str) else y
        matrix = TermWeighting(**vars(asked)).fit_transform(counts, labels)
        return Weights(matrix, self.terms, np.array(self._documents.ids, dtype=object))

    def named_counts(self, min_count: int = 1) -> Weights:
        """The counts with the terms and ids, without terms that occur fewer times: what `termburst.exports` writes.

        Examples
        --------
        >>> import termburst as tb
        >>> found = tb.read(["so it goes", "so so"]).named_counts(2)
        >>> found.terms.tolist(), found.matrix.toarray().tolist()
        (['so'], [[1], [2]])
        """
        from termburst.weights.weight_files import Weights

        counted = self._filled()
        kept = np.flatnonzero(counted.counts.sum(axis=0) >= min_count)
        if not kept.size:
            rare = f"{self.name}: no term occurs {min_count:,} times or more; lower "
            raise ValueError(rare + named("min_count", bare=True))
        return Weights(counted.counts[:, kept], counted.terms[kept], np.array(counted.ids, dtype=object))

    def report(
        self,
        path: str | PathLike[str],
        *,
        title: str | None = None,
        max_terms: int = 100_000,
        examples: int = 20,
        mu: float | None = None,
        sigma2: float = 1.0,
        form: names.Form = "printed",
        adjust: names.Adjustment = "bh",
        min_count: int = 1,
        panels: int = 2_000,
        chosen: Sequence[str] | None = None,
        pairs: int = 10,
        step: Callable[[str], object] | None = None,
    ) -> Path:
        """Write a page to explore the corpus (.html), or its numbers (.json).

        Parameters
        ----------
        path : the file to write
        step : called with what is done next, such as "Looking for pairs of words", so that it can be shown
        others : see `termburst.report.summarize`

        Returns
        -------
        pathlib.Path
            The file.
        """
        from termburst.files import atomic_path, check_output
        from termburst.report import render

        asked = made_from(Report, locals())
        target = Path(path)
        if target.suffix.lower() not in (".html", ".htm", ".json"):
            raise ValueError(f"{target}: the name of a report must end in .html (the page) or .json (its numbers)")
        check_output(target)
        numbers = target.suffix.lower() == ".json"
        summary = self.summary(asked, step=step)
        page = json.dumps(summary, allow_nan=False) if numbers else render(summary)
        with atomic_path(target) as temporary:
            temporary.write_bytes(page.encode())
        return target

    def summary(self, asked: Report, *, step: Callable[[str], object] | None = None) -> dict[str, Any]:
        """What `report` shows, as plain values; see `termburst.report.summarize`. Texts are held in memory.

        Examples
        --------
        >>> import termburst as tb
        >>> from termburst.questions.report import Report
        >>> tb.read(["ha ha ha so", "so it goes", "so on", "it is so"]).summary(Report())["terms"]["term"][0]
        'ha'
        """
        from termburst.report import summarize

        source = self.statistics if isinstance(self._documents, Summed) else self.in_memory()
        return summarize(source, step=step, **vars(replace(asked, title=asked.title or self.name)))

    def explore(
        self,
        *,
        title: str | None = None,
        max_terms: int = 100_000,
        examples: int = 500,
        mu: float | None = None,
        sigma2: float = 1.0,
        form: names.Form = "printed",
        adjust: names.Adjustment = "bh",
        min_count: int = 1,
        port: int = 0,
        browser: bool = True,
    ) -> Exploration:
        """Open the live page of this corpus: every term, every line, any phrase, any comparison of groups.

        It is served by this process, on this machine only, until ``close()`` is called or Python ends. In a notebook
        the page is shown in the cell.

        Parameters
        ----------
        port : on 127.0.0.1; 0 takes a free one
        browser : whether to open the page in the browser, outside notebooks
        others : see `termburst.report.summarize`

        Examples
        --------
        >>> import termburst as tb
        >>> with tb.read(["ha ha ha ha so it is"] + ["so it goes on"] * 9).explore(browser=False) as page:
        ...     page.address.startswith("http://127.0.0.1:")
        True
        """
        return self.server(made_from(Explore, locals())).start(browser=browser)

    def server(self, asked: Explore) -> Exploration:
        """The live page of this corpus, ready to be served on this machine; `explore` serves it."""
        from termburst.report.explorer import Explorer
        from termburst.report.server import Exploration

        held: Any = self.in_memory()
        corpus = replace(held._filled(), reading=held.reading)
        explorer = Explorer(corpus, held._metadata, replace(asked, title=asked.title or self.name))
        explorer.page()  # so that the first answer is there at once, and what is wrong is said before the address
        return Exploration(explorer, asked.port)
