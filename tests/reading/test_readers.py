"""The corpus reader: every kind of source, and one clear message for every fault."""

import bz2
import codecs
import csv
import gzip
import io
import itertools
import json
import os
import socket
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.opened import open_corpus
from termburst.reading.readers import Batch

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CHECKED = {
    zstd.CompressionParameter.checksum_flag: 1
}  # as the zstd command does; without it, a flipped bit may stay unnoticed
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": partial(zstd.compress, options=CHECKED),
    ".zstd": zstd.compress,
}


def read(source: str | os.PathLike[str], **options: Any) -> dict[str, str | list[str]]:
    """All documents by id. The ids must be unique."""
    batches = list(open_corpus(source, **options).batches())
    ids = [document_id for batch in batches for document_id in batch.ids]
    texts = [text for batch in batches for text in batch.texts]
    assert all(len(batch.ids) == len(batch.texts) for batch in batches)
    assert len(ids) == len(set(ids))
    return dict(zip(ids, texts, strict=True))


def fault(source: str | os.PathLike[str], *named: str, kind: type[Exception] = ValueError, **options: Any) -> str:
    """The message of the error that reading must raise: one line that contains all of `named`."""
    with pytest.raises(kind) as caught:
        read(source, **options)
    message = str(caught.value)
    assert type(caught.value) is kind
    assert not message.endswith(".")
    assert len(message.splitlines()) == 1
    for part in named:
        assert part in message
    return message


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.fixture
def new_folder(tmp_path: Path) -> Callable[[], Path]:
    """A function that makes an empty folder for each case of a test."""
    numbers = itertools.count()

    def make() -> Path:
        path = tmp_path / f"case{next(numbers)}"
        path.mkdir()
        return path

    return make


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    def feed(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    return feed


@pytest.fixture
def link() -> Callable[[Path, Path | str], Path]:
    def make(path: Path, target: Path | str) -> Path:
        try:
            path.symlink_to(target, target_is_directory=(path.parent / target).is_dir())
        except (OSError, NotImplementedError):
            pytest.skip("this platform does not let us make symbolic links")
        return path

    return make


def permissions_are_enforced() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() != 0


# --- Plain text -------------------------------------------------------------------------------------------------------


def test_a_text_file_is_one_document_or_with_lines_one_per_line(new_folder):
    for suffix, pack in PACKERS.items():
        folder = new_folder()
        content = b"one\r\n\ntwo  \rb\nlast\r"
        path = write(folder / f"poem.txt{suffix}", pack(content))
        name = path.name
        assert read(path) == read(folder) == read(str(path)) == {name: content.decode()}
        lines = {f"{name}:1": "one", f"{name}:3": "two  \rb", f"{name}:4": "last\r"}  # line 2 is blank
        assert read(path, lines=True) == read(folder, lines=True) == lines


def test_a_text_file_in_a_folder_or_glob_is_one_document(new_folder):
    for suffix, pack in PACKERS.items():
        folder = new_folder()
        write(folder / f"sub/poem.txt{suffix}", pack(b"one\r\ntwo\n"))
        assert read(folder) == {f"sub/poem.txt{suffix}": "one\r\ntwo\n"}
        assert read(folder / "*" / "poem*") == {f"{folder.as_posix()}/sub/poem.txt{suffix}": "one\r\ntwo\n"}


def test_any_other_suffix_is_plain_text_and_case_does_not_matter(tmp_path):
    write(tmp_path / "a", "a")
    write(tmp_path / "b.text", "b")
    write(tmp_path / "c.JSONL", '{"text": "c"}')
    write(tmp_path / "d.TXT.GZ", gzip.compress(b"d"))
    assert read(tmp_path) == {"a": "a", "b.text": "b", "c.JSONL:1": "c", "d.TXT.GZ": "d"}


def test_standard_input_has_one_document_per_line(stdin):
    stdin(codecs.BOM_UTF8 + b"one\r\n\ntwo")
    corpus = open_corpus("-", batch_documents=2)
    assert (corpus.name, corpus.size) == ("-", None)
    assert list(corpus.batches()) == [Batch(["1", "3"], ["one", "two"], 12)]


def test_standard_input_of_a_process():
    code = "from termburst.reading.readers import open_corpus\nfor b in open_corpus('-').batches(): print(b.texts)"
    run = subprocess.run([sys.executable, "-c", code], input=b"a\nb\n", capture_output=True, check=True)
    assert run.stdout.split() == [b"['a',", b"'b']"]


def test_standard_input_faults(stdin, monkeypatch):
    stdin(b"fine\ncaf\xe9\n")
    fault("-", "-, line 2", "omit encoding=", encoding="utf-8")
    stdin(b"fine\n")
    fault("-", "text=", text="body")
    monkeypatch.setattr(sys, "stdin", None)
    fault("-", "no standard input")


def test_an_empty_file_is_refused_or_skipped_in_a_folder(new_folder):
    for content in [b"", codecs.BOM_UTF8, b" \n"]:
        folder = new_folder()
        path = write(folder / "empty.txt", content)
        fault(path, str(path), "is empty")
        fault(folder, str(folder), "empty")
        write(folder / "other.txt", "other")
        corpus = open_corpus(folder)
        assert [batch.texts for batch in corpus.batches() if batch.ids] == [["other"]]
        assert corpus.report.skipped == [("empty.txt", "empty")]
        assert read(path, lines=True) == {}


def test_importing_the_reader_imports_no_large_package():
    code = "import sys, termburst.reading.readers; print(*{'polars', 'numpy', 'backports.zstd'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert run.stdout.strip() == ""


# --- Tables -----------------------------------------------------------------------------------------------------------

ROWS: list[dict[str, Any]] = [
    {"key": "x", "text": 'says "a, b"\tor\r\nc', "n": 1},
    {"key": "y", "text": None, "n": 2},
    {"key": "z", "text": "naïve 𝄞", "n": 3},
]
TEXTS = ['says "a, b"\tor\r\nc', "", "naïve 𝄞"]


def write_table(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    kind, packing = path.name.split(".")[1], path.name.partition(".")[2].partition(".")[2]
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "parquet":
        pl.DataFrame(rows).write_parquet(path)
        return path
    if kind in ("jsonl", "ndjson"):
        content = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        buffer = io.StringIO(newline="")
        writer = csv.DictWriter(buffer, list(rows[0]), delimiter="\t" if kind == "tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
        content = buffer.getvalue()
    path.write_bytes(PACKERS["." + packing if packing else ""](content.encode()))
    return path


KINDS = ["csv", "tsv", "jsonl", "ndjson"]
TABLES = [f"t.{kind}{packing}" for kind in KINDS for packing in PACKERS] + ["t.parquet"]


def test_the_rows_of_a_table_are_documents_in_any_source(new_folder):
    for name in TABLES:
        folder = new_folder()
        path = write_table(folder / "sub" / name)
        assert read(path) == dict(zip([f"{name}:1", f"{name}:2", f"{name}:3"], TEXTS, strict=True))
        assert list(read(folder)) == [f"sub/{name}:1", f"sub/{name}:2", f"sub/{name}:3"]
        assert list(read(folder / "**" / "t.*")) == [f"{folder.as_posix()}/sub/{name}:{k}" for k in (1, 2, 3)]
        assert read(path, id="key") == dict(zip("xyz", TEXTS, strict=True))
        assert list(read(path, id="n")) == ["1", "2", "3"]
        assert read(path, text="key", id="key") == dict(zip("xyz", "xyz", strict=True))


def test_a_missing_column_is_named_with_the_present_ones(tmp_path):
    for name in TABLES:
        path = write_table(tmp_path / name)
        fault(path, str(path), "'body'", "'key', 'text', 'n'", "text=", text="body")
        fault(path, str(path), "'doc'", "'key', 'text', 'n'", "id=", id="doc")


def test_values_that_are_not_text_are_refused(tmp_path):
    for name in ["t.jsonl", "t.parquet"]:
        for value, named in [(3, "int"), ([["a"]], "ist"), ({"a": 1}, "text"), (1.5, "loat")]:
            path = write_table(tmp_path / name, [{"text": value}])
            place = f"{path}, line 1" if name == "t.jsonl" else str(path)
            message = fault(path, place, "'text'")
            assert named.lower() in message.lower()


@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet"])
def test_lists_of_tokens_are_read_only_when_asked_for(tmp_path, name):
    rows = [{"text": ["a", "b c"]}, {"text": []}, {"text": None}]
    path = write_table(tmp_path / name, rows)
    fault(path, str(path), "pretokenized=True")
    assert list(read(path, pretokenized=True).values()) == [["a", "b c"], [], ""]
    plain = write_table(tmp_path / f"plain.{path.suffix[1:]}", [{"text": "a b"}])
    assert list(read(plain, pretokenized=True).values()) == ["a b"]
    broken = write_table(tmp_path / f"broken.{path.suffix[1:]}", [*rows, {"text": ["a", None]}])
    fault(broken, str(broken), "4", "'text'", "not strings", pretokenized=True)


def test_an_id_must_be_a_name_or_a_number(tmp_path):
    for name in ["t.jsonl", "t.parquet"]:
        for value in [None, ["a"]]:
            path = write_table(tmp_path / name, [{"text": "a", "key": value}])
            fault(path, str(path), "'key'", "id=", id="key")


def test_text_and_id_need_a_table(tmp_path):
    path = write(tmp_path / "a.txt", "a")
    for source in (path, tmp_path, tmp_path / "*.txt"):
        fault(source, str(source), "text=", "table", text="body")
        fault(source, str(source), "id=", "table", id="key")
    write_table(tmp_path / "t.csv", [{"body": "row"}])
    assert read(tmp_path, text="body") == {"a.txt": "a", "t.csv:1": "row"}


# --- CSV --------------------------------------------------------------------------------------------------------------


def test_broken_csv(tmp_path):
    for content, line, named in [
        ("", 1, "empty"),
        ("\n\n", 1, "empty"),
        ("text,text\na,b\n", 1, "'text' 2 times"),
        ("text,n\na,1\nb\n", 3, "1 fields but the header has 2"),
        ("text,n\na,1\nb,2,3\n", 3, "3 fields but the header has 2"),
        ('text,n\n"a\nb",1\n\nc\n', 5, "1 fields"),
        ('text,n\n"a\nb",1\n"c,2\nd,3\n', 4, "close every quote"),
        ('text,n\na,1\n"b" c,2\n', 3, "quote"),
        ("text,n\na,1\nb\0,2\n", 3, "NUL"),
        ("text,n\ra,1\rb,2\r", 1, "CSV"),
    ]:
        path = write(tmp_path / "t.csv", content)
        fault(path, f"{path}, line {line}:", named)


def test_csv_line_ends_and_blank_lines(tmp_path):
    path = write(tmp_path / "t.csv", 'n,text\r\n1,a\r\n\r\n2,"b\nb"\r\n3,')
    assert read(path) == {"t.csv:1": "a", "t.csv:2": "b\nb", "t.csv:3": ""}
    assert list(read(write(tmp_path / "one.csv", "text\na\n\nb\n")).values()) == ["a", "", "b"]
    assert read(write(tmp_path / "head.csv", "text\n")) == {}


def test_csv_fields_beyond_the_csv_modules_own_limit(tmp_path):
    long = "word " * 100_000
    assert list(read(write_table(tmp_path / "t.csv", [{"text": long}])).values()) == [long]


# --- JSONL ------------------------------------------------------------------------------------------------------------


def test_broken_json_lines(tmp_path):
    for bad, named in [
        ('{"text": "a"', "not valid JSON"),
        ("{'text': 'a'}", "column 2"),
        ('"a"', "not an object"),
        ("[1]", "not an object"),
        ("null", "not an object"),
        ('{"n": 1, "m": 2}', "only 'n', 'm'"),
        ("{}", "there are no columns; 'text' is needed"),
        ("[" * 100_000, "JSON"),
        ('{"text": "a", "n": ' + "9" * 5000 + "}", "JSON"),
        ('{"text": "a\0"}', "NUL"),
        (r'{"text": "\ud834"}', "half a character"),
    ]:
        path = write(tmp_path / "t.jsonl", '{"text": "fine"}\n\n' + bad + '\n{"text": "fine"}\n')
        fault(path, f"{path}, line 3:", named)


def test_a_long_list_of_columns_is_cut_short(tmp_path):
    path = write_table(tmp_path / "t.csv", [{f"column {k}": k for k in range(1000)}])
    assert len(fault(path, "'column 9'", "…; choose")) < 500 + len(str(path))


def test_blank_json_lines_are_skipped_but_counted(tmp_path):
    path = write(tmp_path / "t.jsonl", '\n{"text": "a"}\r\n \t\n{"text": "b"}')
    assert read(path) == {"t.jsonl:2": "a", "t.jsonl:4": "b"}


def test_text_around_an_object_is_refused_where_the_json_module_refuses_it(tmp_path):
    for after in ["", " ", "\t", "\r", "\x0b", "\u2028", "x", '{"text": "b"}']:
        for before in ["", " ", "\ufeff", "\u2028"]:
            line = before + '{"text": "a", "text": "é"}' + after
            path = write(tmp_path / "t.jsonl", '{"text": ""}\n' + line + "\n")
            try:
                json.loads(line + "\n")
            except json.JSONDecodeError as error:
                fault(path, f"{path}, line 2: is not valid JSON ({error.msg} at column {error.colno})")
            else:
                assert read(path) == {"t.jsonl:1": "", "t.jsonl:2": "é"}


def test_half_characters_can_be_replaced(tmp_path):
    path = write(tmp_path / "t.jsonl", r'{"text": "a\ud834b\u00e9"}' + "\n" + r'{"text": ["\ud834\udd1e", "\ud834"]}')
    assert list(read(path, errors="replace", pretokenized=True).values()) == ["a?bé", ["𝄞", "?"]]
    assert list(read(path, errors="ignore", pretokenized=True).values()) == ["abé", ["𝄞", ""]]


# --- Parquet ----------------------------------------------------------------------------------------------------------


def test_parquet_columns_of_several_types(tmp_path):
    path = tmp_path / "odd [1] %20 #*.parquet" if os.name != "nt" else tmp_path / "odd [1] %20 #.parquet"
    frame = pl.DataFrame(
        {
            "*": ["a", "b"],
            "^.*$": pl.Series(["x", None], dtype=pl.Categorical),
            "null": [None, None],
            "binary": [b"a", b"b"],
            "nothing": pl.Series([[], []], dtype=pl.List(pl.Null)),
        }
    )
    frame.write_parquet(path)
    assert list(read(path, text="*").values()) == ["a", "b"]
    assert list(read(path, text="^.*$").values()) == ["x", ""]
    assert list(read(path, text="null").values()) == ["", ""]
    assert list(read(path, text="nothing", pretokenized=True).values()) == [[], []]
    fault(path, "'binary'", "bytes, not text", text="binary")
    assert read(write_table(tmp_path / "none.parquet", [{"text": "a"}])) == {"none.parquet:1": "a"}


def test_an_empty_parquet_table_has_no_documents(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"text": []}, schema={"text": pl.String}).write_parquet(path)
    assert read(path) == {}


def test_corrupt_parquet(tmp_path):
    for damage in ["empty", "junk", "cut", "zeros"]:
        path = write_table(tmp_path / "t.parquet", [{"text": f"text {k}"} for k in range(1000)])
        whole = path.read_bytes()
        path.write_bytes(
            {
                "empty": b"",
                "junk": b"PAR1 is not enough PAR1",
                "cut": whole[: len(whole) // 2],
                "zeros": bytes(len(whole) // 2) + whole[len(whole) // 2 :],
            }[damage]
        )
        fault(path, str(path), "Parquet")


def test_packed_parquet_is_refused(tmp_path):
    path = write(tmp_path / "t.parquet.gz", gzip.compress(b"PAR1"))
    fault(path, str(path), "unpack")


def test_parquet_is_read_in_slices(tmp_path):
    texts = [f"text {k}" for k in range(1000)]
    path = write_table(tmp_path / "t.parquet", [{"text": text} for text in texts])
    corpus = open_corpus(path, batch_bytes=500)
    batches = list(corpus.batches())
    assert [text for batch in batches for text in batch.texts] == texts
    assert len(batches) > 10
    assert [batch.position for batch in batches] == sorted(batch.position for batch in batches)
    assert batches[0].position < batches[-1].position == corpus.size


# --- Folders, globs, links --------------------------------------------------------------------------------------------


def test_folders_are_walked_in_order_without_hidden_names(tmp_path):
    for name in ("b.txt", "a/z.txt", "a/b/c.txt", "C.txt", ".hidden", ".git/config", "a/.x/y.txt", "é.txt"):
        write(tmp_path / name, name)
    expected = ["C.txt", "a/b/c.txt", "a/z.txt", "b.txt", "é.txt"]
    assert list(read(tmp_path)) == sorted(expected)
    assert list(read(f"{tmp_path}{os.sep}")) == sorted(expected)


def test_globs(tmp_path, monkeypatch):
    for name in ("a.txt", "b.md", "sub/c.txt", "sub/deep/d.txt", ".hidden.txt", "sub/.e/f.txt"):
        write(tmp_path / name, name)
    monkeypatch.chdir(tmp_path)
    cases = {
        "*.txt": ["a.txt"],
        "./*.txt": ["./a.txt"],
        "*": ["a.txt", "b.md"],
        "?.[mt]*": ["a.txt", "b.md"],
        "*/*.txt": ["sub/c.txt"],
        "**/*.txt": ["a.txt", "sub/c.txt", "sub/deep/d.txt"],
        "sub/**": ["sub/c.txt", "sub/deep/d.txt"],
        "s*/**/d*": ["sub/deep/d.txt"],
        "**/deep/*": ["sub/deep/d.txt"],
        "**/**/d.txt": ["sub/deep/d.txt"],
    }
    for pattern, expected in cases.items():
        assert list(read(pattern)) == expected, pattern
    assert open_corpus("*.txt").name == "*.txt"


def test_a_literal_path_comes_before_a_pattern(tmp_path):
    path = write(tmp_path / "a[1].txt", "literal")
    write(tmp_path / "a1.txt", "pattern")
    assert list(read(path).values()) == ["literal"]
    path.unlink()
    assert list(read(path).values()) == ["pattern"]


def test_a_glob_that_matches_nothing(new_folder):
    for pattern in ["*.txt", "nowhere/*.txt", "sub*", "a.md/*"]:
        folder = new_folder()
        write(folder / "a.md", "a")
        (folder / "sub").mkdir()
        fault(folder / pattern, pattern.rpartition("/")[2], "no file matches")


def test_a_missing_path(tmp_path):
    for name in ["nowhere", "nowhere/a.txt", "a.txt/b", "nul\0"]:
        write(tmp_path / "a.txt", "a")
        fault(tmp_path / name, repr(str(tmp_path / name))[1:-1], "does not exist", kind=FileNotFoundError)


def test_an_empty_source_does_not_mean_the_current_folder():
    fault("", "''", kind=FileNotFoundError)


def test_an_empty_folder(tmp_path):
    (tmp_path / "sub").mkdir()
    write(tmp_path / ".hidden", "a")
    fault(tmp_path, str(tmp_path), "no files")


def test_links_inside_the_folder_are_followed(tmp_path, link):
    write(tmp_path / "corpus/real/a.txt", "a")
    link(tmp_path / "corpus/file.txt", Path("real", "a.txt"))
    link(tmp_path / "corpus/folder", "real")
    link(tmp_path / "whole", "corpus")
    expected = {"file.txt": "a", "folder/a.txt": "a", "real/a.txt": "a"}
    assert read(tmp_path / "corpus") == expected
    assert read(tmp_path / "whole") == expected
    assert read(tmp_path / "whole" / "file.txt") == {"file.txt": "a"}


def test_bad_links_are_refused(new_folder, link):
    for pattern in ["", "**", "*"]:
        for target, named in [
            ("../outside/a.txt", "out of the corpus"),
            ("../outside", "out of the corpus"),
            ("../corpus-too/a.txt", "out of the corpus"),
            ("nowhere", "nothing"),
            ("bad", "circle"),
            (".", "circle"),
        ]:
            folder = new_folder()
            for name in ("corpus/a.txt", "outside/a.txt", "corpus-too/a.txt"):
                write(folder / name, "a")
            bad = link(folder / "corpus/bad", target)
            if pattern == "*" and target in ("../outside", "."):
                assert list(read(folder / "corpus" / pattern).values()) == ["a"]  # this pattern does not enter folders
            else:
                fault(folder / "corpus" / pattern, str(bad), named)


def test_a_glob_checks_only_the_links_that_it_matches(tmp_path, link):
    write(tmp_path / "a.txt", "a")
    link(tmp_path / "b.md", "nowhere")
    assert list(read(tmp_path / "**" / "*.txt").values()) == ["a"]


def test_links_that_form_a_circle_are_refused(new_folder, link):
    for links in [
        {"a/b/up": "../../a"},
        {"a/to": "../b", "b/to": "../a"},
        {"a/to": "../b/c", "b/c/to": "../../d", "d/to": "../b"},
        {"x/to": "../y/z", "y/z/to": "../../y"},
    ]:
        folder = new_folder()
        for name in ("a/b", "b/c", "d", "x", "y/z"):
            write(folder / name / "t.txt", "a")
        for name, target in links.items():
            link(folder / name, target)
        assert any(Path(name).name in fault(folder, "circle") for name in links)


def test_a_dangling_link_named_directly(tmp_path, link):
    bad = link(tmp_path / "bad", "nowhere")
    fault(bad, str(bad), "points to nothing", kind=FileNotFoundError)
    loop = link(tmp_path / "loop", "loop")
    fault(loop, str(loop))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no fifos on this platform")
def test_a_fifo_is_never_opened(tmp_path):
    path = tmp_path / "corpus" / "pipe.txt"
    path.parent.mkdir()
    os.mkfifo(path)
    for source in (path, path.parent, path.parent / "*.txt"):
        fault(source, str(path), "regular file")


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX") or os.name == "nt", reason="no sockets in folders on this platform")
def test_a_socket_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        fault(tmp_path, str(tmp_path / "s"), "regular file")


@pytest.mark.skipif(not Path("/dev/null").is_char_device(), reason="no devices on this platform")
def test_a_device_is_refused():
    fault("/dev/null", "/dev/null", "regular file")


@pytest.mark.skipif(not permissions_are_enforced(), reason="permissions are not enforced for this user")
def test_permission_denied(new_folder):
    for name in ["a.txt", "t.csv", "t.parquet", "t.jsonl.gz"]:
        folder = new_folder()
        path = write(folder / "sub" / name, "")
        path.chmod(0)
        fault(path, str(path), "Permission denied")
        path.parent.chmod(0)
        try:
            fault(folder, str(path.parent), "Permission denied")
        finally:
            path.parent.chmod(0o700)


def test_a_file_that_is_gone_or_cannot_be_read(tmp_path):
    for name in ["a.txt", "t.jsonl", "t.parquet"]:
        path = write(tmp_path / name, "")
        corpus = open_corpus(path)
        path.unlink()
        with pytest.raises(ValueError, match="cannot be read") as caught:
            list(corpus.batches())
        assert str(path) in str(caught.value)
        assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names are Unicode on this platform")
def test_names_that_are_not_unicode_or_have_line_breaks(tmp_path):
    write(tmp_path / os.fsdecode(b"caf\xe9.txt"), "a")
    assert read(tmp_path) == {"caf?.txt": "a"}
    write(tmp_path / "two\nlines.txt", b"\xff")
    fault(tmp_path, "two?lines.txt", encoding="utf-8", strict=True)


# --- Encodings --------------------------------------------------------------------------------------------------------


def test_a_byte_order_mark_is_dropped(tmp_path):
    for encoding in ["utf-8", "UTF8", "utf-8-sig"]:
        write(tmp_path / "a.txt", codecs.BOM_UTF8 + b"a\xef\xbb\xbf")
        write(tmp_path / "t.csv", codecs.BOM_UTF8 + b"text\nb\n")
        write(tmp_path / "t.jsonl", codecs.BOM_UTF8 + b'{"text": "c"}')
        assert list(read(tmp_path, encoding=encoding).values()) == ["a\ufeff", "b", "c"]
        assert read(tmp_path / "a.txt", encoding=encoding) == {"a.txt": "a\ufeff"}


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "gb18030", "shift_jis", "iso2022_jp", "cp037"],
)
def test_encodings(new_folder, encoding, monkeypatch):
    for packing in ["", ".gz"]:
        folder = new_folder()
        monkeypatch.setattr("termburst.reading.lines._CHUNK", 7)  # chunks end within characters
        texts = ["plain", "", "abc ÷ ±" if encoding == "cp037" else "日本 Ж ×"]
        lines = "".join(text + "\r\n" for text in texts)
        write(folder / f"a.txt{packing}", PACKERS[packing](lines.encode(encoding)))
        rows = "text\n" + "".join(f'"{text}"\n' for text in texts)
        write(folder / f"t.csv{packing}", PACKERS[packing](rows.encode(encoding)))
        records = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)
        write(folder / f"t.jsonl{packing}", PACKERS[packing](records.encode(encoding)))
        for name in ("a.txt", "t.csv", "t.jsonl"):
            expected = list(filter(None, texts)) if name == "a.txt" else texts  # a blank line is not a document
            assert list(read(folder / (name + packing), encoding=encoding, lines=True).values()) == expected
        assert list(read(folder, encoding=encoding).values()) == [lines, *texts, *texts]


def test_undecodable_bytes_in_lines(tmp_path):
    for name in ["a.txt", "t.csv", "t.jsonl"]:
        bad = {"a.txt": b"x\ncaf\xe9 ole\n", "t.csv": b"text\ncaf\xe9\n", "t.jsonl": b'\n{"text": "caf\xe9"}'}[name]
        path = write(tmp_path / name, bad)
        fault(path, f"{path}, line 2:", "0xe9", "omit encoding=", 'errors="replace"', encoding="utf-8", lines=True)
        assert "café" in list(read(path, encoding="latin-1", lines=True).values())[-1]
        assert "caf\ufffd" in list(read(path, encoding="utf-8", errors="replace", lines=True).values())[-1]
        assert list(read(path, encoding="utf-8", errors="ignore", lines=True).values())[-1].startswith("caf")
        assert "café" in list(read(path, lines=True).values())[-1]  # the encoding is guessed


def test_the_line_of_undecodable_bytes_in_other_encodings(tmp_path, monkeypatch):
    for chunk in [1, 2, 3, 5, 8, 1000]:
        for encoding in ["utf-16-le", "utf-16", "shift_jis", "ascii", "cp1252"]:
            monkeypatch.setattr("termburst.reading.lines._CHUNK", chunk)
            bad = {"utf-16-le": b"\x00\xdcx\x00", "utf-16": b"\xdc\x00\x00x"}.get(encoding, b"\x81\x00")
            start = codecs.BOM_UTF16_BE + "ab\ncd\nef".encode("utf-16-be") if encoding == "utf-16" else None
            path = write(tmp_path / "a.txt", (start or "ab\ncd\nef".encode(encoding)) + bad)
            fault(path, f"{path}, line 3:", 'errors="replace"', encoding=encoding, lines=True)


def test_lines_before_undecodable_bytes_are_read(tmp_path, monkeypatch):
    for chunk in [1, 7, 1000]:
        for encoding in ["utf-8", "utf-16-le", "ascii"]:
            monkeypatch.setattr("termburst.reading.lines._CHUNK", chunk)
            bad = b"\x00\xdc" if encoding == "utf-16-le" else b"\xff"
            path = write(tmp_path / "a.txt", "one\ntwo\nthree".encode(encoding) + bad)
            texts = []
            corpus = open_corpus(path, encoding=encoding, batch_documents=1, lines=True)
            with pytest.raises(ValueError, match="line 3"):
                texts += (batch.texts for batch in corpus.batches())
            assert texts[0] == ["one"]
            first = {"encoding": encoding, "max_document_mb": 2 / 2**20, "lines": True}
            fault(path, f"{path}, line 1:", "max_document_mb=", **first)  # the first fault


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_the_byte_order_is_not_guessed(tmp_path, encoding):
    path = write(tmp_path / "a.txt", "plain text".encode(f"{encoding}-le"))
    fault(path, f"{path}, line 1:", "BOM", "encoding=", encoding=encoding, lines=True)
    fault(tmp_path, str(path), "BOM", "encoding=", encoding=encoding)
    assert read(tmp_path, encoding=f"{encoding}-le") == {"a.txt": "plain text"}
    write(path, b"ab\x00\xdccd")  # with half of a surrogate pair
    fault(path, f"{path}, line 1:", encoding=encoding, lines=True)


def test_undecodable_bytes_in_a_whole_file(tmp_path):
    path = write(tmp_path / "a.txt", b"x\ncaf\xe9 ole\n")
    for source in (path, tmp_path):
        fault(source, str(path), "byte offset 5", "0xe9", "omit encoding=", 'errors="replace"', encoding="utf-8")
        assert read(source, encoding="utf-8", errors="replace") == {"a.txt": "x\ncaf\ufffd ole\n"}
        assert read(source) == {"a.txt": "x\ncafé ole\n"}  # the encoding is guessed


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_byte_order_mark_among_files_in_utf8(tmp_path, encoding):
    write(tmp_path / "a.txt", b"so it goes")
    path = write(tmp_path / "b.txt", "so it goes".encode(encoding))
    assert read(tmp_path) == {"a.txt": "so it goes", "b.txt": "so it goes"}
    said = (f"the file is in {encoding.upper()}; omit encoding=", "the encoding of each file is detected")
    fault(path, str(path), *said, encoding="utf-8")
    fault(path, f"{path}, line 1:", *said, encoding="ascii", lines=True)
    fault(path, f"{path}, line 1:", "NUL", "omit encoding=", encoding="utf-8", lines=True)


def test_the_bytes_of_a_byte_order_mark_in_a_later_line(tmp_path):
    path = write(tmp_path / "a.txt", b"so\n\xff\xfe\n")
    fault(path, f"{path}, line 2:", "0xff", "omit encoding=", encoding="utf-8", lines=True)


def test_an_unknown_encoding_is_refused_before_reading():
    for encoding in ["klingon", "hex", "rot13", "", "utf-8\0", "undefined"]:
        with pytest.raises(ValueError, match="encoding") as caught:
            open_corpus("-", encoding=encoding)
        assert repr(encoding) in str(caught.value)


def test_other_options_are_checked_before_reading():
    with pytest.raises(ValueError, match="surrogateescape"):
        open_corpus("-", errors="surrogateescape")
    for option in ("max_document_mb", "batch_documents", "batch_bytes"):
        with pytest.raises(ValueError, match=option):
            open_corpus("-", **{option: 0})


def test_faults_after_many_lines_name_the_right_line(tmp_path):
    lines = [b"so it goes"] * 30_000
    for bad, named in ((b"caf\xe9", "0xe9"), (b"\0", "NUL"), (b"x" * 101, "max_document_mb=")):
        lines[25_000] = bad
        path = write(tmp_path / "a.txt", b"\n".join(lines))
        fault(path, f"{path}, line 25001:", named, max_document_mb=100 / 2**20, lines=True, encoding="utf-8")


def test_nul_bytes(tmp_path):
    path = write(tmp_path / "a.txt", "one\ntwo\n".encode("utf-16-le"))
    fault(path, f"{path}, line 1:", "NUL", "omit encoding=", encoding="utf-8", lines=True)
    fault(path, str(path), "NUL", "omit encoding=", encoding="utf-8")
    assert read(path) == {"a.txt": "one\ntwo\n"}
    write(path, b"so\0it\0goes")
    fault(path, str(path), "binary")
    fault(tmp_path, str(tmp_path), "1 binary")
    fault(path, f"{path}, line 1:", "NUL", lines=True)


# --- Packed files -----------------------------------------------------------------------------------------------------


def test_corrupt_packed_files(new_folder):
    for packing in [".gz", ".zst"]:
        for name in ["a.txt", "t.csv", "t.jsonl"]:
            for damage in ["cut", "flipped", "not packed", "trailing"]:
                folder = new_folder()
                content = b'text\n{"text": "a"}\n'[5 * (name == "t.jsonl") :] + os.urandom(3000).hex().encode()
                packed = PACKERS[packing](content)
                path = write(
                    folder / (name + packing),
                    {
                        "cut": packed[: len(packed) // 2],
                        "flipped": packed[:500] + bytes(byte ^ 255 for byte in packed[500:1500]) + packed[1500:],
                        "not packed": b"text\nplain\n",
                        "trailing": packed + b"rubbish",
                    }[damage],
                )
                packed_by = "gzip" if packing == ".gz" else "zstd"
                fault(path, str(path), packed_by)
                fault(folder, str(path), packed_by, strict=True)
                write(folder / "other.txt", "other")
                corpus = open_corpus(folder)
                assert "other" in [text for batch in corpus.batches() for text in batch.texts]
                [row] = corpus.report.rows()
                assert row[1] in ("incomplete", "could not be read")
                assert packed_by in row[2]


@pytest.mark.parametrize("packing", [".gz", ".zst"])
def test_packed_files_of_several_members(tmp_path, packing):
    path = write(tmp_path / f"a.txt{packing}", PACKERS[packing](b"a\nb") + PACKERS[packing](b"c\n"))
    assert list(read(path, lines=True).values()) == ["a", "bc"]


def test_other_packings_are_not_read_as_text(tmp_path):
    fault(write(tmp_path / "a.txt.bz2", bz2.compress(b"hello world" * 9)), "a.txt.bz2")


# --- Sizes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_the_limit_of_a_document_is_exact_for_lines_and_files(new_folder, ending):
    limit = 100 / 2**20
    for packing, pack in PACKERS.items():
        corpus = new_folder()

        def path(size: int, file: Path = corpus / f"a.txt{packing}", pack: Callable[[bytes], bytes] = pack) -> Path:
            return write(file, pack(b"x\n" + b"y" * size + ending.encode()))

        assert list(read(path(100), max_document_mb=limit, lines=True).values()) == ["x", "y" * 100]
        fault(path(101), f"{path(101)}, line 2:", "100 bytes", "max_document_mb=", max_document_mb=limit, lines=True)
        path(98 - len(ending))
        assert len(read(corpus, max_document_mb=limit)) == 1
        path(99)
        fault(corpus, str(path(99)), "max_document_mb=", max_document_mb=limit)


def test_a_byte_order_mark_is_not_part_of_the_first_line(tmp_path):
    for limit in [1, 2, 3, 10]:
        path = write(tmp_path / "a.txt", codecs.BOM_UTF8 + b"x" * limit + b"\r\ny\n")
        assert list(read(path, max_document_mb=limit / 2**20, lines=True).values()) == ["x" * limit, "y"]
        write(path, codecs.BOM_UTF8 + b"x" * (limit + 1) + b"\ny\n")
        fault(path, f"{path}, line 1:", "max_document_mb=", max_document_mb=limit / 2**20, lines=True)


def test_a_row_that_is_too_large(tmp_path):
    for name in TABLES:
        path = write_table(tmp_path / name, [{"text": "a"}, {"text": "b" * 1000}])
        assert len(read(path, max_document_mb=1100 / 2**20)) == 2
        place = {"csv": "line 3", "tsv": "line 3", "parquet": "row 2"}.get(name.split(".")[1], "line 2")
        fault(path, f"{path}, {place}:", "500 bytes", "max_document_mb=", max_document_mb=500 / 2**20)


def test_a_row_of_many_lines_that_is_too_large(tmp_path):
    path = write(tmp_path / "t.csv", 'text,n\na,1\n"' + "b\n" * 1000 + '",2\n')
    assert len(read(path, max_document_mb=3000 / 2**20)) == 2
    fault(path, f"{path}, line 3:", "quote", "max_document_mb=", max_document_mb=500 / 2**20)


def test_a_list_of_tokens_that_is_too_large(tmp_path):
    path = write_table(tmp_path / "t.parquet", [{"text": ["a"]}, {"text": ["b"] * 1000}])
    fault(path, f"{path}, row 2:", "max_document_mb=", max_document_mb=500 / 2**20, pretokenized=True)


@pytest.mark.parametrize("name", ["a.txt", "t.csv", "t.jsonl", "a.txt.gz", "a.txt.zst", "in/a.txt", "in/a.txt.gz"])
def test_a_line_of_200_mb_is_refused_in_bounded_memory(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    block = b"x" * 2**20
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(block * 16, 1) * 13)
    elif path.suffix == ".zst":
        path.write_bytes(zstd.compress(block * 16) * 13)
    else:
        path.write_bytes(block)
        os.truncate(path, 200 * 2**20)  # the rest is a sparse file of zeros; its size is checked before its bytes
    source = path.parent if name.startswith("in/") else path
    tracemalloc.start()
    try:
        fault(source, str(path), "4 MB", "max_document_mb=", max_document_mb=4)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 24 * 2**20


# --- Batches ----------------------------------------------------------------------------------------------------------


def test_batches_end_by_number_of_documents_or_of_bytes(tmp_path):
    def sizes(path: Path, **options: int) -> list[int]:
        return [len(batch.ids) for batch in open_corpus(path, lines=True, **options).batches()]

    path = write(tmp_path / "a.txt", "ab\n" * 10)
    assert sizes(path, batch_documents=4) == [4, 4, 2]
    assert sizes(path, batch_documents=5) == [5, 5]
    assert sizes(path, batch_bytes=5) == [3, 3, 3, 1]
    assert sizes(write(tmp_path / "b.txt", "éé\n" * 4), batch_bytes=4) == [1, 1, 1, 1]


def test_a_batch_may_have_documents_of_several_files(tmp_path):
    for k in range(5):
        write(tmp_path / f"{k}.txt", str(k))
    assert [batch.texts for batch in open_corpus(tmp_path, batch_documents=3).batches()] == [
        ["0", "1", "2"],
        ["3", "4"],
    ]


def test_position_grows_to_the_size_on_disk(tmp_path):
    lines = "".join(f"{os.urandom(40).hex()}\n" for _ in range(20_000)).encode()
    for packing, pack in PACKERS.items():
        write(tmp_path / f"t.csv{packing}", pack(b"text\n" + lines))
    write(tmp_path / "plain.txt", lines)
    write_table(tmp_path / "t.parquet")
    corpus = open_corpus(tmp_path, batch_documents=1000)
    positions = [batch.position for batch in corpus.batches()]
    assert corpus.size == sum(path.stat().st_size for path in tmp_path.iterdir())
    assert positions == sorted(positions)
    assert len(set(positions)) > 20
    assert positions[-1] == corpus.size


def test_the_position_in_a_growing_file_does_not_exceed_its_size(tmp_path):
    path = write(tmp_path / "a.txt", "a\n")
    corpus = open_corpus(path, batch_documents=1, lines=True)
    write(path, "a\nb\nc\n")
    assert [batch.position for batch in corpus.batches()] == [2, 2, 2]


def test_a_corpus_is_lazy_and_can_be_read_again(tmp_path):
    path = write(tmp_path / "t.jsonl", "broken")
    corpus = open_corpus(path)
    assert corpus.name == str(path)
    write(path, '{"text": "a"}\n{"text": "b"}')
    assert list(corpus.batches()) == list(corpus.batches())


def test_closing_the_batches_closes_the_file(tmp_path):
    for name in TABLES:
        path = write_table(tmp_path / name)
        batches = open_corpus(path, batch_documents=1).batches()
        next(batches)
        batches.close()  # type: ignore[attr-defined]
        path.unlink()  # Windows refuses this while the file is open; elsewhere a warning shows an open file


# --- Round trips ------------------------------------------------------------------------------------------------------

quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
batchings = st.tuples(st.integers(1, 5), st.integers(1, 40))
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
# Line breaks, quotes and delimiters must be frequent.
any_text = st.text(st.one_of(characters, st.sampled_from(list('\n\r",\t\\ \u2028'))), max_size=30)
counter = itertools.count()


def read_back(path: Path, batching: tuple[int, int], **options: Any) -> list[str | list[str]]:
    documents, size = batching
    batches = list(open_corpus(path, batch_documents=documents, batch_bytes=size, **options).batches())
    assert all(0 < len(batch.ids) <= documents for batch in batches)
    path.unlink()
    return [text for batch in batches for text in batch.texts]


@quick
@given(st.lists(any_text), batchings, st.sampled_from([n for n in TABLES if n != "t.parquet"]))
def test_tables_round_trip(tmp_path, texts, batching, name):
    path = tmp_path / f"{next(counter)}{name[1:]}"
    if not texts:
        path = write(path, PACKERS[path.suffix if path.suffix in PACKERS else ""](b"text\n" * ("sv" in name)))
    else:
        write_table(path, [{"text": text} for text in texts])
    assert read_back(path, batching) == texts


@quick
@given(st.lists(any_text), batchings)
def test_parquet_round_trips(tmp_path, texts, batching):
    path = tmp_path / f"{next(counter)}.parquet"
    pl.DataFrame({"text": texts}, schema={"text": pl.String}).write_parquet(path)
    assert read_back(path, batching) == texts


@quick
@given(st.lists(any_text.map(lambda text: text.replace("\n", "").rstrip("\r"))), batchings, st.sampled_from([*PACKERS]))
def test_lines_round_trip(tmp_path, texts, batching, packing):
    texts = [text.removeprefix("\ufeff") for text in texts]
    content = "".join(text + "\n" for text in texts).encode()
    path = write(tmp_path / f"{next(counter)}.txt{packing}", PACKERS[packing](content))
    assert read_back(path, batching, lines=True) == [text for text in texts if text and not text.isspace()]


def test_blank_lines_are_left_out_and_counted(tmp_path, stdin):
    path = write(tmp_path / "poem.txt", "\n\none\n \t\r\ntwo\n\n\nthree\n\n")
    corpus = open_corpus(path, lines=True)
    assert [batch.ids for batch in corpus.batches()] == [["poem.txt:3", "poem.txt:5", "poem.txt:8"]]
    assert corpus.report.repaired == [("poem.txt", "blank lines left out: 6 blank lines")]
    assert "blank lines left out: 1 file\n  poem.txt: 6 blank lines" in str(corpus.report)
    assert len(read(path, lines=True, strict=True)) == 3  # no text is lost
    stdin(b"one\n\ntwo\n")
    corpus = open_corpus("-")
    assert [batch.texts for batch in corpus.batches()] == [["one", "two"]]
    assert corpus.report.repaired == [("standard input", "blank lines left out: 1 blank line")]


@quick
@given(st.lists(st.lists(st.text(max_size=5))), batchings, st.sampled_from(["jsonl", "parquet"]))
def test_tokens_round_trip(tmp_path, documents, batching, kind):
    path = tmp_path / f"{next(counter)}.{kind}"
    if kind == "parquet":
        pl.DataFrame({"text": documents}, schema={"text": pl.List(pl.String)}).write_parquet(path)
    else:
        write(path, "".join(json.dumps({"text": tokens}) + "\n" for tokens in documents))
    assert read_back(path, batching, pretokenized=True) == documents


def test_messages_name_the_option_that_set_the_id(tmp_path):
    table, text = tmp_path / "a.csv", tmp_path / "a.txt"
    table.write_text("text\nso it goes\n", encoding="utf-8")
    text.write_text("so it goes\n", encoding="utf-8")
    with pytest.raises(ValueError, match="id= names a column"):
        open_corpus(text, id="kind")
    with pytest.raises(ValueError, match=r"no column 'kind'.*choose one with id=$"):
        list(open_corpus(table, id="kind").batches())
