import polars as pl
import pytest

from termburst import plot

TABLE = pl.DataFrame(
    {
        "source": ["socrates", "plato", "a$b^", "x"],
        "target": ["plato", "cave", "plato", "y"],
        "documents": [30, 20, 12, 9],
        "expected": [5.0, 2.0, 6.0, 8.0],
        "q_together": [1e-9, 1e-5, 0.01, 0.2],
        "q_after": [1e-6, 0.3, 0.02, 0.001],
    }
)


def test_each_pair_is_an_arrow_and_each_word_a_name():
    figure = plot.triggers(TABLE)
    figure.draw_without_rendering()
    names = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    assert names == ["socrates", "plato", "cave", "a$b^"]
    arrows = [text.arrow_patch for text in figure.axes[0].texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 3
    heads = [type(arrow.get_arrowstyle()).__name__ for arrow in arrows]
    assert heads == ["CurveFilledB", "Curve", "CurveFilledB"]  # where the order is not sure, a line has no head
    title = "2 arrows: the first word brings on the second; 1 line: the words come together"
    assert figure.axes[0].get_title() == title
    assert plot.triggers(TABLE, top=1).axes[0].get_title() == "1 arrow: the first word brings on the second"
    assert plot.triggers(TABLE[1:2]).axes[0].get_title() == "1 line: the words come together"


def test_the_same_table_gives_the_same_places():
    one, two = ([text.get_position() for text in plot.triggers(TABLE).axes[0].texts] for _ in range(2))
    assert one == two


def test_bad_input_gets_one_sentence():
    with pytest.raises(ValueError, match="no column source"):
        plot.triggers(TABLE.drop("source"))
    with pytest.raises(ValueError, match="no pair has a q_together of at most 1e-20"):
        plot.triggers(TABLE, q=1e-20)
    with pytest.raises(ValueError, match="top must be"):
        plot.triggers(TABLE, top=0)
    with pytest.raises(ValueError, match="no column source"):
        plot.triggers([1, 2])
