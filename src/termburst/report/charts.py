"""The charts of the page, as Bokeh figures without data: the page's script fills their sources.

Every source, range, tool and figure that the script looks for has a name. Reactions to clicks are in the script, too:
code inside a figure (CustomJS) needs `new Function`, which the page's policy forbids. Axis labels must not contain
"$$": Bokeh would read that as TeX and load MathJax.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
from bokeh import models as bk
from bokeh.embed import json_item
from bokeh.plotting import figure

# Okabe and Ito's palette, which colour-blind people can tell apart; the script uses lighter shades in dark mode.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#767676"
_TALL, _LOW = 460, 230  # pixels
_POWERS = ("1", "10", "100", "1k", "10k", "100k", "1m", "10m", "100m", "1bn")  # 10 to the power of 0, 1, …


def chart_items(kind: str) -> dict[str, Any]:
    """Name → figure as JSON for BokehJS to embed; *kind* is "corpus" or "keyness"."""
    charts = {"main": _main() if kind == "corpus" else _volcano(), "along": _along()}
    if kind == "corpus":
        charts |= {"counts": _counts(), "waterfall": _waterfall(), "lengths": _lengths(), "zipf": _zipf()}
        charts["log_alpha"] = _log_alpha()
    return {name: json_item(chart) for name, chart in charts.items()}


def library() -> str:
    """The BokehJS that comes with Bokeh, without WebGL, which is slower on machines without a graphics card."""
    return (files("bokeh") / "server" / "static" / "js" / "bokeh.min.js").read_text(encoding="utf-8")


def _figure(name: str, x_label: str, y_label: str, **options: Any) -> figure:
    options = {"height": _LOW, "tools": "", "toolbar_location": None} | options
    chart: figure = figure(
        name=name, sizing_mode="stretch_width", background_fill_color=None, border_fill_color=None,
        outline_line_color=None, x_axis_label=x_label, y_axis_label=y_label, min_border_right=12, **options,
    )  # fmt: skip
    chart.toolbar.logo = None
    # Bokeh draws it in a shadow tree, which the rules of page.css do not reach.
    chart.toolbar.stylesheets = [bk.InlineStyleSheet(css="@media print { :host { visibility: hidden; } }")]
    for axis in chart.axis:
        axis.axis_label_text_font_style = "normal"
        axis.minor_tick_line_color = None
    return chart


def _other_axis(chart: figure, side: str, name: str, **options: Any) -> Any:
    """One more axis at a side, which the script shows in place of the first one."""
    axis = bk.LinearAxis(
        name=name, axis_label_text_font_style="normal", visible=False, minor_tick_line_color=None, **options
    )
    chart.add_layout(axis, side)
    return axis


def _labelled_axis(chart: figure, side: str, kind: str, title: str, labels: dict[float, str]) -> None:
    """One more axis with its grid and its own ticks: place → label."""
    ticks: dict[str, Any] = {"ticker": bk.FixedTicker(ticks=sorted(labels)), "major_label_overrides": labels}
    axis = _other_axis(chart, side, f"{side}-{kind}", axis_label=title, **ticks)
    grid = bk.Grid(axis=axis, dimension=("below", "left").index(side), visible=False, name=f"{side}-{kind}-grid")
    chart.add_layout(grid)


def _source(name: str, *columns: str) -> Any:
    return bk.ColumnDataSource({column: [] for column in columns}, name=f"{name}-data")  # no two models share a name


def _main() -> figure:
    """The burst map: how often × how bursty, with the intervals of the named terms; or the paper's Fig. 3.

    Fig. 3 is λ_i against Σ_j TF–IDF; there, size shows α_i, and hollow means infinite.
    """
    chart = _point_chart("λ", "total TF–IDF")
    _map_axes(chart)
    spans = _source("spans", "x", "low", "high")
    chart.segment("x", "low", "x", "high", source=spans, line_color=GREY, line_alpha=0.6, name="spans")
    points = _source("points", "x", "y", "size", "fill", "colour", "label", "note")
    _draw_points(chart, points, marker="circle")
    chart.y_range.renderers = [drawn for drawn in chart.renderers if drawn.name == "dots"]  # not the long intervals
    return chart


def _volcano() -> figure:
    """log2 ratio against −log10 p, with the intervals of the terms named in the chart."""
    chart = _point_chart("log₂ ratio", "−log₁₀ p")
    chart.segment(
        "low", "y", "high", "y", source=_source("intervals", "low", "high", "y"), line_color=GREY, line_alpha=0.5
    )
    points = _source("points", "x", "y", "size", "fill", "colour", "label", "note", "marker")
    _draw_points(chart, points, marker="marker")
    return chart


def _point_chart(x_label: str, y_label: str) -> figure:
    select = bk.BoxSelectTool(description="Select: drag a box to filter the table")
    tools = [
        select, bk.BoxZoomTool(description="Zoom to a box"), bk.PanTool(description="Move"),
        bk.WheelZoomTool(description="Zoom with the wheel"), bk.ResetTool(description="Show all again"),
    ]  # fmt: skip
    chart = _figure("main", x_label, y_label, height=_TALL, tools=tools, toolbar_location="above")
    chart.toolbar.active_drag = select
    chart.toolbar.active_scroll = None  # the wheel scrolls the page until the zoom button is pressed
    _scales(chart)
    return chart


def _scales(chart: figure) -> None:
    """Two axes per side, one for v and one for sign(v) log10(1 + |v|); the script shows one of them."""
    powers = {float(np.log10(1 + 10.0**k)): label for k, label in enumerate(_POWERS)}
    labels = {-tick: f"−{label}" for tick, label in powers.items()} | {0.0: "0"} | powers
    for side, plain, grid in (("below", chart.xaxis[0], chart.xgrid[0]), ("left", chart.yaxis[0], chart.ygrid[0])):
        plain.name, grid.name = f"{side}-linear", f"{side}-linear-grid"
        _labelled_axis(chart, side, "log", plain.axis_label, labels)


def _map_axes(chart: figure) -> None:
    """The axes of the burst map: decimal logarithms of n and of the burst ratio, labelled with the numbers."""
    often = {float(k): label for k, label in enumerate(_POWERS)}
    ratios = {float(np.log10(v)): f"{v:,}×" for k in range(7) for v in (10**k, 2 * 10**k, 5 * 10**k)}
    _labelled_axis(chart, "below", "map", "how often: occurrences in the corpus", often)
    _labelled_axis(chart, "left", "map", "how bursty: burst ratio", ratios)


def _draw_points(chart: figure, points: Any, marker: str) -> None:
    drawn = chart.scatter(
        "x", "y", source=points, size="size", marker=marker, color="colour", line_width=1,
        fill_alpha="fill", line_alpha=0.3, nonselection_fill_alpha=0.04, nonselection_line_alpha=0.12, name="dots",
    )  # fmt: skip
    chart.scatter(
        "x", "y", source=_source("found", "x", "y", "size"), size="size", fill_color=None, line_color=ORANGE,
        line_width=1.5, name="rings",
    )  # fmt: skip
    chart.scatter(
        "x", "y", source=_source("chosen", "x", "y", "size"), size="size", fill_color=ORANGE, fill_alpha=0.35,
        line_color=ORANGE, line_width=2.5, name="ring",
    )  # fmt: skip
    text = {"source": _source("names", "x", "y", "text", "dx", "align"), "x_offset": "dx", "text_align": "align"}
    text |= {"text_baseline": "middle", "text_font_size": "12px"}
    chart.text("x", "y", "text", text_outline_color="white", text_outline_width=3, name="halos", **text)
    chart.text("x", "y", "text", name="names", **text)
    # Bokeh escapes the values of fields: a term that is markup is shown as text.
    tip = '<div style="max-width:22em;overflow-wrap:anywhere"><bdi><b>@label</b></bdi><br>@note</div>'
    chart.add_tools(
        bk.HoverTool(renderers=[drawn], tooltips=tip, limit=1, point_policy="follow_mouse"),
        bk.TapTool(renderers=[drawn], behavior="inspect", name="tap"),
    )


def _along() -> figure:
    """Occurrences in each document, along the corpus."""
    chart = _figure("along", "document, in the order of the corpus", "occurrences", x_range=bk.Range1d(0, 1))
    chart.y_range.start = 0
    stems = _source("stems", "x", "n", "label", "colour")
    drawn = chart.segment("x", 0, "x", "n", source=stems, line_width=2, line_color="colour", name="stems")
    chart.scatter("x", "n", source=stems, size=4, color="colour", name="heads")
    chart.xaxis.formatter = bk.NumeralTickFormatter(format="0,0")
    chart.xaxis.name = "along-axis"
    _other_axis(chart, "below", "along-column", axis_label="", formatter=bk.NumeralTickFormatter(format="0.[00]"))
    tip = '<div style="max-width:22em;overflow-wrap:anywhere"><bdi>@label</bdi><br>@n{0,0} times</div>'
    chart.add_tools(bk.HoverTool(renderers=[drawn], tooltips=tip, limit=1))
    return chart


def _counts() -> figure:
    """How many documents contain the term 0, 1, 2, … times: observed (bars) and expected by two models (lines)."""
    chart = _figure(
        "counts", "occurrences in a document", "documents", y_axis_type="log", y_range=bk.Range1d(0.1, 1),
        x_range=bk.FactorRange(),
    )  # fmt: skip
    fields = ("binomial", "beta_binomial")
    lines = [f"{field}_line" for field in fields]  # without the last bar, which stands for many counts
    source = _source("counts", "k", "observed", "floor", *fields, *lines, "observed_text")
    bars = chart.vbar(
        "k", top="observed", bottom="floor", width=0.8, source=source, fill_color=BLUE, fill_alpha=0.35,
        line_color=BLUE, legend_label="observed", name="bars",
    )  # fmt: skip
    for field, colour, dash, marker, label in (
        ("binomial", GREY, "dashed", "square", "binomial: by chance"),
        ("beta_binomial", ORANGE, "solid", "circle", "beta-binomial: in bursts"),
    ):
        style: dict[str, Any] = {"source": source, "color": colour, "legend_label": label, "name": field}
        chart.line("k", f"{field}_line", line_dash=dash, line_width=2, **style)
        chart.scatter("k", field, marker=marker, size=6, **style)
    expected = "".join(f"<br>{n.replace('_', '-')}: @{n}{{0,0.[00]}}" for n in fields)
    tip = f"<div>@k times: @observed_text documents{expected}</div>"
    chart.add_tools(bk.HoverTool(renderers=[bars], tooltips=tip, mode="vline"))
    _dress_legend(chart)
    return chart


def _waterfall() -> figure:
    """λ_i as the sum of its named parts (Claim 3); each bar begins where the one above it ends."""
    chart = _figure("waterfall", "running sum", "", x_range=bk.Range1d(0, 1), y_range=bk.FactorRange(), height=280)
    source = _source("bars", "part", "left", "right", "colour", "value", "formula")
    bars = chart.hbar("part", left="left", right="right", height=0.7, source=source, color="colour", name="bars")
    chart.text(
        "end", "part", "value", source=_source("values", "end", "part", "value"), x_offset=4, text_baseline="middle",
        text_font_size="11px", name="names",
    )  # fmt: skip
    chart.ygrid.grid_line_color = None
    chart.xaxis.formatter = bk.NumeralTickFormatter(format="0,0")
    chart.add_tools(bk.HoverTool(renderers=[bars], tooltips="<div><b>@part</b> @value<br>@formula</div>"))
    return chart


def _lengths() -> figure:
    chart = _figure("lengths", "tokens in a document", "documents", x_axis_type="log")
    chart.y_range.start = 0
    bars = chart.quad(
        left="left", right="right", top="documents", bottom=0, source=_source("lengths", "left", "right", "documents"),
        fill_color=BLUE, fill_alpha=0.35, line_color=BLUE, name="bars",
    )  # fmt: skip
    chart.xaxis.formatter = chart.yaxis.formatter = bk.NumeralTickFormatter(format="0,0.[00]")
    chart.xaxis.ticker = bk.FixedTicker(ticks=[], name="lengths-ticks")  # Bokeh's own would overlap: the script chooses
    tip = "<div>@left{0,0} to below @right{0,0} tokens<br>@documents{0,0} documents</div>"
    chart.add_tools(bk.HoverTool(renderers=[bars], tooltips=tip))
    return chart


def _zipf() -> figure:
    chart = _figure("zipf", "rank of the term", "occurrences", x_axis_type="log", y_axis_type="log")
    curve = chart.line("rank", "n", source=_source("zipf", "rank", "n"), color=BLUE, line_width=2, name="curve")
    chart.xaxis.formatter = chart.yaxis.formatter = bk.NumeralTickFormatter(format="0,0.[00]")
    tip = "<div>rank @rank{0,0}: @n{0,0} occurrences</div>"
    chart.add_tools(bk.HoverTool(renderers=[curve], tooltips=tip, mode="vline"))
    return chart


def _log_alpha() -> figure:
    """Histograms of log α_i and log α_¬i over the terms (the paper's Fig. 4)."""
    chart = _figure("log_alpha", "log₁₀ of the estimate", "terms")
    chart.y_range.start = 0
    source = _source("log_alpha", "left", "right", "alpha", "alpha_not")
    for field, colour, pattern, label in (
        ("alpha", BLUE, " ", "α of the term"),
        ("alpha_not", ORANGE, "/", "α of the rest"),
    ):
        chart.quad(
            left="left", right="right", top=field, bottom=0, source=source, fill_color=colour, fill_alpha=0.3,
            line_color=colour, hatch_pattern=pattern, hatch_color=colour, hatch_alpha=0.5, legend_label=label,
            name=field,
        )  # fmt: skip
    chart.yaxis.formatter = bk.NumeralTickFormatter(format="0,0")
    tip = "<div>@left to @right<br>α: @alpha{0,0} terms<br>α of the rest: @alpha_not{0,0} terms</div>"
    chart.add_tools(bk.HoverTool(tooltips=tip))
    _dress_legend(chart)
    return chart


def _dress_legend(chart: figure) -> None:
    chart.legend.location = "top_right"
    chart.legend.background_fill_color = None
    chart.legend.border_line_color = None
    chart.legend.label_text_font_size = "12px"
    chart.legend.padding = 2
