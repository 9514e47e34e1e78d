"""What a group of documents says about the precision of a term, and what it is then worth (profiles.c)."""

from __future__ import annotations

from typing import Any, NewType

import numpy as np
from numpy.typing import NDArray

from termburst.core import beta_binomial
from termburst.core.binding import Floats, Integers, Struct, call, record, require, struct
from termburst.core.cells import Cells
from termburst.core.length_table import DEGREE, PANELS

NODES = 24  # points of a profile at most

GroupLengths = NewType("GroupLengths", Struct)


def group_lengths(tables: Floats, tokens: Floats) -> GroupLengths:
    """The length table and the number of tokens of each group."""
    require(tables.shape == (tokens.size, PANELS, DEGREE + 1, 2), "there must be one length table per group")
    return struct(GroupLengths, tables=tables, tokens=tokens)


def profiles(cells: Cells, lengths: GroupLengths, terms: Integers, start: Floats, highest: float) -> NDArray[Any]:
    """The profiles of the given terms, terms × groups.

    *start* is the τ around which the likelihood is, one entry per term of the collection; no point is above *highest*.
    """
    require(lengths.groups == cells.groups <= 2, "there must be one or two groups, and one length table per group")
    require(start.shape == (cells.terms,), "start must have one entry per term")
    require(not np.isnan(start).any(), "start must be a number")
    out = np.zeros((terms.size, cells.groups), record("SideProfile"))
    task = struct("SideProfileTask", terms=terms, start=start, highest=highest, out=out.reshape(-1))
    call("tb_profiles", cells, lengths, task, beta_binomial.room(cells, cells.groups))
    return out
