"""`termburst keyness --by COLUMN --groups A,B`: only these values are compared."""

import csv
import io

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import termburst as tb

ROWS = [
    *(("ham", 1945 + k, f"h{k % 4}", "cat cat sat on the mat") for k in range(6)),
    *(("spam", 1960 + k, f"s{k % 3}", "dogs bark at the moon") for k in range(7)),
    *(("eggs, fried", 1981, "s2", "cat dogs moon the eggs eggs") for _ in range(8)),
    ("", "", "s3", "eggs nobody knows"),
]


@pytest.fixture
def write(tmp_path):
    def written(rows, name="texts.csv"):
        path = tmp_path / name
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("kind", "year", "speaker", "text"), *rows])
        return path

    return written


def compared(run, path, *options):
    done = run("keyness", path, "--by", "kind", *options, "--format", "csv")
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def test_other_groups_are_as_if_they_were_not_there(run, write):
    options = ("--by", "kind", "--sort", "term", "--format", "csv")
    alone = run("keyness", write([row for row in ROWS if row[0] in ("ham", "spam")], "alone.csv"), *options)
    chosen = run("keyness", write(ROWS), *options, "--groups", "ham,spam")
    assert_frame_equal(pl.read_csv(chosen.raw), pl.read_csv(alone.raw), rel_tol=1e-12, abs_tol=1e-15)


def test_the_first_group_is_a(run, write):
    ham, spam = (
        {row["term"]: row for row in compared(run, write(ROWS), "--groups", names)}
        for names in ("ham,spam", "spam, ham")
    )
    assert (ham["cat"]["n_a"], ham["cat"]["n_b"]) == (spam["cat"]["n_b"], spam["cat"]["n_a"]) == ("12", "0")
    assert float(ham["cat"]["lower_bound"]) == pytest.approx(-float(spam["cat"]["lower_bound"]))
    assert (
        "A: kind = spam, 7 documents; B: kind = ham"
        in run("keyness", write(ROWS), "--by", "kind", "--groups", "spam,ham").out
    )


def test_a_value_with_a_comma_stands_in_quotes(run, write):
    found = {row["term"]: row for row in compared(run, write(ROWS), "--groups", '"eggs, fried",ham')}
    assert (found["eggs"]["n_a"], found["eggs"]["n_b"]) == ("16", "0")


def test_intervals_are_named_by_their_lower_end(run, write):
    for named in (["--groups", "1960,1980"], ["--groups", "1960", "--groups", "1980"]):
        done = run("keyness", write(ROWS), "--by", "year", "--bin", "10", *named)
        assert "A: year_bin = 1960, 7 documents; B: year_bin = 1980, 8 documents" in done.out


def test_three_of_the_groups_and_clusters(run, write):
    three = [*ROWS, *(("tea", 1990, "s4", "tea or cat") for _ in range(3))]
    found = compared(run, write(three), "--groups", "ham,spam,tea")
    assert {row["group"] for row in found} == {"ham", "spam", "tea"}
    assert "eggs" not in {row["term"] for row in found}
    clustered = run("keyness", write(three), "--by", "kind", "--groups", "ham,spam", "--cluster", "speaker")
    assert "13 documents" in clustered.out
    assert "(kind: ham - spam)" in clustered.out
    turned = run("keyness", write(three), "--by", "kind", "--groups", "spam,ham", "--cluster", "speaker")
    assert "(kind: spam - ham)" in turned.out
    assert "eggs" not in clustered.out


def test_what_cannot_be_compared_is_said_in_one_line(fault, write):
    for options, said in [
        (("--by", "kind", "--groups", "ham,spma"), "has no value 'spma'; it has 'eggs, fried', 'ham', 'spam'"),
        (("--by", "kind", "--groups", "ham"), "two values of 'kind' or more; got ['ham']"),
        (("--by", "kind", "--groups", ","), "two values of 'kind' or more"),
        (("--by", "kind", "--cluster", "speaker", "--groups", "ham,spma"), "has no value 'spma'"),
        (("--formula", "kind", "--groups", "ham,spam"), "give another corpus or a formula, or --by, and not both"),
        (("--groups", "ham,spam"), "--groups needs --by, the column that has these values"),
    ]:
        assert said in fault("keyness", write(ROWS), *options)


def test_one_test_over_all_groups(run, fault, tmp_path):
    path = tmp_path / "three.csv"
    rows = [f"{who},{text}" for who, text in (("a", "ha ha so it"), ("b", "so it goes on"), ("c", "it is so")) * 9]
    path.write_text("\n".join(["who,text", *rows]), encoding="utf-8")
    found = run("keyness", path, "--by", "who", "--no-contrasts")
    assert "between the groups" in found.out
    assert "ha (most in a)" in found.out
    assert "does a term differ between 3 values of who? 27 documents" in found.out
    corpus = tb.read(path)
    assert corpus.keyness(by="who", contrasts=False).columns[-1] == "highest"
    assert "--contrasts goes with --by or --formula" in fault("keyness", path, "--reference", path, "--no-contrasts")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--method", "g2"), "--method g2 needs --contrasts: over all groups there is one test, without a direction"),
        (("--compare", "burstiness"), "--compare burstiness needs --contrasts"),
        (("--cluster", "speaker"), "--cluster has contrasts of its own; omit --no-contrasts"),
    ],
)
def test_one_test_over_all_groups_refuses_what_it_does_not_have(run, write, options, said):
    done = run("keyness", write(ROWS[:-1]), "--by", "kind", "--no-contrasts", *options)
    assert done.code == 2
    assert said in done.err


def test_a_formula_refuses_contrasts_of_groups(run, write):
    done = run("keyness", write(ROWS[:-1]), "--formula", "kind", "--no-contrasts")
    assert done.code == 2
    assert "--formula has contrasts of its own; omit --no-contrasts" in done.err


def test_a_method_of_frequencies_is_named_as_it_is_written(run, write):
    done = run("keyness", write(ROWS[:-1]), "--by", "kind", "--compare", "burstiness", "--method", "g2")
    assert (done.code, "--compare burstiness has one method" in done.err) == (2, True)
    assert "omit --method g2" in done.err
