"""Lists of word frequencies as a reference: read from files of other programs, and compared with a corpus."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from termburst.counting.options import CountingOptions
from termburst.inference.dispersion import dispersion
from termburst.inference.frequency_list import WordList, list_keyness
from termburst.inference.multiplicity import adjust as adjusted
from termburst.inference.multiplicity import selected_end
from termburst.models.cells import term_cells
from termburst.questions.compared import difference_of, named_counts, rates_of_sides, ratios_of
from termburst.questions.frames import counted_texts, term_frame
from termburst.statistics.merging import laid_onto
from termburst.statistics.term_statistics import TermStatistics

MOST_BYTES = 2**30  # of a file
_WORD = ("word", "type", "term", "item", "lemma", "form", "token", "words", "types", "feature")
_COUNT = ("freq", "freq.", "frequency", "count", "counts", "n", "n_i", "total", "raw freq", "rawfreq", "f")
_WHOLE = "!!WHOLE_CORPUS"  # the first line of the lists of the BNC: tokens and files of the corpus
_TOTAL = re.compile(r"#\s*(?:Word |Total No\. of Word )?Tokens:\s*([0-9]+)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WordFrequencies:
    """A list of words and how often they occur, read by `read_word_list`.

    Attributes
    ----------
    counts : from word to number of occurrences
    tokens : of the whole corpus that the list is of
    documents : of that corpus, or None if the list does not say

    Examples
    --------
    >>> WordFrequencies({"so": 900, "ha": 2}, tokens=10_000)
    WordFrequencies of 2 words, 10,000 tokens in an unknown number of documents
    """

    counts: Mapping[str, int]
    tokens: int
    documents: int | None = None

    def __repr__(self) -> str:
        """Its size."""
        documents = "an unknown number of" if self.documents is None else f"{self.documents:,}"
        return f"WordFrequencies of {len(self.counts):,} words, {self.tokens:,} tokens in {documents} documents"


def read_word_list(path: str | PathLike[str], *, lowercase: bool = True) -> WordFrequencies:
    r"""Read a list of word frequencies, as a reference for `keyness`.

    The format is found out: word lists of AntConc (3 and 4) and WordSmith, the unlemmatised lists of the BNC
    (frequency, word, part of speech, files), and tables with a word and a count per line, separated by tabs, commas or
    semicolons, with or without names of columns. Words that are listed more than once, in upper case or with another
    part of speech, are added up.

    Parameters
    ----------
    path : a text file in UTF-8, or in UTF-16 with a byte order mark
    lowercase : whether to convert the words to lower case, as corpora do by default

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "list.csv"
    >>> _ = path.write_text("word,count\nso,120\nIt,80\nit,2\n", encoding="utf-8")
    >>> read_word_list(path).counts
    {'so': 120, 'it': 82}
    """
    if not isinstance(path, (str, PathLike)):
        raise ValueError(f"path must be the name of a word list, such as 'list.csv'; got {path!r:.60}")
    name = str(path)
    lines = _text(Path(path), name).splitlines()
    counts: dict[str, int] = {}
    tokens = documents = None
    columns: tuple[int, int] | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if total := _TOTAL.match(line):
            tokens = int(total[1])
        if total or (line.startswith("#") and "\t" not in line and "," not in line):
            continue
        fields = _fields(line)
        if columns is None:
            columns, named = _columns(fields, f"{name}, line {number}")
            if named:
                continue
        if len(fields) > 1 and fields[1] == _WHOLE:
            tokens, documents = int(fields[0]), int(fields[3]) if len(fields) > 3 else None
            continue
        word, count = _row(fields, columns, f"{name}, line {number}")
        if word:
            word = word.lower() if lowercase else word
            counts[word] = counts.get(word, 0) + count
    if not counts:
        raise ValueError(f"{name}: there is no word with a count; give one word and one count per line")
    listed = sum(counts.values())
    return WordFrequencies(counts, max(tokens or 0, listed), documents)


def _text(path: Path, name: str) -> str:
    try:
        if path.exists() and not path.is_file():
            raise ValueError(f"{name} is not a file; give a word list, such as list.csv")
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"{name} is larger than {MOST_BYTES:,} bytes; a word list has one line per word")
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"the word list {name:.300} cannot be read: {error.strerror}") from error
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name}, line {line}, is not {encoding.removesuffix('-sig')}; save it as UTF-8") from error


def _fields(line: str) -> list[str]:
    """The fields of a line: separated by tabs, or by semicolons, or by commas, or by white space."""
    for separator in ("\t", ";", ","):
        if separator in line:
            return [field.strip().strip('"') for field in line.split(separator)]
    return line.split()


def _columns(fields: list[str], where: str) -> tuple[tuple[int, int], bool]:
    """The places of word and count by the first line, and whether that has the names of columns."""
    lower = [field.lower() for field in fields]
    word, count = (next((lower.index(name) for name in names if name in lower), None) for names in (_WORD, _COUNT))
    if word is not None and count is not None:
        return (word, count), True
    numbers = [k for k, field in enumerate(fields) if field.isascii() and field.isdecimal()]
    words = [k for k, field in enumerate(fields) if field and k not in numbers]
    if len(fields) >= 3 and numbers[:2] == [0, 1] and fields[2]:  # rank, frequency, word: AntConc 3
        return (2, 1), False
    if len(fields) == 2 and len(numbers) == 2:  # the word is a number
        return (0, 1), False
    if not numbers or not words:
        raise ValueError(
            f"{where}: no word and count were found; name the columns 'word' and 'count', or give lines such as so,120"
        )
    return (words[0], numbers[0]), False


def _row(fields: list[str], columns: tuple[int, int], where: str) -> tuple[str, int]:
    word, count = columns
    if len(fields) <= max(word, count):
        raise ValueError(f"{where}: there are only {len(fields)} fields; each line needs a word and a count")
    value = fields[count]
    if not (value.isascii() and value.isdecimal() and len(value) < 16):
        raise ValueError(
            f"{where}: the count of {fields[word]!r:.60} must be a whole number of occurrences; got {value!r:.60} "
            "(frequencies per million do not say how much evidence there is)"
        )
    return fields[word], int(value)


def as_frequencies(reference: Any) -> WordFrequencies:
    """The reference as a list; ValueError if it is none."""
    if isinstance(reference, WordFrequencies):
        return reference
    if isinstance(reference, (str, PathLike)):
        return read_word_list(reference)
    if not isinstance(reference, Mapping) or not reference:
        raise ValueError(f"reference must be a dict such as {{'so': 120}}, or a word list; got {reference!r:.60}")
    counts: dict[str, int] = {}
    for word, count in reference.items():
        whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
        if not isinstance(word, str) or not whole or not 0 <= count < 10**15:
            raise ValueError(f"reference must have the occurrences of each word; got {word!r:.60}: {count!r:.60}")
        counts[word] = int(count)
    if not sum(counts.values()):
        raise ValueError("the reference has no occurrences: there is nothing to compare with")
    return WordFrequencies(counts, sum(counts.values()))


def keyness_with_list(
    A: Any,
    reference: Any,
    *,
    terms: Any,
    confidence: float | None,
    adjust: str,
    min_count: int,
    counting: CountingOptions | None = None,
) -> pl.DataFrame:
    """The table of `keyness` against a list of frequencies; options are checked by the caller."""
    listed = as_frequencies(reference)
    (counted_a,) = counted_texts({"A": A}, counting)
    own, names = named_counts(counted_a, terms, "A")
    if names is None:
        raise ValueError("to compare with a word list, the columns of A need names: give terms=")
    union: NDArray[np.object_] = np.array(sorted({*names.tolist(), *listed.counts}), dtype=np.object_)
    statistics = own if isinstance(own, TermStatistics) else TermStatistics.from_counts(own, names, "patterns")
    a = term_cells(laid_onto(statistics, union))
    n_b = np.array([listed.counts.get(term, 0) for term in union], dtype=np.int64)
    b = WordList(n_b, listed.tokens, listed.documents)
    found = list_keyness(a, b, confidence=confidence)
    counted = a.n_i + n_b >= max(min_count, 1)
    p_value = np.where(counted, found.p_value, np.nan)
    q_value = adjusted(p_value, adjust)
    rates = rates_of_sides(a, b)
    columns: dict[str, Any] = {
        "n_a": a.n_i,
        "n_b": n_b,
        "b_a": a.b_i,
        **rates,
        **ratios_of(found),
        "lower_bound": selected_end(found.ci_low, found.ci_high, q_value, confidence),
        **difference_of(rates),
        "statistic": found.statistic,
        "p_value": p_value,
        "q_value": q_value,
        "p_method": found.p_method.tolist(),
        "dp_a": dispersion(a, ["dp"])["dp"],
    }
    return term_frame(union, columns, counted)
