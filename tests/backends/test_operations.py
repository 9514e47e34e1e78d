"""Operations on columns keep their digits, and every closed form has the same values in NumPy and in an engine."""

import math

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest
from mpmath import log, mpf, workdps
from scipy.special import gammaln

from termburst.backends.expressions import ColumnOperations
from termburst.models import closed_forms as forms
from termburst.names import FORMS

N_I = np.array([1, 2, 3, 9, 40, 51, 700])
B_I = np.array([1, 1, 3, 2, 33, 10, 70])
REPETITION = gammaln(N_I - B_I + 1.0)
SQUARES, PRODUCTS = N_I + (N_I - B_I) * 7, N_I * 14
LENGTHS = forms.LengthSums(1000, 16_000, True)


def by_engine(formula, **columns):
    """The values of a formula of operations, computed by Polars."""
    ops = ColumnOperations(nw.from_native(pl.DataFrame(columns)))
    value = formula(ops)
    return nw.to_native(ops.frame.select(found=value))["found"].to_numpy()


def test_log_one_minus_keeps_its_digits():
    whole = 1e12
    parts = [0.0, 1.0, 3.0, 12345.0, 1e9, 4.9e11, 5.1e11, 9.99e11, 1e12 - 1]
    with workdps(40):
        exact = [float(log((mpf(whole) - mpf(part)) / mpf(whole))) for part in parts]
    found = by_engine(lambda ops: ops.log_one_minus(nw.col("part"), whole), part=parts)
    np.testing.assert_allclose(found, exact, rtol=4e-16)
    np.testing.assert_allclose(forms.NUMPY.log_one_minus(np.array(parts), whole), exact, rtol=4e-16)


def test_log_factorial_keeps_its_digits():
    counts = [*range(1, 40), 10**3, 10**6, 10**9]
    found = by_engine(lambda ops: ops.log_factorial(nw.col("count")), count=counts)
    np.testing.assert_allclose(found, gammaln(np.array(counts)), rtol=4e-15, atol=1e-15)


def closed_forms(form):
    """Name to a formula of operations, n_i, b_i, repetition, squares and products."""
    c = forms.Collection(100, 1000, 8.0, 1.5)  # η² − r_i is far below 0, 0.7, and above 1
    formulas = {
        f"part {name}": lambda ops, n_i, b_i, repetition, *_, name=name: forms.plr_parts(
            ops, c, n_i, b_i, repetition, form
        )[name]
        for name in forms.plr_parts(forms.NUMPY, c, N_I, B_I, REPETITION, form)
        if name not in ("stirling", "constant")  # plain numbers
    }
    formulas |= {
        f"coefficient {k}": lambda ops, n_i, b_i, *_, k=k: forms.cell_coefficients(ops, c, n_i, b_i)[k]
        for k in range(4)
    }
    return formulas | {
        "plr": lambda ops, n_i, b_i, repetition, *_: forms.add_up(forms.plr_parts(ops, c, n_i, b_i, repetition, form)),
        "idf": lambda ops, n_i, b_i, *_: forms.idf(ops, c.d, b_i),
        "icf": lambda ops, n_i, b_i, *_: forms.icf(ops, c.n, n_i),
        "precision": lambda ops, n_i, b_i, *_: forms.gamma_precision(ops, c.mu, c.sigma2, forms.repeats(n_i, b_i)),
        "tarone": lambda ops, n_i, b_i, _, squares, products: forms.tarone(ops, LENGTHS, n_i, squares, products),
    }


@pytest.mark.parametrize("form", FORMS)
def test_closed_forms_are_the_same_in_numpy_and_in_an_engine(form):
    columns = {"n": N_I, "b": B_I, "repetition": REPETITION, "squares": SQUARES, "products": PRODUCTS}
    for name, formula in closed_forms(form).items():
        expected = formula(forms.NUMPY, *columns.values())
        found = by_engine(lambda ops, formula=formula: formula(ops, *map(nw.col, columns)), **columns)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=name)


def test_the_score_of_counts_that_cannot_vary_is_0():
    fixed = forms.LengthSums.of(np.array([0, 9]), np.array([3, 1]))  # one document has tokens
    assert not fixed.counts_vary
    with np.errstate(invalid="ignore"):
        score = forms.tarone(forms.NUMPY, fixed, np.array([0, 2, 9]), np.array([0, 4, 81]), np.array([0, 18, 81]))
    assert math.isnan(score[0])
    assert score[1:].tolist() == [0.0, 0.0]
    assert not forms.LengthSums.of(np.array([1]), np.array([5])).counts_vary
