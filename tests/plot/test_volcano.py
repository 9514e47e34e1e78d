import numpy as np
import polars as pl
import pytest

import termburst as tb
from termburst import plot
from termburst.plot.terms import written


@pytest.fixture(scope="module")
def table(counts, terms):
    A = counts.copy()
    A[:, 25] += 6
    A[:, 26] = 0
    A[:, 39] = 2
    return tb.keyness(A[:30], counts[30:], terms=terms)


@pytest.fixture(scope="module")
def figure(table):
    """The whole table, drawn once: placing its names takes a second."""
    return plot.volcano(table)


def made_up(log_ratio, p, q=None, **columns):
    terms = [f"t{k}" for k in range(len(p))]
    return pl.DataFrame(
        {"term": terms, "log_ratio": log_ratio, "p_value": p, "q_value": p if q is None else q, **columns}
    )


def points(figure):
    """All points drawn, sorted."""
    drawn = np.concatenate([np.asarray(c.get_offsets()) for c in figure.axes[0].collections])
    return drawn[np.lexsort(drawn.T)]


def markers(figure, marker):
    from matplotlib.markers import MarkerStyle

    shape = MarkerStyle(marker)
    path = shape.get_path().transformed(shape.get_transform())
    groups = figure.axes[0].collections
    return np.concatenate(
        [
            np.empty((0, 2)),
            *(g.get_offsets() for g in groups if np.array_equal(g.get_paths()[0].vertices, path.vertices)),
        ]
    )


def test_points_are_ratio_and_p(table, figure):
    seen = table.filter(pl.col("log_ratio").is_finite())
    expected = np.column_stack([seen["log_ratio"], -np.log10(seen["p_value"])])
    drawn = markers(figure, "o")
    assert np.allclose(drawn[np.lexsort(drawn.T)], expected[np.lexsort(expected.T)])


def test_infinite_ratios_are_triangles_beyond_the_finite_ones(table, figure, words):
    finite = np.abs(markers(figure, "o")[:, 0]).max()
    only_a, only_b = markers(figure, ">"), markers(figure, "<")
    assert (len(only_a), len(only_b)) == ((table["log_ratio"] == np.inf).sum(), (table["log_ratio"] == -np.inf).sum())
    assert len(only_a)
    assert len(only_b)
    assert (only_a[:, 0] > finite).all()
    assert (only_b[:, 0] < -finite).all()
    assert f"{len(only_a)} in A only: the ratio is infinite" in words(figure)


def test_the_threshold_separates_discoveries_from_other_terms(table, lines):
    figure = plot.volcano(table, fdr=0.05)
    largest = table.filter(pl.col("q_value") <= 0.05)["p_value"].max()
    (line,) = [line for label, line in lines(figure.axes[0]).items() if label.startswith("q = 0.05")]
    assert np.allclose(line.get_ydata(), -np.log10(largest))
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert f"{(table['q_value'] > 0.05).sum()} terms, q > 0.05" in legend


def test_without_discoveries_there_is_no_threshold(lines):
    figure = plot.volcano(made_up([1.0, -2.0], [0.5, 0.9]))
    assert not any(label.startswith("q =") for label in lines(figure.axes[0]))


def test_named_terms_have_their_interval(table):
    figure = plot.volcano(table, label=["t25"])
    row = table.row(by_predicate=pl.col("term") == "t25", named=True)
    (interval,) = [line for line in figure.axes[0].lines if line.get_zorder() == 4]
    assert np.allclose(interval.get_xdata(), [row["ci_low"], row["ci_high"]])
    assert np.allclose(interval.get_ydata(), -np.log10(row["p_value"]))
    assert [note.get_text() for note in figure.axes[0].texts] == ["t25"]


def test_an_infinite_interval_reaches_the_edge(table):
    figure = plot.volcano(table, label=["t39"])
    (interval,) = [line for line in figure.axes[0].lines if line.get_zorder() == 4]
    assert interval.get_xdata()[1] == figure.axes[0].get_xlim()[1]


def test_a_table_without_intervals_can_be_drawn(counts, terms):
    table = tb.keyness(counts[:30], counts[30:], terms=terms, confidence=None)
    assert not [line for line in plot.volcano(table).axes[0].lines if line.get_zorder() == 4]


def test_p_of_zero_is_at_the_upper_edge(words):
    figure = plot.volcano(made_up([3.0, 2.0, 0.1], [0.0, 1e-300, 1.0]))
    zero, tiny, one = points(figure)[np.argsort(-points(figure)[:, 1])]
    assert np.allclose(tiny, [2.0, 300.0])
    assert one.tolist() == [0.1, 0.0]
    assert zero[1] > 300
    assert zero[1] < figure.axes[0].get_ylim()[1]
    assert "1 with p = 0 at the upper edge" in words(figure)


def test_equal_p_values():
    for ratio in [[0.0, 0.0], [np.inf, -np.inf], [1.0, np.inf]]:
        for p in [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]:
            figure = plot.volcano(made_up(ratio, p))
            figure.draw_without_rendering()
            assert np.isfinite(points(figure)).all()
            assert len(points(figure)) == 2


def test_names_alternate_between_both_sides():
    x = np.r_[np.full(20, 2.0), np.full(5, -2.0)] + np.linspace(0, 1, 25)
    p = np.r_[np.geomspace(1e-40, 1e-20, 20), np.geomspace(1e-8, 1e-5, 5)]
    figure = plot.volcano(made_up(x, p), label=6)
    named = {name for note in figure.axes[0].texts for name in note.get_text().split("\n")}
    assert named == {"t0", "t1", "t2", "t20", "t21", "t22"}
    figure = plot.volcano(made_up(x, p, np.where(x > 0, 0.0, 1.0)), label=6)
    named = {name for note in figure.axes[0].texts for name in note.get_text().split("\n")}
    assert named == {f"t{k}" for k in range(6)}


def test_rows_without_a_p_value_are_counted(words):
    figure = plot.volcano(made_up([1.0, None, 2.0], [0.5, 0.5, None]))
    assert points(figure).tolist() == [[1.0, -np.log10(0.5)]]
    assert "not drawn: 2 without a p-value" in words(figure)


def test_pandas_frames_and_unnamed_terms(counts, table, figure):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({name: table[name].to_list() for name in table.columns})
    assert np.allclose(points(plot.volcano(frame)), points(figure))
    unnamed = tb.keyness(counts[:30], counts[30:])
    (note,) = plot.volcano(unnamed, label=1).axes[0].texts
    assert note.get_text() in {written(term) for term in unnamed["term"]}


def test_bad_input_gets_one_sentence(counts, table):
    groups = ["a", "b", "c"] * 20
    with pytest.raises(ValueError, match="no column 'log_ratio'"):
        plot.volcano(tb.keyness(counts, by=groups, contrasts=False))
    contrasts = tb.keyness(counts, by=groups)
    with pytest.raises(ValueError, match="keep only the rows of one"):
        plot.volcano(contrasts)
    assert plot.volcano(contrasts.filter(pl.col("group") == "a"))
    with pytest.raises(ValueError, match="no column 'term'"):
        plot.volcano(counts)
    with pytest.raises(ValueError, match="fdr must be a number above 0"):
        plot.volcano(table, fdr=0)
    with pytest.raises(ValueError, match="'x' cannot be labelled"):
        plot.volcano(table, label=["x"])
    with pytest.raises(ValueError, match="nothing to draw"):
        plot.volcano(table.clear())
