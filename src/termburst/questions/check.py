"""Does inference hold on a corpus? Near-copies, shared passages, dominant authors, and false alarms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from termburst.options import Option, Question

if TYPE_CHECKING:
    import polars as pl

    from termburst.counting.counted_corpus import CountedCorpus
    from termburst.questions.corpus_check import CorpusCheck


@dataclass(frozen=True)
class Check(Question):
    """The question of `termburst.Corpus.check` and `termburst check`."""

    cluster: Annotated[
        str | None, Option("Column whose documents may depend on each other, such as author; halves keep it.")
    ] = None
    threshold: Annotated[
        float, Option("Jaccard index of runs of five words from which documents are near-copies.", least=0.5, most=1)
    ] = 0.7
    halves: Annotated[int, Option("How many times the corpus is halved at random.", least=2)] = 10
    seed: Annotated[int, Option("Of the random numbers.", least=0)] = 0

    def answer(self, corpus: CountedCorpus, metadata: pl.DataFrame, clusters: pl.Series | None) -> CorpusCheck:
        """What is found in documents with their metadata; *clusters* is the column that `cluster` names."""
        from termburst.forks import check_fork
        from termburst.questions.corpus_check import cluster_codes, corpus_check

        check_fork()
        codes = None if self.cluster is None or clusters is None else cluster_codes(clusters, self.cluster)
        return corpus_check(self, corpus, metadata, codes)
