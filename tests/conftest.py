"""Shared fixtures. Tests that need a data set ask for `data` and skip with a sentence where it is missing."""

import os
from pathlib import Path

import pytest

REQUIRE = "TERMBURST_REQUIRE_DATA"  # set by .ci/run where the data is: a test that then skips fails instead


def unavailable(reason: str) -> None:
    """Skip with a sentence, or fail where the environment promised that the part would be there."""
    if os.environ.get(REQUIRE) == "1":
        pytest.fail(f"{REQUIRE}=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder that TERMBURST_DATA names."""
    folder = os.environ.get("TERMBURST_DATA")
    if not folder:
        unavailable("TERMBURST_DATA is not set; point it at a folder with scikit_learn_data, nltk_data and published")
    path = Path(str(folder))
    if not path.is_dir():
        unavailable(f"TERMBURST_DATA={folder} is not a folder")
    return path
