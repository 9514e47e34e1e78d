"""Every place where a word, a phrase or a pattern stands, with the text around it (keyword in context)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from termburst.names import Layer
from termburst.options import Option, check_options

if TYPE_CHECKING:
    import polars as pl

    from termburst.concordance.queries import AskedQuery
    from termburst.reading.documents import Text

WIDTH = 60  # characters on each side, if nothing else is asked for


@dataclass(frozen=True)
class Kwic:
    """The question of `termburst.Corpus.kwic` and `termburst kwic`.

    Examples
    --------
    >>> import polars as pl
    >>> documents = pl.DataFrame({"id": ["a", "b"], "year": [1945, 1949]})
    >>> Kwic("so", width=6, sort="R1").answer(["So it goes.", "And so on, and so forth."], documents).rows()
    [('b', ', and ', 'so', ' forth', 15), ('a', '', 'So', ' it go', 0), ('b', 'And ', 'so', ' on, a', 4)]
    """

    query: Annotated[str, Option("A word, a phrase in quotes, or a pattern: * is any number of letters, ? is one.")]
    layer: Annotated[
        Layer | None, Option("Layer of an annotated corpus to search. (default: the layer that was read)")
    ] = None
    show: Annotated[
        Layer | None, Option("Layer of an annotated corpus to show. (default: the layer that was read)")
    ] = None
    regex: Annotated[bool, Option("The query is a regular expression of Python.")] = False
    case: Annotated[bool, Option("Upper and lower case are different.")] = False
    width: Annotated[
        int | None, Option("Characters on each side. (default: 60, or what fits on a terminal)", least=0, most=10_000)
    ] = None
    sort: Annotated[
        str | Sequence[str] | None,
        Option("L1 to L3, R1 to R3 (words beside the match), match, id, or a column; -year is descending."),
    ] = None
    columns: Annotated[str | Sequence[str] | None, Option("Columns to show with each line, such as year.")] = None
    top: Annotated[int | None, Option("At most how many lines, in the order of sort; 0 for all.", least=0)] = None

    def __post_init__(self) -> None:
        """Raise ValueError for an option, or a query, that cannot be used."""
        check_options(self)
        self.parsed()

    def parsed(self) -> AskedQuery:
        """The query, ready to be searched."""
        from termburst.concordance.queries import parsed

        return parsed(self.query, regex=self.regex, ignore_case=not self.case)

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the metadata that the lines and their order need, without the id."""
        from termburst.concordance.kwic import NEIGHBOURS

        keys = [name.removeprefix("-") for name in _listed(self.sort)]
        names = [*_listed(self.columns), *(name for name in keys if name not in (*NEIGHBOURS, "match", "document"))]
        return tuple(name for name in dict.fromkeys(names) if name != "id")

    def answer(
        self, texts: Iterable[Text], metadata: pl.DataFrame, *, pattern: AskedQuery | None = None
    ) -> pl.DataFrame:
        """The lines of documents with their metadata, as one frame; see `lines`."""
        import polars as pl

        return pl.concat(self.lines([(metadata, texts)], pattern=pattern))

    def lines(
        self,
        batches: Iterable[tuple[pl.DataFrame, Iterable[Text]]],
        *,
        layers: bool = False,
        pattern: AskedQuery | None = None,
    ) -> Iterator[pl.DataFrame]:
        """The lines as they are found; those that are sorted all at once. No text is kept.

        Parameters
        ----------
        batches : metadata with one row per document, the first column "id", and the texts; each is read once
        layers : texts are tokens of two layers side by side (`termburst.reading.layers`): the first is searched, the
            second is shown
        pattern : the query, if it is one that `parsed` does not make
        """
        import polars as pl

        from termburst.concordance.kwic import ROOM, Wanted, empty_lines, line_frames, together
        from termburst.forks import check_fork

        check_fork()
        pattern = pattern or self.parsed()
        left = min(self.top, 2**62) if self.top else None  # Polars counts rows with 64 bits
        width = WIDTH if self.width is None else self.width
        wanted, any_lines, held = None, False, 0
        kept: list[pl.DataFrame] = []
        about = pl.DataFrame(schema=dict.fromkeys(("id", *self.needs), pl.String))  # of a corpus without documents
        for about, texts in batches:
            wanted = wanted or Wanted.checked(about.columns, self.sort, self.columns, left)
            for found in line_frames(texts, pattern, width=width, keys=wanted.keys, layers=layers):
                lines, any_lines = wanted.shown(found, about), True
                if not wanted.order:
                    yield lines if left is None else lines.head(left)
                    left = None if left is None else left - lines.height
                    if left is not None and left <= 0:
                        return
                    continue
                kept.append(lines)
                held += lines.height
                if left is not None and held > max(2 * left, ROOM):  # keep only the best so far
                    kept = [wanted.ordered(together(kept)).head(left)]
                    held = kept[0].height
        wanted = wanted or Wanted.checked(about.columns, self.sort, self.columns, left)
        if kept or not any_lines:
            yield wanted.finished(together(kept or [wanted.shown(empty_lines(wanted.keys), about)]))


def _listed(names: str | Sequence[str] | None) -> Sequence[str]:
    return [names] if isinstance(names, str) else names or ()
