"""`termburst kwic`, `termburst collocates` and `termburst triggers`."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from termburst.cli.concordance_lines import LineWriter
from termburst.cli.output import Format, many, note, say, settled_format, write_table
from termburst.cli.reading import Reading, reads_text, working
from termburst.cli.sentences import SURE, brought_on, near
from termburst.cli.shared import CsvAsIs, Excel, FormatOption, Output, shown
from termburst.cli.text_options import CORPUS_HELP
from termburst.display import printable
from termburst.questions.collocates import Collocates
from termburst.questions.kwic import Kwic
from termburst.questions.triggers import Triggers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from termburst.reading.documents import Text

_CORPUS = Annotated[str, typer.Argument(metavar="CORPUS", help=CORPUS_HELP, show_default=False)]
_HEAD = 2**22  # characters, or tokens, in which words like the query are looked for
_COLLOCATE_COLUMNS = ("log10_p", "p_upper")  # that a terminal does not show; files have them


@reads_text
def kwic(
    corpus: _CORPUS,
    asked: Kwic,
    reading: Reading,
    format: FormatOption = None,
    output: Output = None,
    csv_as_is: CsvAsIs = False,
    excel: Excel = False,
) -> None:
    """Show every place where a word or a phrase stands, with the text around it.

    Lines come as they are found, unless they are sorted. A plain word matches if no letter, digit or _ is directly
    before or after it.
    """
    from termburst.concordance.kwic import together
    from termburst.counting.pattern_clock import pattern_limit

    settled = settled_format(format, output, *reading.inputs(corpus), csv_as_is=csv_as_is, excel=excel)
    writer, head = LineWriter(settled, output, asked.width, csv_as_is=csv_as_is, excel=excel), Head()
    source = reading.corpus(corpus, columns=asked.needs, bar=not writer.on_terminal)
    with ExitStack() as stack:
        stack.enter_context(pattern_limit(reading.counting.pattern_seconds, what="the query"))
        stack.enter_context(writer)
        lines = source.kwic_lines(replace(asked, width=writer.width), seen=head.see)
        for frame in [together(list(lines))] if settled is Format.parquet else lines:
            writer.write(frame)
    if not writer.rows:
        hint = "" if asked.regex else head.hint(asked.query)
        say(f"nothing matches {printable(asked.query)!r}{hint}", err=True)
    if asked.show is None and reading.files.layer not in (None, "form"):
        note(f"the lines show the layer {reading.files.layer}; --show form shows the text")
    note(many(writer.rows, "line"))


class Head:
    """The first texts of a corpus, for the words that a query may have meant."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.size = 0

    def see(self, texts: Iterable[Text]) -> None:
        """Keep some texts, if there are not enough."""
        for text in texts if self.size < _HEAD else ():
            self.texts.append(text)
            self.size += len(text)

    def hint(self, query: str) -> str:
        """The words of these texts that are like a query that nothing matches."""
        from termburst.concordance.queries import suggested

        near = suggested(query, self.texts)
        return f"; did you mean {' or '.join(repr(printable(word)) for word in near)}?" if near else ""


@reads_text
def collocates(
    corpus: _CORPUS,
    asked: Collocates,
    reading: Reading,
    format: FormatOption = None,
    output: Output = None,
    csv_as_is: CsvAsIs = False,
    excel: Excel = False,
) -> None:
    """List the words that stand near a word more often than by chance, given which words each document has.

    log_ratio is the binary logarithm of how many times likelier a token of the word is near, compared with other
    tokens of its document. q_value is the p-value, adjusted for testing many words. A table has 30 rows, unless --top
    says otherwise.
    """
    settled = settled_format(format, output, *reading.inputs(corpus), csv_as_is=csv_as_is, excel=excel)
    whole = vars(replace(asked, top=None))  # all words are counted in the sentence above the table
    table = reading.corpus(corpus, columns=()).collocates(**whole)
    title = near(table.sort("log10_p", nulls_last=True, maintain_order=True), asked.node)
    if settled is Format.table:
        table = table.drop(_COLLOCATE_COLUMNS)
    write_table(shown(table, asked.top, settled), settled, output, title, csv_as_is=csv_as_is, excel=excel)


@reads_text
def triggers(
    corpus: _CORPUS,
    asked: Triggers,
    reading: Reading,
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
    both stand in eight words in a row that another document has, too: a signature, a quotation, a reprint. Without a
    word, the pairs of all words.
    """
    import polars as pl

    settled = settled_format(format, output, *reading.inputs(corpus), csv_as_is=csv_as_is, excel=excel)
    source = reading.corpus(corpus, columns=())
    if corpus == "-":
        source = source.in_memory()  # texts are read twice: for the order of words, and for passages
    source.__token_positions__()  # reads the texts, with a bar of its own
    with working("Fitting an urn"):
        whole = asked if asked.term is None else replace(asked, top=0)  # all words are in the sentence above the table
        table = source.triggers(**vars(whole))
    if settled is Format.table:
        table = table.drop("log10_p_together", "log10_p_after")
    title = [] if asked.term is None else brought_on(table, asked.term)
    nothing = "no two words are together in that many documents; lower --min-documents"
    shown_rows = shown(table, asked.top, settled)
    write_table(shown_rows, settled, output, title, csv_as_is=csv_as_is, excel=excel, nothing=nothing)
    together = table.filter(pl.col("q_together") <= SURE)
    copied = together.filter(pl.col("repeated") > pl.col("documents") / 2).height
    if copied:
        verb = "rests" if copied == 1 else "rest"
        say(
            f"{many(copied, 'pair')} of {together.height:,} {verb} mostly on passages that several documents share "
            "(column repeated): signatures, quotations or reprints; --most-repeated 0.5 leaves them out.",
            err=True,
        )
