"""What holds of all figures of a corpus: legible, nothing cut off, terms of any script, no display needed."""

import subprocess
import sys

import pytest

import termburst as tb
from termburst import plot
from termburst.plot.terms import picked

NAMES = ("lengths", "zipf", "burstiness", "along", "counts", "waterfall", "alpha", "volcano", "panel")


@pytest.fixture(scope="module")
def everything(counts, terms):
    terms = [*terms[:9], "中文", *terms[10:]]
    statistics = tb.TermStatistics.from_counts(counts, terms, "patterns")
    odd = terms[:10]
    made = {
        "lengths": plot.document_lengths(statistics),
        "zipf": plot.zipf(statistics),
        "burstiness": plot.burstiness(statistics, sigma2=0.1, label=odd),
        "along": plot.term_along_corpus(counts, "so\nso", terms=terms, documents=odd * 6),
        "counts": plot.term_counts(statistics, "שלום"),
        "waterfall": plot.waterfall(tb.explain(statistics, "$x$", sigma2=0.1)),
        "alpha": plot.log_alpha(tb.fit_beta_binomial(statistics)),
        "volcano": plot.volcano(tb.keyness(counts[:30], counts[30:], terms=terms), label=odd[:8]),
        "panel": plot.term_panel(counts, "ha" * 300, terms=terms, sigma2=0.1),
    }
    for figure in made.values():
        figure.draw_without_rendering()
    return made


# Where a machine has no font with these letters Matplotlib says so, which is as it should be.
pytestmark = pytest.mark.filterwarnings("ignore:Glyph .* missing from font:UserWarning")


@pytest.mark.parametrize("name", NAMES)
def test_axes_are_labelled_and_text_is_legible(everything, name):
    from matplotlib.text import Text

    figure = everything[name]
    for axes in figure.axes:
        assert axes.get_xlabel()
    written = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    assert min(text.get_fontsize() for text in written) >= 9
    assert figure.get_figwidth() <= 8.5


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_cut_off(everything, name):
    figure = everything[name]
    tight = figure.get_tightbbox()
    assert min(tight.x0, tight.y0) >= 0
    assert tight.x1 <= figure.get_figwidth()
    assert tight.y1 <= figure.get_figheight()


@pytest.mark.parametrize("name", NAMES)
def test_legends_stand_beside_the_data(everything, name):
    figure = everything[name]
    panes = [axes.get_window_extent() for axes in figure.axes]
    legends = [*figure.legends, *[axes.get_legend() for axes in figure.axes if axes.get_legend()]]
    assert not any(legend.get_window_extent().overlaps(pane) for legend in legends for pane in panes)


def test_terms_are_written_on_one_line_and_taken_by_their_letters(everything, words):
    text = words(everything["burstiness"])
    for term in ("$x$", "a$b^", "so\\nso", "\\u202eevil", "שלום", "سلام", "中文", "<b>", "haha"):
        assert term in text
    assert "ha" * 20 not in text
    assert "“" + "ha" * 14 + "h…”" in everything["panel"].get_suptitle()
    named = [note for note in everything["volcano"].axes[0].texts if "$x$" in note.get_text()]
    assert not any(note.get_parse_math() for note in named)


def test_letters_that_the_font_lacks_come_from_another(monkeypatch):
    from matplotlib.font_manager import fontManager

    from termburst.plot import terms

    there = fontManager.ttflist[0].name
    monkeypatch.setattr(terms, "_FAMILIES", (there, "No Such Font"))
    terms._installed.cache_clear()
    assert terms.families()[1:] == [there]
    terms._installed.cache_clear()


def test_save_writes_the_same_bytes_again(everything, tmp_path):
    for name in ("panel", "volcano"):
        first = [path.read_bytes() for path in plot.save(everything[name], tmp_path / "first", name)]
        assert first == [path.read_bytes() for path in plot.save(everything[name], tmp_path / "again", name)]


def test_labels_by_rank_or_by_name():
    assert picked(9, None, [2, 0]) == [2, 0]
    with pytest.raises(ValueError, match="'a' cannot be labelled"):
        picked(["a"], None, [0])
    with pytest.raises(ValueError, match="label is a whole number"):
        picked("it", ["it"], [0])


def test_matplotlib_comes_with_the_first_figure_and_pyplot_never():
    program = """
import sys
import termburst as tb
print("termburst.plot" in sys.modules)
tb.plot
print("matplotlib" in sys.modules)
tb.plot.zipf([[2, 8], [0, 12]])
print("matplotlib" in sys.modules, "matplotlib.pyplot" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False", "True", "False"]
