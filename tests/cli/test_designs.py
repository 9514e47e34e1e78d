"""`termburst keyness --formula`, with clusters and strata."""

import csv
import io
import json

import numpy as np
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


@pytest.fixture
def pairs(tmp_path):
    """Twenty pairs of texts of two sides, of eight writers, in which nothing differs."""
    rng, path = np.random.default_rng(3), tmp_path / "pairs.csv"
    words = [f"w{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(120)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "side", "pair", "year", "writer"])
        for k in range(40):
            text = " ".join(rng.choice(words, 80, p=rng.dirichlet(np.full(120, 0.5))))
            writer.writerow([text, "ab"[k % 2], f"p{k // 2}", 1900 + k % 7 + k // 5, f"s{k // 5}"])
    return path


@pytest.mark.filterwarnings("always::UserWarning")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--formula", "side", "--cluster", "pair"), "20 of 20 clusters of 'pair' have several values of side"),
        (("--by", "side", "--cluster", "pair"), "20 of 20 clusters of 'pair' have several values of side"),
        (("--by", "side", "--strata", "pair"), "the strata of 'pair' have 2 documents each on average"),
        (("--formula", "year", "--cluster", "writer"), "with 8 clusters no p is below 0.0039"),
    ],
)
def test_what_cannot_be_found_is_said_here_and_on_the_page(run, pairs, tmp_path, options, said):
    done = run("keyness", pairs, *options, "--report", tmp_path / "page.json", "--panels", "1", "--examples", "0")
    assert f"warning: {said}" in done.err
    (note,) = json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))["notes"]
    assert note.startswith(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--formula", "mood"), "no column 'mood'"),
        (("--formula", "party", "--by", "party"), "give another corpus or a formula, or --by, and not both"),
        (("--cluster", "speaker"), "give another corpus, or --by with a column, or --formula"),
        (("--formula", "party", "--method", "g2"), "a formula has no --method g2"),
    ],
)
def test_messages(fault, table, options, said):
    assert said in fault("keyness", table, *options)
