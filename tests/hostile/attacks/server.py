"""A process that imports everything once, and runs each attack in a fork of itself, with limits.

One request per line on standard input, one answer per line on standard output, both JSON. An attack
that crashes only ends its fork. There are limits of processor time and of address space; a clock ends a run that hangs.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import sys
import time
import traceback
from contextlib import suppress
from typing import Any

CPU_SECONDS = 20
CLOCK_SECONDS = 600
FILE_BYTES = 2**30
# Polars is imported but not used: its threads start with its first computation, and do not survive a fork.
PRELOADED = (
    "numpy",
    "polars",
    "scipy.sparse",
    "scipy.stats",
    "scipy.special",
    "sklearn.feature_extraction.text",
    "sklearn.preprocessing",
    "rich.console",
    "rich.progress",
    "rich.table",
    "rich._emoji_codes",
    "pydantic",
    "narwhals.stable.v2",
    "termburst.cli.app",
    "termburst.statistics.building",
    "termburst.statistics.store",
    "termburst.counting.vectorizer",
    "termburst.estimators",
    "termburst.retrieval",
    "termburst.questions",
    "termburst.report",
    "termburst.weights.weight_files",
    "termburst.backends",
    "termburst.reading.readers",
    "termburst.datasets",
    "termburst.concordance.kwic",
    "termburst.concordance.collocates",
    "termburst.corpus.read",
    "termburst.corpus.scan",
    "termburst.counting.scripts",
    "termburst.report.charts",
    "termburst.report.render",
    "termburst.estimators.term_weighting",
    "formulaic",
    "termburst.inference",
    "termburst.models",
)


def main() -> None:
    for name in PRELOADED:
        with suppress(ImportError):  # an optional part is not installed
            importlib.import_module(name)
    _warm_up()
    gc.collect()
    gc.freeze()
    answers = os.dup(1)
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _run(request)
        os.write(answers, (json.dumps(_awaited(child)) + "\n").encode())


def _warm_up() -> None:
    """Let the parser load its modules and build the commands, once for all attacks. Nothing is read or computed."""
    from termburst.cli import command

    for line in (["terms", "x", "--top", "y"], ["stats", "show"], ["keyness", "x", "--confidence", "y"]):
        with suppress(Exception):  # each is a usage error
            command()(line, standalone_mode=False)


def _awaited(child: int) -> dict[str, Any]:
    late, end = False, time.monotonic() + CLOCK_SECONDS
    while True:
        pid, status, used = os.wait4(child, os.WNOHANG)
        if pid:
            break
        if not late and time.monotonic() > end:
            late = True
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.002)
    dead = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -dead
    return {"code": code, "signal": dead, "late": late, "cpu": used.ru_utime + used.ru_stime}


def _run(request: dict[str, Any]) -> None:
    """Run one attack in this fork, and exit without the interpreter's clean-up, which is slower than most attacks."""
    code = 1
    try:
        os.setsid()  # so that its child processes end with it
        gc.disable()
        _confine(request)
        code = _called(request)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _confine(request: dict[str, Any]) -> None:
    import resource  # Unix only

    for number, name, flags in ((0, "stdin", os.O_RDONLY), (1, "stdout", os.O_WRONLY), (2, "stderr", os.O_WRONLY)):
        opened = os.open(request[name], flags)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - a descriptor, to the end
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1)  # noqa: SIM115
    os.chdir(request["folder"])
    memory = request["memory"] * 2**20
    limits = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_AS, memory),
    )
    for kind, most in limits:
        resource.setrlimit(kind, (most, most))


def _called(request: dict[str, Any]) -> int:
    run = request["run"]
    if isinstance(run, str):
        return _python(run)
    from termburst.cli import main as command

    sys.argv = ["termburst", *run]
    try:
        command()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0


def _python(source: str) -> int:
    """Run Python code like a user. A ValueError becomes one line and exit code 2, as on the command line."""
    from pathlib import Path

    import numpy as np
    import polars as pl
    import scipy.sparse as sp

    import termburst as tb

    names = {"tb": tb, "np": np, "sp": sp, "pl": pl, "at": Path(), "Path": Path}
    try:
        exec(compile(source, "row", "exec"), names)
    except ValueError as error:
        sys.stderr.write(f"termburst: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    main()
