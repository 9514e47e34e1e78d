"""The table of terms has what the functions return, burstiest first."""

import numpy as np
import pytest

import termburst as tb
from termburst.inference.overdispersion import burstiness
from termburst.inference.plr import PARTS

COLUMNS = ["term", "n", "b", "plr", "tarone", "idf", "icf", "tf_idf_sum", "alpha", "alpha_not", "status"]


def test_a_term_that_never_occurs_has_no_score_and_no_idf():
    table = tb.term_table(tb.TermStatistics.from_counts([[2, 1, 0], [0, 1, 0]], ["a", "b", "never"])).sort("term")
    never = table.row(2, named=True)
    assert [never[name] for name in ("tarone", "idf", "icf")] == [None, None, None]
    assert (never["n"], never["tf_idf_sum"]) == (0, 0.0)


def test_the_table_has_what_the_functions_return(fig3):
    s = tb.TermStatistics.from_counts(fig3, [f"t{i:03d}" for i in range(250)])
    table = tb.term_table(s, parts=True, sigma2=2.0)
    by_term = table.sort("term")
    np.testing.assert_array_equal(by_term["plr"].to_numpy(), tb.plr_statistic(s, sigma2=2.0))
    np.testing.assert_array_equal(by_term["n"].to_numpy(), fig3.sum(axis=0))
    np.testing.assert_array_equal(by_term["b"].to_numpy(), (fig3 > 0).sum(axis=0))
    np.testing.assert_array_equal(by_term["alpha"].to_numpy(), tb.penalized_mle(s, sigma2=2.0).alpha)
    tf_idf = tb.TermWeighting("tf-idf", norm=None).fit_transform(fig3).sum(axis=0)
    np.testing.assert_allclose(by_term["tf_idf_sum"].to_numpy(), np.ravel(tf_idf), atol=1e-9)
    score = burstiness(fig3, draws=99, only="plr").score.value
    np.testing.assert_allclose(by_term["tarone"].fill_null(np.nan).to_numpy(), score, rtol=1e-12)
    parts = [name for name in PARTS if name in table.columns]
    assert len(parts) == 8
    np.testing.assert_array_equal(by_term["alpha_not"].to_numpy(), tb.penalized_mle(s, sigma2=2.0).alpha_not)
    np.testing.assert_allclose(table.select(parts).sum_horizontal().to_numpy(), table["plr"].to_numpy(), atol=1e-9)
    assert table["plr"].round(9).is_sorted(descending=True)


def test_ties_are_in_the_order_of_terms_and_null_comes_last():
    X = np.array([[1, 0, 1, 30], [0, 1, 0, 30]])
    with pytest.warns(tb.inference.ClampedTermsWarning):
        table = tb.term_table(tb.TermStatistics.from_counts(X, ["c", "b", "a", "z"]), mu=4.0, form="exact")
    assert table["term"].to_list() == ["a", "b", "c", "z"]
    assert table["plr"].null_count() == 1
    assert table["alpha"].null_count() == 1


def test_columns_without_names_are_numbered():
    assert tb.term_table(np.array([[1, 5], [1, 0]]))["term"].to_list() == [1, 0]


def test_which_estimates_are_shown(fig3):
    s = tb.TermStatistics.from_counts(fig3, [f"t{i:03d}" for i in range(250)], "patterns")
    exact, fit = tb.term_table(s, fit="exact").sort("term"), tb.fit_beta_binomial(fig3)
    assert exact["status"].to_list() == fit.status.tolist()
    shown = exact["alpha"].to_numpy()
    np.testing.assert_allclose(shown, fit.alpha, rtol=1e-12)  # patterns add up in another order
    assert set(tb.term_table(s)["status"]) == {"valid"}
    assert "alpha" not in tb.term_table(s, fit="none").columns
    with pytest.raises(ValueError, match="fit must be"):
        tb.term_table(s, fit="both")
    with pytest.raises(ValueError, match="patterns"):
        tb.term_table(s.coarsen("moments"), fit="exact")
