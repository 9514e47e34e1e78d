"""`termburst keyness` and `termburst terms --test`, as processes read them."""

import csv
import io
import json

import pytest

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
    assert float(found["cat"]["p_value"]) == pytest.approx(2 / 2**9 / 2)  # mid-p of nine bursts on one side
    assert float(found["the"]["p_value"]) > 0.5
    assert float(found["bark"]["effect"]) < 0


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


def test_statistics_without_patterns_are_refused_with_what_to_do(run, folders, tmp_path):
    saved = tmp_path / "moments.parquet"
    assert run("stats", "build", folders[1], "-o", saved).code == 0
    done = run("keyness", folders[0], saved)
    assert done.code == 2
    assert "--detail patterns" in done.err


METHODS = ["permutation", "stratified-permutation", "g2", "chi2", "fisher", "welch", "mann-whitney"]


@pytest.mark.parametrize("method", METHODS)
def test_methods_by_name(run, folders, method):
    found = {row["term"]: row for row in rows(run("keyness", *folders, "--method", method, "--format", "csv"))}
    assert float(found["cat"]["p_value"]) < 0.05
    assert found["cat"]["reference"] == method


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "two corpora, A and B, or one corpus and --by"),
        (("--by", "mood"), "mood"),
        (("--by", "kind", "--id", "kind"), "--by takes the place of --id"),
    ],
)
def test_mistakes(run, table, arguments, said):
    done = run("keyness", table, *arguments)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_the_sides_of_a_table_for_people(run, folders):
    done = run("keyness", *folders, "--top", "3")
    assert done.code == 0
    assert "9 documents" in done.out
    assert "log_ratio" in done.out
    assert len(done.out.strip().splitlines()) == 2 + 3


def test_terms_with_p_values(run, tmp_path):
    path = tmp_path / "posts.txt"
    path.write_text("ha ha ha ha ha ha\n" + "nothing to say here today\n" * 30, encoding="utf-8")
    found = rows(run("terms", path, "--test", "--format", "csv"))
    assert found[0]["term"] == "ha"
    assert float(found[0]["p_value"]) < 1e-6
    assert found[0]["how"] == "exact"
    assert {"p_plr", "p_lr", "p_score", "q_value", "dp", "juilland_d"} <= set(found[0])
    by_ratio = rows(run("terms", path, "--test", "--statistic", "lr", "--fdr", "holm", "--format", "csv"))
    assert by_ratio[0]["p_value"] == by_ratio[0]["p_lr"]
    assert "log10_p" in run("terms", path, "--test").out


@pytest.mark.parametrize("arguments", [("--test", "--parts"), ("--test", "--fit", "exact"), ("--statistic", "lr"),
                                       ("--test", "--fdr", "bonferroni")])  # fmt: skip
def test_options_that_do_not_go_together(run, tmp_path, arguments):
    path = tmp_path / "posts.txt"
    path.write_text("ha ha\nno\n", encoding="utf-8")
    done = run("terms", path, *arguments)
    assert done.code == 2
    assert done.err.startswith("termburst: ")
