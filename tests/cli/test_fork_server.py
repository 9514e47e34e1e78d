"""A run in a fork of the server is like one in a new Python: streams, folder, variables, exit code, signal."""

import signal
import socket
import struct
import subprocess
import sys

import pytest

from helpers import fork_server
from helpers.processes import PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the server is for Linux"),
]
TERMS = ["terms", "c.txt", "--lines", "--quiet"]


def ran(command, folder, environment, stdin=b""):
    ended = subprocess.run(
        command, cwd=folder, env=environment, input=stdin, capture_output=True, timeout=PATIENCE, check=False
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "c.txt").write_text("so it goes\nha ha ha so\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "arguments", [TERMS, ["terms", "-", "--quiet", "-f", "csv"], ["terms", "missing.txt"], ["terms", "--top", "many"]]
)
def test_the_same_as_a_new_python(arguments, folder, forked_command, plain_environment):
    stdin = "so so naïve\nit is\n".encode()
    expected = ran([sys.executable, "-m", "termburst", *arguments], folder, plain_environment, stdin)
    assert ran([*forked_command, *arguments], folder, plain_environment, stdin) == expected
    assert expected[1] or expected[0] == 2


def test_variables_are_those_of_the_run(folder, forked_command, plain_environment):
    command = [*forked_command, "terms", "missing.txt"]
    assert b"Traceback" in ran(command, folder, plain_environment | {"TERMBURST_DEBUG": "1"})[2]
    assert b"Traceback" not in ran(command, folder, plain_environment)[2]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGPIPE])
def test_death_by_a_signal_is_passed_on(tmp_path, number):
    """The client ends by the signal that the server reports; here a server that reports it at once."""
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        with subprocess.Popen([sys.executable, "-I", "-S", fork_server.__file__, "run", path]) as client:
            connection, _ = listener.accept()
            connection.sendall(struct.pack("!i", -number))
            assert client.wait(PATIENCE) == -number
            connection.close()
