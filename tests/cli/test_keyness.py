"""`termburst keyness`: its tables, its groups, and its messages."""

import csv
import io
import json
import subprocess
import sys
from datetime import date
from math import comb
from pathlib import Path
from typing import get_args

import polars as pl
import pytest

from termburst.limits import LONGEST_ID
from termburst.names import KeynessMethod

ROWS = [("a", "cat cat cat sat on the mat")] * 9 + [("b", "dogs bark at the moon at night")] * 9


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "texts.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["kind", "text"])
        writer.writerows(ROWS)
    return path


@pytest.fixture
def folders(tmp_path):
    for kind in ("a", "b"):
        (tmp_path / kind).mkdir()
        for number, (of, text) in enumerate(ROWS):
            if of == kind:
                (tmp_path / kind / f"{number}.txt").write_text(text, encoding="utf-8")
    return tmp_path / "a", tmp_path / "b"


def rows(done):
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def test_two_folders(run, folders):
    found = {row["term"]: row for row in rows(run("keyness", *folders, "--format", "csv"))}
    assert (found["cat"]["n_a"], found["cat"]["n_b"]) == ("27", "0")
    # each document of A has three: more than nine bursts by chance on one side, less than 27 independent occurrences
    assert 0.5**27 < float(found["cat"]["p_value"]) < 2 / comb(18, 9)
    assert float(found["the"]["p_value"]) > 0.5
    assert float(found["bark"]["lower_bound"]) < 0


def test_by_a_column_is_the_same_comparison(run, table, folders):
    by_column = rows(run("keyness", table, "--by", "kind", "--format", "csv"))
    assert by_column == rows(run("keyness", *folders, "--format", "csv"))


def test_more_than_two_groups_are_each_compared_with_the_rest(run, tmp_path):
    path = tmp_path / "three.jsonl"
    kinds = [*ROWS, *[("c", "the owl hoots at the moon")] * 9]
    path.write_text("\n".join(json.dumps({"text": text, "kind": kind}) for kind, text in kinds), encoding="utf-8")
    found = rows(run("keyness", path, "--by", "kind", "--format", "csv"))
    assert {row["group"] for row in found} == {"a", "b", "c"}
    owl = next(row for row in found if row["term"] == "owl" and row["group"] == "c")
    assert float(owl["q_value"]) < 0.01


def test_saved_statistics_on_either_side(run, folders, tmp_path):
    saved = tmp_path / "reference.parquet"
    assert run("stats", "build", folders[1], "-o", saved, "--detail", "patterns").code == 0
    expected = rows(run("keyness", *folders, "--format", "csv"))
    assert rows(run("keyness", folders[0], saved, "--format", "csv")) == expected
    other = tmp_path / "other.parquet"
    assert run("stats", "build", folders[0], "-o", other, "--detail", "patterns").code == 0
    assert rows(run("keyness", other, folders[1], "--format", "csv")) == expected
    assert rows(run("keyness", other, saved, "--format", "csv")) == expected


def test_a_corpus_is_counted_as_the_saved_statistics_beside_it_were(run, fault, table, folders, tmp_path):
    saved, plain = tmp_path / "reference.parquet", tmp_path / "plain.parquet"
    options = ("--stop-words", "english", "--ngrams", "1,2")
    assert run("stats", "build", folders[1], "-o", saved, "--detail", "patterns", *options).code == 0
    assert run("stats", "build", folders[1], "-o", plain, "--detail", "patterns").code == 0
    expected = rows(run("keyness", *folders, *options, "--format", "csv"))
    assert "cat cat" in {row["term"] for row in expected}
    assert rows(run("keyness", folders[0], saved, "--format", "csv")) == expected
    assert rows(run("keyness", folders[0], saved, *options, "--format", "csv")) == expected
    line = fault("keyness", folders[0], saved, "--ngrams", "1,2", "--no-lowercase")
    assert "was counted with --stop-words english and --lowercase; omit your own options" in line
    line = fault("keyness", folders[0], plain, "--ngrams", "2", "--pretokenized")
    assert "was counted with --ngrams 1 and no --pretokenized; omit your own options" in line
    words = tmp_path / "words.lst"
    words.write_text("the at", encoding="utf-8")
    listed = tmp_path / "listed.parquet"
    assert run("stats", "build", folders[1], "-o", listed, "--detail", "patterns", "--stop-words", words).code == 0
    line = fault("keyness", plain, listed)
    assert "plain.parquet was counted with no --stop-words," in line
    assert "listed.parquet with --stop-words of 2 words" in line


def test_the_text_column_is_that_of_the_corpus_beside_saved_statistics(run, table, folders, tmp_path):
    saved, renamed = tmp_path / "reference.parquet", tmp_path / "renamed.csv"
    assert run("stats", "build", folders[1], "-o", saved, "--detail", "patterns").code == 0
    renamed.write_text("speech\n" + "\n".join(text for of, text in ROWS if of == "a"), encoding="utf-8")
    found = rows(run("keyness", renamed, saved, "--text", "speech", "--format", "csv"))
    assert found == rows(run("keyness", *folders, "--format", "csv"))


def test_statistics_without_patterns_are_refused(run, folders, tmp_path):
    saved = tmp_path / "moments.parquet"
    assert run("stats", "build", folders[1], "-o", saved, "--detail", "moments").code == 0
    done = run("keyness", folders[0], saved)
    assert done.code == 2
    assert "--detail patterns" in done.err


def test_methods_by_name(run, folders):
    for method in set(get_args(KeynessMethod)) - {"beta-binomial"}:
        found = {row["term"]: row for row in rows(run("keyness", *folders, "--method", method, "--format", "csv"))}
        assert float(found["cat"]["p_value"]) < 0.05
        assert found["cat"]["p_method"] == method


def test_mistakes(fault, table):
    for arguments, said in [
        ((), "give another corpus, or --by with a column, or --formula, or a list as --reference"),
        (("--by", "mood"), "no column 'mood', only 'kind', 'text'"),
        (("--by", "kind", "--adjust", "q"), "Invalid value for '--adjust': 'q' is not one of 'bh',"),
        (("--by", "kind", "--sort", "q"), "Invalid value for '--sort' / '-s': 'q' is not one of 'p',"),
    ]:
        assert said in fault("keyness", table, *arguments)


def test_too_many_values_to_compare(fault, tmp_path):
    path = tmp_path / "years.csv"
    path.write_text("year,text\n" + "".join(f"{year},so it goes\n" for year in range(1960, 2019)), encoding="utf-8")
    said = "the column 'year' has 59 values, but at most 50 can be compared; put numbers or years together with --bin"
    assert said in fault("keyness", path, "--by", "year")


@pytest.mark.slow
def test_years_are_put_together(done, fault, tmp_path):
    rows = [(year, "war war peace" if year < 2010 else "peace peace war") for year in range(1980, 2039)]
    by_hand = {"groups": [(1980 if year < 2010 else 2010, text) for year, text in rows]}
    by_hand["dates"] = [(f"{year}-05-08", text) for year, text in rows]
    by_hand["years"] = rows
    for name, records in by_hand.items():
        lines = "".join(f"{label},{text}\n" for label, text in records)
        (tmp_path / f"{name}.csv").write_text(f"year,text\n{lines}", encoding="utf-8")
    expected = done("keyness", tmp_path / "groups.csv", "--by", "year", "--format", "json").raw
    for name in ("years", "dates"):
        found = done("keyness", tmp_path / f"{name}.csv", "--by", "year", "--bin", "30", "--format", "json")
        assert found.raw == expected
    words, title, *_ = done("keyness", tmp_path / "years.csv", "--by", "year", "--bin", "30").out.splitlines()
    assert " between 1980 and 2010 (q ≤ 0.05)" in words
    assert title == "A: year_bin = 1980, 30 documents; B: year_bin = 2010, 29 documents"
    each = done("keyness", tmp_path / "years.csv", "--by", "year", "--bin", "10", "--format", "json")
    assert {row["group"] for row in json.loads(each.raw)} == {str(year) for year in range(1980, 2040, 10)}
    assert "--bin must be a number above 0; got 0" in fault(
        "keyness", tmp_path / "years.csv", "--by", "year", "--bin", "0"
    )
    assert "--bin needs --by" in fault("keyness", tmp_path / "years.csv", tmp_path / "groups.csv", "--bin", "10")
    assert "but the column 'text' contains 'war war peace'" in fault(
        "keyness", tmp_path / "years.csv", "--by", "text", "--text", "year", "--bin", "10"
    )


@pytest.mark.filterwarnings("ignore:with so few documents")
def test_documents_that_are_in_no_group_are_named(fault, run, tmp_path):
    for name in ("a/1.txt", "a/2.txt", "b/1.txt", "b/2.txt", "stray.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"so it goes on in {name} " * len(name), encoding="utf-8")
    said = fault("keyness", tmp_path, "--by", "folder")
    assert "1 document (stray.txt) has no folder; move it into one, or away" in said
    (tmp_path / "stray.txt").unlink()
    assert "longest: a/1.txt with " in run("keyness", tmp_path, "--by", "folder", "--verbose").err
    table = tmp_path / "t.csv"
    table.write_text("kind,text\nx,so it goes\ny,so it goes on and on\nx,on\ny,it\n", encoding="utf-8")
    assert "longest: t.csv:2 with 20 characters" in run("keyness", table, "--by", "kind", "--verbose").err


TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>{0}</title>
<author>{1}</author></titleStmt></fileDesc></teiHeader><text><body><p>{2}</p></body></text></TEI>"""


def test_groups_by_the_header_of_tei_files(done, fault, tmp_path):
    for k in range(6):
        author, text = ("Melville", "whale whale sea") if k % 2 else ("Austen", "love love ball")
        (tmp_path / f"{k}.xml").write_text(TEI.format(k, author, text), encoding="utf-8")
    _, title, *_ = done("keyness", tmp_path, "--by", "author").out.splitlines()
    assert title == "A: author = Austen, 3 documents; B: author = Melville, 3 documents"
    said = fault("keyness", tmp_path, "--by", "autor")
    assert "no document has the column 'autor'" in said
    assert "columns here: author, file, title" in said


def test_pieces_stay_in_the_group_of_their_document(done, tmp_path):
    for name in ("a/1.txt", "a/2.txt", "b/1.txt", "b/2.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("so it goes on " * 10, encoding="utf-8")
    words, title, *_ = done("keyness", tmp_path, "--by", "folder", "--split", "10").out.splitlines()
    assert words.startswith("None of 4 words surely differs between a and b (q ≤ 0.05). Nearest: ")
    assert words.endswith(" (q = 1).")
    assert title == "A: folder = a, 8 documents; B: folder = b, 8 documents"


def test_by_needs_a_column(run, fault, folders, tmp_path):
    saved, null = tmp_path / "saved.parquet", tmp_path / "null.jsonl"
    assert run("stats", "build", folders[0], "-o", saved).code == 0
    null.write_text('{"text": "so", "kind": null}\n', encoding="utf-8")
    assert "no document has the column 'kind' (a column of the table, file, folder" in fault(
        "keyness", folders[0], "--by", "kind"
    )
    assert "is saved statistics, which have no documents to group" in fault("keyness", saved, "--by", "kind")
    assert "1 document (null.jsonl:1) has nothing in the column 'kind'" in fault("keyness", null, "--by", "kind")


@pytest.mark.slow
def test_by_needs_a_column_of_a_data_set(fault):
    assert "no document has the column 'kind'" in fault("keyness", "stdlib", "--by", "kind")


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        (["a", "", "b"], "1 document (cells.csv:2) has"),
        (["", "a", " "], "2 documents (cells.csv:1, cells.csv:3) have"),
    ],
)
def test_cells_without_a_group(fault, tmp_path, kinds, said):
    path = tmp_path / "cells.csv"
    path.write_text("kind,text\n" + "".join(f"{kind},so it goes\n" for kind in kinds), encoding="utf-8")
    assert f"{said} nothing in the column 'kind'; fill it, or remove such documents" in fault(
        "keyness", path, "--by", "kind"
    )


def test_neither_corpus_is_written_over(fault, table, tmp_path):
    other = tmp_path / "other.csv"
    other.write_bytes(table.read_bytes())
    for output in (table, other):
        assert "is part of the input" in fault("keyness", table, other, "-o", output)
    assert table.read_bytes() == other.read_bytes()


def test_a_file_that_matches_a_glob_is_not_written_over(fault, folders, tmp_path):
    inside = folders[0] / "0.txt"
    for source in (tmp_path / "a" / "0.tx*", folders[0]):
        for corpora in ((source, folders[1]), (folders[1], source)):
            assert "is part of the input" in fault("keyness", *corpora, "-o", inside, "-f", "csv")
    assert inside.read_text(encoding="utf-8") == ROWS[0][1]


def test_one_standard_input_for_two_corpora(fault):
    assert "only one corpus can be standard input" in fault("keyness", "-", "-")


def test_a_wrong_confidence_is_refused_before_anything_is_read(fault):
    assert "confidence must be a number between 0 and 1" in fault("keyness", "missing", "nowhere", "--confidence", "95")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("format", ["csv", "table"])
def test_a_full_disk_is_reported(folders, plain_environment, format):
    command = [sys.executable, "-m", "termburst", "keyness", *map(str, folders), "--quiet", "--format", format]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=plain_environment, check=False)
    assert done.returncode == 2
    assert done.stderr == b"termburst: standard output cannot be written: No space left on device\n"


def test_a_min_count_that_no_term_reaches(run, table):
    done = run("keyness", table, "--by", "kind", "--min-count", "100000", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1:] == ["no term occurs that often; lower --min-count"]
    assert rows(run("keyness", table, "--by", "kind", "--min-count", "100000", "--format", "csv")) == []


def test_one_document_against_one_says_what_to_do(process, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("so it goes on\n", encoding="utf-8")
    done = process("keyness", tmp_path / "a.txt", tmp_path / "b.txt", "--min-count", "1")
    assert "each side is a single document" in done.err
    assert "--split 1000 makes pieces of 1,000 tokens" in done.err
    assert "a.txt, 1 document, 4 tokens; B: " in done.out
    assert "documents" not in done.out


def test_the_line_above_the_table(run, folders):
    done = run("keyness", *folders, "--top", "3")
    assert done.code == 0
    assert "9 documents" in done.out
    assert "log_ratio" in done.out
    assert len(done.out.strip().splitlines()) == 3 + 3
    assert " of 10 words differ between a and b (q ≤ 0.05): " in done.out.splitlines()[0]


def test_labels_that_differ_only_in_a_final_nul_are_two_groups(run, tmp_path):
    path = tmp_path / "labels.jsonl"
    lines = [json.dumps({"kind": f"x{chr(0) if kind == 'b' else ''}", "text": text}) for kind, text in ROWS]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = rows(run("keyness", path, "--by", "kind", "--format", "csv", "--min-count", "1"))
    assert {row["term"]: (row["n_a"], row["n_b"]) for row in found}["cat"] == ("27", "0")


LABELS = {  # of two documents, and what is said
    ('true, "True"', ":2: the column 'g' contains 'True' as values of two types"),
    ('"True", true', ":2: the column 'g' contains 'True' as values of two types"),
    ('1, "1"', ":2: the column 'g' contains '1' as values of two types; give all its labels one type"),
    ("true, 1", ":2: the column 'g' contains '1' as values of two types"),
    ("1, null", "has nothing in the column 'g'"),
}


def test_labels_that_look_alike_have_one_type(fault, tmp_path):
    for labels, said in sorted(LABELS):
        records = [f'{{"g": {label}, "text": "so it goes"}}' for label in labels.split(", ")]
        (tmp_path / "l.jsonl").write_text("\n".join(records), encoding="utf-8")
        (tmp_path / "l.json").write_text(f"[{', '.join(records)}]", encoding="utf-8")
        assert said in fault("keyness", tmp_path / "l.jsonl", "--by", "g")
        assert said in fault("keyness", tmp_path / "l.json", "--by", "g")


def test_a_number_that_is_none_is_no_label(fault, tmp_path):
    pl.DataFrame({"g": [1.0, float("nan")], "text": ["so it", "it goes"]}).write_parquet(tmp_path / "l.parquet")
    assert "(l.parquet:2) has nothing in the column 'g'" in fault("keyness", tmp_path / "l.parquet", "--by", "g")


def test_labels_of_a_sheet_have_one_type(fault, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["g", "text"], [1, "so it"], [2.0, "it goes"], ["1", "so so"]):
        book.active.append(row)
    book.save(tmp_path / "l.xlsx")
    said = "l.xlsx:3: the column 'g' contains '1' as values of two types; give all its labels one type"
    assert said in fault("keyness", tmp_path / "l.xlsx", "--by", "g")


@pytest.mark.filterwarnings("ignore:with so few documents")
def test_labels_of_one_type_are_groups(run, tmp_path):
    for labels in [[True, False], [1, 2], [1.0, 2.0], ["1", "x"], [date(1945, 5, 8), date(1949, 5, 23)]]:
        pl.DataFrame({"g": labels * 3, "text": ["so it", "it goes"] * 3}).write_parquet(tmp_path / "l.parquet")
        assert run("keyness", tmp_path / "l.parquet", "--by", "g").code == 0


def test_a_very_long_label_does_not_make_the_others_long(run, tmp_path):
    path = tmp_path / "labels.jsonl"
    lines = [
        json.dumps({"kind": kind * (LONGEST_ID if number == 0 else 1), "text": text})
        for number, (kind, text) in enumerate(ROWS * 100)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    done = run("keyness", path, "--by", "kind", "--format", "json", "--min-count", "1")
    assert done.code == 0, done.err
    assert len({row["group"] for row in json.loads(done.raw)}) == 3


@pytest.mark.parametrize(
    ("by", "options"),
    [("folder", []), ("side", ["--name-pattern", r"(?P<side>[ab])/"])],
    ids=["folder", "name pattern"],
)
def test_groups_by_the_names_of_files(run, folders, tmp_path, by, options):
    together = tmp_path / "together"
    together.mkdir()
    for folder in folders:
        folder.rename(together / folder.name)
    compared = run("keyness", together / "a", together / "b", "--format", "csv", "--quiet")
    assert compared.code == 0
    assert rows(run("keyness", together, "--by", by, *options, "--format", "csv", "--quiet")) == rows(compared)
