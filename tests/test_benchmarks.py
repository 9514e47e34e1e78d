"""The benchmarks: their parts, the table of peers, the yardstick for tests of others, and its oracle."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize
from scipy.sparse import csr_array

ROOT = Path(__file__).parents[1]
PROGRAMS = ("peers", "truth", "quality", "speed", "scale", "reproduce", "hostile", "newcomer")

MEAN_TEST = """
import sys
import numpy as np
from scipy.io import mmread
from scipy.stats import ttest_ind

a, b = (np.asarray(mmread(path).todense(), dtype=float) for path in sys.argv[1:3])
shares = [x / x.sum(axis=1, keepdims=True) for x in (a, b)]
np.savetxt(sys.argv[3], ttest_ind(*shares, axis=0, equal_var=False).pvalue)
"""
R_TEST = """
read <- function(path) {
  x <- read.table(path, comment.char = "%")
  m <- matrix(0, x[1, 1], x[1, 2])
  m[cbind(x[-1, 1], x[-1, 2])] <- x[-1, 3]
  m / rowSums(m)
}
paths <- commandArgs(trailingOnly = TRUE)
a <- read(paths[1]); b <- read(paths[2])
p <- sapply(seq_len(ncol(a)), function(k) tryCatch(t.test(a[, k], b[, k])$p.value, error = function(e) NA))
write(p, paths[3], ncolumns = 1)
"""


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a module of the benchmarks by its name."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module


def side(tests: ModuleType, counts: Any, cluster: Any = None) -> Any:
    """A side of `truth.py` from all counts of its documents; the last word is the rest."""
    counts = np.asarray(counts)
    return tests.Side(csr_array(counts[:, :-1]), counts.sum(axis=1), cluster)


def bursty(rng: np.random.Generator, documents: int, words: int = 200) -> np.ndarray:
    """Beta-binomial counts in documents of 500 tokens, and the rest."""
    share = rng.beta(0.2, 80, (documents, words))
    counts = rng.binomial(500, share / words * 60)
    return np.column_stack([counts, 500 - counts.sum(axis=1)])


@pytest.mark.parametrize("script", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda path: path.stem)
def test_every_name_that_a_benchmark_imports_exists(script: Path) -> None:
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("termburst"):
            module = importlib.import_module(str(node.module))
            for name in node.names:
                assert hasattr(module, name.name) or importlib.util.find_spec(f"{node.module}.{name.name}")


def test_every_program_lists_its_parts(benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert {path.stem for path in (ROOT / "benchmarks").glob("[a-z]*.py")} == set(PROGRAMS)
    for name in PROGRAMS:
        program = benchmark(name).program
        assert program.main(["--list"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == len(program.parts) >= 1
        assert all(re.search(r"\d (s|min)$", part.takes) and part.what.endswith(".") for part in program.parts.values())


def test_kept_outputs_are_of_parts_that_exist(benchmark: Any) -> None:
    for path in (ROOT / "benchmarks" / "output").glob("*.txt"):
        name, _, part = path.stem.partition("-")
        assert not part or part in benchmark(name).program.parts, path.name


def test_a_part_is_kept_unless_it_fails(benchmark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = benchmark("_program")
    monkeypatch.setattr(module, "OUTPUT", tmp_path)
    program = module.Program("Doc.", "some.py")
    program.option("--size", type=int)

    @program.part("1 s")
    def good_one(asked: Any) -> None:
        """Prints a table."""
        module.Table("title", "", "n").row("row", asked.size)

    @program.part("1 s")
    def bad(asked: Any) -> bool:
        """Fails."""
        return False

    assert program.main(["--parts", "good-one", "bad", "--size", "1234", "--keep"]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["some-good-one.txt"]
    lines = (tmp_path / "some-good-one.txt").read_text().splitlines()
    assert lines[:2] == ["$ python benchmarks/some.py --parts good-one --size 1234", "title"]
    assert lines[-1].split() == ["row", "1,234"]
    with pytest.raises(SystemExit):
        program.main(["--parts", "none"])


def test_writing_replaces_only_the_text_between_the_markers(benchmark: Any, tmp_path: Path) -> None:
    peers, path = benchmark("peers"), tmp_path / "README.md"
    path.write_text(f"before\n\n{peers.BEGIN}\nold\nrows\n{peers.END}\n\nafter\n", encoding="utf-8")
    for text in ("| 13× |", "| α |\n| β |"):
        peers.write_between(path, text)
        assert path.read_text(encoding="utf-8") == f"before\n\n{peers.BEGIN}\n{text}\n{peers.END}\n\nafter\n"
    for text in ("", peers.BEGIN, f"{peers.END}{peers.BEGIN}", f"{peers.BEGIN * 2}{peers.END}"):
        path.write_text(text)
        with pytest.raises(ValueError, match="once each"):
            peers.write_between(path, "| |")
        assert path.read_text() == text
    for page in (peers.README, peers.PAGE):
        peers.around(page)


def test_times_say_who_is_faster_and_by_how_much(benchmark: Any) -> None:
    peers = benchmark("peers")
    rows = [peers.timed("a", "b", *pair) for pair in ((26.0, 2.0), (1.0, 2.5), (65_432.0, 1.0))]
    assert [row.verdict for row in rows] == ["13 times as fast", "takes 2.5 times as long", "65,400 times as fast"]
    assert peers.markdown(rows).splitlines()[2] == "| a | b | 26 s | 2.0 s | 13 times as fast |"


def test_g2_fails_and_a_permutation_test_holds(benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    truth, tests = benchmark("truth"), benchmark("_tests")
    pairs = []
    for seed in range(6):
        counts = bursty(np.random.default_rng(seed), 60)
        pairs.append((side(tests, counts[:30]), side(tests, counts[30:])))
    chosen = {name: tests.TESTS[name] for name in ("g2", "log-odds", "permutation", "beta-binomial")}
    holds = truth.sizes("Halves", pairs, chosen)
    assert holds == {"g2": False, "log-odds": False, "permutation": True, "beta-binomial": True}
    rows = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert "!" in rows["g2"]
    assert rows["permutation"].endswith("yes")


@pytest.mark.slow
def test_a_function_and_a_command_are_entered(benchmark: Any, tmp_path: Path) -> None:
    truth, tests = benchmark("truth"), benchmark("_tests")
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "def welch(A, B, clusters):\n"
        "    assert clusters == (None, None) and A.format == 'csr' and (A.sum(axis=1) == 500).all()\n"
        "    from scipy.stats import ttest_ind\n"
        "    shares = [X.toarray() / X.sum(axis=1)[:, None] for X in (A, B)]\n"
        "    found = ttest_ind(*shares, axis=0, equal_var=False)\n"
        "    limits = found.confidence_interval()\n"
        "    return found.pvalue, limits.low, limits.high\n"
        "def short(A, B):\n"
        "    return np.ones(3)\n"
    )
    (tmp_path / "other.py").write_text(MEAN_TEST)
    commands = [f"{sys.executable} {tmp_path}/other.py {{a}} {{b}} {{out}}"]
    if shutil.which("Rscript"):
        (tmp_path / "other.R").write_text(R_TEST)
        commands.append(f"r=Rscript {tmp_path}/other.R {{a}} {{b}} {{out}}")
    line = ["--test", f"{tmp_path}/mine.py:welch", *(x for c in commands for x in ("--command", c)), "--tests", "welch"]
    found = truth.asked_tests(truth.program.parser.parse_args(line))
    assert list(found) == ["welch", "other", "r"][: 1 + len(commands)]
    counts = bursty(np.random.default_rng(1), 40, words=30)
    a, b = side(tests, counts[:20]), side(tests, counts[20:])
    expected = tests.welch(a, b).p
    assert np.isfinite(expected).sum() > 10
    for name, test in found.items():
        known = np.isfinite(expected)
        np.testing.assert_allclose(test(a, b).p[known], expected[known], rtol=1e-5, err_msg=name)
    entered = tests.by_function(f"{tmp_path}/mine.py:welch")(a, b)
    assert entered.low is not None
    assert entered.low.size == 30  # without the rest
    with pytest.raises(SystemExit, match="31 columns; it gave 3"):
        tests.by_function(f"{tmp_path}/mine.py:short")(a, b)
    with pytest.raises(SystemExit, match="exit code 2"):
        tests.by_command(f"{sys.executable} {tmp_path}/none.py {{a}} {{out}}")(a, b)


@pytest.mark.slow
def test_a_test_of_burstiness_is_entered(benchmark: Any, tmp_path: Path) -> None:
    tests = benchmark("_tests")
    (tmp_path / "mine.py").write_text(
        "import sys, numpy as np\n"
        "from scipy.stats import chi2\n"
        "def index(X):\n"
        "    x, n = X.toarray(), X.sum(axis=1)\n"
        "    mean = np.outer(n, x.sum(axis=0) / n.sum())\n"
        "    return chi2.sf(((x - mean) ** 2 / mean).sum(axis=0), n.size - 1)\n"
        "if __name__ == '__main__':\n"
        "    from scipy.io import mmread\n"
        "    np.savetxt(sys.argv[2], index(mmread(sys.argv[1]).tocsr()))\n"
    )
    one = side(tests, bursty(np.random.default_rng(3), 30, words=20))
    expected = tests.dispersion_index(one)
    for place in (f"{tmp_path}/mine.py:index", f"{sys.executable} {tmp_path}/mine.py {{x}} {{out}}"):
        np.testing.assert_allclose(tests.burstiness_by(place)(one), expected)


def test_the_rivals_are_those_of_scipy(benchmark: Any) -> None:
    tests = benchmark("_tests")
    counts = bursty(np.random.default_rng(2), 50, words=40)
    a, b = side(tests, counts[:20]), side(tests, counts[20:])
    held = np.flatnonzero((a.n_i > 0) & (b.n_i > 0))
    shares = [one.X.toarray() / one.n_j[:, None] for one in (a, b)]
    np.testing.assert_allclose(
        tests.mann_whitney(a, b).p[held], stats.mannwhitneyu(*shares, method="asymptotic").pvalue[held]
    )
    np.testing.assert_allclose(tests.welch(a, b).p[held], stats.ttest_ind(*shares, equal_var=False).pvalue[held])
    for name, power in (("g2", "log-likelihood"), ("chi2", "pearson")):
        for i in held:
            table = [[a.n_i[i], b.n_i[i]], [a.n_j.sum() - a.n_i[i], b.n_j.sum() - b.n_i[i]]]
            expected = stats.chi2_contingency(table, correction=False, lambda_=power).pvalue
            assert tests.TESTS[name](a, b).p[i] == pytest.approx(expected)
    for name in ("log-odds", "text-dispersion", "quasi-likelihood", "robust", "bootstrap", "tied", "list", "formula"):
        p = tests.TESTS[name](a, b).p[held]
        swapped = tests.TESTS[name](b, a).p[held]
        assert ((p >= 0) & (p <= 1)).all(), name
        if name not in ("bootstrap", "list"):
            np.testing.assert_allclose(p, swapped, rtol=1e-3, atol=1e-3, err_msg=name)
    clustered = side(tests, counts[:20], np.arange(20) // 4), side(tests, counts[20:], 9 + np.arange(30) // 4)
    assert not np.allclose(tests.robust(*clustered).p[held], tests.robust(a, b).p[held])


def test_the_tied_test_has_one_precision_parameter(benchmark: Any) -> None:
    tests = benchmark("_tests")
    rng, length = np.random.default_rng(2), 200
    x, y = (rng.binomial(length, rng.beta(*ab, 40)) for ab in ((0.6, 30.0), (1.2, 35.0)))
    sides = [side(tests, np.column_stack([one, length - one])) for one in (x, y)]

    def loss(a: float, b: float, tau: float) -> float:
        p = 1 / (1 + np.exp(-np.array([a, b])))
        alpha_0 = np.exp(tau) / np.sqrt(p * (1 - p))
        pairs = zip((x, y), p, alpha_0, strict=True)
        return -float(sum(stats.betabinom.logpmf(one, length, m * n, (1 - m) * n).sum() for one, m, n in pairs))

    options = {"method": "Nelder-Mead", "options": {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 5_000}}
    one = minimize(lambda v: loss(v[0], v[0], v[1]), [-3.5, 1.0], **options)
    two = minimize(lambda v: loss(*v), [one.x[0], *one.x], **options)
    expected = stats.chi2.sf(2 * (one.fun - two.fun), 1)
    assert tests.tied(*sides).p == pytest.approx([expected], rel=1e-5)
    assert 1e-6 < expected < 0.5


def test_the_oracle_is_the_exact_distribution_of_the_difference(benchmark: Any) -> None:
    precisions, lengths, documents = (np.array([3.0, 20.0]), np.array([12.0, 20.0])), (4, 6), (2, 3)
    totals = np.array([3, 0]), np.array([2, 0])
    upper, lower = benchmark("_corpora").exact_tails(totals, precisions, lengths, documents)
    tokens = [8, 18]
    weight = [t / (1 + (n - 1) / (1 + a[0])) for t, n, a in zip(tokens, lengths, precisions, strict=True)]
    mean = (weight[0] * 3 / 8 + weight[1] * 2 / 18) / sum(weight)
    sums = []
    for a, n, d in zip(precisions, lengths, documents, strict=True):
        one, p = stats.betabinom(n, mean * a[0], (1 - mean) * a[0]).pmf(np.arange(n + 1)), np.ones(1)
        for _ in range(d):
            p = np.convolve(p, one)
        sums.append(p)
    difference = np.subtract.outer(np.arange(9) / 8, np.arange(19) / 18) - (3 / 8 - 2 / 18)
    above = (np.outer(*sums) * ((difference > 1e-9) + (np.abs(difference) < 1e-9) / 2)).sum()
    assert (upper[0], lower[0]) == pytest.approx((above, 1 - above), abs=1e-9)
    assert np.isnan(upper[1])  # the second word does not occur


def test_windows_are_circular_runs_of_tokens(benchmark: Any) -> None:
    texts = benchmark("_corpora").Collection.of("x", ["aa bb cc dd ee", "ff ff", "", "gg aa"])
    assert (texts.n_j.tolist(), texts.words) == ([5, 2, 2], 7)
    seen = set()
    for seed in range(40):
        found = texts.windows(np.array([0, 2]), np.array([2, 1]), np.random.default_rng(seed))
        assert (found.n_i.sum(), found.n_j.tolist()) == (3, [2, 1])
        seen.add(tuple(sorted("abcdefg"[i] for i in np.flatnonzero(found.n_i))))
    runs, others = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("a", "e")], ["a", "g"]
    assert seen == {tuple(sorted({*run, other})) for run in runs for other in others}


def test_words_whose_share_depends_on_document_length_are_found(benchmark: Any) -> None:
    Collection = benchmark("_corpora").Collection
    rng = np.random.default_rng(3)
    n_j = np.repeat([20, 200], 300)
    long = np.repeat(n_j == 200, n_j)
    token = np.where(rng.random(n_j.sum()) < np.where(long, 0.05, 0.1), 0, rng.integers(1, 40, n_j.sum()))
    related = Collection("x", token, n_j, 40, None, None).related_to_length()
    assert related[0]
    assert related[1:].sum() <= 2
