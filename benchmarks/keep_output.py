"""Run a benchmark and keep what it prints, so that figures in the docs can be checked against it.

    python benchmarks/keep_output.py triggers planted --repeats 40

runs ``benchmarks/triggers.py planted --repeats 40``, shows its lines as they come, and writes them to
``benchmarks/output/triggers-planted.txt`` below the command. Each part of a benchmark has a file of its own, which
replaces that of an earlier run, but only if the benchmark succeeds. ``tests/test_figures.py`` reads these files.

    python benchmarks/keep_output.py --as spark engines growth table --engines spark

writes to ``engines-growth-table-spark.txt``, so that the same part with other options has its own file.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

OUTPUT = Path(__file__).with_name("output")


def kept_in(benchmark: str, arguments: list[str]) -> Path:
    """The file for the lines of a benchmark: named after it and its first words that are no options but `--parts`.

    >>> kept_in("triggers", ["planted", "--repeats", "40"]).name
    'triggers-planted.txt'
    >>> kept_in("designs", ["--parts", "coverage", "--seed", "7"]).name
    'designs-coverage.txt'
    >>> kept_in("truth", ["--parts", "windows-held"]).name
    'truth-windows-held.txt'
    """
    words = []
    for argument in arguments[arguments[:1] == ["--parts"] :]:
        if argument.startswith("-") or not argument.replace("_", "").replace("-", "").isalpha():
            break
        words.append(argument)
    return OUTPUT / f"{'-'.join([benchmark, *words])}.txt"


def main() -> None:
    """Run the benchmark that the command line names."""
    given, suffix = sys.argv[1:], ""
    if given[:1] == ["--as"] and len(given) > 1:
        suffix, given = f"-{given[1]}", given[2:]
    if not given or not Path(__file__).with_name(f"{given[0]}.py").exists():
        sys.exit("give the name of a benchmark, such as fit_speed, and its arguments")
    benchmark, *arguments = given
    script = Path(__file__).with_name(f"{benchmark}.py")
    lines = [f"$ python benchmarks/{' '.join([script.name, *arguments])}\n"]
    run = subprocess.Popen(
        [sys.executable, "-u", str(script), *arguments], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert run.stdout is not None
    for line in run.stdout:
        print(line, end="", flush=True)
        lines.append(f"{line.rstrip()}\n")
    if run.wait():
        sys.exit(f"{script.name} failed; nothing was kept")
    OUTPUT.mkdir(exist_ok=True)
    target = kept_in(benchmark, arguments)
    target.with_stem(f"{target.stem}{suffix}").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
