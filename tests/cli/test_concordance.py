"""`termburst kwic` and `termburst collocates`."""

import io
import json
import subprocess
import sys

import polars as pl
import pytest

from helpers.processes import PATIENCE
from termburst.cli.concordance import aligned

ROWS = """name,year,party,text
a,1945,x,"So it goes, and so on."
b,1950,y,"=So what? 東京 so 都"
c,1960,x,"so"
d,1961,x,"nothing"
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "speeches.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def frame(outcome):
    return pl.read_csv(io.BytesIO(outcome.raw))


def test_top_is_how_many_lines_and_0_is_all(run, table):
    lines = run("kwic", table, "so").out.splitlines()
    assert run("kwic", table, "so", "--top", "2").out.splitlines() == lines[:2]
    assert run("kwic", table, "so", "--top", "0").out.splitlines() == lines


def test_lines_are_aligned(run, table):
    lines = run("kwic", table, "so", "--id", "name", "--width", "12").out.splitlines()
    assert lines == [
        "a              So  it goes, an",
        "a t goes, and  so  on.",
        "b            = So  what? 東京",
        "b  what? 東京  so  都",
        "c              so",
    ]


def test_lists_have_commas_or_come_again(run, table):
    once = run("kwic", table, "war", "--columns", "party,year", "--sort", "year,L1", "--format", "csv").raw
    again = run(
        "kwic", table, "war", "--columns", "party", "--columns", "year", "-s", "year", "-s", "L1", "--format", "csv"
    )
    assert again.raw == once
    assert again.out.startswith("id,left,match,right,position,party,year\n")


def test_columns_order_and_condition(run, table):
    found = frame(run("kwic", table, "so", "--where", "year >= 1950 AND party = 'y'", "-c", "party,year", "-f", "csv"))
    assert found.columns == ["id", "left", "match", "right", "position", "party", "year"]
    assert found["year"].to_list() == [1950, 1950]
    found = frame(run("kwic", table, "so", "--sort", "-year", "--top", "2", "--id", "name", "-f", "csv"))
    assert found["id"].to_list() == ["c", "b"]
    found = frame(run("kwic", table, "so", "-s", "R1", "--id", "name", "-f", "csv"))
    assert found["id"].to_list() == ["a", "a", "b", "b", "c"]


def test_json_parquet_and_files(run, table, tmp_path):
    rows = json.loads(run("kwic", table, "so", "-f", "json", "-c", "year").raw)
    assert [row["year"] for row in rows] == [1945, 1945, 1950, 1950, 1960]
    assert json.loads(run("kwic", table, "nowhere", "-f", "json").raw) == []
    for ending in ("csv", "json", "parquet", "txt"):
        target = tmp_path / f"lines.{ending}"
        assert run("kwic", table, "so", "-o", target).code == 0
        assert target.stat().st_size > 50
    assert pl.read_parquet(tmp_path / "lines.parquet").height == 5


def test_formulas_get_an_apostrophe(run, table):
    outcome = run("kwic", table, "so", "-f", "csv")
    assert frame(outcome)["left"].to_list()[2] == "'="
    assert "added an apostrophe before 2 cells" in outcome.err
    assert frame(run("kwic", table, "so", "-f", "csv", "--csv-as-is"))["left"].to_list()[2] == "="


def test_nothing_is_said_on_standard_error(run, table):
    outcome = run("kwic", table, "nowhere")
    assert (outcome.code, outcome.out) == (0, "")
    assert "nothing matches 'nowhere'" in outcome.err
    assert run("kwic", table, "nowhere", "-f", "csv").out == "id,left,match,right,position\n"


def test_wrong_input_gives_one_sentence(run, table):
    for arguments, message in [
        (["so", "--where", "yeer > 3"], "there is no column 'yeer'"),
        (["so", "--where", "year in (select year from x)"], "takes no SELECT"),
        (["so", "--where", "year >"], "cannot be understood"),
        (["so", "--where", "year > 1990 OOPS"], "ends in the word 'OOPS', which says nothing"),
        (["so", "--where", "year + 1"], "true or false"),
        (["so", "--sort", "place"], "there is no column 'place'"),
        (["(", "--regex"], "not a regular expression"),
        (["x*", "--regex"], "match the empty string"),
        (["so", "--width", "99999999"], "less than or equal to 10000"),
    ]:
        outcome = run("kwic", table, *arguments)
        assert outcome.code == 2
        assert message in outcome.err
        assert len(outcome.err.strip().splitlines()) == 1


@pytest.mark.slow
def test_a_pattern_that_never_ends_is_stopped(run, tmp_path):
    (tmp_path / "a.txt").write_text("a" * 40, encoding="utf-8")
    outcome = run("kwic", tmp_path / "a.txt", "(a+)+b", "--regex", "--pattern-seconds", "1")
    assert outcome.code == 2
    assert "the query takes more than 1 seconds" in outcome.err


@pytest.mark.slow
def test_head_ends_it_quietly(tmp_path, plain_environment):
    (tmp_path / "a.txt").write_text("so it goes, so. " * 200_000, encoding="utf-8")
    command = [sys.executable, "-m", "termburst", "kwic", str(tmp_path / "a.txt"), "so"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=plain_environment) as process:
        assert process.stdout is not None
        assert b"so" in process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 141


def test_right_to_left_text_is_isolated(run, tmp_path):
    (tmp_path / "a.txt").write_text("שלום so עולם", encoding="utf-8")
    line = run("kwic", tmp_path / "a.txt", "so", "--width", "6").out
    assert line.endswith(" \u2068שלום \u2069 \u2068so\u2069 \u2068 עולם\u2069\n")


def test_a_terminal_does_not_obey_texts(run, tmp_path):
    (tmp_path / "a.txt").write_text("\x1b[31mso \x07 \u202eon", encoding="utf-8")
    out = run("kwic", tmp_path / "a.txt", "so").out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_ids_that_are_too_long_keep_their_end():
    parts = {"left": [""] * 2, "match": ["so", "só"], "right": [""] * 2, "position": [0, 0]}
    ids = [f"a/long/path/to/some/file/of/{name}" for name in ("text1.txt", "text2.txt")]
    lines = aligned(pl.DataFrame({"id": ids, **parts}), 5, 24).splitlines()
    assert [line[:24] for line in lines] == ["…" + name[-23:] for name in ids]


def test_pieces_keep_their_metadata(run, table):
    found = frame(run("kwic", table, "so", "--split", "3", "-c", "year", "-f", "csv", "--id", "name"))
    assert found["id"].to_list()[:2] == ["a:1", "a:2"]
    assert found["year"].to_list() == [1945, 1945, 1950, 1950, 1960]


def test_annotated_corpora_are_searched_in_their_layer(run, tmp_path):
    path = tmp_path / "a.conllu"
    rows = [("1", "She", "she"), ("2", "went", "go"), ("3", "home", "home")]
    path.write_text("".join(f"{k}\t{form}\t{lemma}\tX" + "\t_" * 6 + "\n" for k, form, lemma in rows) + "\n", "utf-8")
    assert run("kwic", path, "go", "--layer", "lemma", "--quiet").out.split() == ["a.conllu", "she", "go", "home"]
    assert run("kwic", path, "go", "--quiet").out == ""


def test_collocates(run, tmp_path):
    path = tmp_path / "a.txt"
    lines = ["the free world and all of us here now", "war in the free world as it was before then"] * 20
    path.write_text("\n".join(lines), encoding="utf-8")
    outcome = run("collocates", path, "free", "--lines", "--window", "1")
    first = outcome.out.splitlines()[0]
    assert first.startswith("2 of 15 words stand near 'free' more often than by chance (q ≤ 0.05); the surest is the,")
    assert " 40 times; by chance it would be " in first
    rows = run("collocates", path, "free", "--lines", "--window", "1", "-f", "json").rows
    assert rows["world"]["n_window"] == 40
    assert rows["world"]["p_value"] < 1e-6
    assert "\ntermburst: 'fere' does not occur" in run("collocates", path, "fere", "--lines").err
    rows = run("collocates", path, "free", "--lines", "--within", "sentence", "--include-node", "-f", "json").rows
    assert rows["free"]["p_value"] is None


@pytest.mark.parametrize("option", [("--columns", "yaer"), ("--sort", "L9"), ("--where", "yaer > 1900")])
def test_a_column_that_no_document_has(fault, tmp_path, option):
    for year in (1945, 1949):
        (tmp_path / f"{year}-speech.txt").write_text("so it goes", encoding="utf-8")
    said = fault("kwic", tmp_path, "so", "--name-pattern", r"(?P<year>\d+)", *option)
    assert f"no document has the column {option[1].split()[0]!r}" in said


def test_triggers_lists_what_a_word_brings_on(run, tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("socrates asked plato\nthe sea and the sun\na ship on the sea\n" * 8, encoding="utf-8")
    found = frame(run("triggers", path, "socrates", "--lines", "-f", "csv"))
    assert found.select("direction", "term", "documents").rows()[0] == ("brings on", "asked", 8)
    assert found.columns[-2:] == ["log10_p_together", "log10_p_after"]
    outcome = run("triggers", path, "Socrates", "--lines", "--decay", "20", "-f", "table")
    assert outcome.code == 0, outcome.err
    said = (
        "2 of 2 words come together with 'Socrates' (q ≤ 0.05). It brings on 2 of them, which come later: asked, plato."
    )
    assert said in outcome.out
    assert "log10_p" not in outcome.out


def test_triggers_say_brings_on_only_where_the_order_is_sure(run, tmp_path):
    path = tmp_path / "texts.txt"
    lines = ["plato asked socrates", "socrates asked plato", "the sea and the sun", "a ship on the sea"]
    path.write_text("\n".join(lines * 8), encoding="utf-8")
    found = frame(run("triggers", path, "socrates", "--lines", "-f", "csv"))
    assert found.select("direction", "term", "documents", "later", "earlier").rows()[0] == (
        "together with", "asked", 16, 8, 8,
    )  # fmt: skip
    outcome = run("triggers", path, "socrates", "--lines", "-f", "table")
    assert "come together with 'socrates' (q ≤ 0.05). None of them does surely come later or earlier." in outcome.out
    assert "brings on" not in outcome.out
    assert frame(run("triggers", path, "socrates", "--lines", "--after", "-f", "csv")).height == 0


def test_triggers_of_standard_input_are_those_of_a_file(process, tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("so it goes on\n" * 6 + "nothing at all\n" * 6, encoding="utf-8")
    piped = process("triggers", "-", "-f", "csv", "--quiet", stdin=path.read_bytes())
    file = process("triggers", path, "--lines", "-f", "csv", "--quiet")
    assert (piped.code, piped.err) == (file.code, file.err)
    assert piped.code == 0
    assert piped.raw == file.raw != b""


def test_triggers_without_a_pair_name_the_option_that_triggers_has(run, table):
    outcome = run("triggers", table, "so")
    assert outcome.code == 0
    assert "lower --min-documents" in outcome.out
    assert "--min-count" not in outcome.out


@pytest.mark.slow
def test_triggers_say_which_pairs_are_signatures(run, tmp_path):
    path, signature = tmp_path / "texts.txt", "gordon banks says that skepticism is the chastity of the intellect"
    lines = [f"w{k % 7} w{k % 11} w{k % 13} " + (signature if k % 3 == 0 else "") for k in range(60)]
    path.write_text("\n".join(lines), encoding="utf-8")
    outcome = run("triggers", path, "gordon", "--lines")
    assert "9 pairs of 9 rest mostly on passages that several documents share (column repeated)" in outcome.err
    left = run("triggers", path, "gordon", "--lines", "--most-repeated", "0.5")
    assert left.code == 0, left.err
    assert "passages" not in left.err


@pytest.mark.parametrize(
    ("text", "arguments", "sentence"),
    [
        ("so it goes\nso it is\n", ("sea",), "does not occur in the corpus"),
        ("so it goes\nso it is\n", ("so", "--decay", "0"), "decay must be a number above 0"),
        ("so\nit\n", ("so",), "no document has two tokens"),
    ],
)
def test_triggers_refuse_what_teaches_nothing(run, tmp_path, text, arguments, sentence):
    path = tmp_path / "texts.txt"
    path.write_text(text, encoding="utf-8")
    outcome = run("triggers", path, *arguments, "--lines")
    assert outcome.code == 2
    assert sentence in outcome.err
