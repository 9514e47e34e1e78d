"""The environment of processes that tests start."""

import os
from pathlib import Path

# What would make a pipe look like a terminal, or change what is printed.
MEDDLING = {"FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS", "TERMBURST_DEBUG", "PYTHONWARNINGS"}


def plain_environment(cache: Path) -> dict[str, str]:
    """The environment without what would change the output; data sets are cached in the folder *cache*."""
    kept = {key: value for key, value in os.environ.items() if key not in MEDDLING}
    return {**kept, "TERMBURST_CACHE": str(cache), "PYTHONIOENCODING": "utf-8"}
