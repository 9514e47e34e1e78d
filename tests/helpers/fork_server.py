"""A process that has imported the command line, and forks for every run of it: each run is a process of its own.

Most of the time of a short command is spent on imports. The server imports once, and computes nothing: threads would
not survive a fork. `command` starts a small client, which hands its standard streams, folder, variables and arguments
to the server. The fork runs `termburst.cli.main` with them and ends as Python ends. The client ends in the same way:
with the same exit code, or by the same signal. Linux only.

Variables that Python or a library reads while it starts (PYTHON..., OPENBLAS...) have no effect on a fork, so a test of
one of them needs `python -m termburst`. The one exception is PYTHONWARNINGS=ignore.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

# Threads that importing Polars starts, before it computes: of its allocator, and one that deletes temporary files.
HARMLESS = {"jemalloc_bg_thd", "polars-ooc-clea"}
HEAD = struct.Struct("!Q")  # the length of a request


@contextmanager
def fork_server(environment: dict[str, str]) -> Iterator[list[str]]:
    """Start a server; yield what replaces `python -m termburst` at the beginning of a command."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "s")
        command = [sys.executable, __file__, "serve", path]
        single = {**environment, "OPENBLAS_NUM_THREADS": "1"}
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=single) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n", "the server has not started"
            yield [sys.executable, "-I", "-S", __file__, "run", path]
            server.stdin.close()  # it ends


def serve(path: str) -> None:
    """Accept connections until standard input ends; a fork serves each, so that commands of a pipe run together."""
    _import_all()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        os.write(1, b"ready\n")
        while True:
            ready, _, _ = select.select([listener, 0], [], [], 1.0)
            _reap()
            if 0 in ready:
                return
            if listener in ready:
                connection, _ = listener.accept()
                if os.fork() == 0:
                    listener.close()
                    _serve_one(connection)
                    return  # only the run itself comes here: it ends as Python ends
                connection.close()


def _import_all() -> None:
    import gc
    import importlib

    sys.path.insert(0, str(Path(__file__).parents[1] / "hostile"))
    from attacks.server import PRELOADED

    for name in PRELOADED:
        try:
            importlib.import_module(name)
        except ImportError:  # an optional part is not installed
            continue
    from termburst.cli import command

    command()  # the options of all commands, which every run would put together again
    gc.collect()
    gc.freeze()  # forks share these objects: their collector need not visit them
    others = Path("/proc/self/task").glob("[0-9]*")
    names = {(task / "comm").read_text().strip() for task in others if task.name != str(os.getpid())}
    if found := names - HARMLESS:
        sys.exit(f"The imports of the command line started threads, which do not survive a fork: {sorted(found)}.")


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _serve_one(connection: socket.socket) -> None:
    """Fork once more: the child runs the command, and this process tells the client how it ended."""
    head, streams, _, _ = socket.recv_fds(connection, HEAD.size, 3)
    with connection.makefile("rb") as incoming:
        request = json.loads(incoming.read(HEAD.unpack(head)[0]))
    child = os.fork()
    if child == 0:
        connection.close()
        _become(request, streams)
        from termburst.cli import main

        main()  # always ends with SystemExit
    for number in streams:
        os.close(number)
    _, status = os.waitpid(child, 0)
    connection.sendall(struct.pack("!i", os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _become(request: dict[str, object], streams: list[int]) -> None:
    """Take over the streams, the folder, the variables and the arguments of the client."""
    for number, received in enumerate(streams):
        os.dup2(received, number)
        os.close(received)
    os.chdir(str(request["folder"]))
    os.environ.clear()
    os.environ.update(request["environment"])  # type: ignore[call-overload]
    sys.argv = ["termburst", *request["arguments"]]  # type: ignore[misc]
    if os.environ.get("PYTHONWARNINGS") == "ignore":
        warnings.simplefilter("ignore", append=True)  # behind the libraries' own filters, as if it had been there first
    # As Python itself opens them if PYTHONIOENCODING is utf-8, which `plain_environment` sets.
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # type: ignore[misc] # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(  # type: ignore[misc] # noqa: SIM115
        1, "w", encoding="utf-8", closefd=False, buffering=1 if os.isatty(1) else -1
    )
    sys.stderr = sys.__stderr__ = open(  # type: ignore[misc] # noqa: SIM115
        2, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1
    )


def run(path: str, arguments: list[str]) -> NoReturn:
    """The client: ask the server, wait, and end as the command ended."""
    request = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109
    content = json.dumps(request).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        socket.send_fds(server, [HEAD.pack(len(content))], [0, 1, 2])
        server.sendall(content)
        answer = server.recv(4, socket.MSG_WAITALL)
    if len(answer) < 4:
        sys.exit("The server has ended before the command.")
    (code,) = struct.unpack("!i", answer)
    if code < 0:
        if -code != signal.SIGKILL:  # nobody can handle that one
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    role, where, *rest = sys.argv[1:]
    if role == "serve":
        serve(where)
    else:
        run(where, rest)
