"""The command line: parsing, then one library call a command."""

from __future__ import annotations

import io
import os
import sys
import warnings
from typing import Any, NoReturn


def main() -> None:
    """Run `termburst`; whatever is wrong with the input is one line on standard error and exit code 2."""
    warnings.showwarning = _warn  # type: ignore[assignment]  # of what it is told, it uses the message alone
    if sys.stdout is None:
        _fail("standard output is closed", 2)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # λ is no reason to stop where the output cannot hold it
    try:
        from termburst.cli.app import app  # here, since Ctrl-C may come while it is being imported

        code = app(prog_name="termburst", standalone_mode=False)
        if code == 130:  # typer's way to say that Ctrl-C came
            raise KeyboardInterrupt
        sys.exit(code if isinstance(code, int) else 0)
    except KeyboardInterrupt:
        _fail("stopped", 130)
    except BrokenPipeError:  # the reader of a pipe went away, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except (ValueError, OSError, ImportError) as error:  # an ImportError names the extra to install
        if os.environ.get("TERMBURST_DEBUG"):
            raise
        _fail(str(error), 2)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        _fail_usage(error)


def _fail_usage(error: Any) -> NoReturn:
    """A usage error of the parser, which is one of two classes of the same name as typer's version goes."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        sys.exit(2)
    command = getattr(getattr(error, "ctx", None), "command_path", "termburst")
    message = error.format_message().rstrip(".").replace("Value error, ", "")
    if message.startswith("Got unexpected extra argument"):
        message = f"{message[:60]}…: give one corpus, a folder or a glob in quotes such as 'corpus/*.txt'"
    _fail(f"{message}; see {command} --help", 2)


def _fail(message: str, code: int) -> NoReturn:
    if sys.stderr is not None:
        print(f"termburst: {_one_line(message)}", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def _warn(message: Warning | str, *_: object) -> None:
    if sys.stderr is not None:
        print(f"termburst: warning: {_one_line(str(message))}", file=sys.stderr)  # noqa: T201


def _one_line(message: str) -> str:
    """Without line breaks, and without control codes that a file's name or a term may hold."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(message.split()))
