"""The questions about texts and the order of words: one method for each, and each is one call of the library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from termburst.corpus.scanned import with_layers
from termburst.corpus.term_questions import TermQuestions
from termburst.counting.options import CountingOptions
from termburst.limits import memory_allowed
from termburst.names import Adjustment, BurstEvent, CollocateSort, Layer, Span
from termburst.options import made_from
from termburst.questions.coburst import Coburst
from termburst.questions.collocates import Collocates
from termburst.questions.kwic import Kwic
from termburst.questions.ngrams import Ngrams
from termburst.questions.triggers import Triggers

if TYPE_CHECKING:
    import polars as pl

    from termburst.concordance.polya_urn import PolyaUrnFit


class TextQuestions(TermQuestions):
    """What can be asked about texts. The options of each question are those of its class in `questions/`."""

    def kwic(
        self,
        query: str,
        *,
        layer: Layer | None = None,
        show: Layer | None = None,
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
        within: Span = "document",
        include_node: bool = False,
        min_count: int = 1,
        adjust: Adjustment = "bh",
        confidence: float = 0.95,
        sort: CollocateSort | None = "p",
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
        adjust: Adjustment = "bh",
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
        event: BurstEvent = "burst",
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
