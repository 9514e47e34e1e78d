"""Random signs of clusters, against all signs."""

from itertools import product

import numpy as np
import pytest

from termburst.inference.clusters import random_signs


def by_all_signs(score):
    sums = np.array([np.dot(signs, score) for signs in product((1, -1), repeat=len(score))])
    own = abs(score.sum())
    return np.mean(np.abs(sums) > own + 1e-9) + np.mean(np.abs(np.abs(sums) - own) <= 1e-9) / 2


@pytest.mark.parametrize("seed", range(6))
def test_p_is_nearly_that_of_all_signs(seed):
    score = np.random.default_rng(seed).normal(0.3, 1, 12)
    assert random_signs(score[None])[0] == pytest.approx(by_all_signs(score), abs=0.012, rel=0.2)


def test_all_of_one_sign_and_none():
    found = random_signs(np.array([[1.0, 2, 3, 4, 5], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]]))
    assert found.tolist() == [2**-5, 1.0, 0.5]
