"""The command line: parsing, then one library call a command."""

from __future__ import annotations

import os
import sys
import warnings


def main() -> None:
    """Run `termburst`; whatever is wrong with the input is one line on standard error and exit code 2."""
    from termburst.cli.app import app

    warnings.showwarning = _warn  # type: ignore[assignment]  # of what it is told, it uses the message alone
    try:
        app(prog_name="termburst")
    except KeyboardInterrupt:
        _fail("stopped", 130)
    except BrokenPipeError:  # the reader of a pipe went away, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except (ValueError, OSError) as error:
        if os.environ.get("TERMBURST_DEBUG"):
            raise
        _fail(" ".join(str(error).split()), 2)


def _fail(message: str, code: int) -> None:
    print(f"termburst: {message}", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def _warn(message: Warning | str, *_: object) -> None:
    print(f"termburst: warning: {message}", file=sys.stderr)  # noqa: T201
