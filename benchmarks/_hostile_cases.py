"""The cases of `hostile.py`: each damages or draws something at random, and returns the outcome."""

from __future__ import annotations

import contextlib
import csv
import functools
import hashlib
import io
import json
import random
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

import termburst as tb

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "hostile"))
from attacks.crafted import TEXTS, altered, statistics_bytes

OPTIONS = {  # a valid value of each option; "" for flags
    "--top": "3", "--min-count": "1", "--mu": "2", "--sigma2": "1", "--ngrams": "1,2", "--format": "csv",
    "--form": "exact", "--fit": "exact", "--test": "", "--by": "g", "--text": "text", "--id": "id",
    "--encoding": "latin-1", "--errors": "replace", "--token-pattern": r"\w+", "--stop-words": "english",
    "--scheme": "tf-idf", "--norm": "l2", "--confidence": "0.9", "--method": "g2", "--adjust": "by", "--sort": "term",
    "--detail": "patterns", "--batch": "first", "--checkpoint": "0", "--max-document-mb": "1", "--parts": "",
    "--pretokenized": "", "--no-lowercase": "", "--statistic": "lr",
}  # fmt: skip
COMMANDS = {  # the number of arguments of each command
    "terms": 1, "explain": 2, "weigh": 1, "stats build": 1, "stats show": 1, "keyness": 2, "stats add": 2,
    "export": 1,
}  # fmt: skip
REPORT_LINES = 30  # of the reading report and of warnings, at most
WARNING = "termburst: warning: "
ACCIDENT = re.compile(r"Traceback \(most|^\w*(Error|Exception|Panic)\b|panicked at|thread '").search
RIGHT, SENTENCE, TRACEBACK, CHANGED = "right", "one sentence", "traceback", "changed content"
NUMBERS = (-(2**63), -(2**31), -1, 0, 1, 2, 3, 7, 2**31 - 1, 2**31, 2**40, 2**53 + 1, 2**60, 2**62, 2**63 - 1)
WORDS = (
    "", "x", "-1", "0", "1", "3", "nan", "inf", "1e400", "9" * 25, "½", "\x1b[31m", "a\nb", "1,2", "2,1", "1,99999999",
    "é", "--", "*",
)  # fmt: skip
WEIRD = (
    b"\0", b'"', b",", b"\n", b"\r", b"\xff", b"\xef\xbb\xbf", b"\x1b", b"{", b"[" * 50, b"\\u", b"\t", b"'", b"=",
    b"\x80", b"null",
)  # fmt: skip


AWKWARD = list("abzAZ019_-'. \n\t\0\x85\x1c") + list(
    "éÉßẞİıΣσςǅﬁﬀK\u0301\u0308\u200b\u200c\u200d\u2060\u00ad\u2028\ud800\udfff²½Ⅷ٣नम日𝔘𐐀🙂\ufeff\u0345ŉΐ"
)
TOKENS = ["the", "The", "cat", "CAT", "Été", "e\u0301te\u0301", "ΣΑΣ", "x", "co-op", "don't", "__init__", "w" * 40]
PATTERNS = (r"(?u)\b\w\w+\b", r"\w+", r"[^\W\d_]{2,}", r"\b[a-z]+\b", r"[A-Za-z0-9_]{3,}", r"[\w']+", r"\b\w{4,}\b")
PIECES = ['"', '""', ",", "\n", "\r\n", "\r", "a", "b c", "é", "𝄞", "\x85", "\u2028", '"a""b"', '""""', "\0", '"x,\ny"']


@functools.cache
def options_of(words: str) -> frozenset[str]:
    """The long options of a command."""
    import typer

    from termburst.cli.app import app

    command: Any = typer.main.get_command(app)
    for word in words.split():
        command = command.commands[word]
    return frozenset(option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts))


class Seen:
    """Whether tracebacks are printed, to look at one case."""

    tracebacks = False


class Cases:
    """The data that a worker keeps between cases: its own folder, and valid files to damage."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stored = {detail: statistics_bytes(detail) for detail in ("patterns", "moments", "frequencies")}
        self.sound = {
            detail: tb.TermStatistics.from_texts(TEXTS, detail=detail, batch="first") for detail in self.stored
        }  # type: ignore[arg-type]
        rows = [{"id": f"d{i}", "g": "ab"[i % 2], "text": text} for i, text in enumerate(TEXTS)]
        parquet = io.BytesIO()
        pl.DataFrame(rows).write_parquet(parquet)
        self.tables = {
            "csv": pl.DataFrame(rows).write_csv().encode(),
            "jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode(),
            "parquet": parquet.getvalue(),
            "txt": "\n".join(TEXTS).encode(),
        }
        for kind, content in self.tables.items():
            (folder / f"sound.{kind}").write_bytes(content)
        (folder / "sound_statistics.parquet").write_bytes(self.stored["patterns"])
        self.before = self._contents()

    def run(self, subject: str, rng: random.Random) -> str:
        """Run one case and return the outcome."""
        return {
            "stored": self.damaged,
            "crafted": self.crafted,
            "tables": self.table,
            "matrices": matrix,
            "options": self.options,
            "counting": counting,
            "csv": csv_block,
        }[subject](rng)

    def damaged(self, rng: random.Random) -> str:
        """Change, cut or swap bytes of a stored file: loading fails with one sentence, or gives the same content."""
        detail = rng.choice(list(self.stored))
        path = self.folder / "damaged.parquet"
        path.write_bytes(_damaged(self.stored[detail], rng))
        found: list[Any] = []
        outcome = judged(lambda: found.append(tb.TermStatistics.load(path)))
        return CHANGED if found and found[0] != self.sound[detail] else outcome

    def crafted(self, rng: random.Random) -> str:
        """Change numbers of a stored file and compute a new digest: loading fails with one sentence, or works."""
        path = self.folder / "crafted.parquet"
        detail = rng.choice(list(self.stored))
        path.write_bytes(altered(self.stored[detail], lambda header, columns: _alter(header, columns, rng)))

        def use() -> None:
            s = tb.TermStatistics.load(path)
            if s.detail == "frequencies":
                return
            tb.term_table(s)
            if s.detail == "patterns":
                tb.burstiness_test(s)
                tb.keyness(s, self.sound["patterns"], min_count=1)

        return judged(use)

    def table(self, rng: random.Random) -> str:
        """Damage a table: it is counted, or an error of one sentence."""
        kind = rng.choice(list(self.tables))
        path = self.folder / f"table.{kind}"
        path.write_bytes(_damaged(self.tables[kind], rng))
        line = rng.choice(
            (
                ["terms", str(path)],
                ["keyness", str(path), "--by", "g", "--min-count", "1"],
                ["terms", str(path), "-f", "json"],
            )
        )
        return self.command(line)

    def options(self, rng: random.Random) -> str:
        """A random command line with valid files."""
        words = rng.choice(list(COMMANDS))
        files = [str(path) for path in sorted(self.folder.glob("sound*"))]
        valid = rng.random() < 0.6  # as many arguments as the command takes, and only its own options
        size = COMMANDS[words] if valid else rng.choice((1, 1, 2))
        line = [*words.split(), *rng.choices([*files, *WORDS], weights=[9] * len(files) + [1] * len(WORDS), k=size)]
        if words == "explain" and size == 2:
            line[-1] = rng.choice(("so", "it", *WORDS))
        known = (valid and sorted(OPTIONS.keys() & options_of(words))) or sorted(OPTIONS)
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            option = rng.choice(known)
            values = (OPTIONS[option],) * (40 if valid else 2) + WORDS
            line += [option, *([rng.choice(values)] if OPTIONS[option] else [])]
        if rng.random() < 0.3:
            outputs = ["out.csv", "out.npz", "out.parquet", "out.json", "no/out.csv"]
            if str(self.folder / "sound.csv") in line:  # the input must not be overwritten; other files may be
                outputs.append("sound.csv")
            line += ["-o", str(self.folder / rng.choice(outputs))]
        if line[:2] == ["stats", "add"] and "-o" not in line:
            line += ["-o", str(self.folder / "out.parquet")]
        outcome = self.command(line)
        for made in self.folder.glob("out.*"):
            made.unlink()
        return outcome if self._contents() == self.before else CHANGED

    def command(self, line: list[str]) -> str:
        """Run the command in this process.

        Standard error may have the reading report and warnings, in printable lines. Exit code 2 needs one sentence
        after them.
        """
        from termburst.cli import main

        out, err = (
            io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
            for _ in range(2)
        )
        before, code = (sys.argv, sys.stdin, warnings.showwarning), 0
        sys.argv, sys.stdin = ["termburst", *line], io.TextIOWrapper(io.BytesIO(b"so it so\nit is\n"))
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        except BaseException:
            return _traceback()
        finally:
            sys.argv, sys.stdin, warnings.showwarning = before
        lines = err.buffer.getvalue().decode("utf-8", "replace").splitlines()  # type: ignore[attr-defined]
        decent = len(lines) <= REPORT_LINES and all(map(str.isprintable, lines)) and not any(map(ACCIDENT, lines))
        if code == 0 and decent:
            return RIGHT
        errors = [line for line in lines if line.startswith("termburst: ") and not line.startswith(WARNING)]
        said = code == 2 and decent and len(errors) == 1 and errors[0] == lines[-1]
        if not said and Seen.tracebacks:
            print(code, *lines, sep="\n")
        return SENTENCE if said else TRACEBACK

    def _contents(self) -> dict[str, str]:
        """All files that do not belong to a case, including leftovers."""
        own = ("damaged.parquet", "crafted.parquet", "table.")
        return {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.folder.iterdir()
            if not path.name.startswith(own)
        }


def judged(call: Callable[[], object]) -> str:
    """Call the function. A ValueError of one line is a sentence; any other exception is not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except ValueError as error:
        return SENTENCE if str(error).strip() and "\n" not in str(error) else _traceback()
    except BaseException:  # panics of Polars are not an Exception
        return _traceback()
    return RIGHT


def _traceback() -> str:
    if Seen.tracebacks:
        traceback.print_exc()
    return TRACEBACK


def matrix(rng: random.Random) -> str:
    """A sparse matrix with one array altered: an error or counted; an unaltered matrix is counted correctly."""
    draw = np.random.default_rng(rng.randrange(2**32))
    dense = draw.poisson(0.7, size=(rng.randrange(1, 9), rng.randrange(1, 9)))
    kind = rng.choice(("csr", "csc", "coo", "bsr", "dia", "lil"))
    X = (sp.csr_array if rng.random() < 0.5 else sp.csr_matrix)(dense).asformat(kind)
    spoilt = rng.random() < 0.9 and _spoil(X, rng)
    found: list[Any] = []

    def use() -> None:
        s = tb.TermStatistics.from_counts(X, detail="patterns")
        found.append(s.collection_frequency.tolist())
        if s.tokens:
            tb.burstiness_test(s)
            tb.TermWeighting("tf-icf").fit_transform(X)

    outcome = judged(use)
    return CHANGED if not spoilt and found != [dense.sum(axis=0).tolist()] else outcome


def _spoil(X: Any, rng: random.Random) -> bool:
    """Alter one array of a matrix. Returns whether that was possible."""
    names = {"coo": ("row", "col", "data"), "dia": ("offsets", "data"), "lil": ("rows", "data")}.get(
        X.format, ("indices", "indptr", "data")
    )
    array = getattr(X, name := rng.choice(names))
    if not array.size:
        return False
    if rng.random() < 0.15:
        with contextlib.suppress(ValueError, AttributeError):  # SciPy itself checks some
            setattr(X, name, array[: rng.randrange(array.size)])
        return True
    place = tuple(rng.randrange(size) for size in array.shape)
    if array.dtype == object:
        array[place] = [rng.choice(NUMBERS) for _ in array[place]]
    else:
        array[place] = np.int64(rng.choice(NUMBERS)).astype(array.dtype)
    return True


def counting(rng: random.Random) -> str:
    """Random texts counted by the compiled vectorizer and by that of scikit-learn: the same matrices, or messages."""
    from sklearn.feature_extraction.text import CountVectorizer

    from termburst.counting import tokenizer, vectorizer

    draw = np.random.default_rng(rng.randrange(2**32))
    vectorizer.SMALL = -1  # always use compiled code
    tokenizer.CHUNK, threads = int(draw.choice([100, 5_000, 2**20])), int(draw.integers(1, 4))
    tokenizer.cores = lambda: threads
    options, made, later = _counting_options(draw), _texts(draw), _texts(draw)
    both = (tb.CountVectorizer, CountVectorizer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about stop words that no token can equal
        ours, theirs = (_counted(cls, options, made, later) for cls in both)
        if ours != theirs and Seen.tracebacks:
            alone = {**options, "min_df": 1}
            pairs = ((text, [_counted(cls, alone, [text], [text]) for cls in both]) for text in made)
            print(options, next((text for text, (one, other) in pairs if one != other), "all together"))
    return RIGHT if ours == theirs else CHANGED


def _counting_options(draw: np.random.Generator) -> dict[str, Any]:
    first = int(draw.integers(1, 3))
    return {
        "token_pattern": str(draw.choice(PATTERNS)), "lowercase": bool(draw.random() < 0.7),
        "strip_accents": [None, "unicode", "ascii"][draw.integers(3)],
        "ngram_range": (first, first + int(draw.integers(0, 3))),
        "stop_words": [None, "english", ["the", "été", "x"]][draw.integers(3)], "min_df": int(draw.integers(1, 3)),
        "binary": bool(draw.random() < 0.2),
    }  # fmt: skip


def _texts(draw: np.random.Generator) -> list[str]:
    """From all planes of Unicode, from characters that are difficult to lower-case or to split, and from words."""
    made = []
    for _ in range(60):
        kind, size = draw.integers(4), int(draw.geometric(0.03))
        if kind == 2:
            made.append(" ".join(draw.choice(TOKENS, min(size, 60))))
        elif kind == 1:
            made.append("".join(draw.choice(AWKWARD, size)))
        else:
            made.append("".join(map(chr, draw.integers(0, 0x250 if kind else 0x110000, size))))
    return [*made, "x" * int(draw.integers(1, 10**6))] if draw.random() < 0.02 else made


def _counted(cls: Any, options: dict[str, Any], made: list[str], later: list[str]) -> Any:
    try:
        fitted = cls(**options)
        matrices = [fitted.fit_transform(made), fitted.transform(later)]
    except ValueError as error:
        return str(error)
    for X in matrices:
        X.sort_indices()
    return fitted.vocabulary_, [(X.shape, X.data.tolist(), X.indices.tolist(), X.indptr.tolist()) for X in matrices]


def csv_block(rng: random.Random) -> str:
    """A block of a CSV file: what the compiled cutter takes is split as the csv module splits it."""
    from termburst.reading.csv_blocks import cut_block

    width = rng.randint(1, 3)
    block = "".join(rng.choices(PIECES, k=rng.randint(0, 30))).encode()
    if rng.random() < 0.5:  # like the output of a program
        table = io.StringIO(newline="")
        cells = ["".join(rng.choices(PIECES[:-2], k=rng.randint(0, 3))) for _ in range(width * rng.randint(1, 5))]
        csv.writer(table, lineterminator="\n").writerows(cells[k : k + width] for k in range(0, len(cells), width))
        block = table.getvalue().encode() + block
    if rng.random() < 0.1 and block:
        place = rng.randrange(len(block))
        block = block[:place] + bytes([rng.randrange(256)]) + block[place + 1 :]
    found = cut_block(block, ord(","), width, list(range(width)), 10**6)
    if found.columns is None:
        return SENTENCE  # it is left to the slow reader
    rows = csv.reader(io.StringIO(block[: found.size].decode(), newline=""))
    expected = [row or [""] for row in rows if row or width == 1]  # an empty line is no row, but in one column a field
    return RIGHT if [list(row) for row in zip(*found.columns, strict=True)] == expected else CHANGED


def _damaged(content: bytes, rng: random.Random) -> bytes:
    """One to four of: change a byte; cut, double or zero a range; insert something odd; cut off the end."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if not content:
            break
        i, j = sorted(rng.randrange(len(content) + 1) for _ in range(2))
        j = min(j, i + rng.choice((1, 4, 40, 400)))
        way = rng.randrange(7)
        if way <= 1:
            i = min(i, len(content) - 1)
            content = content[:i] + bytes([content[i] ^ (1 << rng.randrange(8))]) + content[i + 1 :]
        elif way == 2:
            content = content[:i] + content[j:]
        elif way == 3:
            content = content[:j] + content[i:]
        elif way == 4:
            content = content[:i] + bytes(j - i) + content[j:]
        elif way == 5:
            content = content[:i] + rng.choice(WEIRD) + content[i:]
        else:
            content = content[:i]
    return content


def _alter(header: dict[str, Any], columns: dict[str, Any], rng: random.Random) -> None:
    """Change one to three numbers, terms or entries of the header."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        number, name = rng.choice(NUMBERS), rng.choice([*columns, *columns, "lengths", "length_documents", *header])
        if name in ("lengths", "length_documents") and isinstance(header.get(name), list) and header[name]:
            header[name][rng.randrange(len(header[name]))] = number
        elif name in columns and name != "term":
            values = columns[name]
            i = rng.randrange(len(values))
            if not isinstance(values[i], list):
                values[i] = number
            elif values[i]:
                values[i][rng.randrange(len(values[i]))] = number
        elif name == "term":
            columns["term"][rng.randrange(len(columns["term"]))] = rng.choice(("", "so", "\0", "\x1b[31m", "é" * 99))
        else:
            header[name] = rng.choice((None, number, "x", [], {}, [number], True, 1.5))
