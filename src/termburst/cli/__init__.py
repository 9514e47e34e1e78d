"""The command line: parsing, then one library call per command."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from termburst.cli.output import say, settle, to_nowhere
from termburst.display import did_you_mean
from termburst.files import first_line, panics_unseen

_LIMITS = {
    MemoryError: "there is not enough memory for this ({}); use a smaller corpus, or leave out rare terms or n-grams",
    OverflowError: "a number is too large to compute with ({}); give a smaller one",
    RecursionError: "the input is nested too deeply to be read ({})",
}


def main() -> None:
    """Run `termburst`. Wrong input gives one line on standard error and exit code 2."""
    warnings.showwarning = _warn  # type: ignore[assignment]  # it uses only the message
    if sys.stdout is None:
        _fail("standard output is closed", 2)
    panics_unseen.begin()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # if the encoding has no λ, write an escape instead of stopping
        _buffer_output()
    try:
        code = _run()
    except KeyboardInterrupt:
        _fail("stopped", 130)
    except BrokenPipeError:  # the reader of a pipe has gone, as with `| head`: the exit code is that of SIGPIPE
        to_nowhere(sys.stdout)
        code = 141
    except (ValueError, OSError, ImportError, *_LIMITS) as error:  # an ImportError names the extra to install
        if os.environ.get("TERMBURST_DEBUG"):
            raise
        from termburst.cli.options import with_dashes

        limit = next((said for kind, said in _LIMITS.items() if isinstance(error, kind)), None)
        _fail(with_dashes(error) if limit is None else limit.format(first_line(error)), 2)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        _fail_usage(error)
    sys.exit(code)


def _run() -> int:
    """Run the command, flush what it printed, and return its exit code."""
    try:
        code = command()(prog_name="termburst", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # which the parser turns into exit code 1
            raise stop.__context__ from None
        raise
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        raise ValueError(f"standard output cannot be written: {error.strerror}") from error
    if code == 130:  # typer's code for Ctrl-C
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


@cache
def command() -> Any:
    """All commands with their options, made once: it takes as long as reading a small corpus."""
    from typer.main import get_command  # here, because Ctrl-C may come during these imports

    from termburst.cli.app import app

    return get_command(app)


def _buffer_output() -> None:
    """Give standard output a buffer, even if Python was told to use none (`PYTHONUNBUFFERED`).

    Without a buffer, Python does not notice that a full disk or a closed pipe took only a part of what it wrote.
    """
    raw: Any = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.FileIO):
        encoding, errors = sys.stdout.encoding, sys.stdout.errors
        sys.stdout = open(raw.fileno(), "w", encoding=encoding, errors=errors, closefd=False)  # noqa: SIM115


def _fail_usage(error: Any) -> NoReturn:
    """Report a usage error of the parser; its class differs between versions of typer, so only its name is compared."""
    if type(error).__name__ == "NoArgsIsHelpError":
        with suppress(OSError):
            error.show()
        if sys.stderr is not None:
            settle(sys.stderr)
        sys.exit(2)
    command = getattr(getattr(error, "ctx", None), "command_path", "termburst")
    message = error.format_message().rstrip(".").replace("Value error, ", "")
    if message.startswith("Got unexpected extra argument"):
        message = f"{message[:60]}…; give one corpus: a file, a folder, or a glob in quotes such as 'corpus/*.txt'"
    elif message.startswith("No such command '"):
        message = _no_command(message)
    elif message.startswith("No such option: ") and getattr(error, "ctx", None) is not None:
        named = message.removeprefix("No such option: ").split()[0]
        options = [option for one in error.ctx.command.params for option in (*one.opts, *one.secondary_opts)]
        message = f"No such option: {named}{did_you_mean(named, options)}"
    elif choice := re.search(r"'([^']*)' is not one of (.*)$", message):
        message += did_you_mean(choice[1], re.findall("'(.*?)'", choice[2]))
    _fail(f"{message}{' See' if message.endswith('?') else '; see'} {command} --help", 2)


def _no_command(message: str) -> str:
    """Say what to type if the corpus stands where a command should be."""
    from termburst.datasets import BUILT_IN

    named = message.split("'")[1]
    if named in BUILT_IN or Path(named).exists():
        return f"{named} is a corpus, but the command comes first, such as: termburst terms {named}"
    return message.replace(". Did you mean", "; did you mean")


def _fail(message: str, code: int) -> NoReturn:
    if sys.stdout is not None:
        settle(sys.stdout)
    say(f"termburst: {_one_line(message)}", err=True)
    sys.exit(code)


def _warn(message: Warning | str, *_: object) -> None:
    from termburst.cli.options import with_dashes

    say(f"termburst: warning: {_one_line(with_dashes(message))}", err=True)


def _one_line(message: str) -> str:
    """Without line breaks, which messages of other libraries often have; `say` escapes other control characters."""
    return " ".join(message.split())
