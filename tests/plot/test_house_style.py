"""What holds for all figures: legible text, nothing cut off, terms of any script, no display and no global settings."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

import termburst as tb
from termburst import plot
from termburst.paper.drawings import accuracy_grids, likelihood_ridge, samples
from termburst.plot.corpus import statistic_against_weight
from termburst.plot.terms import picked

CORPUS = ("lengths", "zipf", "burstiness", "along", "counts", "waterfall", "alpha", "volcano")
MODEL = ("samples", "ridge", "scatter", "fits", "grids")


@pytest.fixture(scope="module")
def everything(counts, terms, fig2, fit, published):
    """One figure of every kind, with all its options, drawn once."""
    made = {**corpus_figures(counts, terms), **model_figures(fig2, fit, published)}
    for figure in made.values():
        figure.draw_without_rendering()
    return made


def corpus_figures(counts, terms):
    terms = [*terms[:9], "中文", *terms[10:]]
    statistics = tb.TermStatistics.from_counts(counts, terms, "patterns")
    odd = terms[:10]
    names = [f"{odd[j % 10]} {j}" for j in range(60)]
    return {
        "lengths": plot.document_lengths(statistics),
        "zipf": plot.zipf(statistics),
        "burstiness": plot.burstiness(statistics, sigma2=0.1, label=odd),
        "along": plot.term_along_corpus(tb.read(counts, terms=terms, id=names), "ha" * 300),
        "counts": plot.term_counts(statistics, "שלום"),
        "waterfall": plot.waterfall(tb.explain(statistics, "$x$", sigma2=0.1)),
        "alpha": plot.log_alpha(tb.fit_beta_binomial(statistics)),
        "volcano": plot.volcano(tb.keyness(counts[:30], counts[30:], terms=terms), label=odd[:8]),
    }


def model_figures(fig2, fit, published):
    rng = np.random.default_rng(2)
    statistic, weight = rng.normal(size=(2, 400))
    occurs = np.arange(400) < 300
    return {
        "samples": samples((0.1, 1.0, 10.0, 100.0), mean=0.3, length=100, documents=60),
        "ridge": likelihood_ridge(fig2, 50.0, 4.0, (0.1, 49.9)),
        "scatter": statistic_against_weight(statistic, weight, rng.gamma(1.0, size=400), occurs),
        "fits": plot.log_alpha(fit, published),
        "grids": accuracy_grids({name: rng.uniform(size=(6, 6)) for name in "ab"}),
    }


# Matplotlib warns on a machine that has no font with these letters.
pytestmark = pytest.mark.filterwarnings("ignore:Glyph .* missing from font:UserWarning")


def test_axes_are_labelled(everything):
    assert all(axes.get_xlabel() for name in CORPUS for axes in everything[name].axes)
    outer = {"samples": [2], "ridge": [0], "scatter": [0], "fits": [0], "grids": [0]}
    for pane in (everything[name].axes[k] for name, places in outer.items() for k in places):
        assert pane.get_xlabel()
        assert pane.get_ylabel()


@pytest.mark.parametrize("name", [*CORPUS, *MODEL])
def test_all_is_legible_nothing_cut_off_and_no_data_covered(everything, name):
    from matplotlib.text import Text

    figure = everything[name]
    written = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    assert min(text.get_fontsize() for text in written) >= 9
    assert figure.get_figwidth() <= 8.5
    tight = figure.get_tightbbox()
    assert min(tight.x0, tight.y0) >= 0
    assert tight.x1 <= figure.get_figwidth()
    assert tight.y1 <= figure.get_figheight()
    panes = [axes.get_window_extent() for axes in figure.axes]
    legends = [*figure.legends, *[axes.get_legend() for axes in figure.axes if axes.get_legend()]]
    assert not any(legend.get_window_extent().overlaps(pane) for legend in legends for pane in panes)


def test_a_term_is_one_line_and_never_a_formula(everything, words):
    text = words(everything["burstiness"])
    for term in ("$x$", "a$b^", "so\\nso", "\\u202eevil", "שלום", "سلام", "中文", "<b>", "haha"):
        assert term in text
    assert "ha" * 20 not in text
    assert "“" + "ha" * 14 + "h…”" in everything["along"].axes[0].get_title()
    named = [note for note in everything["volcano"].axes[0].texts if "$x$" in note.get_text()]
    assert not any(note.get_parse_math() for note in named)


def test_letters_missing_from_the_font_come_from_another(monkeypatch):
    from matplotlib.font_manager import fontManager

    from termburst.plot import terms

    there = fontManager.ttflist[0].name
    monkeypatch.setattr(terms, "_FAMILIES", (there, "No Such Font"))
    terms._installed.cache_clear()
    assert terms.families()[1:] == [there]
    terms._installed.cache_clear()


def test_labels_by_rank_or_by_name():
    assert picked(9, None, [2, 0]) == [2, 0]
    with pytest.raises(ValueError, match="'a' cannot be labelled"):
        picked(["a"], None, [0])
    with pytest.raises(ValueError, match="label must be a whole number"):
        picked("it", ["it"], [0])


def test_global_settings_do_not_change(fig2, tmp_path):
    before = dict(mpl.rcParams)
    plot.save(likelihood_ridge(fig2, 50.0, 4.0, (0.1, 49.9)), tmp_path, "ridge")
    assert dict(mpl.rcParams) == before


def run(program):
    """The output of a Python program in which warnings are errors."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_matplotlib_is_imported_with_the_first_figure_and_pyplot_never(tmp_path):
    program = f"""
import sys
import termburst as tb
print("termburst.plot" in sys.modules)
tb.plot
print("matplotlib" in sys.modules)
tb.plot.zipf([[2, 8], [0, 12]])
burstiness = tb.plot.burstiness([[2, 8], [0, 12], [1, 9]])
tb.plot.save(burstiness, {str(tmp_path)!r}, "burstiness")
tb.plot.log_alpha(tb.fit_beta_binomial([[4, 26], [0, 31], [5, 15]]))
print("matplotlib" in sys.modules, "matplotlib.pyplot" in sys.modules)
"""
    assert run(program).split() == ["False", "False", "True", "False"]


def test_without_matplotlib_the_first_call_says_what_to_install():
    program = """
import sys
sys.modules["matplotlib"] = None
from termburst import plot
from termburst.paper.drawings import samples
try:
    samples((0.1, 1.0, 10.0, 100.0), 0.3, 100, 50)
except ImportError as error:
    print(error)
"""
    assert run(program) == "figures need Matplotlib: pip install 'termburst[plots]'"
