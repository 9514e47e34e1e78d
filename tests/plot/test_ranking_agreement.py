"""How far several scores rank the terms alike."""

import numpy as np
import pytest

from termburst import plot
from termburst.plot.ranking_agreement import ranks


def test_ties_have_their_average_rank():
    assert ranks([5.0, 1.0, 5.0, 9.0, np.nan])[:4].tolist() == [2.5, 4.0, 2.5, 1.0]
    scores = {"first": [5.0, 1.0, 5.0, 9.0, np.nan], "last": [1.0, 2.0, 3.0, 4.0, 5.0]}
    figure = plot.ranking_agreement(scores, [2, 2, 2, 2, 2], labels=["a", "d"], terms=list("abcde"))
    (marked,) = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert marked.get_xydata().tolist() == [[2.5, 4.0], [1.0, 1.0]]
    assert figure.axes[0].collections[0].get_array().sum() == 4
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("rank by first", "rank by last")


def test_ranking_correlations_by_frequency(lines):
    from scipy.stats import spearmanr

    rng = np.random.default_rng(3)
    n_i = np.repeat(
        [1, 2, 3, 4, 7, 15, 50, 500, 5000], [50, 40, 10, 9, 9, 30, 20, 12, 11]
    )  # too few terms with 5 to 9 occurrences
    scores = {name: rng.normal(size=len(n_i)).round(1) for name in ("a", "b", "c")}
    axes = plot.ranking_agreement(scores, n_i).axes[1]
    bands = {"2": (2, 2), "3–4": (3, 4), "10–19": (10, 19), "20–99": (20, 99), "100–999": (100, 999)}
    bands["≥ 1000"] = (1000, 10**9)
    assert [label.get_text() for label in axes.get_xticklabels()] == list(bands)
    for pair in ("a – b", "a – c", "b – c"):
        first, second = pair.split(" – ")
        inside = [(n_i >= low) & (n_i <= high) for low, high in bands.values()]
        expected = [spearmanr(scores[first][chosen], scores[second][chosen]).statistic for chosen in inside]
        assert np.allclose(lines(axes)[pair].get_ydata(), expected)
    assert len({line.get_marker() for line in axes.lines}) == 3


def test_ranking_labels_do_not_overlap():
    rng = np.random.default_rng(0)
    score = rng.normal(size=300)
    terms = [f"word{i}" for i in range(300)]
    close = [terms[i] for i in np.argsort(-score)[60:180:15]]  # near each other in rank
    figure = plot.ranking_agreement({"a": score, "b": score}, np.full(300, 2), labels=close, terms=terms)
    figure.draw_without_rendering()
    boxes = [note.get_bbox_patch().get_window_extent() for note in figure.axes[0].texts]
    assert len(boxes) == 8
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_terms_at_one_point_share_a_label():
    figure = plot.ranking_agreement({"a": [1, 1, 2], "b": [1, 1, 2]}, [2, 2, 2], labels=["x", "z", "y"], terms="xyz")
    assert [note.get_text() for note in figure.axes[0].texts] == ["x\ny", "z"]


def test_ranking_of_constant_scores_has_no_correlation(lines):
    figure = plot.ranking_agreement({"a": np.ones(20), "b": np.arange(20.0)}, np.full(20, 2))
    assert np.isnan(lines(figure.axes[1])["a – b"].get_ydata()).all()


BAD = {
    "two scores or more": lambda: plot.ranking_agreement({"a": [1.0]}, [1]),
    "a has 1, b has 2": lambda: plot.ranking_agreement({"a": [1.0], "b": [1.0, 2.0]}, [1]),
    "of every score": lambda: plot.ranking_agreement({"a": [np.nan], "b": [1.0]}, [1]),
    "'y' cannot be labelled": lambda: plot.ranking_agreement(
        {"a": [1.0, np.nan], "b": [1.0, 2.0]}, [1, 1], labels=["y"], terms=["x", "y"]
    ),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence(sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        BAD[sentence]()
    assert "\n" not in str(error.value)
