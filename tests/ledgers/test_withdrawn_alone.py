"""Withdrawn patterns without the batch that they were withdrawn from are refused, whatever was asked before."""

from __future__ import annotations

import polars as pl
import pytest

import termburst as tb
from termburst.ledgers import add, withdraw


def patterns(texts: list[str], batch: str) -> pl.DataFrame:
    frame = pl.DataFrame({"document": range(len(texts)), "text": texts})
    found: pl.DataFrame = tb.scan(frame).patterns(batch)
    return found


@pytest.mark.parametrize("asked_before", [False, True])
def test_withdrawn_patterns_alone_are_refused_every_time(asked_before: bool) -> None:
    ledger = add(patterns(["c d", "e f"], "monday"), patterns(["a a", "b b", "a b"], "tuesday"))
    corpus = tb.scan(withdraw(ledger, patterns(["c d"], "gone")))
    if asked_before:
        assert corpus.statistics.documents == 4
    rest = corpus.where("batch = 'tuesday' OR batch = 'gone'")  # all lengths are there, but not all words
    for _ in range(2):
        with pytest.raises(ValueError, match="had not been added"):
            rest.dispersion()
    with pytest.raises(ValueError, match="had not been added"):
        rest.term_table(effects=False)


@pytest.mark.parametrize("asked", [{"by": "side"}, {"formula": "side"}])
def test_documents_withdrawn_from_another_group_are_refused(asked: dict[str, str]) -> None:
    """The whole collection is sound; group B has documents −1 times."""
    added = [patterns(["c d", "e f"], "monday"), patterns(["a a", "b b", "a b"], "tuesday")]
    gone = patterns(["c d"], "gone").with_columns(-pl.col("documents"))
    sides = zip([*added, gone], "ABB", strict=True)
    ledger = pl.concat([rows.with_columns(side=pl.lit(side)) for rows, side in sides])
    assert tb.scan(ledger).statistics.documents == 4
    with pytest.raises(ValueError, match=r"^group 'B': .*had not been added"):
        tb.scan(ledger.lazy()).keyness(**asked)
