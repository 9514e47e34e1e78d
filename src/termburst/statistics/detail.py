"""How much statistics remember of every term.

This file imports nothing else, so that `termburst --help` stays quick.
"""

from __future__ import annotations

from typing import Literal, get_args

Detail = Literal["frequencies", "moments", "patterns"]
DETAILS: tuple[Detail, ...] = get_args(Detail)  # each has all that those before it have
