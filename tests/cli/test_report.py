"""`termburst report` and `termburst keyness --report`."""

import json
from contextlib import nullcontext

import pytest

from termburst import TermStatistics
from termburst.cli import reading
from termburst.report import CountedCorpus, summarize


@pytest.mark.slow
def test_a_page_and_its_numbers(done, corpus, tmp_path, texts):
    page = tmp_path / "report.html"
    assert done("report", corpus, "--lines", "-o", page, "--title", "whales & ships").out == ""
    written = page.read_text(encoding="utf-8")
    assert "<title>whales &amp; ships · termburst</title>" in written
    numbers = tmp_path / "report.json"
    done("report", corpus, "--lines", "-o", numbers, "--panels", 3, "--examples", 1)
    found = json.loads(numbers.read_text(encoding="utf-8"))
    assert found["title"] == corpus.name
    assert [len(panel["lines"]) for panel in found["panels"]] == [1, 1, 1]
    expected = summarize(CountedCorpus.from_texts(texts), panels=3, examples=1)
    assert found["terms"] == expected["terms"]
    assert json.loads(done("report", corpus, "--lines", "--format", "json", "--panels", 0).raw)["panels"] == []


def test_a_page_has_the_numbers_that_names_of_files_and_tables_say(done, tmp_path):
    years, texts = [1789, 1793, 1945], ["so it goes", "so so on", "it goes on"]
    folder, numbers, table = tmp_path / "speeches", tmp_path / "numbers.json", tmp_path / "speeches.csv"
    folder.mkdir()
    for year, text in zip(years, texts, strict=True):
        (folder / f"{year}-x.txt").write_text(text, encoding="utf-8")
    rows = "".join(f"{year},{text}\n" for year, text in zip(years, texts, strict=True))
    table.write_text(f"year,text\n{rows}", encoding="utf-8")
    for source in ((folder, "--name-pattern", r"(?<year>\d{4})-"), (table,)):
        done("report", *source, "-o", numbers, "--panels", 0)
        assert json.loads(numbers.read_text(encoding="utf-8"))["axes"] == [{"column": "year", "values": years}]


@pytest.mark.filterwarnings("ignore:with so few documents")
@pytest.mark.parametrize("notes", ["--quiet", "--verbose"])
def test_the_reading_report_is_in_the_page(done, tmp_path, notes):
    folder, numbers = tmp_path / "speeches", tmp_path / "numbers.json"
    for side in "ab":
        (folder / side).mkdir(parents=True)
        for k in range(3):
            (folder / side / f"{k}.txt").write_text(f"so it goes on {side} {k}", encoding="utf-8")
        (folder / side / "README").write_text("About.", encoding="utf-8")
    done("report", folder, "-o", numbers, notes)
    (found,) = json.loads(numbers.read_text(encoding="utf-8"))["reading"]
    assert found["source"] == "speeches"
    assert found["lines"][0] == "6 documents in 6 files, one per file."
    assert "skipped: 2 files" in found["lines"]
    done("keyness", folder / "a", folder / "b", "--report", numbers, notes)
    found = json.loads(numbers.read_text(encoding="utf-8"))["reading"]
    assert [(each["source"], "skipped: 1 file" in each["lines"]) for each in found] == [("a", True), ("b", True)]
    done("keyness", folder, "--by", "folder", "--report", numbers, notes)
    assert len(json.loads(numbers.read_text(encoding="utf-8"))["reading"]) == 1


def test_options_reach_the_statistic(done, corpus, texts):
    options = ("--stop-words", "english", "--ngrams", "1,2", "--sigma2", 0.5, "--form", "corrected", "--min-count", 2)
    found = json.loads(done("report", corpus, "--lines", "-f", "json", *options, "--max-terms", 5).raw)
    assert (found["settings"]["sigma2"], found["settings"]["form"]) == (0.5, "corrected")
    assert found["settings"]["counting"]["ngrams"] == [1, 2]
    assert len(found["terms"]["term"]) == 5
    assert "the" not in found["terms"]["term"]


def test_standard_input_and_saved_statistics(process, done, corpus, tmp_path, texts):
    page = tmp_path / "page.html"
    outcome = process("report", "-", "-o", page, "--quiet", stdin=b"so it goes\nha ha ha\n")
    assert (outcome.code, outcome.err) == (0, "")
    assert page.stat().st_size > 100_000
    saved = tmp_path / "saved.parquet"
    TermStatistics.from_texts(texts, "patterns").save(saved)
    found = json.loads(done("report", saved, "-f", "json").raw)
    assert found["overview"]["documents"] == len(texts)
    assert "lines" not in found["panels"][0]


def test_mistakes_are_one_line(fault, corpus, tmp_path, monkeypatch):
    for arguments, said in [
        ((), "give the name of the page to write, such as -o report.html"),
        (("-o", "report.pdf"), "must end in .html"),
        (("-o", "no/such/folder/report.html"), "no/such/folder"),
        (("-f", "json", "--open"), "--open needs a page"),
        (("-o", "x.html", "--min-count", 100_000), "no term occurs 100,000 times"),
        (("-o", "x.html", "--panels", -1), "--panels"),
    ]:
        monkeypatch.chdir(tmp_path)
        assert said in fault("report", corpus, "--lines", *arguments)
        assert not (tmp_path / "x.html").exists()


def test_a_single_document_gives_a_warning(process, tmp_path):
    (tmp_path / "one.txt").write_text("so it goes so it goes", encoding="utf-8")
    outcome = process("report", tmp_path / "one.txt", "-o", tmp_path / "one.html")
    assert outcome.code == 0
    assert "single document" in outcome.err


def test_a_page_is_not_written_over_its_corpus(fault, tmp_path):
    source = tmp_path / "corpus.html"
    source.write_text("so it goes", encoding="utf-8")
    assert "corpus.html" in fault("report", source, "-o", source)
    assert source.read_text(encoding="utf-8") == "so it goes"


@pytest.mark.slow
def test_without_bokeh_the_extra_is_named(fault, run, corpus, tmp_path, monkeypatch):
    import importlib.util

    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "bokeh" else there(name, *a))
    assert "pip install 'termburst[report]'" in fault("report", corpus, "--lines", "-o", tmp_path / "x.html")
    outcome = run("demo", "-o", tmp_path / "demo.html")
    assert outcome.code == 0
    assert "pip install 'termburst[report]'" in outcome.out
    assert not (tmp_path / "demo.html").exists()


@pytest.fixture
def groups(tmp_path):
    path = tmp_path / "groups.jsonl"
    kinds = {"cats": "cat cat sat on the mat", "dogs": "dogs bark at the moon", "owls": "the owl hoots at the moon"}
    rows = [{"text": text, "kind": kind} for kind, text in kinds.items() for _ in range(9)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for kind, text in kinds.items():
        (tmp_path / f"{kind}.txt").write_text("\n".join([text] * 9), encoding="utf-8")
    return path


@pytest.mark.slow
def test_keyness_with_a_page_also_prints_its_table(done, groups, tmp_path):
    a, b = tmp_path / "cats.txt", tmp_path / "dogs.txt"
    page, numbers = tmp_path / "key.html", tmp_path / "key.json"
    table = done("keyness", a, b, "--lines", "--report", page).out
    assert table == done("keyness", a, b, "--lines").out
    assert "cats.txt against dogs.txt" in page.read_text(encoding="utf-8")
    done("keyness", a, b, "--lines", "--report", numbers)
    found = json.loads(numbers.read_text(encoding="utf-8"))
    assert [side["name"] for side in found["sides"]] == ["cats.txt", "dogs.txt"]
    first = found["panels"][0]
    assert first["sides"][0]["lines"] or first["sides"][1]["lines"]
    assert found["settings"]["method"] == "beta-binomial"


def test_keyness_by_column_and_beside_statistics(process, done, groups, tmp_path):
    numbers = tmp_path / "key.json"
    done("keyness", groups, "--by", "kind", "--report", numbers)
    found = json.loads(numbers.read_text(encoding="utf-8"))
    assert [side["name"] for side in found["sides"]] == ["cats", "dogs", "owls"]
    assert found["documents"][1]["0"] == "groups.jsonl:10"
    saved = tmp_path / "dogs.parquet"
    done("stats", "build", tmp_path / "dogs.txt", "--lines", "-o", saved, "--detail", "patterns")
    done("keyness", tmp_path / "cats.txt", saved, "--lines", "--report", numbers)
    found = json.loads(numbers.read_text(encoding="utf-8"))
    assert found["panels"][0]["sides"][1]["lines"] == []
    same = tmp_path / "cats.txt"
    outcome = process("keyness", same, same, "--lines", "--quiet", "--report", numbers)
    assert (outcome.code, outcome.err) == (0, f"termburst: warning: A and B are both {same}, so nothing can differ\n")
    found = json.loads(numbers.read_text(encoding="utf-8"))
    assert len(found["sides"]) == 2


def test_the_corpus_at_fault_is_named(fault, groups, tmp_path):
    (tmp_path / "blank.txt").write_text("\n\n", encoding="utf-8")
    page = tmp_path / "key.html"
    assert "blank.txt: there are no documents to read" in fault(
        "keyness", tmp_path / "blank.txt", groups, "--lines", "--report", page
    )
    assert "lower --min-count" in fault("keyness", groups, "--by", "kind", "--report", page, "--min-count", 10**6)
    both = tmp_path / "both.json"
    assert "both.json" in fault("keyness", groups, "--by", "kind", "--report", both, "-o", both)
    assert not both.exists()


def test_a_wrong_ending_of_a_page_is_refused(fault, groups, tmp_path):
    assert "must end in .html" in fault("keyness", groups, "--by", "kind", "--report", tmp_path / "key.csv")


def test_the_bar_says_what_is_being_done(done, corpus, tmp_path, monkeypatch):
    said = []

    class Bar:
        def add_task(self, what, *, total):
            said.append(what)
            return 0

        def update(self, task, *, description=None, **_):
            said.extend([description] if description else [])

    monkeypatch.setattr(reading, "progress_bar", lambda **_: nullcontext(Bar()))
    done("report", corpus, "--lines", "-o", tmp_path / "report.json")
    assert said[-3:] == ["Testing every word", "Looking for pairs of words", "Collecting lines and collocates"]
