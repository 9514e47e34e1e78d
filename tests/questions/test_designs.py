"""Keyness by a formula: tables, contrasts, clusters, strata, and messages."""

import subprocess
import sys
from datetime import date

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import termburst as tb
from termburst.questions.formulas import MOST_CELLS, design_of

RNG = np.random.default_rng(5)
X = np.column_stack([RNG.poisson(2, 24), RNG.poisson(1, 24), RNG.integers(30, 60, 24)])
X[:12, 0] += RNG.poisson(4, 12)
ABOUT = {
    "party": ["D"] * 12 + ["R"] * 12,
    "year": list(range(1950, 1962)) * 2,
    "era": (["old"] * 6 + ["new"] * 6) * 2,
    "speaker": [f"s{k // 2}" for k in range(24)],
}
TERMS = ["war", "tax", "rest"]


def asked(formula, **options):
    return tb.keyness(X, formula=formula, metadata=ABOUT, terms=TERMS, **options)


def test_all_doors_lead_to_the_same_table():
    corpus = tb.read(X, terms=TERMS, metadata=ABOUT)
    table = asked("party + year")
    sides = ["n_a", "n_b", "b_a", "b_b", "per_million_a", "per_million_b"]
    assert table.columns[:12] == ["term", "n", "b", "contrast", *sides, "log_ratio", "log_ratio_unadjusted"]
    assert table["contrast"].unique().sort().to_list() == ["party: D - R", "year"]
    assert_frame_equal(corpus.keyness("party + year"), table)
    assert_frame_equal(tb.keyness(corpus, formula="party + year"), table)
    assert_frame_equal(tb.keyness(X, formula="party + year", metadata=ABOUT, terms=TERMS), table)
    assert_frame_equal(corpus.keyness(by="party", strata="era"), asked("party", strata="era"))
    assert table["term"][0] in ("war", "rest")  # what one word gains, the rest loses


def test_both_sides_of_a_contrast_are_counted():
    found = asked("party + year", cluster="speaker", sort="term").filter(contrast="party: D - R")
    columns = ("n_a", "n_b", "b_a", "b_b", "per_million_a", "per_million_b")
    plain = tb.keyness(X[:12], X[12:], terms=TERMS, sort="term")
    assert_frame_equal(found.select(columns), plain.select(columns))
    assert asked("year").select(columns).null_count().sum_horizontal()[0] == 3 * len(columns)


@pytest.mark.parametrize("options", [{"cluster": "speaker"}, {"strata": "era"}])
def test_the_first_of_the_groups_is_a(options):
    corpus = tb.read(X, terms=TERMS, metadata=ABOUT)
    given, turned = (corpus.keyness(by="party", groups=one, sort="term", **options) for one in (["D", "R"], ["R", "D"]))
    assert turned["contrast"].unique().to_list() == ["party: R - D"]
    np.testing.assert_allclose(turned["log_ratio"], -given["log_ratio"], atol=1e-9)
    assert_frame_equal(turned.select(n="n_a", b="b_b"), given.select(n="n_b", b="b_a"))


def test_groups_of_numbers_are_groups_and_no_slope():
    corpus = tb.read(X, terms=TERMS, metadata=ABOUT)
    years = corpus.keyness(by="year", groups=[1955, 1950, 1951], strata="party")
    assert set(years["contrast"]) == {"year: 1955 - 1950", "year: 1955 - 1951"}


def test_a_missing_column_names_the_nearest():
    for option in ("cluster", "strata"):
        with pytest.raises(ValueError, match=r"no column 'spaeker' for .*'era', 'speaker'; did you mean 'speaker'"):
            asked("party", **{option: "spaeker"})


def test_strata_are_one_more_category():
    columns = ("term", "log_ratio", "ci_low", "p_value")
    with_strata = asked("party", strata="era", sort="term").select(columns)
    assert_frame_equal(with_strata, asked("party + era", contrast="party: D - R", sort="term").select(columns))


def test_clusters_inside_groups_are_summed():
    found = asked("party", cluster="speaker", sort="term")
    summed = X.reshape(12, 2, 3).sum(axis=1)
    alone = tb.keyness(summed, formula="party", metadata={"party": ABOUT["party"][::2]}, terms=TERMS, sort="term")
    assert_frame_equal(
        found.select("log_ratio", "statistic", "p_value"), alone.select("log_ratio", "statistic", "p_value")
    )
    np.testing.assert_allclose(found["p_documents"], asked("party", sort="term")["p_value"])
    assert found["p_method"].str.starts_with("clusters, ").all()


def test_clusters_with_a_covariate_that_varies_in_them():
    found = asked("year", cluster="speaker", sort="term")
    assert (found["p_method"] == "random signs of clusters").all()
    assert (found["p_value"] >= 0).all()
    assert (found["ci_low"] <= found["log_ratio"]).all()


def test_contrasts_of_levels_numbers_splines_and_interactions():
    frame = pl.DataFrame(ABOUT)
    of = design_of("party * year", frame)
    unit = of.contrasts("year")[0]
    assert dict(zip(of.names, unit.vector.tolist(), strict=True))["party[T.R]:year"] == pytest.approx(0.5)
    years = design_of("party + year", frame).contrasts(["year: 1960 - 1950", "year"])
    np.testing.assert_allclose(years[0].vector, 10 * years[1].vector, atol=1e-9)
    spline = design_of("bs(year, df=4)", frame)
    assert spline.contrasts()[0].name == "year: 1958.25 - 1952.75"
    assert spline.contrasts()[0].own.tolist() == [0, 1, 2, 3, 4]
    assert [one.name for one in design_of("C(year)", frame).contrasts()][:2] == [
        "year: 1950 - 1951",
        "year: 1950 - 1952",
    ]


def test_dates_are_years_and_many_numbers_become_classes():
    days = pl.DataFrame({"day": [date(1950 + k, 7, 2) for k in range(24)]})
    assert design_of("day", days).frame["day"][0] == pytest.approx(1950.5, abs=0.01)
    many = pl.DataFrame({"x": np.random.default_rng(0).normal(size=MOST_CELLS + 400)})
    with pytest.warns(UserWarning, match="means of 256 classes"):
        of = design_of("x", many)
    assert len(of.rows) == 256
    assert np.corrcoef(of.rows[of.cell, 1], many["x"])[0, 1] > 0.999


def test_wrong_questions_have_one_sentence():
    for formula, options, said in [
        ("party + mood", {}, "no column 'mood'"),
        ("party +", {}, r"'party \+' cannot be read: it ends with '\+'; write it such as 'party \+ year'"),
        ("party year", {}, r"cannot be read: columns need \+ \* or : between them"),
        ("log(party)", {}, r"'log\(party\)', which needs numbers, but 'party' has no numbers"),
        ("bs(year, df=1)", {}, r"metadata: bs\(year, df=1\) cannot be computed \(Invalid value for `df`"),
        ("x ~ party", {}, "no left side"),
        ("0 + year", {}, "intercept"),
        ("party + __import__('os')", {}, "may use only C, bs"),
        ("party + I(year)", {}, "may use only C, bs"),
        ("party + C(speaker)", {}, "collinear"),
        ("", {}, "such as 'party \\+ year'"),
        ("party", {"strata": "speaker"}, "nothing to compare"),
        ("party", {"strata": "mood"}, "no column 'mood' for strata"),
        ("party", {"cluster": "mood"}, "no column 'mood' for clusters"),
        ("party", {"cluster": "era"}, "2 clusters, too few"),
        ("party", {"contrast": "mood: a - b"}, "the formula has 'party'"),
        ("party", {"contrast": "party: D - X"}, "it has D, R"),
        ("party", {"contrast": "party"}, "needs two values"),
        ("party", {"contrast": "party: D"}, "' - ' between"),
        ("party", {"contrast": "party: D - D"}, "the same"),
        ("party", {"contrast": []}, "at least one"),
        ("party", {"contrast": [3]}, "must be a string"),
        ("party", {"sort": "q"}, "sort must be one of"),
        ("1", {}, "names no column"),
    ]:
        with pytest.raises(ValueError, match=said):
            asked(formula, **options)


def test_metadata_must_fit():
    for metadata, said in (
        ({"party": ["D"] * 3}, "24 documents, but the metadata has 3"),
        ({"party": ["D", None] * 12}, "12 documents have nothing"),
        ({"party": ["D"] * 24}, "only one value"),
        (7, "metadata must be columns"),
        (None, "needs a corpus with metadata"),
    ):
        with pytest.raises(ValueError, match=said):
            tb.keyness(X, formula="party", metadata=metadata)
    with pytest.raises(ValueError, match="metadata, contrast, cluster and strata go with formula="):
        tb.keyness(X, X, cluster="party")
    with pytest.raises(ValueError, match="B and formula= take the place of each other"):
        tb.keyness(X, X, formula="party")
    with pytest.raises(ValueError, match="give B"):
        tb.keyness(X)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        tb.keyness(X, formula="party", metadata=ABOUT, colour=1)
    with pytest.raises(ValueError, match="a formula has no method"):
        tb.keyness(X, formula="party", metadata=ABOUT, method="g2")


RARE = np.zeros((24, 40), dtype=int)  # 40 words, each in two documents of different parties
RARE[np.arange(40) % 24, np.arange(40)] = RARE[(np.arange(40) + 12) % 24, np.arange(40)] = 1


@pytest.mark.filterwarnings("ignore:6 of 6 clusters of 'crossed'")
@pytest.mark.parametrize(
    "options",
    [
        {"formula": "party"},
        {"formula": "party", "strata": "era"},
        {"formula": "party", "cluster": "speaker"},
        {"formula": "party", "cluster": "crossed"},
    ],
)
def test_words_that_cannot_be_significant_cost_nothing(options):
    formula = options["formula"]
    about = ABOUT | {"crossed": [f"c{k % 6}" for k in range(24)]}
    given = {"metadata": about, "sort": "term"} | {name: value for name, value in options.items() if name != "formula"}
    rest = X[:, 2] - RARE.sum(axis=1)
    counts = np.column_stack([X[:, :2], rest, RARE])
    names = [*TERMS, *(f"z{k:02}" for k in range(40))]
    found = tb.keyness(counts, formula=formula, terms=names, contrast=None, **given)
    if "strata" in options:
        found = found.filter(contrast="party: D - R")
    rare = found["term"].str.starts_with("z")
    assert (found.filter(rare)["least_p"] > 0.05).all()
    assert (found.filter(rare)["least_p"] <= found.filter(rare)["p_value"]).all()
    others = found.filter(~rare)
    small = others.filter(pl.col("p_value") < 0.05)
    assert small.height > 0
    able = (others["least_p"].to_numpy() <= 0.05).sum()
    np.testing.assert_array_less(small["q_value"].to_numpy(), small["p_value"].to_numpy() * able + 1e-12)


def test_q_is_adjusted_for_each_contrast_by_itself():
    both = asked("party + year", sort="term")
    for contrast in ("party: D - R", "year"):
        own = asked("party + year", contrast=contrast, sort="term")
        np.testing.assert_array_equal(both.filter(contrast=contrast)["q_value"], own["q_value"])


def test_a_side_too_small_to_have_the_term_is_undetermined():
    counts = np.array([[1, 40_000], [0, 40_000], [0, 30_000], [0, 8]])
    given = {"metadata": {"side": ["a", "a", "a", "b"]}, "terms": ["once", "rest"]}
    one = tb.keyness(counts, formula="side", **given).filter(term="once").row(0, named=True)
    assert (one["status"], one["log_ratio"], one["p_value"], one["least_p"]) == ("undetermined", None, 1.0, 1.0)
    assert (one["ci_low"], one["ci_high"]) == (-np.inf, np.inf)


def test_a_contrast_of_values_without_the_term_is_undetermined():
    counts, level = X.copy(), ["a"] * 8 + ["b"] * 8 + ["c"] * 8
    counts[:16, 1] = 0
    given = {"metadata": {"level": level}, "terms": TERMS, "contrast": ["level: a - b", "level: a - c"]}
    found = tb.keyness(counts, formula="level", **given).filter(term="tax")
    one, other = (found.filter(contrast=f"level: a - {last}").row(0, named=True) for last in "bc")
    assert (one["status"], one["log_ratio"], one["log_ratio_unadjusted"]) == ("undetermined", None, None)
    assert (one["ci_low"], one["ci_high"], one["p_value"], one["least_p"]) == (-np.inf, np.inf, 1.0, 1.0)
    assert (other["status"], other["log_ratio"], other["log_ratio_unadjusted"]) == ("separated", -np.inf, -np.inf)
    assert np.isfinite(other["ci_high"])


@pytest.mark.slow
def test_the_extra_for_formulas_has_all_that_they_import():
    """PyArrow is not in it; categories of a Polars frame would come to formulaic by PyArrow."""
    code = """if True:
        import sys
        sys.modules["pyarrow"] = None
        from termburst.questions.formulas import design_of
        import polars as pl
        print(design_of("party + year", pl.DataFrame({"party": ["D", "R", "D"], "year": [1, 2, 4]})).names)
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("['Intercept', 'party[T.R]', 'year']\n", "")


def test_a_number_with_a_value_far_from_all_others_is_said():
    x = np.append(np.arange(49) % 10.0, 1e6)
    with pytest.warns(UserWarning, match=r"half of the documents have 'x' between .* but it goes from 0 to 1e\+06"):
        tb.keyness([[1, 9]] * 50, formula="x", metadata={"x": x}, terms=["so", "it"])


def test_splines_with_an_intercept_of_their_own_are_centred():
    """The same tests as written out: cr with an intercept, cr alone without one, and cr with its own constraint."""
    texts = [f"so it goes {word} {word} on" for word in "abcdefghijkl"] * 4
    corpus = tb.read(texts, token_pattern=r"\w+", metadata={"year": [1900 + 7 * k % 53 for k in range(48)]})
    asked = {"contrast": "year: 1940 - 1910"}
    plain = corpus.keyness("cr(year, df=4)", **asked)
    compared = ["term", "log_ratio", "p_value"]
    for formula in ("cr(year, df=4, constraints='center')", "0 + cr(year, df=5)", "cs(year, df=4)"):
        other = corpus.keyness(formula, **asked)
        assert_frame_equal(plain.select(compared), other.select(compared), check_row_order=False, rel_tol=1e-6)
    assert design_of("cc(year, df=4)", corpus.metadata).rows.shape[1] == 5


def test_a_category_without_0_has_an_intercept():
    corpus = tb.read(["so it goes", "it is so so"] * 5, metadata={"party": ["x", "y"] * 5, "year": range(10)})
    compared = ["term", "log_ratio", "p_value"]
    assert_frame_equal(corpus.keyness("party").select(compared), corpus.keyness("0 + party").select(compared))
    columns = [design_of(f"{start}party + cr(year, df=3)", corpus.metadata).rows.shape[1] for start in ("", "0 + ")]
    assert columns == [5, 5]
    with pytest.raises(ValueError, match=r"must have an intercept; remove '0 \+'"):
        corpus.keyness("0 + year")


def test_whole_and_decimal_numbers_may_be_mixed():
    X = [[1, 3], [2, 2], [3, 1]] * 4
    numbers = [1, 2.5, 3] * 4
    mixed = tb.keyness(X, formula="v", metadata={"v": numbers}, terms=["a", "b"])
    assert_frame_equal(mixed, tb.keyness(X, formula="v", metadata={"v": np.array(numbers)}, terms=["a", "b"]))
    with pytest.raises(ValueError, match="metadata must be columns"):
        tb.keyness(X, formula="v", metadata={"v": [1, "x", 2] * 4})
