"""The output of the benchmarks, not their measurements."""

import ast
import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

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
