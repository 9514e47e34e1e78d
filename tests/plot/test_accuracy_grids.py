"""Heat maps over two hyperparameters."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from termburst import plot
from termburst.plot.canvas import VERMILION

MU, SIGMA2 = [30, 60, 90], [0.5, 1.0]


def outlined(axes):
    frames = axes.patches
    assert all(patch.get_edgecolor() == to_rgba(VERMILION) for patch in frames)
    return {(round(patch.get_y() + 0.46), round(patch.get_x() + 0.47)) for patch in frames}


def test_grids_print_values_and_outline_the_best():
    first = np.array([[0.80868, 0.79], [0.8, 0.80868], [0.7, np.nan]])
    second = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    grids = {"one": first, "two": second}
    figure = plot.accuracy_grids(grids, MU, SIGMA2, decimals=5)
    one, two = figure.axes[:2]
    printed = [text.get_text() for text in one.texts]
    assert printed == ["0.80868", "0.79000", "0.80000", "0.80868", "0.70000", "–"]
    assert [text.get_position() for text in one.texts] == [(x, y) for y in range(3) for x in range(2)]
    assert (outlined(one), outlined(two)) == ({(0, 0), (1, 1)}, {(2, 1)})
    assert [axes.images[0].get_clim() for axes in (one, two)] == [(0.1, 0.80868)] * 2
    assert [label.get_text() for label in one.get_yticklabels()] == ["30", "60", "90"]
    assert [label.get_text() for label in two.get_xticklabels()] == ["0.5", "1"]


def test_values_can_be_read_on_the_colour_of_their_cell():
    table = np.linspace(0, 1, 30).reshape(5, 6)
    figure = plot.accuracy_grids({"one": table}, np.arange(1, 6), np.arange(1, 7))
    image = figure.axes[0].images[0]
    for text, value in zip(figure.axes[0].texts, table.ravel(), strict=True):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in image.cmap(image.norm(value))]
        luminance = float(np.dot(linear[:3], [0.2126, 0.7152, 0.0722]))
        other = 1.0 if text.get_color() == "white" else 0.0
        contrast = (max(luminance, other) + 0.05) / (min(luminance, other) + 0.05)
        assert contrast >= 4.5  # what WCAG requires for small text


def test_grids_of_any_number_and_size():
    for shape in [(1, 1), (6, 6), (2, 9)]:
        for number in [1, 2, 3, 4]:
            rng = np.random.default_rng(0)
            grids = {f"grid {k}": rng.uniform(0.7, 0.9, shape) for k in range(number)}
            figure = plot.accuracy_grids(grids, np.arange(1, shape[0] + 1), np.arange(1, shape[1] + 1))
            figure.draw_without_rendering()
            panels = [axes for axes in figure.axes if axes.images]
            assert [axes.get_title() for axes in panels] == list(grids)
            assert len(figure.axes) == number + 1  # one colour bar
            for axes in panels:
                boxes = [text.get_window_extent() for text in axes.texts]
                rows = [boxes[i : i + shape[1]] for i in range(0, len(boxes), shape[1])]
                assert all(a.x1 < b.x0 for row in rows for a, b in itertools.pairwise(row))


BAD = {
    "grids is empty": lambda: plot.accuracy_grids({}, MU, SIGMA2),
    r"its shape is \(2, 2\)": lambda: plot.accuracy_grids({"a": np.ones((2, 2))}, MU, SIGMA2),
    "no finite value": lambda: plot.accuracy_grids({"a": np.full((3, 2), np.nan)}, MU, SIGMA2),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence(sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        BAD[sentence]()
    assert "\n" not in str(error.value)
