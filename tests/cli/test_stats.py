"""`stats build | add | merge | subtract | show`."""

import dataclasses
import json

import polars as pl
import pytest

import termburst as tb
from termburst.digests import seal


@pytest.fixture
def halves(tmp_path, texts):
    paths = tmp_path / "first.txt", tmp_path / "second.txt"
    for path, part in zip(paths, (texts[:17], texts[17:]), strict=True):
        path.write_text("".join(f"{text}\n" for text in part), encoding="utf-8")
    return paths


@pytest.fixture
def build(done, tmp_path):
    def make(corpus, name, *options):
        done("stats", "build", corpus, "--lines", "-o", tmp_path / name, *options)
        return tmp_path / name

    return make


load = tb.TermStatistics.load


@pytest.mark.parametrize("detail", ["frequencies", "moments", "patterns"])
def test_halves_merge_to_the_whole(done, build, corpus, halves, tmp_path, detail):
    whole = build(corpus, "whole.parquet", "--detail", detail)
    parts = [build(half, f"{i}.parquet", "--detail", detail) for i, half in enumerate(halves)]
    done("stats", "merge", *parts, "-o", tmp_path / "merged.parquet")
    assert load(tmp_path / "merged.parquet") == load(whole)
    assert load(whole).detail == detail


def test_merge_accepts_more_than_two_files(done, build, halves, tmp_path):
    first = build(halves[0], "a.parquet")
    done("stats", "merge", first, first, first, "--again", "-o", tmp_path / "merged.parquet")
    assert load(tmp_path / "merged.parquet").documents == 3 * load(first).documents


def test_texts_are_merged_once(fault, build, corpus, halves, tmp_path):
    whole, half = build(corpus, "whole.parquet"), build(halves[0], "half.parquet")
    target = tmp_path / "merged.parquet"
    line = fault("stats", "merge", whole, half, "-o", target)
    assert f"half.parquet contains {load(half).documents} texts that the files before it also contain" in line
    assert "--again" in line
    assert not target.exists()


def test_merging_statistics_that_do_not_know_their_texts_is_said(run, build, halves, tmp_path):
    known = build(halves[0], "known.parquet")
    unknown = dataclasses.replace(load(known), texts=load(known).texts[:0])  # as saved by Python
    unknown.save(tmp_path / "saved.parquet")
    outcome = run("stats", "merge", tmp_path / "saved.parquet", known, "-o", tmp_path / "merged.parquet")
    assert outcome.code == 0
    assert f"the texts of {unknown.documents} documents are not known" in outcome.err


def test_add_gives_the_whole(done, build, corpus, halves, tmp_path):
    saved = build(halves[0], "saved.parquet")
    before = saved.read_bytes()
    done("stats", "add", saved, halves[1], "--lines", "-o", tmp_path / "other.parquet")
    assert saved.read_bytes() == before
    done("stats", "add", saved, halves[1], "--lines")
    assert load(saved) == load(tmp_path / "other.parquet") == load(build(corpus, "whole.parquet"))


def test_a_batch_is_added_once(run, build, halves, tmp_path):
    saved = build(halves[0], "saved.parquet", "--batch", "monday")
    assert run("stats", "add", saved, halves[1], "--lines", "--batch", "tuesday").code == 0
    once = saved.read_bytes()
    assert load(saved).batches == ("monday", "tuesday")
    for batch in ("monday", "tuesday"):
        again = run("stats", "add", saved, halves[1], "--lines", "--batch", batch)
        assert again.code == 0
        assert repr(batch) in again.err
        assert saved.read_bytes() == once
    assert (
        run("stats", "add", saved, halves[1], "--lines", "--batch", "tuesday", "-o", tmp_path / "copy.parquet").code
        == 0
    )
    assert load(tmp_path / "copy.parquet") == load(saved)


def test_a_batch_is_added_whole_so_that_it_can_be_withdrawn_whole(run, done, build, tmp_path):
    for day, lines in {"mon": "thanks\nso it goes\n", "tue": "thanks\non and on\n"}.items():
        (tmp_path / f"{day}.txt").write_text(lines, encoding="utf-8")
    saved = build(tmp_path / "mon.txt", "saved.parquet", "--batch", "mon")
    before = load(saved)
    outcome = run("stats", "add", saved, tmp_path / "tue.txt", "--lines", "--batch", "tue")
    assert outcome.code == 0
    assert "already contains 1 document of" in outcome.err
    assert "counted again, as part of batch 'tue'" in outcome.err
    assert load(saved).documents == 4
    done("stats", "subtract", saved, build(tmp_path / "tue.txt", "tue.parquet", "--batch", "tue"), "-o", saved)
    assert load(saved) == before


def test_the_same_texts_are_not_added_twice(run, fault, build, halves, tmp_path):
    saved = build(halves[0], "saved.parquet")
    once = saved.read_bytes()
    line = fault("stats", "add", saved, halves[0], "--lines")
    assert f"saved.parquet already contains the texts of {halves[0]}: 17 documents; nothing was added" in line
    assert "--again" in line
    assert saved.read_bytes() == once
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    moved = folder / "other name.txt"
    lines = halves[0].read_text(encoding="utf-8").splitlines()
    moved.write_text("".join(f"{line}\n" for line in reversed(lines)), encoding="utf-8")
    assert "already contains the texts" in fault("stats", "add", saved, moved, "--lines", "--batch", "new")
    assert run("stats", "add", saved, halves[0], "--lines", "--again") == (0, b"", "")
    assert load(saved).documents == 34


def test_texts_that_were_added_in_parts_are_not_added_again(run, fault, build, corpus, halves):
    saved = build(halves[0], "saved.parquet", "--batch", "monday")
    assert run("stats", "add", saved, halves[1], "--lines", "--batch", "tuesday").code == 0
    assert "41 documents" in fault("stats", "add", saved, corpus, "--lines")
    assert "17 documents; nothing" in fault("stats", "add", saved, halves[0], "--lines")


def test_texts_that_were_subtracted_can_be_added_again(run, build, corpus, halves):
    saved, second = build(corpus, "saved.parquet"), build(halves[1], "second.parquet")
    whole = load(saved)
    assert run("stats", "subtract", saved, second).code == 0
    assert run("stats", "add", saved, halves[1], "--lines", "--quiet") == (0, b"", "")
    assert load(saved) == whole


def test_a_withdrawn_batch_can_come_back(run, done, build, halves):
    saved = build(halves[0], "saved.parquet", "--batch", "monday")
    done("stats", "add", saved, halves[1], "--lines", "--batch", "tuesday")
    whole = load(saved)
    assert run("stats", "subtract", saved, build(halves[0], "gone.parquet", "--batch", "monday")).err == ""
    assert load(saved).batches == ("tuesday",)
    assert run("stats", "add", saved, halves[0], "--lines", "--batch", "monday") == (0, b"", "")
    assert load(saved) == whole


def test_a_batch_that_loses_a_document_stays_on_record(run, done, build, halves, tmp_path):
    saved = build(halves[0], "saved.parquet", "--batch", "monday")
    done("stats", "add", saved, halves[1], "--lines", "--batch", "tuesday")
    one = tmp_path / "one.txt"
    one.write_text(halves[0].read_text(encoding="utf-8").splitlines(keepends=True)[0], encoding="utf-8")
    outcome = run("stats", "subtract", saved, build(one, "one.parquet"))
    assert outcome.code == 0
    assert "the batches on record stay: 'monday', 'tuesday'" in outcome.err
    assert "--batch NAME" in outcome.err
    assert load(saved).batches == ("monday", "tuesday")


@pytest.mark.parametrize("command", ["merge", "subtract"])
def test_other_options_of_counting_are_named(fault, build, halves, tmp_path, command):
    first, second = build(halves[0], "a.parquet"), build(halves[1], "b.parquet", "--stop-words", "english")
    line = fault("stats", command, first, second, "-o", tmp_path / "c.parquet")
    assert "a.parquet was counted with no --stop-words" in line
    assert "b.parquet with --stop-words english" in line
    assert "CountingOptions" not in line


def test_texts_are_added_to_statistics_that_do_not_know_theirs(run, build, halves, tmp_path, texts):
    tb.TermStatistics.from_texts(texts[:17], "patterns").save(tmp_path / "saved.parquet")
    assert (
        run("stats", "add", tmp_path / "saved.parquet", halves[0], "--lines").code == 0
    )  # as files from before digests existed
    assert load(tmp_path / "saved.parquet").documents == 34


def test_a_batch_is_merged_once(fault, build, halves, tmp_path):
    parts = [build(half, f"{i}.parquet", "--batch", "same") for i, half in enumerate(halves)]
    assert "'same'" in fault("stats", "merge", *parts, "-o", tmp_path / "merged.parquet")
    assert not (tmp_path / "merged.parquet").exists()


@pytest.mark.parametrize(
    "options",
    [["--ngrams", "1,2", "--no-lowercase"], ["--stop-words", "english"], ["--pretokenized", "--detail", "patterns"]],
)
def test_add_counts_with_the_options_of_the_saved_statistics(done, build, corpus, halves, options):
    saved = build(halves[0], "saved.parquet", *options)
    done("stats", "add", saved, halves[1], "--lines")
    assert load(saved) == load(build(corpus, "whole.parquet", *options))


def test_add_reads_lists_of_tokens_if_the_statistics_are_pretokenized(done, build, tmp_path):
    path = tmp_path / "tokens.jsonl"
    path.write_text('{"text": ["New York", "New York"]}\n{"text": ["a"]}\n', encoding="utf-8")
    saved = build(path, "saved.parquet", "--pretokenized")
    done("stats", "add", saved, path, "--again")
    assert load(saved).terms.tolist() == ["New York", "a"]
    assert load(saved).collection_frequency.tolist() == [4, 2]


def test_add_refuses_other_counting_options(fault, done, build, halves):
    saved = build(halves[0], "saved.parquet", "--ngrams", "1,2")
    before = saved.read_bytes()
    assert "saved.parquet" in fault("stats", "add", saved, halves[1], "--lines", "--ngrams", "2")
    assert "saved.parquet" in fault("stats", "add", saved, halves[1], "--lines", "--stop-words", "english")
    assert saved.read_bytes() == before
    done("stats", "add", saved, halves[1], "--lines", "--ngrams", "1,2")


def test_merge_refuses_other_counting_options_and_detail(fault, build, halves, tmp_path):
    plain = build(halves[0], "plain.parquet")
    for options in (["--ngrams", "2"], ["--detail", "moments"]):
        other = build(halves[1], "other.parquet", *options)
        fault("stats", "merge", plain, other, "-o", tmp_path / "merged.parquet")
        assert not (tmp_path / "merged.parquet").exists()


@pytest.mark.parametrize("detail", ["moments", "patterns"])
def test_subtract_leaves_the_rest(done, build, corpus, halves, tmp_path, detail):
    whole = build(corpus, "whole.parquet", "--detail", detail)
    first, second = (build(half, f"{i}.parquet", "--detail", detail) for i, half in enumerate(halves))
    done("stats", "subtract", whole, first, "-o", tmp_path / "rest.parquet")
    assert load(tmp_path / "rest.parquet") == load(second)
    done("stats", "subtract", whole, second)
    assert load(whole) == load(first)


def test_terms_that_no_longer_occur_are_removed(done, build, tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("aa bb\n", encoding="utf-8")
    new.write_text("bb cc cc\n", encoding="utf-8")
    saved, gone = build(old, "saved.parquet"), build(old, "gone.parquet")
    done("stats", "add", saved, new, "--lines")
    done("stats", "subtract", saved, gone)
    assert load(saved).terms.tolist() == ["bb", "cc"]


def test_subtract_refuses_what_is_not_contained(fault, build, halves, tmp_path):
    first, second = (build(half, f"{i}.parquet") for i, half in enumerate(halves))
    before, files = first.read_bytes(), sorted(tmp_path.iterdir())
    fault("stats", "subtract", first, second)
    fault("stats", "subtract", first, second, "-o", tmp_path / "rest.parquet")
    assert first.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == files


def test_show(done, build, corpus):
    saved = build(corpus, "saved.parquet", "--batch", "monday", "--stop-words", "english")
    facts = json.loads(done("stats", "show", saved, "--json").raw)
    s = load(saved)
    numbers = {"documents": 41, "tokens": s.tokens, "terms": s.vocabulary_size, "mean_length": s.mean_length}
    assert {name: facts[name] for name in numbers} == numbers
    assert facts["longest"] == s.lengths.max()
    assert facts["empty_documents"] == s.length_documents[0] >= 1
    assert (facts["detail"], facts["batches"]) == ("patterns", ["monday"])
    assert tb.CountingOptions.from_json(facts["counting"]) == tb.CountingOptions(stop_words="english")
    shown = done("stats", "show", saved).out
    assert [line[:17].strip().replace(" ", "_") for line in shown.splitlines()] == list(facts)
    for value in (f"{s.tokens:,}", "patterns", "monday", "english"):
        assert value in shown


def test_show_statistics_of_unknown_counting(done, tmp_path, texts, counted):
    counted(texts).save(tmp_path / "saved.parquet")
    assert json.loads(done("stats", "show", tmp_path / "saved.parquet", "--json").raw)["counting"] is None
    assert "–" in done("stats", "show", tmp_path / "saved.parquet").out


def test_another_format_version(fault, build, corpus, halves):
    saved = build(corpus, "saved.parquet")
    header = json.loads(pl.read_parquet_metadata(saved)["termburst"])
    frame = pl.read_parquet(saved)
    frame.write_parquet(saved, metadata={"termburst": json.dumps(header | {"version": 99})})
    seal(saved)
    before = saved.read_bytes()
    for command in (["stats", "show", saved], ["terms", saved], ["stats", "add", saved, halves[0], "--lines"]):
        line = fault(*command)
        assert "saved.parquet" in line
        assert "99" in line
    assert saved.read_bytes() == before


@pytest.mark.parametrize("change", [{"lengths": [1]}, {"detail": "all"}, {"counting": {"no": 1}}, {"batches": None}])
def test_a_header_that_contradicts_the_rows(fault, build, corpus, change):
    saved = build(corpus, "saved.parquet")
    header = json.loads(pl.read_parquet_metadata(saved)["termburst"])
    pl.read_parquet(saved).write_parquet(saved, metadata={"termburst": json.dumps(header | change)})
    seal(saved)
    assert "saved.parquet" in fault("stats", "show", saved)


def test_files_that_are_not_statistics(fault, build, corpus, tmp_path, table):
    table.write_parquet(tmp_path / "ordinary.parquet")
    assert "ordinary.parquet" in fault("stats", "show", tmp_path / "ordinary.parquet")
    assert "missing.parquet" in fault("stats", "show", tmp_path / "missing.parquet")
    assert "corpus.txt" in fault("stats", "show", corpus)
    content = build(corpus, "saved.parquet").read_bytes()
    damaged = tmp_path / "damaged.parquet"
    for cut in (0, 3, 100, len(content) - 9):
        damaged.write_bytes(content[:cut])
        assert "damaged.parquet" in fault("stats", "show", damaged)
        assert "damaged.parquet" in fault("stats", "merge", damaged, damaged, "-o", tmp_path / "merged.parquet")
        assert "damaged.parquet" in fault("terms", damaged)
    assert not (tmp_path / "merged.parquet").exists()


def test_a_file_of_the_corpus_is_not_written_over(run, fault, tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_text("so it goes", encoding="utf-8")
    saved = folder / "saved.parquet"
    assert run("stats", "build", folder / "a.txt", "-o", saved).code == 0
    before = saved.read_bytes()
    for command in (
        ("build", folder, "-o", saved),
        ("add", saved, folder),
        ("add", saved, tmp_path / "*" / "*.parquet"),
    ):
        assert "is part of the input" in fault("stats", *command)
    assert saved.read_bytes() == before


def test_a_folder_that_has_grown_is_counted_once(run, fault, done, tmp_path):
    folder, saved = tmp_path / "posts", tmp_path / "saved.parquet"
    folder.mkdir()
    for k in range(5):
        (folder / f"{k}.txt").write_text("the same post" if k < 2 else f"so it goes on {k}", encoding="utf-8")
    done("stats", "build", folder, "-o", saved)
    for name in ("5.txt", "0a.txt"):
        (folder / name).write_text(f"a new one, {name}", encoding="utf-8")
    (folder / "6.txt").write_text("the same post", encoding="utf-8")  # a third time, which is new
    before = saved.read_bytes()
    added = run("stats", "add", saved, folder, "--quiet", "-o", tmp_path / "other.parquet")
    assert added.code == 0
    said = f"{saved} already contains 5 documents of {folder}; only the others are added (--again adds all)\n"
    assert added.err == said
    done("stats", "build", folder, "-o", tmp_path / "whole.parquet")
    assert load(tmp_path / "other.parquet") == load(tmp_path / "whole.parquet")
    assert saved.read_bytes() == before
    assert run("stats", "add", saved, folder, "--quiet").code == 0
    assert "8 documents; nothing was added" in fault("stats", "add", saved, folder)
    assert run("stats", "add", saved, folder, "--again", "--quiet").err == ""
    assert load(saved).documents == 16
    assert load(saved).texts.size == 16


def test_corpora_whose_texts_are_not_known_are_added_to_and_this_is_said(run, build, halves, monkeypatch):
    monkeypatch.setattr("termburst.statistics.building.MOST_HASHES", 5)
    saved = build(halves[0], "saved.parquet")
    assert json.loads(pl.read_parquet_metadata(saved)["termburst"])["texts"] == ""
    outcome = run("stats", "add", saved, halves[1], "--lines", "--quiet")
    assert outcome.code == 0
    assert "does not know the texts of 17 documents, so it cannot be said whether" in outcome.err
    assert load(saved).documents == 41


def test_texts_that_were_merged_or_subtracted_are_known(run, done, build, fault, halves, corpus, tmp_path):
    parts = [build(half, f"{k}.parquet") for k, half in enumerate(halves)]
    done("stats", "merge", *parts, "-o", tmp_path / "both.parquet")
    few = tmp_path / "few.txt"
    few.write_text("".join(corpus.read_text(encoding="utf-8").splitlines(keepends=True)[15:19]), encoding="utf-8")
    assert "4 documents; nothing was added" in fault("stats", "add", tmp_path / "both.parquet", few, "--lines")
    done("stats", "subtract", tmp_path / "both.parquet", build(few, "few.parquet"))
    assert run("stats", "add", tmp_path / "both.parquet", corpus, "--lines", "--quiet").code == 0
    assert load(tmp_path / "both.parquet") == load(build(corpus, "whole.parquet"))


def test_show_says_what_a_word_is(run, build, halves):
    saved = build(halves[0], "saved.parquet", "--stop-words", "english")
    shown = run("stats", "show", saved).out
    assert "as Unicode sees them, in lower case, without stop words (english)" in shown
    assert "\\w" not in shown
    counting = json.loads(run("stats", "show", saved, "--json").raw)["counting"]
    assert (counting["words"], counting["token_pattern"]) == ("unicode", None)


def test_what_is_shown_has_no_brackets_and_few_digits(done, build, corpus):
    saved = build(corpus, "whole.parquet", "--batch", "monday")
    shown = dict(
        line.split(maxsplit=1) for line in done("stats", "show", saved).out.replace("mean ", "mean_").splitlines()
    )
    statistics = load(saved)
    assert shown["mean_length"] == f"{statistics.mean_length:,.1f}"
    assert shown["batches"] == "'monday'"
    assert shown["known"] == f"texts      {statistics.documents}"


@pytest.mark.parametrize("detail", ["moments", "patterns"])
def test_a_limit_of_memory_changes_nothing(build, corpus, tmp_path, monkeypatch, detail):
    from termburst.statistics import building

    options = ("--detail", detail, "--ngrams", "1,2", "--batch", "x")
    whole = build(corpus, "whole.parquet", *options)
    monkeypatch.setattr(building, "HOLDING", 0)  # so that every part is written to disk
    bounded = build(corpus, "bounded.parquet", *options, "--memory", "4GB")
    assert pl.read_parquet(bounded).equals(pl.read_parquet(whole))
    assert pl.read_parquet_metadata(bounded)["termburst"] == pl.read_parquet_metadata(whole)["termburst"]
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(("size", "problem"), [("1kB", "such as 500MB or 1GB; got '1kB'"), ("20MB", "is too small")])
def test_memory_that_is_not_enough_is_said(fault, corpus, tmp_path, size, problem):
    assert problem in fault("stats", "build", corpus, "--lines", "-o", tmp_path / "a.parquet", "--memory", size)
    assert not list(tmp_path.glob("*a.parquet*"))


def test_duplicates_and_a_limit_of_memory_exclude_each_other(fault, corpus, tmp_path):
    target = tmp_path / "a.parquet"
    line = fault("stats", "build", corpus, "--lines", "-o", target, "--memory", "4GB", "--drop-duplicates")
    assert "--drop-duplicates needs all texts at once" in line
