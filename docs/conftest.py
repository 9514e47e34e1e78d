"""docs/topics.md runs where bertopic is installed, and fails where .ci/run promised that it is."""

import importlib
import os

import pytest

REQUIRE = "TERMBURST_REQUIRE_BERTOPIC"


@pytest.fixture(autouse=True)
def _bertopic_for_topics(request: pytest.FixtureRequest) -> None:
    if request.path.name != "topics.md":
        return
    try:
        importlib.import_module("bertopic")
    except ImportError as error:
        if os.environ.get(REQUIRE) == "1":
            pytest.fail(f"{REQUIRE}=1, but bertopic cannot be imported ({error})")
        pytest.skip(f"bertopic cannot be imported ({error})")
