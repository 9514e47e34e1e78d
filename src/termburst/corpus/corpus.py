"""`Corpus`: the object that people hold, with one method for each question."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from termburst.corpus import metadata as columns
from termburst.corpus.saved import Summed
from termburst.corpus.text_questions import TextQuestions
from termburst.messages import named
from termburst.names import DEFAULT_SCHEME, Adjustment, Fit, Form, Invalid, Norm, PenaltyName
from termburst.options import made_from
from termburst.questions.check import Check
from termburst.questions.explain import Explain
from termburst.questions.explore import Explore
from termburst.questions.report import Report
from termburst.questions.weights import Weigh

if TYPE_CHECKING:
    from termburst.inference.plr import Explanation
    from termburst.questions.corpus_check import CorpusCheck
    from termburst.report.server import Exploration
    from termburst.weights.weight_files import Weights


class Corpus(TextQuestions):
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
        form: Form = "printed",
        penalty: PenaltyName = "gamma",
        invalid: Invalid = "clamp",
        fit: Fit = "penalized",
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
        scheme: str = DEFAULT_SCHEME,
        *,
        y: Any = None,
        mu: float | None = None,
        sigma2: float = 1.0,
        norm: Norm | None = None,
        invalid: Invalid = "clamp",
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
        form: Form = "printed",
        adjust: Adjustment = "bh",
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
        form: Form = "printed",
        adjust: Adjustment = "bh",
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
