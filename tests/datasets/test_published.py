"""The published fits: the authors' and VGAM's, and damaged tables."""

import numpy as np
import pytest

from termburst.datasets import DamagedDataError, load_published_fits


@pytest.mark.parametrize(
    ("name", "rows", "alpha", "alpha_not"),
    [
        ("20newsgroups", 72_916, 0.011250258647876338, 352.94783499059963),
        ("r8", 19_966, 0.00027571872233413396, 25.059700925337978),
    ],
)
def test_fits_of_the_authors(data, name, rows, alpha, alpha_not):
    fits = load_published_fits(name)
    assert len(fits) == len(fits.alpha) == len(fits.alpha_not) == rows
    assert (fits.terms[0], fits.alpha[0], fits.alpha_not[0]) == ("aa", alpha, alpha_not)
    assert np.isfinite(fits.alpha).all()
    assert fits.loglik is None
    assert fits.status is None


def test_fits_of_vgam(data):
    fits = load_published_fits("vgam")
    assert fits.loglik is not None
    assert fits.status is not None
    the = fits.terms.index("the")
    assert (fits.alpha[the], fits.alpha_not[the], fits.loglik[the]) == (5.24378426, 93.82281586, -408878.292049)
    failed = np.array(fits.status) != "converged"
    assert (len(fits), failed.sum()) == (32, 12)
    for values in (fits.alpha, fits.alpha_not, fits.loglik):
        np.testing.assert_array_equal(np.isnan(values), failed)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text[:-40], "cells; got|rows; got|could not convert|must be above 0"),
        (lambda text: "", "empty"),
        (lambda text: text.partition("\n")[2], "first line"),
        (lambda text: "\n".join(text.split("\n")[:900]) + "\n", "must have 19,966 rows; got 899"),
        (lambda text: text.replace("0.00027571872233413396", "x", 1), r'column .alpha_i. .* \["x"\]'),
        (lambda text: text.replace("0.00027571872233413396", "-1", 1), "alpha_i of 'aa' must be above 0; got -1"),
        (lambda text: text.replace(",0.00027571872233413396", "", 1), "alpha_not_i of 'aa' must be above 0; got nan"),
    ],
)
def test_a_damaged_table_of_published_fits(data, tmp_path, monkeypatch, damage, said):
    path = tmp_path / "published" / "r8-beta-binomial-fits.csv"
    path.parent.mkdir()
    path.write_text(damage((data / "published" / path.name).read_text(encoding="utf-8")), encoding="utf-8")
    monkeypatch.setenv("TERMBURST_DATA", str(tmp_path))
    with pytest.raises(DamagedDataError, match=said) as caught:
        load_published_fits("r8")
    assert str(path) in str(caught.value)
