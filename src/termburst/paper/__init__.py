"""The paper done again: every figure and table, beside the published value. `termburst reproduce` is its face."""

from collections.abc import Iterable

GROUPS = {
    "simulation": ("fig1", "fig2", "fig3"),
    "newsgroups": ("fig4", "table2", "figa1"),
    "r8": ("reuters", "fig5", "table3", "figa2"),
    "beyond": ("claim1", "rankings"),
}
PARTS = (
    *("fig1", "fig2", "fig3", "reuters", "fig4", "table2", "fig5", "table3", "figa1", "figa2"),  # as in the paper
    *("claim1", "rankings"),  # beyond it
    "errata",
)
NAMES = ("all", *PARTS, *GROUPS)


def settled_parts(names: Iterable[str]) -> list[str]:
    """The parts that *names* stand for, each once, in their order; "all" and groups are spelled out.

    >>> settled_parts(["table2", "simulation", "fig1"])
    ['fig1', 'fig2', 'fig3', 'table2']
    """
    wanted: set[str] = set()
    for name in names:
        if name not in NAMES:
            raise ValueError(f"{name!r} is not a part of the paper; there are {', '.join(NAMES)}")
        wanted.update(PARTS if name == "all" else GROUPS.get(name, (name,)))
    return [part for part in PARTS if part in wanted]
