"""`termburst terms` and `termburst explain`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from termburst.cli.options import CorpusOrStatistics, Table, Top, dashed
from termburst.cli.output import SURE, note, of_words, say
from termburst.cli.reading import Reading, collection_size, reads_text, working
from termburst.display import printable
from termburst.names import LOWER_BOUND
from termburst.options import Option, given, options_of
from termburst.questions.burstiness_test import Burstiness
from termburst.questions.explain import Explain
from termburst.questions.term_table import TermTable

if TYPE_CHECKING:
    import polars as pl


@reads_text
def terms(
    corpus: CorpusOrStatistics,
    tested: Annotated[Burstiness, "With --test"],
    asked: TermTable,
    reading: Reading,
    table: Table,
    top: Top = None,
    test: Annotated[bool, Option("Test every term: p- and q-values.")] = False,
) -> None:
    """List the terms, the burstiest first, and how bursty each is; with --test, also how sure that is.

    burst_ratio: how many times likelier a word is this term if another word of the document, drawn at random, is. Rows
    are in the order of the lower end of its interval, or as --sort says: plr is the paper's λ.
    """
    from termburst.questions.burst_columns import main_part

    _refuse_others(asked, tested, test=test)
    table = table.settled(*reading.inputs(corpus))
    source = reading.corpus(corpus)
    statistics = source.statistics
    with working("Computing"):
        if test:
            wide = replace(tested, columns="all", dispersion=tested.dispersion and tested.columns == "all")
            found = source.burstiness(**given(wide))
        else:
            found = source.term_table(**given(asked))
    size = f"{collection_size(source)}; words: {source.words}"
    title = [*burstiest(found, statistics.lengths, statistics.length_documents, alphabet=asked.sort == "term"), size]
    if asked.sort == "lower_bound" and "lower_bound" not in found.columns:
        title.append(f"sorted by λ (plr): lower_bound needs statistics with --detail patterns, not {statistics.detail}")
    left_out = ""
    if test and tested.columns == "main":
        found, every = main_part(found, tested.statistic)
        left_out = f"{every - found.width} of {every} columns are left out; --columns all shows them"
    elif not test and table.is_shown:
        found = found.select(_narrow(found.columns))
    table.write(found, title, top=top)
    if found.height and table.is_on_terminal:
        say(*_meanings(found.columns))
    if left_out:
        note(left_out)


@reads_text
def explain(corpus: CorpusOrStatistics, asked: Explain, reading: Reading) -> None:
    """Say how bursty one term is, and show its λ as the sum of named parts, with the estimates of α."""
    say(*str(reading.corpus(corpus).explain(**given(asked))).splitlines())


def _refuse_others(asked: TermTable, tested: Burstiness, *, test: bool) -> None:
    """Raise ValueError for an option that is only for tests without --test, or the other way round."""
    mine: Any = tested if test else asked
    others: Any = asked if test else tested
    defaults = {name: one.default for name, one in options_of(others.__class__).items() if not hasattr(mine, name)}
    wrong = [name for name, default in defaults.items() if getattr(others, name) != default]
    if test and wrong:
        raise ValueError("--test has its own columns, including the exact fit; omit " + ", ".join(map(dashed, wrong)))
    needs = [dashed(name) for name in wrong] + ([f"--sort {asked.sort}"] if asked.sort in ("p", "lr") else [])
    if not test and needs:
        raise ValueError(f"{needs[0]} needs --test; add --test")


def burstiest(table: pl.DataFrame, lengths: Any, documents: Any, *, alphabet: bool = False) -> list[str]:
    """How many terms are surely bursty, if they were tested, and the first term in words, if its lower bound is known.

    *lengths* are the distinct lengths of documents, and *documents* says how many have each. In a list by the
    *alphabet*, where the first term would be any, it is the one with the largest lower bound.
    """
    from termburst.questions.burst_columns import documents_by_chance, in_words, mean_of_mixed_lengths

    said = []
    if "q_value" in table.columns and table.height:
        sure = int((table["q_value"] <= SURE).sum())
        said.append(f"{of_words(sure, table.height, 'comes' if sure == 1 else 'come')} in bursts (q ≤ {SURE})")
    if "reuse" in table.columns and table.height:
        first = table.sort("lower_bound", descending=True, nulls_last=True, maintain_order=True) if alphabet else table
        row = first.row(0, named=True)
        if row["reuse"] is not None:
            mixed = mean_of_mixed_lengths(lengths, documents)
            row |= {"term": printable(row["term"])}
            row |= {"b_binomial": float(documents_by_chance(row["n"], lengths, documents))}
            said.append(f"{in_words(row, int(sum(documents)), length=mixed)}.")
    return ["; ".join(said)] if said else []


def _meanings(columns: list[str]) -> list[str]:
    """What the columns of a table mean."""
    score = "; plr: λ, the paper's score" if "plr" in columns else ""
    said = [f"n: occurrences; b: documents with the term{score}"]
    if "lower_bound" in columns:
        by_chance = "; reuse_binomial: the same by chance" if "reuse_binomial" in columns else ""
        said += [
            f"lower_bound: {LOWER_BOUND} (as of terms that few documents use or repeat);",
            f"reuse: of documents of mean length with the term, the share that repeat it{by_chance}",
            "(most documents repeat a frequent term even by chance: there only burst_ratio says how bursty it is)",
        ]
    return said


def _narrow(columns: list[str]) -> list[str]:
    """The columns that a terminal shows; files have all of them."""
    hidden = {"tarone", "idf", "icf"}
    if "lower_bound" in columns:
        hidden |= {"tf_idf_sum", "alpha", "alpha_not", "mean", "status", "reuse_low", "reuse_high"}
    return [name for name in columns if name not in hidden]
