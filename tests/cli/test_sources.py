"""`terms` on every kind of corpus: the numbers are always those of the library."""

import gzip
import sys

import polars as pl
import pytest

import termburst as tb
from termburst.datasets import load_stdlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ALL = ("--top", "0", "--format", "json")
COLUMNS = ("--text", "body", "--id", "name")


def test_each_line_of_a_text_file_is_a_document_if_asked_for(done, corpus, texts, counted, agree):
    agree(done("terms", corpus, "--lines", *ALL).rows, counted(texts))


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".zst", zstd.compress)])
def test_compressed_text(done, corpus, texts, counted, agree, ending, pack):
    packed = corpus.with_name(f"corpus.txt{ending}")
    packed.write_bytes(pack(corpus.read_bytes()))
    agree(done("terms", packed, "--lines", *ALL).rows, counted(texts))


def test_a_folder_and_a_glob_have_one_document_per_file(done, tmp_path, texts, counted, agree):
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    for i, text in enumerate(texts):
        path = folder / ("below" if i % 2 else ".") / f"{i}.txt"
        path.write_text(text.replace(" ", "\n"), encoding="utf-8")
    agree(done("terms", folder, *ALL).rows, counted(list(filter(None, texts))))  # empty files are skipped
    agree(done("terms", folder / "*.txt", *ALL).rows, counted(list(filter(None, texts[::2]))))
    agree(done("terms", folder / "**" / "*.txt", *ALL).rows, counted(list(filter(None, texts))))


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.zst"])
def test_tables(done, tmp_path, table, texts, counted, agree, ending):
    path = tmp_path / f"table.{ending}"
    kind, _, packing = ending.partition(".")
    if kind == "parquet":
        table.write_parquet(path)
    else:
        separated = table.write_csv(separator="\t" if kind == "tsv" else ",")
        content = (table.write_ndjson() if kind == "jsonl" else separated).encode()
        pack = {"": bytes, "gz": gzip.compress, "zst": zstd.compress}[packing]
        path.write_bytes(pack(content))
    agree(done("terms", path, *COLUMNS, *ALL).rows, counted(texts))


def test_the_column_text_is_the_default(done, tmp_path, texts, counted, agree):
    path = tmp_path / "table.parquet"
    pl.DataFrame({"text": texts}).write_parquet(path)
    agree(done("terms", path, *ALL).rows, counted(texts))


def test_standard_input(process, corpus, texts, counted, agree):
    outcome = process("terms", "-", "--quiet", *ALL, stdin=corpus.read_bytes())
    assert (outcome.code, outcome.err) == (0, "")
    agree(outcome.rows, counted(texts))


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "-", "ship"),
        ("kwic", "-", "ship"),
        ("collocates", "-", "ship"),
        ("triggers", "-", "ship"),
        ("weigh", "-", "-o", "w.npz"),
        ("export", "-", "-o", "c.csv"),
        ("report", "-", "-o", "p.json"),
        ("check", "-"),
        ("stats", "build", "-", "-o", "s.parquet"),
        ("keyness", "-", "corpus.txt", "--lines"),
        ("keyness", "-", "corpus.txt", "--lines", "--report", "k.json"),
    ],
    ids=" ".join,
)
def test_standard_input_is_read_once_by_every_command(process, corpus, command, monkeypatch):
    monkeypatch.chdir(corpus.parent)
    outcome = process(*command, "--quiet", stdin=corpus.read_bytes())
    assert outcome.code == 0, outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.slow
def test_the_standard_library(done, counted, agree):
    agree(done("terms", "stdlib", "--words", "sklearn", *ALL).rows, counted(load_stdlib().texts))


def test_a_path_goes_before_a_built_in_name(done, monkeypatch, corpus, texts, counted, agree):
    corpus.rename(corpus.with_name("stdlib"))
    monkeypatch.chdir(corpus.parent)
    agree(done("terms", "stdlib", "--lines", *ALL).rows, counted(texts))


@pytest.mark.parametrize("detail", ["moments", "patterns"])
def test_saved_statistics(done, tmp_path, texts, counted, agree, detail):
    statistics = counted(texts, detail)
    statistics.save(tmp_path / "saved.parquet")
    agree(done("terms", tmp_path / "saved.parquet", *ALL).rows, statistics)


def test_saved_statistics_are_not_counted_again(done, fault, corpus, tmp_path):
    saved = tmp_path / "saved.parquet"
    done("stats", "build", corpus, "--lines", "-o", saved, "--ngrams", 2)
    assert done("terms", saved, "--ngrams", 2).raw == done("terms", saved).raw
    assert "saved.parquet" in fault("terms", saved, "--ngrams", "1,2")


def test_statistics_of_too_little_detail(fault, tmp_path, texts, counted):
    counted(texts, "frequencies").save(tmp_path / "saved.parquet")
    assert "moments" in fault("terms", tmp_path / "saved.parquet")


def test_another_encoding(done, corpus, texts, counted, agree):
    corpus.write_bytes(corpus.read_text(encoding="utf-8").encode("latin-1"))
    agree(done("terms", corpus, "--lines", "--encoding", "latin-1", *ALL).rows, counted(texts))
    agree(done("terms", corpus, "--lines", *ALL).rows, counted(texts))  # found out
    replaced = [text.replace("ï", "\ufffd") for text in texts]
    agree(done("terms", corpus, "--lines", "--encoding", "utf-8", "--errors", "replace", *ALL).rows, counted(replaced))


def test_the_library_reads_what_the_command_saved(done, corpus, tmp_path, texts, counted):
    done("stats", "build", corpus, "--lines", "-o", tmp_path / "saved.parquet")
    saved = tb.TermStatistics.load(tmp_path / "saved.parquet")
    assert saved.counting == tb.CountingOptions()
    assert saved == tb.TermStatistics.from_texts(texts, "patterns")
    assert saved.terms.tolist() == counted(texts).terms.tolist()
