"""`termburst kwic`, `termburst collocates` and `termburst triggers`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from termburst.cli.concordance_lines import LineWriter
from termburst.cli.option_values import parsed_list
from termburst.cli.output import Format, many, note, say, settled_format, write_table
from termburst.cli.reading import Reading, reads_text, working
from termburst.cli.sentences import SURE, brought_on, near
from termburst.cli.shared import AdjustOption, Confidence, CsvAsIs, Excel, FormatOption, MinCount, Output, Top, shown
from termburst.cli.text_options import CORPUS_HELP
from termburst.counting.options import CountingOptions
from termburst.display import printable
from termburst.names import CollocateSort, Layer, Span

if TYPE_CHECKING:
    import polars as pl

    from termburst.concordance.kwic import Wanted
    from termburst.concordance.queries import AskedQuery
    from termburst.corpus.corpus import DocumentBatch
    from termburst.reading.documents import Text

_CORPUS = Annotated[str, typer.Argument(metavar="CORPUS", help=CORPUS_HELP, show_default=False)]
_HEAD = 2**22  # characters, or tokens, in which words like the query are looked for
_COLLOCATE_COLUMNS = ("log10_p", "p_upper")  # that a terminal does not show; files have them


@reads_text
def kwic(
    corpus: _CORPUS,
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY",
            help="A word, a phrase in quotes, or a pattern: * is any number of letters, ? is one.",
            show_default=False,
        ),
    ],
    reading: Reading,
    show: Annotated[
        Layer | None,
        typer.Option("--show", help="Layer to show, if --layer is the one to search. (default: that of --layer)"),
    ] = None,
    regex: Annotated[bool, typer.Option("--regex", help="QUERY is a regular expression of Python.")] = False,
    case: Annotated[bool, typer.Option("--case", help="Upper and lower case are different.")] = False,
    width: Annotated[
        int | None,
        typer.Option("--width", "-w", min=0, help="Characters on each side. (default: what fits, or 60)"),
    ] = None,
    sort: Annotated[
        list[str] | None,
        typer.Option(
            "--sort", "-s", help="L1 to L3, R1 to R3 (words beside the match), match, id, a column; more with commas."
        ),
    ] = None,
    columns: Annotated[
        list[str] | None, typer.Option("--columns", "-c", help="Columns to show with each line, such as year,party.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", "--top", "-n", min=0, help="At most how many lines.")] = None,
    format: FormatOption = None,
    output: Output = None,
    csv_as_is: CsvAsIs = False,
    excel: Excel = False,
) -> None:
    """Show every place where a word or a phrase stands, with the text around it.

    Lines come as they are found, unless they are sorted. A plain word matches if no letter, digit or _ is directly
    before or after it.
    """
    from termburst.concordance.kwic import Wanted
    from termburst.concordance.queries import parsed
    from termburst.counting.pattern_clock import pattern_limit

    settled = settled_format(format, output, *reading.inputs(_with_texts(corpus)), csv_as_is=csv_as_is, excel=excel)
    asked = parsed(query, regex=regex, ignore_case=not case)
    writer = LineWriter(settled, output, width, csv_as_is=csv_as_is, excel=excel)
    asked_columns, keys = parsed_list(columns), parsed_list(sort)
    names = _needed(asked_columns, keys)
    wanted = Wanted.checked(["id", *names], width=writer.width, sort=keys or None, columns=asked_columns, limit=limit)
    source, head = reading.corpus(corpus, columns=names, show=show, bar=not writer.on_terminal), Head()
    with ExitStack() as stack:
        stack.enter_context(pattern_limit(reading.counting.pattern_seconds, what="the query"))
        stack.enter_context(writer)
        layers = show not in (None, reading.files.layer or "form")
        lines = _lines(head.of(source.batches(names)), asked, wanted, layers=layers)
        _write(lines, wanted, writer, at_once=settled is Format.parquet)
    if not writer.rows:
        say(f"nothing matches {printable(query)!r}{'' if regex else head.hint(query)}", err=True)
    if show is None and reading.files.layer not in (None, "form"):
        note(f"the lines show the layer {reading.files.layer}; --show form shows the text")
    note(many(writer.rows, "line"))


class Head:
    """The first texts of a corpus, for the words that a query may have meant."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.size = 0

    def of(self, batches: Iterator[DocumentBatch]) -> Iterator[DocumentBatch]:
        """The same batches, of which the first texts are kept."""
        for batch in batches:
            for text in batch.texts if self.size < _HEAD else ():
                self.texts.append(text)
                self.size += len(text)
            yield batch

    def hint(self, query: str) -> str:
        """The words of these texts that are like a query that nothing matches."""
        from termburst.concordance.queries import suggested

        near = suggested(query, self.texts)
        return f"; did you mean {' or '.join(repr(printable(word)) for word in near)}?" if near else ""


def _write(lines: Iterator[pl.DataFrame], wanted: Wanted, writer: LineWriter, *, at_once: bool) -> None:
    """Write the lines as they come, or all *at_once*, as sorted lines always are."""
    if wanted.order or at_once:
        lines = iter([wanted.finished(_together(list(lines)))])
    for frame in lines:
        writer.write(frame.select("id", "left", "match", "right", "position", *wanted.columns))


def _with_texts(corpus: str) -> str:
    """The name of a corpus; ValueError for saved statistics: as a table, their terms would be the documents."""
    from termburst.corpus.saved import is_saved

    if is_saved(corpus):
        raise ValueError(f"{corpus} is saved statistics, which have no texts to search; give the corpus itself")
    return corpus


def _needed(columns: list[str], sort: list[str]) -> tuple[str, ...]:
    """The columns of the corpus that the lines and their order need."""
    from termburst.concordance.kwic import NEIGHBOURS

    keys = [name.removeprefix("-") for name in sort]
    asked = [*columns, *(name for name in keys if name not in (*NEIGHBOURS, "match", "document"))]
    return tuple(name for name in dict.fromkeys(asked) if name != "id")


def _lines(
    batches: Iterator[DocumentBatch], asked: AskedQuery, wanted: Wanted, *, layers: bool
) -> Iterator[pl.DataFrame]:
    """The lines of each batch, with their metadata; unsorted ones end with the limit."""
    import polars as pl

    from termburst.concordance.kwic import empty_lines, line_frames

    left = wanted.limit if wanted.limit is not None and not wanted.order else None
    found_any = False
    for batch in batches:
        for lines in line_frames(batch.texts, asked, width=wanted.width, keys=wanted.keys, layers=layers):
            found_any = True
            made = wanted.shown(lines, batch.metadata)
            yield made if left is None else made.head(left)
            left = None if left is None else left - made.height
            if left is not None and left <= 0:
                return
    if not found_any:
        nothing = pl.DataFrame(schema=dict.fromkeys(("id", *wanted.columns), pl.String))
        yield wanted.shown(empty_lines(wanted.keys), nothing)


def _together(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """One frame. A column that is a number in some batches and text in others becomes text."""
    import polars as pl

    kinds = {name: {frame.schema[name] for frame in frames} for name in frames[0].columns}
    mixed = [name for name, found in kinds.items() if len(found) > 1]
    return pl.concat(frame.with_columns(pl.col(mixed).cast(pl.String)) for frame in frames)


@reads_text
def collocates(
    corpus: _CORPUS,
    word: Annotated[
        str, typer.Argument(metavar="WORD", help="A word, a phrase in quotes, or a pattern: free*.", show_default=False)
    ],
    reading: Reading,
    window: Annotated[int, typer.Option("--window", "-w", min=1, help="Tokens on each side of the word.")] = 5,
    within: Annotated[
        Span, typer.Option("--within", help="The window does not reach over the end of a document, or a sentence.")
    ] = "document",
    include_node: Annotated[bool, typer.Option("--include-node", help="Also list WORD itself; it has no p.")] = False,
    sort: Annotated[
        CollocateSort, typer.Option("--sort", "-s", help="Order of the rows: the surest first, or the largest first.")
    ] = "p",
    confidence: Confidence = 0.95,
    adjust: AdjustOption = "bh",
    min_count: MinCount = 1,
    top: Top = None,
    format: FormatOption = None,
    output: Output = None,
    csv_as_is: CsvAsIs = False,
    excel: Excel = False,
) -> None:
    """List the words that stand near a word more often than by chance, given which words each document has.

    log_ratio is the binary logarithm of how many times likelier a token of the word is near, compared with other
    tokens of its document. q_value is the p-value, adjusted for testing many words.
    """
    from termburst.concordance.collocates import collocates as find_near
    from termburst.inference.checks import check_confidence

    check_confidence(confidence)
    settled = settled_format(format, output, *reading.inputs(_with_texts(corpus)), csv_as_is=csv_as_is, excel=excel)
    source = reading.corpus(corpus, columns=())
    table = find_near(
        source.texts, word, counting=source.counting or CountingOptions(), window=window, within=within,
        min_count=min_count, adjust=adjust, confidence=confidence, include_node=include_node,
    )  # fmt: skip
    title = near(table, word)
    if sort != "p":  # the order in which they come
        table = table.sort(sort, descending=sort != "term", nulls_last=True, maintain_order=True)
    if settled is Format.table:
        table = table.drop(_COLLOCATE_COLUMNS)
    write_table(shown(table, top, settled), settled, output, title, csv_as_is=csv_as_is, excel=excel)


@reads_text
def triggers(
    corpus: _CORPUS,
    word: Annotated[str, typer.Argument(metavar="WORD", help="A word.", show_default=False)],
    reading: Reading,
    decay: Annotated[
        float | None, typer.Option("--decay", help="Tokens after which what a word added counts half. (default: none)")
    ] = None,
    min_documents: Annotated[
        int, typer.Option("--min-documents", min=1, help="Both words must be in so many of the same documents.")
    ] = 5,
    after: Annotated[bool, typer.Option("--after", help="Only pairs where one word brings on the other.")] = False,
    most_repeated: Annotated[
        float,
        typer.Option(
            "--most-repeated",
            min=0.0,
            max=1.0,
            help="Leave out pairs that rest on repeated passages in a larger share of their documents.",
        ),
    ] = 1.0,
    confidence: Confidence = 0.95,
    adjust: AdjustOption = "bh",
    top: Top = None,
    format: FormatOption = None,
    output: Output = None,
    csv_as_is: CsvAsIs = False,
    excel: Excel = False,
) -> None:
    """List the words that come together with a word, and say which come later in a document, or earlier.

    *Together*: both words are in more of the same documents than by chance (p_together); documents and expected are
    these numbers. *After*: of two such words, one comes later than the other in more of these documents than if the
    words of each document were shuffled (p_after; later and earlier are the documents). The direction is "brings on"
    or "brought on by" where both q-values are at most 0.05, and otherwise "together with". ratio is how many times
    likelier one occurrence makes the other word in the rest of the document. repeated is in how many of the documents
    both stand in eight words in a row that another document has, too: a signature, a quotation, a reprint.
    """
    import polars as pl

    from termburst.concordance.polya_urn import fit_polya_urn
    from termburst.concordance.sequences import OrderedWords
    from termburst.concordance.triggers import triggers as tested
    from termburst.inference.checks import check_confidence

    check_confidence(confidence)
    settled = settled_format(format, output, *reading.inputs(_with_texts(corpus)), csv_as_is=csv_as_is, excel=excel)
    source = reading.corpus(corpus, columns=())
    words = OrderedWords(*source.__token_positions__())
    with working("Fitting an urn"):
        fit = fit_polya_urn(words, "full", decay=decay, min_documents=min_documents)
        table = tested(
            fit, word, top=None, after=after, adjust=adjust, confidence=confidence, min_documents=min_documents,
            most_repeated=most_repeated,
        )  # fmt: skip
    if settled is Format.table:
        table = table.drop("log10_p_together", "log10_p_after")
    title = brought_on(table, word)
    write_table(shown(table, top, settled), settled, output, title, csv_as_is=csv_as_is, excel=excel)
    together = table.filter(pl.col("q_together") <= SURE)
    copied = together.filter(pl.col("repeated") > pl.col("documents") / 2).height
    if copied:
        verb = "rests" if copied == 1 else "rest"
        say(
            f"{many(copied, 'pair')} of {together.height:,} {verb} mostly on passages that several documents share "
            "(column repeated): signatures, quotations or reprints; --most-repeated 0.5 leaves them out.",
            err=True,
        )
