"""`--where` in every command that reads text: the result is that of the chosen documents alone."""

import json

import pytest

import termburst as tb

HEADER = "year,party,text\n"
ROWS = [
    (year, party, f"so it goes {word} {word} so " * 3) for year in (1945, 1950, 1955) for party, word in ("xa", "yb")
]


@pytest.fixture
def tables(tmp_path):
    for name, rows in (("all", ROWS), ("late", [row for row in ROWS if row[0] >= 1950])):
        lines = [f"{year},{party},{text}\n" for year, party, text in rows]
        (tmp_path / f"{name}.csv").write_text(HEADER + "".join(lines), encoding="utf-8")
    return tmp_path


def content(path):
    """What a file says, without its name and the numbers of rows."""
    if path.suffix == ".parquet":
        found = tb.TermStatistics.load(path)
        return found.documents, found.terms.tolist(), found.collection_frequency.tolist()
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        found = json.loads(text)
        return found["overview"], found["terms"]
    return sorted(line.split(",", 1)[1] for line in text.splitlines())


COMMANDS = [  # with their options, and the ending of what they write
    ("terms", ["-f", "csv"], ""),
    ("weigh", ["--scheme", "tf-idf"], "csv"),
    ("export", [], "csv"),
    ("report", [], "json"),
    ("stats build", [], "parquet"),
]


def test_the_same_as_the_chosen_documents_alone(run, tables):
    for command, options, output in COMMANDS:
        made = []
        for name, condition in (("all", "year >= 1950"), ("late", "year > 0 AND id != 'none'")):
            target = tables / f"{name}-out.{output}"
            more = ["-o", target] if output else []
            outcome = run(*command.split(), tables / f"{name}.csv", *options, *more, "--where", condition)
            assert outcome.code == 0, outcome.err
            made.append(content(target) if output else outcome.out)
        assert made[0] == made[1], command


def test_one_side_may_be_saved_statistics(run, tables):
    assert run("stats", "build", tables / "all.csv", "-o", tables / "s.parquet", "--detail", "patterns").code == 0
    rows = [
        run("keyness", tables / f"{name}.csv", tables / "s.parquet", "--where", condition, "-f", "csv").out
        for name, condition in (("all", "year >= 1950"), ("late", "year > 0"))
    ]
    assert rows[0] == rows[1] != ""


def test_conditions_that_cannot_be_met(fault, run, tables):
    table = tables / "all.csv"
    assert "none of 6 documents meets --where 'year > 2000'" in fault("terms", table, "--where", "year > 2000")
    said = fault("terms", table, "--where", "yaer > 2000")
    assert "there is no column 'yaer', only 'year', " in said
    assert "did you mean 'year'?" in said
    assert "--columns" not in said  # which `terms` does not have
    for option in ("--where", "--by"):
        for condition in ('party = "Whig"', "party = Whig"):
            said = fault("terms" if option == "--where" else "keyness", table, option, condition)
            assert "if 'Whig' is text in a condition, write it in single quotes" in said
    assert "--where is empty; write a condition such as" in fault("terms", table, "--where", "")
    assert run("stats", "build", table, "-o", tables / "s.parquet").code == 0
    assert "no columns; omit --where" in fault("terms", tables / "s.parquet", "--where", "year > 0")


def test_a_misspelt_word_gets_a_suggestion(run, tables):
    outcome = run("kwic", tables / "all.csv", "gose", "-f", "csv")
    assert outcome.err.splitlines()[-1] != ""
    assert "nothing matches 'gose'; did you mean 'goes'?" in outcome.err
    assert "did you mean" not in run("kwic", tables / "all.csv", "gos*e", "-f", "csv").err


def test_another_layer_is_shown(run, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("# global.columns = ID FORM LEMMA\n1\tJe\tje\n2\tsuis\têtre\n\n", encoding="utf-8")
    found = run("kwic", path, "être", "--layer", "lemma", "--show", "form", "-f", "csv").out
    assert found.splitlines()[1] == 'a.conllu,Je ,suis,"",3'
    assert "omit --layer and --show" in run("kwic", "stdlib", "so", "--show", "lemma").err
    outcome = run("kwic", path, "etre", "--layer", "lemma", "-f", "csv")
    assert "nothing matches 'etre'; did you mean 'être'?" in outcome.err


def test_a_number_may_be_compared_as_text(fault, run, tmp_path):
    for folder in ("2024", "2025"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(f"so it goes in {folder}", encoding="utf-8")
    lines = [
        run("kwic", tmp_path, "goes", "--where", condition, "-f", "csv").out.splitlines()[1:]
        for condition in ("folder = '2024'", "folder = 2024", "folder < '2025'")
    ]
    assert lines[0] == lines[1] == lines[2]
    assert len(lines[0]) == 1
    assert "text with text in quotes" in fault("terms", tmp_path, "--where", "file > 7")
    assert "folders inside the one that you give" in fault("terms", tmp_path / "2024", "--where", "folder = 'a'")
