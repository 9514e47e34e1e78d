"""Processes that tests start: their environment, and how long to wait for them."""

import os
from pathlib import Path

# What would make a pipe look like a terminal, or change what is printed; and what makes every process compile anew.
MEDDLING = {
    "FORCE_COLOR",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
    "COLUMNS",
    "TERMBURST_DEBUG",
    "PYTHONWARNINGS",
    "PYTHONDONTWRITEBYTECODE",
}

PATIENCE = 600  # seconds until a process counts as hung: on a busy machine everything takes long


def plain_environment(cache: Path) -> dict[str, str]:
    """The environment without what would change the output; data sets are cached in the folder *cache*."""
    kept = {key: value for key, value in os.environ.items() if key not in MEDDLING}
    return {**kept, "TERMBURST_CACHE": str(cache), "PYTHONIOENCODING": "utf-8"}
