"""Comparison of both libraries."""

import pytest

from termburst.core import binding

LIBRARIES = ("baseline", "avx2")


@pytest.fixture
def on_both(monkeypatch):
    """A function that calls another one with each library, and returns both results."""

    def run(function):
        results = []
        for name in LIBRARIES:
            if name == "avx2" and not (binding.found(name) and binding.load("baseline").tb_has_avx2()):
                results.append(results[0])  # on other processors there is only one library
                continue
            core = binding.load(name)
            monkeypatch.setattr(binding, "library", lambda core=core: core)
            results.append(function())
        monkeypatch.undo()
        return results

    return run


@pytest.fixture(params=LIBRARIES)
def library(request, monkeypatch):
    """Run the test once with each library."""
    chosen = binding.load(request.param)
    monkeypatch.setattr(binding, "library", lambda: chosen)
