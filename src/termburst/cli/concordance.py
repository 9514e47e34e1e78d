"""`termburst kwic`, `termburst collocates` and `termburst triggers`."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from termburst.cli.options import CorpusName, Table
from termburst.cli.output import SURE, cells, many, note, of_words, say, write_out
from termburst.cli.reading import Reading, reads_text, working
from termburst.display import printable
from termburst.questions.collocates import Collocates
from termburst.questions.kwic import Kwic
from termburst.questions.triggers import Triggers

if TYPE_CHECKING:
    import polars as pl

    from termburst.corpus.corpus import Corpus

_HEAD = 100  # batches of documents in which words like the query are looked for
_COLLOCATE_COLUMNS = ("log10_p", "p_upper")  # that a terminal does not show; files have them

WIDTH = 60  # characters on each side, if the output is not a terminal
_ID = 24  # cells of the id of a document
_MATCH = 24  # cells of a match for which a terminal has space
_PLAIN = r"^[ -~]*$"
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
_ISOLATE, _END = "\u2068", "\u2069"  # what is between them has its own direction, and does not move what is beside


@reads_text
def kwic(corpus: CorpusName, asked: Kwic, reading: Reading, table: Table) -> None:
    """Show every place where a word or a phrase stands, with the text around it.

    On a terminal, lines come as they are found, unless they are sorted. A plain word matches if no letter, digit or _
    is directly before or after it.
    """
    from termburst.concordance.kwic import together

    table = table.settled(*reading.inputs(corpus))
    width = fitting_width(table) if asked.width is None else asked.width
    source = reading.corpus(corpus, columns=asked.needs, bar=not table.is_on_terminal)
    with reading.asked.pattern_limit("the query"):
        lines = source.kwic_lines(replace(asked, width=width))
        if table.is_shown:
            rows = write_lines(lines, table, width)
        else:
            found = together(list(lines))
            table.write(found, nothing="")
            rows = found.height
    if not rows:
        hint = "" if asked.regex or corpus == "-" else _hint(asked.query, source)
        say(f"nothing matches {printable(asked.query)!r}{hint}", err=True)
    if asked.show is None and reading.asked.reading.layer not in (None, "form"):
        note(f"the lines show the layer {reading.asked.reading.layer}; --show form shows the text")
    note(many(rows, "line"))


def _hint(query: str, corpus: Corpus) -> str:
    """The words at the beginning of a corpus that are like a query that nothing matches."""
    from termburst.concordance.queries import suggested

    near = suggested(query, (text for batch in islice(corpus.batches(()), _HEAD) for text in batch.texts))
    return f"; did you mean {' or '.join(repr(printable(word)) for word in near)}?" if near else ""


@reads_text
def collocates(corpus: CorpusName, asked: Collocates, reading: Reading, table: Table) -> None:
    """List the words that stand near a word more often than by chance, given which words each document has.

    log_ratio is the binary logarithm of how many times likelier a token of the word is near, compared with other
    tokens of its document. q_value is the p-value, adjusted for testing many words. A table has 30 rows, unless --top
    says otherwise.
    """
    table = table.settled(*reading.inputs(corpus))
    whole = vars(replace(asked, top=None))  # all words are counted in the sentence above the table
    found = reading.corpus(corpus).collocates(**whole)
    title = near(found.sort("log10_p", nulls_last=True, maintain_order=True), asked.node)
    table.write(found.drop(_COLLOCATE_COLUMNS) if table.is_shown else found, title, top=asked.top)


@reads_text
def triggers(corpus: CorpusName, asked: Triggers, reading: Reading, table: Table) -> None:
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

    table = table.settled(*reading.inputs(corpus))
    source = reading.corpus(corpus)
    if corpus == "-":
        source = source.in_memory()  # texts are read twice: for the order of words, and for passages
    source.__token_positions__()  # reads the texts, with a bar of its own
    with working("Fitting an urn"):
        whole = asked if asked.term is None else replace(asked, top=0)  # all words are in the sentence above the table
        found = source.triggers(**vars(whole))
    title = [] if asked.term is None else brought_on(found, asked.term)
    nothing = "no two words are together in that many documents; lower --min-documents"
    plain = found.drop("log10_p_together", "log10_p_after") if table.is_shown else found
    table.write(plain, title, top=asked.top, nothing=nothing)
    together = found.filter(pl.col("q_together") <= SURE)
    copied = together.filter(pl.col("repeated") > pl.col("documents") / 2).height
    if copied:
        verb = "rests" if copied == 1 else "rest"
        say(
            f"{many(copied, 'pair')} of {together.height:,} {verb} mostly on passages that several documents share "
            "(column repeated): signatures, quotations or reprints; --most-repeated 0.5 leaves them out.",
            err=True,
        )


def near(table: pl.DataFrame, word: str) -> list[str]:
    """How many words are near a word, and the surest, from a table of collocates.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"term": ["world", "of"], "n_window": [45, 3], "expected": [12.3, 2.9], "q_value": [0.0, 0.4]})
    >>> print(*near(table, "free"))
    1 of 2 words stands near 'free' more often than by chance (q ≤ 0.05); the surest is world, 45 times; by chance it would be 12.3 times.
    """  # noqa: E501
    sure = table.filter(table["q_value"] <= SURE)
    verb = "stands" if sure.height == 1 else "stand"
    said = (
        f"{of_words(sure.height, table.height, verb)} near {printable(word)!r} more often than by chance (q ≤ {SURE})"
    )
    if sure.is_empty():
        return [f"{said}."]
    row = sure.row(0, named=True)
    often = f"{many(row['n_window'], 'time')}; by chance it would be {row['expected']:,.3g} times"
    return [f"{said}; the surest is {printable(row['term'])}, {often}."]


def brought_on(table: pl.DataFrame, word: str) -> list[str]:
    """How many words come together with a word, and which of them surely come later or earlier, from `triggers`.

    Examples
    --------
    >>> import polars as pl
    >>> found = {"direction": ["together with", "brings on"], "term": ["is", "plato"], "q_together": [0.01, 0.0]}
    >>> print(*brought_on(pl.DataFrame(found), "socrates"))
    2 of 2 words come together with 'socrates' (q ≤ 0.05). It brings on 1 of them, which comes later: plato.
    >>> print(*brought_on(pl.DataFrame(found)[:1], "socrates"))
    1 of 1 word comes together with 'socrates' (q ≤ 0.05). It does not surely come later or earlier.
    """
    together = table.filter(table["q_together"] <= SURE)
    verb = "comes" if together.height == 1 else "come"
    said = [f"{of_words(together.height, table.height, verb)} together with {printable(word)!r} (q ≤ {SURE})."]
    later, earlier = (
        together.filter(together["direction"] == name)["term"].to_list() for name in ("brings on", "brought on by")
    )
    if later:
        said.append(f"It brings on {len(later):,} of them, which {_comes(later)} later: {_some(later)}.")
    if earlier:
        said.append(f"It is brought on by {len(earlier):,} of them, which {_comes(earlier)} earlier: {_some(earlier)}.")
    if not later and not earlier and together.height:
        none = "It does not" if together.height == 1 else "None of them does"
        said.append(f"{none} surely come later or earlier.")
    return [" ".join(said)]


def _comes(words: list[str]) -> str:
    return "comes" if len(words) == 1 else "come"


def _some(words: list[str]) -> str:
    return ", ".join(map(printable, words[:3])) + (", …" if len(words) > 3 else "")


def fitting_width(table: Table) -> int:
    """The characters on each side that fit on the terminal, or `WIDTH` if there is none."""
    if not table.is_on_terminal:
        return WIDTH
    return max((shutil.get_terminal_size().columns - _ID - _MATCH - 3) // 2, 10)


def write_lines(frames: Iterable[pl.DataFrame], table: Table, width: int) -> int:
    """Write lines to standard output as they come, or to a file when all are there; returns how many there are."""
    rows = 0

    def parts() -> Iterator[str]:
        nonlocal rows
        id_width = 0
        for lines in frames:
            rows += lines.height
            if lines.height:
                id_width = min(max(id_width, int(lines["id"].str.len_chars().max() or 1)), _ID)  # type: ignore[arg-type]
                yield aligned(lines, width, id_width)

    if table.output is None:
        for text in parts():
            write_out(text.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
    else:
        write_out("".join(parts()).encode(), table.output)
        note(f"{table.output}: {many(rows, 'row')}")
    return rows


def aligned(lines: pl.DataFrame, width: int, id_width: int) -> str:
    """The lines as text: id, other columns, then the match in the middle."""
    import polars as pl

    others = [name for name in lines.columns if name not in ("id", "left", "match", "right", "position")]
    plain = pl.all_horizontal(pl.col("id", "left", "match", "right").str.contains(_PLAIN))
    plain = plain & pl.lit(not others)
    long = pl.col("id").str.len_chars() > id_width  # the end of a path says more than its beginning
    name = pl.when(long).then(pl.lit("…") + pl.col("id").str.tail(id_width - 1)).otherwise(pl.col("id"))
    padded = name.str.pad_end(id_width), pl.col("left").str.pad_start(width)
    text = pl.concat_str(*padded, "match", "right", separator=" ").str.strip_chars_end()
    made = lines.select(pl.when(plain).then(text).alias("text"))["text"]  # ASCII needs no look at each character
    shown = made.to_list()
    if made.null_count():
        rest = lines.select("id", *others, "left", "match", "right").filter(made.is_null())
        for place, row in zip(made.is_null().arg_true().to_list(), rest.iter_rows(), strict=True):
            shown[place] = _one(row, width, id_width)
    return "\n".join(shown) + "\n"


def _one(row: tuple[Any, ...], width: int, id_width: int) -> str:
    name, *others, left, match, right = (
        "–" if value is None else value if isinstance(value, str) else f"{value}" for value in row
    )
    name = printable(name, None)
    name = name if cells(name) <= id_width else "…" + fitted(name, id_width - 1, at_end=True)
    about = [fitted(name, id_width), *(printable(value) for value in others)]
    parts = [printable(left, None), printable(match, None), fitted(printable(right, None), width).rstrip()]
    parts[0] = fitted(parts[0], width, at_end=True)
    if _RIGHT_TO_LEFT.search(f"{left}{match}{right}"):
        space = len(parts[0]) - len(parts[0].lstrip())
        parts = [f"{_ISOLATE}{part}{_END}" for part in (parts[0].lstrip(), *parts[1:])]
        parts[0] = " " * space + parts[0]
    return " ".join([*about, *parts]).rstrip()


def fitted(text: str, width: int, *, at_end: bool = False) -> str:
    """A text cut and padded to a number of cells; with *at_end*, its end is kept and stands at the right.

    Examples
    --------
    >>> fitted("so", 4), fitted("so it goes", 6, at_end=True), fitted("東京", 6, at_end=True), fitted("東京都", 5)
    ('so  ', 't goes', '  東京', '東京 ')
    """
    from rich.cells import set_cell_size

    return set_cell_size(text[::-1], width)[::-1] if at_end else set_cell_size(text, width)
