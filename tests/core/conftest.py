"""Both libraries, one after the other."""

import pytest

from termburst.core import binding


@pytest.fixture
def in_both(monkeypatch):
    """A function's results by the library for all machines and, where this one can run it, by that for AVX2."""

    def results(function):
        found = []
        baseline = binding.load("baseline")
        runs = baseline.tb_has_avx2() and binding.found("avx2")
        for core in [baseline, *([binding.load("avx2")] if runs else [])]:
            with monkeypatch.context() as patch:
                patch.setattr(binding, "library", lambda core=core: core)
                found.append(function())
        return found

    return results
