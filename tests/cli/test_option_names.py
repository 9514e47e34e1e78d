"""The names in `names.py` are those of the tables that have one function per name."""

import subprocess
import sys
import textwrap
from typing import get_args

import pytest

from termburst import names
from termburst.inference import keyness, multiplicity


@pytest.mark.parametrize(
    ("listed", "table"),
    [
        (get_args(names.KeynessMethod), keyness.METHODS),
        (get_args(names.Adjustment), multiplicity.METHODS),
        (get_args(names.Adjustment), names.Q_MEANS),
    ],
)
def test_names_equal_their_table(listed, table):
    assert list(listed) == list(table)


def test_help_imports_nothing_heavy():
    code = """
    import sys
    sys.argv = ["termburst", "keyness", "--help"]
    from termburst.cli import main
    try:
        main()
    except SystemExit:
        print("loaded:", *{"numpy", "scipy", "polars", "sklearn", "bokeh"} & set(sys.modules))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert "welch" in ran.stdout
    assert ran.stdout.splitlines()[-1] == "loaded:"


def test_kwic_loads_no_scipy(tmp_path):
    (tmp_path / "a.txt").write_text("ha ha so\nso it goes\n", encoding="utf-8")
    code = f"""
    import sys
    sys.argv = ["termburst", "kwic", {str(tmp_path / "a.txt")!r}, "ha", "--lines"]
    from termburst.cli import main
    try:
        main()
    finally:
        print("loaded:", *{{"scipy", "sklearn"}} & set(sys.modules))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert "ha  so" in ran.stdout
    assert ran.stdout.splitlines()[-1] == "loaded:"


def test_the_help_of_every_command_has_one_line_per_paragraph():
    from termburst.cli.app import app, stats

    for command in (*app.registered_commands, *stats.registered_commands):
        assert command.help.strip()
        assert "\n" not in command.help.replace("\n\n", "")
