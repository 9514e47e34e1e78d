"""`termburst keyness --by 'year >= 1945'`, and names of columns that are misspelt."""

import pytest

PATTERN = r"(?P<year>\d{4})-(?P<president>\w+)"


@pytest.fixture
def speeches(tmp_path):
    folder = tmp_path / "speeches"
    folder.mkdir()
    for k in range(12):
        text = "work work today the nation" if k >= 6 else "constitution of the the union"
        name = "Bush" if k in (5, 6) else f"P{k}"
        (folder / f"{1942 + k // 2}-{name}.txt").write_text(f"{text} and so on {'and ' * (k % 3)}", encoding="utf-8")
    return folder


def test_the_documents_that_meet_a_condition_are_a(run, speeches):
    found = run("keyness", speeches, "--by", "year>=1945", "--name-pattern", PATTERN)
    assert "A: year >= 1945, 6 documents; B: year < 1945, 6 documents" in found.out
    rows = run("keyness", speeches, "--by", "year>=1945", "--name-pattern", PATTERN, "--format", "json").rows
    assert (rows["work"]["n_a"], rows["work"]["n_b"], rows["union"]["n_a"], rows["union"]["n_b"]) == (12, 0, 0, 6)


def test_a_condition_goes_with_clusters_which_are_told(run, speeches):
    options = ("--name-pattern", PATTERN, "--cluster", "president")
    found = run("keyness", speeches, "--by", "year >= 1945", *options)
    said = "11 clusters by president; the largest: Bush 2, P0 1, P1 1, P10 1, P11 1 documents."
    assert said in found.out
    assert "p is by random signs of clusters, since 1 has documents on several sides: Bush." in found.out
    rows = run("keyness", speeches, "--by", "year >= 1945", *options, "--format", "json").rows
    assert (rows["work"]["n_a"], rows["work"]["n_b"], rows["work"]["b_a"]) == (12, 0, 6)
    assert rows["work"]["contrast"] == "year >= 1945 - year < 1945"


def test_what_cannot_be_compared_is_said(fault, speeches):
    for options, said in [
        (("--by", "yaer >= 1945"), "no document has the column 'yaer'"),
        (("--by", "yaer >= 1945", "--cluster", "president"), "no column 'yaer'; it has 'id', 'file', 'year'"),
        (("--by", 'president = "Bush"'), "since text needs single quotes: president = 'Bush'"),
        (("--by", 'president = "Bush"', "--cluster", "year"), "text needs single quotes: president = 'Bush'"),
        (("--by", "year >="), "--by 'year >=' cannot be understood"),
        (("--by", "year >= 1000"), "every document meets 'year >= 1000'"),
        (("--by", "year >= 1945", "--groups", "a,b"), "is a condition, which has two groups of its own; omit --groups"),
        (("--by", "year >= 1945", "--bin", "10"), "is a condition, which has two groups of its own; omit --bin"),
        (("--by", "presdient"), "columns here: file, president, year; did you mean 'president'"),
        (("--by", "year", "--cluster", "presdient"), "for clusters; it has 'id', 'file', 'year', 'president'; did you"),
    ]:
        assert said in fault("keyness", speeches, "--name-pattern", PATTERN, *options)


def test_a_document_that_says_nothing_is_named(fault, tmp_path):
    table = tmp_path / "speeches.csv"
    table.write_text("year,text\n1944,so it goes\n,so so\n1945,it goes on\n", encoding="utf-8")
    line = fault("keyness", table, "--by", "year >= 1945")
    assert "1 document (speeches.csv:2) has nothing in a column of --by 'year >= 1945'" in line
