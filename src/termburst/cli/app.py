"""`termburst --help`: the commands in groups, each with two examples."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from termburst.cli.check import check
from termburst.cli.concordance import collocates, kwic, triggers
from termburst.cli.demo import demo
from termburst.cli.doctor import doctor
from termburst.cli.export import export, weigh
from termburst.cli.keyness import keyness
from termburst.cli.output import say
from termburst.cli.report import explore, report
from termburst.cli.reproduce import reproduce
from termburst.cli.stats import stats
from termburst.cli.terms import explain, terms

# By what people want, in the order in which they want it. tests/cli/test_examples.py runs every example.
_GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "First steps": {
        "demo": ("termburst demo", "termburst demo --top 20"),
        "doctor": ("termburst doctor", "termburst doctor --json"),
    },
    "One corpus: what bursts": {
        "terms": (
            "termburst terms corpus/ --stop-words english",
            "termburst terms speeches.csv --text speech --test -o terms.csv",
        ),
        "explain": (
            "termburst explain corpus/ freedom",
            "termburst explain stdlib turtle --stop-words english",
        ),
        "report": (
            "termburst report corpus/ --stop-words english -o report.html",
            "termburst report speeches.csv --text speech -o speeches.html",
        ),
        "explore": (
            "termburst explore corpus/ --stop-words english",
            "termburst explore speeches.csv --text speech --no-browser",
        ),
        "check": (
            "termburst check corpus/",
            "termburst check speeches.csv --text speech --cluster speaker",
        ),
    },
    "Read the texts": {
        "kwic": (
            "termburst kwic corpus/ freedom --sort R1",
            "termburst kwic speeches.csv 'free*' --text speech -o lines.csv",
        ),
        "collocates": (
            "termburst collocates corpus/ freedom",
            "termburst collocates speeches.csv freedom --text speech --window 3",
        ),
        "triggers": (
            "termburst triggers corpus/ freedom",
            "termburst triggers speeches.csv freedom --text speech --stop-words english",
        ),
    },
    "Compare corpora": {
        "keyness": (
            "termburst keyness 2024/ 2025/",
            "termburst keyness speeches.csv --text speech --by party",
        ),
    },
    "Weights and counts for other programs": {
        "weigh": (
            "termburst weigh corpus/ -o weights.npz",
            "termburst weigh corpus/ --scheme s-lambda -o weights.csv",
        ),
        "export": (
            "termburst export corpus/ -o counts.mtx",
            "termburst export corpus/ --as antconc -o words.txt",
        ),
        "stats": (
            "termburst stats build monday/ -o week.parquet --batch monday",
            "termburst stats add week.parquet tuesday/ --batch tuesday",
        ),
    },
    "The paper": {
        "reproduce": (
            "termburst reproduce fig3 --out reproduction",
            "termburst reproduce --out reproduction",
        ),
    },
}
_STATS: dict[str, tuple[str, str]] = {
    "build": (
        "termburst stats build monday/ -o week.parquet --batch monday",
        "termburst stats build speeches.csv --text speech -o speeches.parquet",
    ),
    "add": (
        "termburst stats add week.parquet tuesday/ --batch tuesday",
        "termburst stats add speeches.parquet new.csv --text speech",
    ),
    "merge": (
        "termburst stats merge week.parquet speeches.parquet -o all.parquet",
        "termburst stats merge monday.parquet tuesday.parquet -o both.parquet",
    ),
    "subtract": (
        "termburst stats subtract both.parquet monday.parquet -o tuesday.parquet",
        "termburst stats subtract both.parquet tuesday.parquet",
    ),
    "show": ("termburst stats show week.parquet", "termburst stats show week.parquet --json"),
}


def examples() -> dict[str, tuple[str, str]]:
    """Two command lines of every command, by its name; of the commands of `stats` by both words."""
    commands = {name: lines for group in _GROUPS.values() for name, lines in group.items()}
    return commands | {f"stats {name}": lines for name, lines in _STATS.items()}


def _register(app: typer.Typer, *commands: Callable[..., Any]) -> None:
    """Add commands to *app*, each in its group and with its examples."""
    for command in commands:
        name = command.__name__
        panel, epilog = _group(name), _epilog(examples()[name])
        app.command(help=_rewrapped(command.__doc__), rich_help_panel=panel, epilog=epilog)(command)


def _register_group(app: typer.Typer, group: typer.Typer, name: str) -> None:
    """Add the commands of *group* to *app* under *name*; each gets its examples."""
    for command in group.registered_commands:
        assert command.callback is not None  # of a registered command
        command.help = _rewrapped(command.callback.__doc__)
        command.epilog = _epilog(_STATS[command.callback.__name__])
    app.add_typer(group, name=name, rich_help_panel=_group(name), epilog=_epilog(examples()[name]))


def _group(name: str) -> str:
    return next(title for title, commands in _GROUPS.items() if name in commands)


def _epilog(lines: tuple[str, str]) -> str:
    """The paragraphs below a command's help; an empty line between them makes each a line of its own."""
    return "\n\n".join(("Examples:", *lines))


def _rewrapped(docstring: str | None) -> str:
    """A docstring with one line per paragraph, so that a terminal of any width can wrap it.

    Examples
    --------
    >>> _rewrapped("First line.\\n\\n    A paragraph\\n    of two lines.")
    'First line.\\n\\nA paragraph of two lines.'
    """
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(docstring or "").split("\n\n"))


app = typer.Typer(
    help="Find the words of a corpus that come in bursts, and turn that into term weights.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_epilog((examples()["report"][0], examples()["keyness"][0])),
)


def _version(asked: bool) -> None:
    if asked:
        import termburst

        say(f"termburst {termburst.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


# The order of the groups and commands in `termburst --help`.
_register(app, demo, doctor, terms, explain, report, explore, check, kwic, collocates, triggers, keyness, weigh, export)
_register_group(app, stats, "stats")
_register(app, reproduce)
