"""The output of the benchmarks, not their measurements."""

import ast
import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import betabinom, chi2

from termburst.models.cells import term_cells

ROOT = Path(__file__).parents[1]


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("_table")


def test_writing_replaces_only_the_text_between_the_markers(table: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(f"before\n\n{table.BEGIN}\nold\nrows\n{table.END}\n\nafter\n", encoding="utf-8")
    for text in ("| 13× |", "| α |\n| β |"):
        table.write_between(path, text)
        assert path.read_text(encoding="utf-8") == f"before\n\n{table.BEGIN}\n{text}\n{table.END}\n\nafter\n"


@pytest.mark.parametrize("text", ["", "{BEGIN}", "{END}{BEGIN}", "{BEGIN}{BEGIN}{END}", "{BEGIN}{END}{END}"])
def test_a_file_without_one_pair_of_markers_is_not_changed(table: ModuleType, tmp_path: Path, text: str) -> None:
    path = tmp_path / "README.md"
    path.write_text(text := text.format(BEGIN=table.BEGIN, END=table.END), encoding="utf-8")
    with pytest.raises(ValueError, match="once each"):
        table.write_between(path, "| |")
    assert path.read_text(encoding="utf-8") == text


def test_the_readme_has_the_markers(table: ModuleType, tmp_path: Path) -> None:
    copy = tmp_path / "README.md"
    copy.write_text((ROOT / "README.md").read_text(encoding="utf-8"), encoding="utf-8")
    table.write_between(copy, "| |")


def test_times_say_who_is_faster_and_by_how_much(table: ModuleType) -> None:
    rows = [table.timed("a", "b", *pair) for pair in ((26.0, 2.0), (1.0, 2.5), (65_432.0, 1.0))]
    assert [row.verdict for row in rows] == ["13 times as fast", "takes 2.5 times as long", "65,400 times as fast"]
    assert table.markdown(rows).splitlines()[2] == "| a | b | 26 s | 2.0 s | 13 times as fast |"


def test_unexpected_outcomes_of_random_damage_give_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    hostile = importlib.import_module("hostile")
    assert hostile.told({0: "right", 1: "one sentence"}, seed=7, seconds=1.0) == 0
    assert hostile.told({0: "right", 1: "crash", 2: "changed content"}, seed=7, seconds=1.0) == 1
    out = capsys.readouterr().out
    assert "case 1 (crafted): crash; see it with --seed 7 --only 1" in out
    assert "3 cases in 1 s, 2 unexpected" in out


@pytest.mark.parametrize("script", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda path: path.stem)
def test_every_name_that_a_benchmark_imports_exists(script: Path) -> None:
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("termburst"):
            module = importlib.import_module(str(node.module))
            for name in node.names:
                assert hasattr(module, name.name) or importlib.util.find_spec(f"{node.module}.{name.name}")


def test_the_oracle_of_truth_is_the_exact_distribution_of_the_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    grid = importlib.import_module("_truth_grid")
    precisions, lengths, documents = (np.array([3.0, 20.0]), np.array([12.0, 20.0])), (4, 6), (2, 3)
    totals = np.array([3, 0]), np.array([2, 0])
    upper, lower = grid.exact_tails(totals, precisions, lengths, documents)
    tokens = [8, 18]
    weight = [t / (1 + (n - 1) / (1 + a[0])) for t, n, a in zip(tokens, lengths, precisions, strict=True)]
    mean = (weight[0] * 3 / 8 + weight[1] * 2 / 18) / sum(weight)
    sums = []
    for a, n, d in zip(precisions, lengths, documents, strict=True):
        one, p = betabinom(n, mean * a[0], (1 - mean) * a[0]).pmf(np.arange(n + 1)), np.ones(1)
        for _ in range(d):
            p = np.convolve(p, one)
        sums.append(p)
    difference = np.subtract.outer(np.arange(9) / 8, np.arange(19) / 18) - (3 / 8 - 2 / 18)
    expected = np.outer(*sums) @ np.ones(19) @ np.ones(9)
    above = (np.outer(*sums) * ((difference > 1e-9) + (np.abs(difference) < 1e-9) / 2)).sum()
    assert expected == pytest.approx(1)
    assert (upper[0], lower[0]) == pytest.approx((above, 1 - above), abs=1e-9)
    assert np.isnan(upper[1])  # the second word does not occur


def test_windows_of_truth_are_circular_runs_of_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    texts = importlib.import_module("_truth_texts").Texts.of(["aa bb cc dd ee", "ff ff", "", "gg aa"])
    assert (texts.n_j.tolist(), texts.words) == ([5, 2, 2], 7)
    seen = set()
    for seed in range(40):
        cells = texts.cells(np.array([0, 2]), np.array([2, 1]), np.random.default_rng(seed))
        assert (cells.n_i.sum(), cells.tokens, cells.lengths.tolist()) == (3, 3, [1, 2])
        seen.add(tuple(sorted({"abcdefg"[i] for i in cells.term})))
    runs, others = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("a", "e")], ["a", "g"]
    assert seen == {tuple(sorted({*run, other})) for run in runs for other in others}


def test_truth_finds_words_whose_share_depends_on_document_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    Texts = importlib.import_module("_truth_texts").Texts
    rng = np.random.default_rng(3)
    n_j = np.repeat([20, 200], 300)
    long = np.repeat(n_j == 200, n_j)
    token = np.where(rng.random(n_j.sum()) < np.where(long, 0.05, 0.1), 0, rng.integers(1, 40, n_j.sum()))
    z = Texts(token, n_j, 40).with_length()
    assert z[0] < -5
    assert np.abs(z[1:]).max() < 4.5
    assert 0.7 < z[1:].std() < 1.3


def test_the_tied_test_of_truth_has_one_precision_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    rng, length = np.random.default_rng(2), 200
    x, y = (rng.binomial(length, rng.beta(*ab, 40)) for ab in ((0.6, 30.0), (1.2, 35.0)))
    sides = [term_cells(np.column_stack([one, length - one])) for one in (x, y)]

    def loss(a: float, b: float, tau: float) -> float:
        p = 1 / (1 + np.exp(-np.array([a, b])))
        alpha_0 = np.exp(tau) / np.sqrt(p * (1 - p))
        pairs = zip((x, y), p, alpha_0, strict=True)
        return -float(sum(betabinom.logpmf(one, length, m * n, (1 - m) * n).sum() for one, m, n in pairs))

    options = {"method": "Nelder-Mead", "options": {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 5_000}}
    one = minimize(lambda v: loss(v[0], v[0], v[1]), [-3.5, 1.0], **options)
    two = minimize(lambda v: loss(*v), [one.x[0], *one.x], **options)
    expected = chi2.sf(2 * (one.fun - two.fun), 1)
    found = importlib.import_module("_truth_power").tied_p(*sides)
    assert found == pytest.approx([expected, expected], rel=1e-5)
    assert 1e-6 < expected < 0.5
