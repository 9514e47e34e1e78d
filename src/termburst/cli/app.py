"""`termburst --help`: the commands in groups, each with examples."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from termburst.cli.check import check
from termburst.cli.concordance import collocates, kwic, triggers
from termburst.cli.demo import demo
from termburst.cli.doctor import doctor
from termburst.cli.export import export, weigh
from termburst.cli.keyness import keyness
from termburst.cli.options import takes_options
from termburst.cli.output import say
from termburst.cli.report import explore, report
from termburst.cli.reproduce import reproduce
from termburst.cli.stats import add, build, merge, show, subtract
from termburst.cli.terms import explain, terms

# By what people want, in the order in which they want it; and examples of each command.
# tests/cli/test_examples.py runs every example.
_GROUPS: dict[str, list[str]] = {
    "First steps": ["termburst demo", "termburst doctor"],
    "One corpus: what bursts": [
        "termburst terms corpus/ --stop-words english",
        "termburst terms speeches.csv --text speech --test -o terms.csv",
        "termburst explain corpus/ freedom",
        "termburst explain stdlib turtle --stop-words english",
        "termburst report corpus/ --stop-words english -o report.html",
        "termburst report speeches.csv --text speech -o speeches.html",
        "termburst explore corpus/ --stop-words english",
        "termburst explore speeches.csv --text speech --no-browser",
        "termburst check corpus/",
        "termburst check speeches.csv --text speech --cluster speaker",
    ],
    "Read the texts": [
        "termburst kwic corpus/ freedom --sort R1",
        "termburst kwic speeches.csv 'free*' --text speech -o lines.csv",
        "termburst collocates corpus/ freedom",
        "termburst collocates speeches.csv freedom --text speech --window 3",
        "termburst triggers corpus/ freedom",
        "termburst triggers speeches.csv freedom --text speech --stop-words english",
    ],
    "Compare corpora": [
        "termburst keyness 2024/ 2025/",
        "termburst keyness speeches.csv --text speech --by party",
    ],
    "Weights and counts for other programs": [
        "termburst weigh corpus/ -o weights.npz",
        "termburst weigh corpus/ --scheme s-lambda -o weights.csv",
        "termburst export corpus/ -o counts.mtx",
        "termburst export corpus/ --as antconc -o words.txt",
        "termburst stats build monday/ -o week.parquet --batch monday",
        "termburst stats build speeches.csv --text speech -o speeches.parquet",
        "termburst stats add week.parquet tuesday/ --batch tuesday",
        "termburst stats merge week.parquet speeches.parquet -o all.parquet",
        "termburst stats merge monday.parquet tuesday.parquet -o both.parquet",
        "termburst stats subtract both.parquet monday.parquet -o tuesday.parquet",
        "termburst stats show week.parquet",
    ],
    "The paper": ["termburst reproduce fig3 --out reproduction"],
}


def examples() -> dict[str, list[str]]:
    """Command lines of every command, by its name; of the commands of `stats` by both words."""
    found: dict[str, list[str]] = {}
    for line in (line for lines in _GROUPS.values() for line in lines):
        _, *words = line.split()
        found.setdefault(" ".join(words[: 2 if words[0] == "stats" else 1]), []).append(line)
    return found | {"stats": [found["stats build"][0], found["stats add"][0]]}


def _register(app: typer.Typer, *commands: Callable[..., Any], within: str = "") -> None:
    """Add commands to *app*, each in its group and with its examples; *within* is the word before their names."""
    for command in commands:
        name = f"{within}{command.__name__}"
        panel, epilog = None if within else _group(name), _epilog(examples()[name])
        app.command(help=_rewrapped(command.__doc__), rich_help_panel=panel, epilog=epilog)(takes_options(command))


def _group(name: str) -> str:
    """The heading under which `termburst --help` lists a command."""
    return next(title for title, lines in _GROUPS.items() if any(line.split()[1] == name for line in lines))


def _epilog(lines: Sequence[str]) -> str:
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
    epilog=_epilog([examples()[name][0] for name in ("report", "keyness")]),
)


stats = typer.Typer(help="Build, combine and show saved statistics of a corpus.", no_args_is_help=True)


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
_register(stats, build, add, merge, subtract, show, within="stats ")
app.add_typer(stats, name="stats", rich_help_panel=_group("stats"), epilog=_epilog(examples()["stats"]))
_register(app, reproduce)
