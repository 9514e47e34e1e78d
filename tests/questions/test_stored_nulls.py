"""Null distributions in scratch files: the same as those that are drawn for each group of terms, and made once."""

import pickle

import numpy as np
import polars as pl
import pytest

import termburst as tb
from termburst.backends import parts, stream
from termburst.backends.cells import lengths_of_groups
from termburst.inference.null_distribution import PHASES, Longest, Null, PlrFunction
from termburst.questions import stored_nulls
from termburst.questions.stored_nulls import StoredNulls

SIZES = np.array([2, 3, 9, 16, 17, 30, 64, 65, 120, 300, 301, 900, 2_000, 2_500])
PLR = {"mu": None, "sigma2": 1.0, "form": "printed"}


@pytest.fixture(scope="module")
def lengths():
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 9, (200, 12))
    found = tb.TermStatistics.from_counts(counts, [f"t{k}" for k in range(12)])
    return lengths_of_groups([("", found.lengths, found.length_documents)])[0]


def stored(lengths, draws=99):
    return StoredNulls(lengths, Longest.of(SIZES), SIZES, draws=draws, seed=3, **PLR)


@pytest.mark.parametrize("phase", range(len(PHASES)))
@pytest.mark.parametrize("size", [1, 10**9])
def test_parts_have_the_draws_of_the_whole(phase, size, lengths, monkeypatch):
    monkeypatch.setattr(stored_nulls, "BYTES_DRAWN", size)
    monkeypatch.setattr(stored_nulls, "BYTES_READ", size)
    low, high = (PHASES[phase - 1][0] if phase else 1), PHASES[phase][0]
    mine = SIZES[(low < SIZES) & (high >= SIZES)]
    nulls = stored(lengths)
    whole = Null(lengths, 99, 3, False, PlrFunction(lengths, **PLR), Longest.of(SIZES))
    expected = whole.drawn(phase, mine, max(nulls.enumerated(), default=0))
    asked = mine[1:] if mine.size > 1 else mine
    found = list(nulls.drawn(phase, asked))
    assert len(found) == (asked.size if size == 1 else 1)
    assert np.concatenate([one.checkpoints for one in found]).tolist() == asked.tolist()
    first = int(mine.size > asked.size)
    for name in ("plr", "score", "of_plr", "of_score"):
        together = np.concatenate([getattr(one, name) for one in found])
        of = slice(max(expected.sampled, first), None) if "plr" in name else slice(first, None)
        assert np.array_equal(together[of.start - first :], getattr(expected, name)[of]), name
    for own, values in zip(zip(*(one.curves for one in found), strict=True), expected.curves, strict=True):
        assert np.array_equal(np.concatenate(own), values[first:])
    assert sum(one.sampled for one in found) == max(expected.sampled - first, 0)


def test_they_are_drawn_once_for_all_groups_of_terms(monkeypatch):
    """A dozen groups or more, as terms are in sixteen parts; each phase that has terms is drawn once."""
    monkeypatch.setattr(stream, "ROWS_OF_TERMS", 1)
    monkeypatch.setattr(parts, "ROWS_OF_PART", 100)
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{k}" for k in rng.zipf(1.3, 60) % 40) for _ in range(60)]
    frame = pl.LazyFrame({"document": range(60), "text": texts})
    drawn, draw = [], Null._draw

    def counted(self, checkpoints, draws, seeds):
        drawn.append(checkpoints[-1])
        return draw(self, checkpoints, draws, seeds)

    monkeypatch.setattr(Null, "_draw", counted)
    found = tb.scan(frame).burstiness(draws=99, dispersion=False, intervals=False).collect()
    assert found.height > 20
    assert len(drawn) == len(set(drawn)) + 1  # and one for a made-up term, which shows what columns there are
    assert len(set(drawn)) >= 2


def test_workers_make_their_own(lengths):
    nulls = stored(lengths)
    (found,) = nulls.drawn(0, np.array([30]))
    copy = pickle.loads(pickle.dumps(nulls))
    assert nulls._phases
    assert not copy._phases
    (again,) = copy.drawn(0, np.array([30]))
    assert np.array_equal(again.plr, found.plr)
    assert copy._phases[0].files != nulls._phases[0].files
