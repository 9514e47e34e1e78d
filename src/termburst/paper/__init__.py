"""The reproduction of the paper: every figure and table, with the published values. `termburst reproduce` runs it."""

from collections.abc import Iterable

GROUPS = {
    "simulation": ("fig1", "fig2", "fig3"),
    "newsgroups": ("fig4", "table2", "figa1"),
    "r8": ("reuters", "fig5", "table3", "figa2"),
}
PARTS = (
    *("fig1", "fig2", "fig3", "reuters", "fig4", "table2", "fig5", "table3", "figa1", "figa2"),  # the paper's order
    "errata",
)
NAMES = ("all", *PARTS, *GROUPS)


def settled_parts(names: Iterable[str]) -> list[str]:
    """The parts in *names*, each once, in the order of `PARTS`; "all" and groups are replaced by their parts.

    >>> settled_parts(["table2", "simulation", "fig1"])
    ['fig1', 'fig2', 'fig3', 'table2']
    """
    wanted: set[str] = set()
    for name in names:
        if name not in NAMES:
            raise ValueError(f"{name!r} is not a part of the paper; the parts are {', '.join(NAMES)}")
        wanted.update(PARTS if name == "all" else GROUPS.get(name, (name,)))
    return [part for part in PARTS if part in wanted]
