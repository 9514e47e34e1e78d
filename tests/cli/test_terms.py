"""`terms` and `explain`: formats, options of counting, and options of the statistic."""

import io
import json
import os
import re

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import termburst as tb
from termburst.names import MAIN_COLUMNS
from termburst.questions.burst_columns import effects_of_term, in_words, main_columns, ratio_in_words

ALL = ("--top", "0", "--format", "json")


@pytest.fixture
def expected(texts, counted) -> pl.DataFrame:
    return tb.term_table(counted(texts, "patterns"))


def test_the_table_on_a_terminal(done, corpus, expected):
    words, first, header, *lines = done("terms", corpus, "--lines").out.splitlines()
    assert re.fullmatch(
        r"41 documents, [\d,]+ tokens, 13 terms, mean length [\d.]+; words: as Unicode sees them, in lower case", first
    )
    assert words == f"{in_words(expected.row(0, named=True), 41)}."
    shown_columns = ["burst_ratio", "ci_low", "ci_high", "lower_bound", "reuse", "reuse_binomial", "plr"]
    assert header.split() == ["term", "n", "b", *shown_columns]
    assert [line.split()[0] for line in lines] == expected["term"].to_list()
    shown = [float(line.split()[-1].replace(",", "")) for line in lines]
    assert shown == pytest.approx(expected["plr"].to_list(), rel=2e-3)
    effects = [float(line.split()[6].replace(",", "")) for line in lines]
    assert effects == pytest.approx(expected["lower_bound"].to_list(), rel=2e-3)


@pytest.mark.parametrize(("sort", "column"), [("plr", "plr"), ("lower_bound", "lower_bound")])
def test_the_order_of_rows(done, corpus, sort, column):
    rows = done("terms", corpus, "--lines", *ALL, "--sort", sort).rows
    values = [round(row[column], 9) for row in rows.values()]
    assert values == sorted(values, reverse=True)
    by_p = done("terms", corpus, "--lines", *ALL, "--test", "--columns", "all", "--sort", "p").rows
    assert [row["log10_p"] for row in by_p.values()] == sorted(row["log10_p"] for row in by_p.values())


@pytest.mark.parametrize("format", ["csv", "json", "parquet", "table"])
def test_a_format_is_the_same_on_a_pipe_and_in_a_file(done, corpus, tmp_path, expected, format):
    by_ending, by_name = tmp_path / f"out.{format.replace('table', 'txt')}", tmp_path / "out"
    piped = done("terms", corpus, "--lines", "--format", format)
    assert done("terms", corpus, "--lines", "-o", by_ending).raw == b""
    assert done("terms", corpus, "--lines", "-o", by_name, "-f", format).raw == b""
    assert by_ending.read_bytes() == by_name.read_bytes() == piped.raw
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["corpus.txt", "out", by_ending.name])
    if format == "csv":
        assert_frame_equal(pl.read_csv(piped.raw), expected, check_exact=True)
    elif format == "json":
        assert json.loads(piped.raw) == expected.to_dicts()
    elif format == "parquet":
        assert_frame_equal(pl.read_parquet(io.BytesIO(piped.raw)), expected, check_exact=True)


def test_the_option_format_goes_before_the_ending(done, corpus, tmp_path):
    done("terms", corpus, "--lines", "-o", tmp_path / "out.csv", "--format", "json")
    assert json.loads((tmp_path / "out.csv").read_text(encoding="utf-8"))


def test_top_and_min_count(done, corpus, expected):
    def shown(*options: object) -> list[str]:
        return [row["term"] for row in json.loads(done("terms", corpus, "--lines", "-f", "json", *options).raw)]

    assert shown("--top", 3) == shown("-n", 3) == expected["term"].to_list()[:3]
    assert shown("--top", 0) == expected["term"].to_list()
    least = int(expected["n"].sort()[4])
    assert shown("--min-count", least) == expected.filter(pl.col("n") >= least)["term"].to_list()
    assert shown("--min-count", 10**9) == []


def test_a_table_shows_thirty_terms_and_a_file_has_all(done, tmp_path):
    path = tmp_path / "many.txt"
    path.write_text(" ".join(f"word{i}" for i in range(50)) + "\nword1\n", encoding="utf-8")
    assert done("terms", path, "--lines").out.count("\nword") == 30  # below the first in words
    assert len(done("terms", path, "--lines", "-f", "json").rows) == 50  # a file has all terms
    assert len(done("terms", path, "--lines", "-f", "json", "--top", 7).rows) == 7


def test_texts_that_are_tokens_already(done, corpus, texts, counted, agree):
    options = {"tokenizer": str.split, "token_pattern": None, "lowercase": False}
    agree(done("terms", corpus, "--lines", *ALL, "--pretokenized").rows, counted(texts, **options))


def test_stop_words_from_a_file(done, corpus, tmp_path, texts, counted, agree):
    path = tmp_path / "stop.lst"
    path.write_text("the\nof\n\nnaïve\n", encoding="utf-8")
    agree(
        done("terms", corpus, "--lines", *ALL, "--stop-words", path).rows,
        counted(texts, stop_words=["the", "of", "naïve"]),
    )


def test_lists_of_tokens(done, fault, tmp_path):
    path = tmp_path / "tokens.jsonl"
    path.write_text('{"text": ["New York", "a", "New York"]}\n{"text": ["a"]}\n', encoding="utf-8")
    rows = done("terms", path, "--pretokenized", *ALL).rows
    assert {term: (row["n"], row["b"]) for term, row in rows.items()} == {"New York": (2, 1), "a": (2, 2)}
    assert "tokens.jsonl" in fault("terms", path)


def test_control_characters_and_markup_in_terms_are_escaped(done, tmp_path):
    path = tmp_path / "hostile.txt"
    path.write_text("[bold]x[/bold] [bold]x[/bold] y\n\x1b[31mred \x07bell y\n[/] :smile: [link=x]\n", encoding="utf-8")
    out = done("terms", path, "--lines", "--pretokenized").out
    for shown in ("[bold]x[/bold]", r"\x1b[31mred", r"\x07bell", "[/]", ":smile:", "[link=x]"):
        assert shown in out
    assert all(character.isprintable() or character == "\n" for character in out)


def test_a_long_term_is_cut_only_in_the_table(done, tmp_path):
    path = tmp_path / "long.txt"
    path.write_text(f"{'a' * 500} bb\nbb\n", encoding="utf-8")
    assert "a" * 39 + "…" in done("terms", path, "--lines").out
    assert "a" * 500 in done("terms", path, "--lines", *ALL).rows


@pytest.mark.parametrize("form", ["printed", "corrected", "exact"])
def test_explain(done, corpus, texts, counted, form):
    out = done("explain", corpus, "--lines", "whale", "--form", form, "--mu", 30, "--sigma2", 0.5).out
    words, ratio, rest = out.split("\n", 2)
    row = effects_of_term(counted(texts, "patterns"), "whale")
    assert (words, ratio) == (f"{in_words(row, 41)}.", ratio_in_words(row)[0])
    assert rest == f"{tb.explain(counted(texts), 'whale', form=form, mu=30, sigma2=0.5)}\n"
    values = [float(number.replace(",", "")) for number in re.findall(r"^  \w+ +(-?[\d,]+\.\d{4})", out, re.MULTILINE)]
    *parts, whole = values
    assert len(parts) >= 8
    assert sum(parts) == pytest.approx(whole, abs=1e-3)


def test_explain_saved_statistics(done, corpus, tmp_path):
    done("stats", "build", corpus, "--lines", "-o", tmp_path / "saved.parquet")
    saved = done("explain", tmp_path / "saved.parquet", "ship")
    assert saved.raw == done("explain", corpus, "--lines", "ship").raw


def test_explain_suggests_similar_terms(fault, corpus):
    line = fault("explain", corpus, "--lines", "harpon")
    assert "'harpon'" in line
    assert "'harpoon'" in line


def test_which_estimates_are_shown(done, corpus, texts, counted, tmp_path):
    exact = tb.fit_beta_binomial(counted(texts, "patterns"))
    rows = done("terms", corpus, "--lines", *ALL, "--fit", "exact").rows
    for term, status, alpha in zip(counted(texts).terms, exact.status, exact.alpha, strict=True):
        assert rows[term]["status"] == status
        if np.isfinite(alpha):
            assert rows[term]["alpha"] == pytest.approx(alpha)
    assert {row["status"] for row in done("terms", corpus, "--lines", *ALL).rows.values()} <= {"valid", "invalid"}
    assert "alpha" not in next(iter(done("terms", corpus, "--lines", *ALL, "--fit", "none").rows.values()))
    assert "exact: α_i = " in done("explain", corpus, "--lines", "the", "--fit", "exact").out
    assert "α̂_i" in done("explain", corpus, "--lines", "the").out
    assert "α" not in done("explain", corpus, "--lines", "the", "--fit", "none").out


def test_exact_estimates_need_statistics_with_patterns(fault, done, corpus, tmp_path):
    saved = tmp_path / "s.parquet"
    done("stats", "build", corpus, "--lines", "-o", saved, "--detail", "moments")
    for options in (("--fit", "exact"), ("--test",)):
        line = fault("terms", saved, *options)
        assert "s.parquet was built with --detail moments, but this question needs --detail patterns" in line
    shown = done("terms", saved)
    assert "sorted by λ (plr): lower_bound needs statistics with --detail patterns, not moments" in shown.out
    assert "burst_ratio" not in shown.out
    assert "times likelier" not in done("explain", saved, "ship").out
    done("stats", "build", corpus, "--lines", "-o", saved)
    assert done("terms", saved, "--fit", "exact").out


def test_terms_with_p_values(done, tmp_path):
    path = tmp_path / "posts.txt"
    path.write_text("ha ha ha ha ha ha\n" + "nothing to say here today\n" * 30, encoding="utf-8")
    term, first = next(iter(done("terms", path, "--lines", "--test", "--columns", "all", *ALL).rows.items()))
    assert term == "ha"
    assert first["p_value"] < 1e-6
    assert first["p_method"] == "exact"
    assert {"p_plr", "p_lr", "p_score", "q_value", "dp", "juilland_d"} <= set(first)
    by_ratio = done("terms", path, "--lines", "--test", "--statistic", "lr", "--adjust", "holm", *ALL).rows
    assert by_ratio["ha"]["p_value"] == first["p_lr"]
    assert {*by_ratio["ha"]} == {*first} & {*by_ratio["ha"]} == {*MAIN_COLUMNS, "lr"} - {"plr"}


@pytest.mark.parametrize("statistic", ["plr", "lr", "score"])
def test_the_table_shows_what_was_tested(done, corpus, statistic):
    header = done("terms", corpus, "--lines", "--test", "--statistic", statistic).out.splitlines()[2].split()
    assert header == main_columns(statistic)


def test_options_that_do_not_go_together(fault, corpus):
    for arguments, said in [
        (("--test", "--parts"), "--test has its own columns"),
        (("--test", "--fit", "exact"), "--test has its own columns"),
        (("--statistic", "lr"), "--statistic needs --test; add --test"),
        (("--adjust", "by"), "--adjust needs --test; add --test"),
        (("--columns", "all"), "--columns needs --test; add --test"),
        (("--sort", "p"), "--sort p needs --test; add --test"),
        (("--test", "--adjust", "bonferroni"), "'bonferroni' is not one of 'bh', 'by', 'holm', 'none'"),
    ]:
        assert said in fault("terms", corpus, "--lines", *arguments)


def test_a_min_count_that_no_term_reaches(done, corpus):
    for options in ((), ("--test",)):
        lines = done("terms", corpus, "--lines", "--min-count", 10**6, *options).out.splitlines()
        assert lines[1:] == ["no term occurs that often; lower --min-count"]


def test_a_note_says_how_many_rows_a_file_has(done, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("termburst.cli.output.note", (notes := []).append)
    done("terms", corpus, "--lines", "-o", tmp_path / "one.csv", "--top", 1)
    done("terms", corpus, "--lines", "-o", tmp_path / "all.csv")
    done("terms", corpus, "--lines", "-o", tmp_path / "none.csv", "--min-count", 10**6)
    said = [note.removeprefix(f"{tmp_path}{os.sep}") for note in notes]
    assert said == ["one.csv: 1 row", "all.csv: 13 rows", "none.csv: 0 rows", notes[-1]]
    assert notes[-1].startswith("no term occurs that often")


def test_words_as_unicode_sees_them(done, tmp_path):
    path = tmp_path / "posts.csv"
    path.write_text("text\nमानव अधिकार a I don't\nमानव l'homme\n", encoding="utf-8")
    assert set(done("terms", path, *ALL).rows) == {"मानव", "अधिकार", "a", "i", "don't", "l'homme"}
    assert "नव" in done("terms", path, *ALL, "--words", "sklearn").rows
    assert "homme" in done("terms", path, *ALL, "--language", "french").rows
    assert {"don", "t"} <= set(done("terms", path, *ALL, "--apostrophes", "split").rows)


def test_stop_words_of_a_language(done, fault, tmp_path):
    path = tmp_path / "posts.csv"
    path.write_text("text\nDer Drache und die Prinzessin im Schloss\nDas Schloss und der Berg\n", encoding="utf-8")
    for name in ("german", "de", "deu"):
        found = done("terms", path, *ALL, "--stop-words", name).rows
        assert set(found) == {"drache", "prinzessin", "schloss", "berg"}
    assert "The language 'germn' is not known. Did you mean German (de)" in fault(
        "terms", path, "--stop-words", "germn"
    )
    assert "there is no file 'words.txt'" in fault("terms", path, "--stop-words", "words.txt")


def test_a_token_pattern_is_instead_of_words(fault, tmp_path, corpus):
    line = fault("terms", corpus, "--lines", "--token-pattern", r"\w+", "--words", "unicode")
    assert "--token-pattern is an option of --words sklearn" in line


def test_a_list_by_the_alphabet_still_names_the_burstiest_word(run, corpus):
    by_effect, by_term = (run("terms", corpus, "--lines", "--sort", sort) for sort in ("lower_bound", "term"))
    assert by_term.code == 0, by_term.err
    assert by_effect.out.splitlines()[0] == by_term.out.splitlines()[0]
    assert by_effect.out != by_term.out
