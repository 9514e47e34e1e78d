"""Bad input: one line that names the fault, exit code 2, and nothing written."""

import gzip
import os
import sys
from pathlib import Path

import pytest

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links without special rights")


def _write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def _folder(path: Path, **links: str) -> Path:
    path.mkdir()
    _write(path / "inside.txt", b"some words")
    for name, target in links.items():
        (path / name).symlink_to(target)
    return path


BAD_CORPORA = {  # each is made in a folder and returns (the arguments, what the line must name)
    "missing path": lambda at: ([at / "missing.txt"], ["missing.txt"]),
    "empty folder": lambda at: ([(at / "hollow").mkdir() or at / "hollow"], ["hollow"]),
    "no file for the glob": lambda at: ([at / "*.nothing"], ["*.nothing"]),
    "empty file": lambda at: ([_write(at / "void.txt", b"")], []),
    "missing column": lambda at: ([_write(at / "a.csv", b"body,x\nso,it\n")], ["a.csv", "'text'", "'body'"]),
    "missing id": lambda at: ([_write(at / "a.csv", b"text,x\nso,1\n"), "--id", "y"], ["a.csv", "'y'"]),
    "column of a text file": lambda at: ([_write(at / "a.txt", b"so it\n"), "--text", "body"], ["a.txt", "--text"]),
    "broken JSON": lambda at: ([_write(at / "a.jsonl", b'{"text": "so"}\n{"text": \n')], ["a.jsonl", "line 2"]),
    "unequal rows": lambda at: ([_write(at / "a.csv", b"text,x\nso,1\nso,it,goes\n")], ["a.csv", "line 3"]),
    "no UTF-8": lambda at: (
        [_write(at / "a.txt", b"so it\ngo\xe9s on\n"), "--lines", "--encoding", "utf-8"],
        ["a.txt", "line 2"],
    ),
    "unknown encoding": lambda at: ([_write(at / "a.txt", b"so it\n"), "--encoding", "klingon"], ["'klingon'"]),
    "too long a line": lambda at: (
        [_write(at / "a.txt", b"so it\n" + b"word " * 400_000 + b"\n"), "--lines", "--max-document-mb", "1"],
        ["a.txt", "line 2", "--max-document-mb"],
    ),
    "broken gzip": lambda at: ([_write(at / "a.txt.gz", gzip.compress(b"so it goes" * 99)[:-12])], ["a.txt.gz"]),
    "no gzip at all": lambda at: ([_write(at / "a.txt.gz", b"so it goes")], ["a.txt.gz"]),
    "no zstd at all": lambda at: ([_write(at / "a.txt.zst", b"so it goes")], ["a.txt.zst"]),
    "no Parquet at all": lambda at: ([_write(at / "a.parquet", b"so it goes")], ["a.parquet"]),
    "empty documents": lambda at: ([_write(at / "a.txt", b"\n\n\n")], ["term"]),
    "stop words only": lambda at: ([_write(at / "a.txt", b"the of\nand\n"), "--stop-words", "english"], ["term"]),
}
BAD_LINKS = {
    "link out of the folder": lambda at: (
        [_folder(at / "folder", out=str(_write(at / "secret.txt", b"secret")))],
        ["out"],
    ),
    "links in a circle": lambda at: ([_folder(at / "folder", round=".")], ["round"]),
    "link to itself": lambda at: ([_folder(at / "folder", self="self")], ["self"]),
    "link to nothing": lambda at: ([_folder(at / "folder", gone="nowhere")], ["gone"]),
}
BAD_OPTIONS = {
    "sigma2 0": (["--sigma2", "0"], ["sigma2"]),
    "sigma2 nan": (["--sigma2", "nan"], ["sigma2"]),
    "sigma2 inf": (["--sigma2", "inf"], ["sigma2"]),
    "mu -1": (["--mu", "-1"], ["mu"]),
    "mu nan": (["--mu", "nan"], ["mu"]),
    "ngrams 0": (["--ngrams", "0"], ["grams"]),
    "ngrams 2,1": (["--ngrams", "2,1"], ["grams"]),
    "ngrams 1,2,3": (["--ngrams", "1,2,3"], ["--ngrams", "'1,2,3'"]),
    "ngrams x": (["--ngrams", "x"], ["--ngrams", "'x'"]),
    "pattern": (["--token-pattern", "(so"], ["'(so'"]),
    "groups": (["--token-pattern", "(s)(o)"], ["groups"]),
    "stop word file": (["--stop-words", "missing.lst"], ["--stop-words", "'missing.lst'"]),
    "decoding": (["--errors", "surrogateescape"], ["surrogateescape"]),
    "document size": (["--max-document-mb", "0"], ["max"]),
}


@pytest.fixture
def refused(fault, tmp_path):
    """Check that every command that reads text fails, writes no file and does not change an existing one."""

    def check(arguments: list[object], named: list[str]) -> None:
        out = tmp_path / "out"
        out.mkdir()
        lines = set()
        for command in (["terms", "-f", "csv"], ["weigh"], ["stats", "build"]):
            if command == ["stats", "build"] and {"--sigma2", "--mu"} & set(map(str, arguments)):
                continue  # it has no such options
            ending = {"terms": ".csv", "weigh": ".npz", "stats": ".parquet"}[command[0]]
            old = _write(out / f"old{ending}", b"precious")
            for target in (old, out / f"new{ending}"):
                lines.add(fault(*command, *arguments, "-o", target))
                assert list(out.iterdir()) == [old]
                assert old.read_bytes() == b"precious"
            old.unlink()
        for line in lines:
            assert all(name in line for name in named), line

    return check


@pytest.mark.parametrize("case", BAD_CORPORA)
def test_bad_corpora(refused, tmp_path, case):
    at = tmp_path / "in"
    at.mkdir()
    refused(*BAD_CORPORA[case](at))


@unix
@pytest.mark.parametrize("case", BAD_LINKS)
def test_bad_links(refused, tmp_path, case):
    at = tmp_path / "in"
    at.mkdir()
    refused(*BAD_LINKS[case](at))


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options(refused, corpus, monkeypatch, tmp_path, case):
    monkeypatch.chdir(tmp_path)
    arguments, named = BAD_OPTIONS[case]
    refused([corpus, "--lines", *arguments], named)


@pytest.mark.parametrize("command", [["terms"], ["weigh"], ["stats", "build"]])
def test_bad_outputs(fault, corpus, tmp_path, command):
    out = tmp_path / "folder.csv"
    out.mkdir()
    files = sorted(tmp_path.rglob("*"))
    assert "folder.csv" in fault(*command, corpus, "-o", out)
    assert "nowhere" in fault(*command, corpus, "-o", tmp_path / "nowhere" / "out.csv")
    assert sorted(tmp_path.rglob("*")) == files


@unix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_an_output_folder_without_write_permission(fault, corpus, tmp_path):
    out = tmp_path / "closed"
    out.mkdir(mode=0o500)
    assert "closed" in fault("terms", corpus, "--lines", "-o", out / "out.csv")


def test_an_ending_without_a_known_format(fault, corpus, tmp_path):
    assert "out.xlsx" in fault("terms", corpus, "--lines", "-o", tmp_path / "out.xlsx")
    assert not (tmp_path / "out.xlsx").exists()


@unix
def test_control_characters_in_names_are_escaped(fault, tmp_path):
    path = _write(tmp_path / "\x1b[31mred\n.parquet", b"no Parquet")
    for command in (["terms", path], ["stats", "show", path], ["terms", tmp_path / "\x1b[31m\nmissing"]):
        assert "[31m" in fault(*command)  # `fault` checks that the line is printable


@pytest.mark.parametrize(
    "arguments",
    [["terms"], ["nonsense"], ["terms", "x", "--top", "-1"], ["terms", "x", "--form", "y"], ["stats", "add"]],
)
def test_bad_usage_is_one_line(fault, arguments):
    assert "--help" in fault(*arguments)


def test_other_mistakes(fault, corpus, tmp_path):
    copy = _write(tmp_path / "copy.csv", b"text\nso it goes\n")
    assert "is part of the input" in fault("terms", copy, "-o", copy)
    assert "the format is not clear from its ending" in fault(
        "weigh", corpus, "--lines", "-o", tmp_path / "weights.doc"
    )
    assert "--text" in fault("terms", "stdlib", "--text", "body")
    assert "at least two files" in fault("stats", "merge", copy, "-o", tmp_path / "out.parquet")
    assert "copy.csv: there are no documents" in fault("terms", _write(copy, b"text\n"))


def test_debugging_shows_the_traceback(run, monkeypatch, tmp_path):
    monkeypatch.setenv("TERMBURST_DEBUG", "1")
    with pytest.raises(FileNotFoundError, match=r"missing\.txt"):
        run("terms", tmp_path / "missing.txt")


def test_a_corpus_in_the_place_of_a_command(run, corpus):
    for name in (corpus, "inaugural"):
        assert f"{name} is a corpus, but the command comes first, such as: termburst terms {name}; see" in run(name).err
    assert "No such command 'term'; did you mean 'terms'?" in run("term", corpus).err
    assert "No such command 'nothing'; see termburst --help" in run("nothing").err
    assert (
        "No such option: --sortt; did you mean '--sort'? See termburst terms --help"
        in run("terms", corpus, "--sortt").err
    )
    assert "No such option: --zzz; see" in run("terms", corpus, "--zzz").err
