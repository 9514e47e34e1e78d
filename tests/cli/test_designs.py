"""`termburst keyness --formula`, with clusters and strata."""

import csv
import io
import json

import pytest


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "speeches.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["party", "year", "speaker", "text"])
        for k in range(24):
            words = "jobs jobs peace" if k % 2 else "taxes taxes law"
            writer.writerow(["DR"[k % 2], 1950 + k, f"s{k % 8}", f"{words} the nation of {'old ' * (k % 5)}people"])
    return path


def test_a_formula_a_contrast_and_clusters(run, table):
    options = ("--contrast", "party: D - R", "--cluster", "speaker", "--format", "csv")
    done = run("keyness", table, "--formula", "party", *options)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert rows[0]["term"] in ("jobs", "taxes", "peace", "law")
    assert {"p_documents", "log_ratio_unadjusted", "p_method"} <= rows[0].keys()
    assert {row["contrast"] for row in rows} == {"party: D - R"}
    assert "if documents were independent" in run("keyness", table, "--by", "party", "--cluster", "speaker").out


def test_a_page_of_contrasts(run, table, tmp_path):
    page, numbers = tmp_path / "page.html", tmp_path / "page.json"
    run("keyness", table, "--formula", "party", "--cluster", "speaker", "--report", page)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    run("keyness", table, "--by", "year", "--strata", "party", "--report", numbers, "--panels", "3", "--examples", "0")
    found = json.loads(numbers.read_text(encoding="utf-8"))
    assert found["design"]["formula"] == "year"
    assert "Only documents with the same party are compared with each other." in found["design"]["about"]
    assert len(found["panels"]) == 3
    assert not any(panel["sides"][0]["lines"] for panel in found["panels"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--formula", "mood"), "no column 'mood'"),
        (("--formula", "party", "--by", "party"), "or one corpus and --by COLUMN; or one and --formula"),
        (("--cluster", "speaker"), "go with --by or --formula"),
        (("--formula", "party", "--method", "g2"), "no --method g2"),
    ],
)
def test_messages(fault, table, options, said):
    assert said in fault("keyness", table, *options)
