"""The error of Claim 1 over the fitted parameters."""

import numpy as np
import pytest

from termburst import plot


def test_the_map_shows_medians(lines):
    alpha, alpha_not = np.array([0.01, 0.01, 0.01, 1.0]), np.array([100.0, 100.0, 100.0, 10.0])
    figure = plot.approximation_error(alpha, alpha_not, [0.1, -0.3, 2.0, 5.0], mean_length=50.0)
    left, right = figure.axes[:2]
    (medians,) = [np.asarray(c.get_array()) for c in left.collections if c.get_array() is not None]
    assert sorted(medians[np.isfinite(medians)]) == [0.3, 5.0]
    assert np.allclose(lines(left)[r"$\alpha_i = 0.1$"].get_xdata(), 0.1)
    assert any(np.allclose(line.get_ydata(), 50.0) for line in left.lines)
    curve = lines(right)[r"prediction: $\log(1 + 1/x)$"]
    x, y = curve.get_xydata().T
    assert np.allclose(y, np.log(1 + 1 / x))
    middle, median = lines(right)["running median"].get_xydata().T
    assert np.allclose(np.column_stack([middle, median]), [[11.0 / 50, 5.0], [100.01 / 50, 0.3]])
    (hexagons,) = [c for c in right.collections if c.get_array() is not None]
    assert hexagons.get_array().sum() == 4


def test_terms_without_finite_parameters_are_left_out(fit):
    figure = plot.approximation_error(fit.alpha, fit.alpha_not, np.ones(400), mean_length=90.0)
    assert figure.axes[1].collections[0].get_array().sum() == 250


BAD = {
    "mean_length must be": lambda: plot.approximation_error([1.0], [1.0], [1.0], mean_length=0.0),
    "no term has finite parameters": lambda: plot.approximation_error([np.inf], [1.0], [1.0], mean_length=1.0),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence(sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        BAD[sentence]()
    assert "\n" not in str(error.value)
