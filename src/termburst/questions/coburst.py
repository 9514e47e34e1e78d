"""Pairs of terms that burst in the same documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from termburst.names import BurstEvent
from termburst.options import Option, Question, made_from

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Coburst(Question):
    """The question of `termburst.Corpus.coburst` and `termburst.coburst`."""

    pairs: Annotated[
        Iterable[tuple[str | int, str | int]] | None,
        Option("The pairs of terms to test. (default: the surest pairs of the corpus)", metavar="pairs of terms"),
    ] = None
    top: Annotated[int, Option("How many pairs to return, if none are given.", least=1)] = 100
    max_terms: Annotated[int, Option("How many of the burstiest terms are paired.", least=2)] = 2000
    min_count: Annotated[int, Option("Leave out terms that occur fewer times.", least=0)] = 10
    min_documents: Annotated[int, Option("Leave out terms that burst in fewer documents.", least=0)] = 5
    event: Annotated[BurstEvent, Option("Count documents where both terms burst, or where both occur.")] = "burst"

    def answer(self, X: Any, terms: Any = None) -> pl.DataFrame:
        """One row per pair, of a count matrix or a corpus; *terms* are the names of the columns."""
        import polars as pl

        from termburst.forks import check_fork
        from termburst.inference.coburst import coburst as burst_pairs
        from termburst.questions.frames import named_terms, own_terms

        check_fork()
        own = own_terms(X)
        names = terms if own is None else named_terms(X, terms, own.size)
        found = burst_pairs(X, terms=names, **vars(self))
        columns: dict[str, Any] = {
            name: column.tolist() if names is None else [str(names[k]) for k in column]
            for name, column in (("first", found.first), ("second", found.second))
        }
        shown = ("shared", "expected", "first_documents", "second_documents", "p_value", "log10_p", "q_value")
        return pl.DataFrame(columns | {name: getattr(found, name) for name in shown})


def coburst(
    X: Any,
    pairs: Iterable[tuple[str | int, str | int]] | None = None,
    *,
    terms: Any = None,
    top: int = 100,
    max_terms: int = 2000,
    min_count: int = 10,
    min_documents: int = 5,
    event: BurstEvent = "burst",
) -> pl.DataFrame:
    """Which pairs of terms burst in the same documents, as "Socrates" and "Plato" do? The smallest p-values come first.

    Parameters
    ----------
    X : count matrix, or a corpus; statistics do not keep documents
    pairs : names (or columns) of the pairs to test; by default the *top* pairs of the corpus
    terms : sequence of str, optional
        The names of the columns.
    top, max_terms, min_count, min_documents
        The number of pairs to return, and which terms to pair: the *max_terms* most bursty terms of those that occur
        *min_count* times and burst in *min_documents* documents.
    event : {"burst", "occurrence"}
        Whether to count documents where both burst, or where both occur.

    Returns
    -------
    polars.DataFrame
        first, second; shared, the number of documents where both burst, and expected, the number expected by chance
        given the lengths of the documents; first_documents and second_documents, the numbers for each term; p_value,
        exact over all permutations of documents within strata of length; log10_p; q_value (Benjamini–Hochberg over all
        pairs).

    Examples
    --------
    >>> import termburst as tb
    >>> X = [[5, 6, 0, 30], [0, 0, 4, 36], [6, 4, 0, 28], [0, 0, 0, 41]] * 6
    >>> names = ["socrates", "plato", "cave", "the"]
    >>> tb.coburst(X, [("socrates", "plato")], terms=names, event="occurrence")["shared"][0]
    12
    """
    return made_from(Coburst, locals()).answer(X, terms)
