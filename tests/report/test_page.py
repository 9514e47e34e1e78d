"""The page in Chromium, opened from a file, without a network."""

import csv
import io
import json
import re
from functools import partial
from importlib.resources import files

import numpy as np
import polars as pl
import pytest

import termburst as tb
from termburst.inference.plr import PARTS
from termburst.report import CountedCorpus, render, summarize, summarize_keyness
from termburst.statistics.term_statistics import as_statistics

statistics_of = partial(as_statistics, detail="patterns")

READY = "html[data-ready=true]"  # a selector: the page's policy forbids waiting for a JavaScript expression
EVIL = [
    "<script>window.hacked=1</script>",
    "<img/src=x/onerror=window.hacked=1>",
    "\"'`<b>",
    "$$\\alpha$$",
    "\u202egnirts",
    "@label{safe}",
    "&lt;",
]


@pytest.fixture(scope="module")
def summary(documents):
    return summarize(documents, title="docstrings", panels=300)


@pytest.fixture(scope="module")
def evil():
    rng = np.random.default_rng(2)
    plain = rng.choice(["so", "it", "goes", "on"], (40, 30))
    kind = np.arange(40) % len(EVIL)  # each has its own count; equal counts would share a point
    texts = [" ".join([*words, *[EVIL[k]] * (3 + int(k))]) for words, k in zip(plain, kind, strict=True)]
    texts.append("x" * 10_000 + " " + "x" * 10_000)
    counting = tb.CountingOptions(token_pattern=r"\S+", lowercase=False)
    return CountedCorpus.from_texts(texts, [f"{EVIL[k % len(EVIL)]}{k}" for k in range(41)], counting=counting)


@pytest.fixture(scope="module")
def rendered():
    """Render each summary once."""
    pages = {}

    def page_of(summary):
        if id(summary) not in pages:
            pages[id(summary)] = summary, render(summary)  # the summary is kept, so that no other object gets its id
        return pages[id(summary)][1]

    return page_of


@pytest.fixture
def opened(browser, rendered, tmp_path):
    """Open the page of a summary; at the end, check that it logged no error and requested no other file."""
    contexts, complaints, requests = [], [], []

    def open_page(summary, *, width=1400, height=900, anchor="", **options):
        path = tmp_path / "page.html"
        path.write_text(rendered(summary), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri() + anchor)
        page.locator(READY).wait_for(state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file://", "blob:"))] == []
    own = (tmp_path / "page.html").as_uri()
    assert {url.partition("#")[0] for url in requests if url.startswith("file://")} <= {own}


def _terms(page) -> list[str]:
    return page.locator("#table tbody th button").all_inner_texts()


def _sources(page, chart: str, source: str, field: str) -> list:
    """A column of a chart's data source."""
    found = """([chart, source, field]) => {
        const model = Bokeh.documents.find((d) => d.get_model_by_name(chart));
        return Array.from(model.get_model_by_name(`${source}-data`).data[field] ?? []);
    }"""
    return page.evaluate(found, [chart, source, field])


def _point(page, term: str) -> tuple[float, float]:
    """The position of a term's point on the screen."""
    where = """(term) => {
        const data = Bokeh.documents.find((d) => d.get_model_by_name("main")).get_model_by_name("points-data").data;
        const view = Object.values(Bokeh.index.roots ?? Bokeh.index).find((v) => v.model?.name === "main");
        const k = data.label.indexOf(term);
        return [view.frame.x_scale.compute(data.x[k]), view.frame.y_scale.compute(data.y[k])];
    }"""
    x, y = page.evaluate(where, term)
    box = page.locator("#chart-main").bounding_box()
    return box["x"] + x, box["y"] + y


def _drag(page, start: tuple[float, float], stop: tuple[float, float]) -> None:
    """Drag over the main chart, between two points given as shares of its width and height."""
    box = page.locator("#chart-main").bounding_box()
    (x0, y0), (x1, y1) = ((box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, stop))
    page.mouse.move(x0, y0)
    page.mouse.down()
    page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2)
    page.mouse.move(x1, y1)
    page.mouse.up()


def test_the_page_shows_everything(opened, summary):
    page = opened(summary)
    assert page.title() == "docstrings · termburst"
    assert page.locator("h1").inner_text() == "docstrings"
    overview = summary["overview"]
    assert page.locator("#size").inner_text() == (
        f"{overview['documents']:,} documents · {overview['tokens']:,} tokens · {overview['terms']:,} different words"
    )
    assert page.locator("#sentence").inner_text().startswith(f"{overview['sure']:,} of {overview['tested']:,} words")
    assert _terms(page) == summary["terms"]["term"][:25]
    assert page.locator("#count").inner_text() == f"All {overview['tested']:,} words"
    assert page.locator("#advice").is_hidden()
    assert sum(_sources(page, "lengths", "lengths", "documents")) == overview["documents"] - summary["lengths"]["empty"]
    assert _sources(page, "zipf", "zipf", "n") == summary["zipf"]["n"]
    assert _sources(page, "log_alpha", "log_alpha", "alpha") == summary["log_alpha"]["alpha"]
    pairs = summary["brought_on"]["pairs"]
    assert page.locator("#pairs-list li").count() == len(pairs) == 10
    first = page.locator("#pairs-list li").first
    assert first.inner_text().startswith(f"{pairs[0]['source']} brings on {pairs[0]['target']}, which ")
    page.click("#details > summary")  # symbols and the waterfall of λ are behind it
    for name in ("main", "along", "counts", "waterfall", "lengths", "zipf", "log_alpha"):
        canvas = page.locator(f"#chart-{name} canvas").first.bounding_box()
        assert min(canvas["width"], canvas["height"]) > 100
        assert len(page.locator(f"#chart-{name}").get_attribute("aria-label")) > 20
    first.locator("button").first.click()
    assert page.locator("#panel-term").inner_text() == pairs[0]["source"]


def test_points_are_lambda_and_tf_idf(opened, summary):
    page = opened(summary)
    page.select_option("#scale", "linear")
    terms, labels = summary["terms"], _sources(page, "main", "points", "label")
    x, y = _sources(page, "main", "points", "x"), _sources(page, "main", "points", "y")
    row = {term: k for k, term in enumerate(terms["term"])}
    single = [k for k, label in enumerate(labels) if label in row]
    alike = [label for label in labels if label not in row]
    assert len(single) + sum(int(label.removesuffix(" words").replace(",", "")) for label in alike) == len(row)
    assert 1000 < len(single) < len(row) - 1000
    np.testing.assert_allclose([x[k] for k in single], [terms["plr"][row[labels[k]]] for k in single], rtol=1e-6)
    np.testing.assert_allclose([y[k] for k in single], [terms["tf_idf_sum"][row[labels[k]]] for k in single], rtol=1e-6)
    page.select_option("#scale", "log")
    bent = _sources(page, "main", "points", "x")
    np.testing.assert_allclose(bent, np.sign(x) * np.log10(1 + np.abs(x)), rtol=1e-6)


@pytest.mark.parametrize("width", [1400, 390])
def test_names_in_the_map_do_not_touch(opened, summary, width):
    page = opened(summary, width=width)
    boxes = page.evaluate("""() => {
        const model = Bokeh.documents.find((d) => d.get_model_by_name("main"));
        const plot = model.get_model_by_name("main");
        const { x, y, text, dx, align } = model.get_model_by_name("names-data").data;
        const { x_range: xs, y_range: ys, inner_width: width, inner_height: height } = plot;
        const ruler = document.createElement("canvas").getContext("2d");
        ruler.font = "12px helvetica";
        return text.map((name, k) => {
            const reach = ruler.measureText(name).width;
            const at = ((x[k] - xs.start) / (xs.end - xs.start)) * width + dx[k];
            const left = align[k] === "left" ? at : at - reach;
            return [left, left + reach, ((y[k] - ys.start) / (ys.end - ys.start)) * height, width];
        });
    }""")
    assert len(boxes) >= 8
    for k, (left, right, y, whole) in enumerate(boxes):
        assert 0 <= left < right <= whole + 1
        assert all(abs(at - y) >= 12 or r <= left or right <= x for x, r, at, _ in boxes[:k])


def test_search_finds_a_term_and_marks_its_point(opened, summary):
    page = opened(summary)
    page.fill("#search", "TURTLE")
    expected = [term for term in summary["terms"]["term"] if "turtle" in term]
    assert _terms(page) == expected[:25]
    assert page.locator("#count").inner_text() == f"{len(expected)} of {summary['overview']['tested']:,} words"
    assert 0 < len(_sources(page, "main", "found", "x")) <= len(expected)
    page.fill("#search", "no such term anywhere")
    assert _terms(page) == []
    page.fill("#search", "")
    assert len(_terms(page)) == 25


def test_filters_by_count_and_q(opened, summary):
    page = opened(summary)
    page.fill("#least", "100")
    page.select_option("#surest", "0.001")
    terms = summary["terms"]
    kept = sum(n >= 100 and q <= -3 for n, q in zip(terms["n"], terms["log10_q"], strict=True))
    assert page.locator("#count").inner_text().startswith(f"{kept} of ")


def test_a_brush_filters_the_table(opened, summary):
    page = opened(summary)
    page.select_option("#scale", "log")
    _drag(page, (0.7, 0.1), (0.98, 0.5))
    count = page.locator("#count").inner_text()
    assert " of " in count
    shown = json.loads(page.evaluate("JSON.stringify(window.termburst.csv())"))
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert f"{len(rows):,} of " in count
    assert 0 < len(rows) < 1000
    plr = {row["term"]: float(row["plr"]) for row in rows}
    assert "decimal" in plr or "turtle" in plr
    # The selection is a box: all points between its extremes must be selected.
    weight = {row["term"]: float(row["tf_idf_sum"]) for row in rows}
    (left, right), (low, high) = ((min(of.values()), max(of.values())) for of in (plr, weight))
    terms = summary["terms"]
    for term, x, y in zip(terms["term"], terms["plr"], terms["tf_idf_sum"], strict=True):
        if left * 1.0001 < x < right * 0.9999 and low * 1.0001 < y < high * 0.9999:
            assert term in plr
    page.select_option("#scale", "linear")
    assert page.locator("#count").inner_text() == count  # the selection stays
    page.click("#clear")
    assert page.locator("#count").inner_text().startswith("All ")
    assert page.locator("#clear").is_hidden()


def test_a_click_on_a_point_fills_the_panel(opened, summary):
    page = opened(summary, anchor="#turtle")
    assert page.locator("#panel-term").inner_text() == "turtle"
    page.mouse.click(*_point(page, "decimal"))
    page.locator("#panel-term", has_text=re.compile("^decimal$")).wait_for()


def test_the_panel_shows_the_numbers_of_its_term(opened, summary):
    page = opened(summary, anchor="#turtle")
    terms = summary["terms"]
    row = terms["term"].index("turtle")
    panel = next(panel for panel in summary["panels"] if panel["term"] == "turtle")
    facts = dict(
        zip(page.locator("#facts dt").all_text_contents(), page.locator("#facts dd").all_text_contents(), strict=True)
    )
    assert all(page.locator("#facts dt").nth(k).get_attribute("title") for k in range(len(facts)))
    assert facts["n"] == f"{terms['n'][row]:,}"
    assert facts["fit"] == terms["status"][row]
    assert _sources(page, "along", "stems", "n") == panel["occurrences"]
    assert _sources(page, "along", "stems", "x") == [place + 1 for place in panel["places"]]
    assert _sources(page, "counts", "counts", "beta_binomial") == pytest.approx(panel["beta_binomial"], rel=1e-4)
    left, right = (_sources(page, "waterfall", "bars", end) for end in ("left", "right"))
    assert right[-1] - left[-1] == pytest.approx(terms["plr"][row], rel=1e-4)
    for (low, high), value in zip(zip(left, right, strict=True), panel["parts"].values(), strict=False):
        assert high - low == pytest.approx(abs(value), rel=1e-3, abs=1e-3)
    lines = page.locator("#lines li").all_inner_texts()
    assert len(lines) == min(len(panel["lines"]), 10)
    assert page.locator("#lines mark").first.inner_text().lower() == "turtle"
    page.locator("#table tbody th button").nth(1).click()
    assert page.locator("#panel-term").inner_text() == terms["term"][1]
    assert page.locator("tr[aria-selected=true] th").inner_text() == terms["term"][1]
    last = terms["term"][-1]
    page.evaluate("(term) => window.termburst.choose(term)", last)
    assert "only for the first 300 words" in page.locator("#panel-note").inner_text()
    assert page.locator("#panel-charts").is_hidden()


def test_columns_sort_both_ways_by_keyboard(opened, summary):
    page = opened(summary)
    head = page.locator("#table thead th").nth(1)
    head.locator("button").focus()
    page.keyboard.press("Enter")
    counts = [int(text.replace(",", "")) for text in page.locator("#table tbody td:nth-child(2)").all_inner_texts()]
    assert counts == sorted(summary["terms"]["n"], reverse=True)[:25]
    assert head.get_attribute("aria-sort") == "descending"
    page.keyboard.press("Enter")
    assert page.locator("#table tbody td:nth-child(2)").all_inner_texts() == ["1"] * 25
    assert head.get_attribute("aria-sort") == "ascending"
    page.locator("#table thead th button", has_text="burst ratio").first.click()
    page.click("#next")
    assert page.locator("#pages").inner_text().startswith("Page 2 of ")
    assert page.locator("#table thead th[aria-sort]").count() == 1


def test_export_has_the_rows_of_the_table(opened, summary):
    page = opened(summary)
    page.fill("#search", "ab")
    with page.expect_download() as download:
        page.click("#export")
    text = download.value.path().read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    terms = summary["terms"]
    expected = [k for k, term in enumerate(terms["term"]) if "ab" in term]
    assert [row["term"] for row in rows] == [terms["term"][k] for k in expected]
    assert [int(row["n"]) for row in rows] == [terms["n"][k] for k in expected]
    np.testing.assert_allclose([float(row["plr"]) for row in rows], [terms["plr"][k] for k in expected], rtol=1e-4)


def test_dark_mode_colours_page_and_charts(opened, summary):
    def luminance(page, selector: str, what: str) -> float:
        colour = page.evaluate("([s, w]) => getComputedStyle(document.querySelector(s))[w]", [selector, what])
        red, green, blue = (int(part) for part in colour[4:-1].split(",")[:3])
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    page = opened(summary, color_scheme="dark")
    assert luminance(page, ".card", "backgroundColor") < 60
    assert luminance(page, ".card", "color") > 150
    main = "Bokeh.documents.find((d) => d.get_model_by_name('main')).get_model_by_name('main')"
    axis = f"{main}.below[0].major_label_text_color"
    dark = page.evaluate(axis)
    page.click("#theme")
    assert luminance(page, ".card", "backgroundColor") > 200
    assert page.evaluate(axis) != dark
    page.emulate_media(media="print")
    for chosen in ("#search", "#theme", "#scale", "#pages", "#next", "#export", ".screen"):
        assert page.locator(chosen).is_hidden(), chosen
    assert page.locator(".paper").is_visible()
    assert "Each point is a word" in page.locator("#main-note").inner_text()


def test_a_phone_needs_no_sideways_scrolling(opened, summary):
    page = opened(summary, width=390, height=844, is_mobile=True, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for name in ("main", "along", "zipf"):
        box = page.locator(f"#chart-{name}").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    page.locator("#leaders button").nth(1).tap()
    assert page.locator("#panel-term").inner_text() == page.locator("#leaders button").nth(1).inner_text()


def test_everything_has_a_name_for_screen_readers(opened, summary):
    page = opened(summary)
    unnamed = page.evaluate("""() => [...document.querySelectorAll("button, input, select")]
        .filter((control) => !control.textContent.trim() && !control.labels?.length && !control.ariaLabel)
        .map((control) => control.outerHTML)""")
    assert unnamed == []
    assert page.evaluate("document.documentElement.lang") == "en"
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((head) => Number(head.tagName[1]))")
    assert levels[0] == 1
    assert max(np.diff(levels)) <= 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"


def test_a_hostile_corpus_is_text(opened, evil):
    page = opened(summarize(evil, title=EVIL[0]))
    assert page.locator("h1").inner_text() == EVIL[0]
    shown = _terms(page)
    for term in EVIL:
        assert term.replace("\u202e", "⟨U+202E⟩") in shown
        page.evaluate("(term) => window.termburst.choose(term)", term)
        assert page.locator("#panel-term").inner_text() == term.replace("\u202e", "⟨U+202E⟩")
        assert page.locator("#lines mark").first.inner_text() == term.replace("\u202e", "⟨U+202E⟩")
    long = next(term for term in shown if term.startswith("xxx"))
    assert long == "x" * 200 + "… (10,000 characters)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 1400
    box = page.locator("#chart-main").bounding_box()
    for step in range(60):  # over the whole chart, to show tooltips
        page.mouse.move(box["x"] + box["width"] * (step % 10) / 10, box["y"] + box["height"] * (step // 10) / 6)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0


def test_a_tooltip_shows_markup_as_text(opened, evil):
    page = opened(summarize(evil))
    page.select_option("#scale", "log")  # where no two points lie upon each other
    page.mouse.move(*_point(page, EVIL[0]))
    page.locator("bdi b", has_text=EVIL[0]).wait_for(state="visible")
    assert page.evaluate("window.hacked") is None


INJECTED = """
<script>window.hacked = "script"</script>
<img src="data:," onerror="window.hacked = 'handler'">
<a id="link" href="javascript:window.hacked='address'">x</a>
<iframe srcdoc="<script>parent.hacked = 'frame'</script>"></iframe>
<base href="https://example.invalid/">
<p style="background: url(https://example.invalid/a.png)">x</p>
"""


def test_the_policy_blocks_injected_markup(browser, rendered, tmp_path, evil):
    """Even if markup got into the page, it could run nothing and fetch nothing."""
    path = tmp_path / "page.html"
    path.write_text(rendered(summarize(evil)).replace("</main>", f"{INJECTED}</main>"), encoding="utf-8")
    context = browser.new_context()
    page, refused, failures = context.new_page(), [], []
    page.on("console", lambda message: message.type == "error" and refused.append(message.text))
    page.on("requestfailed", lambda request: failures.append((request.url, request.failure)))
    page.goto(path.as_uri())
    page.locator(READY).wait_for(state="attached")
    page.click("#link")
    late = """() => {
        const script = document.createElement("script");
        script.textContent = "window.hacked = 'late'";
        document.body.append(script);
        const button = document.createElement("button");
        button.setAttribute("onclick", "window.hacked = 'button'");
        document.body.append(button);
        button.click();
        return fetch("https://example.invalid/").then(() => "fetched", () => "refused");
    }"""
    assert page.evaluate(late) == "refused"
    hacked = page.evaluate("window.hacked ?? null")
    context.close()
    assert hacked is None
    assert {why for url, why in failures if url.startswith("http")} == {"csp"}  # before any byte was sent
    assert sum("Content Security Policy" in text for text in refused) >= 9


def test_formulas_are_text_in_the_export(opened):
    """The same rule as on the command line, see tests/cli/test_csv_cells.py."""
    cells = ["=1+1", "+1+1", "-a", "@sum", "'=x", "＝1", "'-1", "a=b", "'so", "-1", "+2.5"]
    counting = tb.CountingOptions(pretokenized=True)
    page = opened(summarize(CountedCorpus.from_texts([" ".join(cells * 2)] * 3 + ["it goes"], counting=counting)))

    def downloaded(button: str) -> set[str]:
        with page.expect_download() as download:
            page.click(button)
        text = download.value.path().read_bytes().decode("utf-8-sig")
        return {row["term"] for row in csv.DictReader(io.StringIO(text))}

    assert page.locator("#export-note").is_hidden()
    escaped = downloaded("#export")
    left = {"a=b", "'so", "-1", "+2.5", "it", "goes"}
    assert escaped == {"'=1+1", "'+1+1", "'-a", "'@sum", "''=x", "'＝1", "''-1"} | left
    assert page.locator("#export-count").inner_text().startswith("7 cells begin like a formula")
    assert downloaded("#export-as-is") == {*cells, "it", "goes"}
    assert page.locator("#export-note").is_hidden()


def test_statistics_alone_have_a_page(opened, documents):
    page = opened(summarize(statistics_of(documents), panels=20))
    assert page.locator("#figure-along").is_hidden()
    assert page.locator("#lines-block").is_hidden()
    assert page.locator("#figure-counts").is_visible()


def test_a_comparison(opened, documents):
    first = np.array([name.startswith(("asyncio", "email")) for name in documents.ids])
    sides = {}
    for name, chosen in (("net <b>", first), ("rest", ~first)):
        sides[name] = documents.rows(chosen)
    a, b = sides.values()
    table = tb.keyness(statistics_of(a), statistics_of(b), min_count=5)
    summary = summarize_keyness(table, sides, title="net against rest", panels=100)
    page = opened(summary)
    assert _terms(page) == summary["terms"]["term"][:25]
    assert "net <b>: " in page.locator("#size").inner_text()
    labels, x = _sources(page, "main", "points", "label"), _sources(page, "main", "points", "x")
    for row in table.filter(table["log_ratio"].is_finite()).head(50).to_dicts():
        assert x[labels.index(row["term"])] == pytest.approx(row["log_ratio"], rel=1e-4)
    farthest = max(abs(v) for v in x)
    assert all(
        abs(x[labels.index(t)]) == farthest for t in table.filter(table["log_ratio"].is_infinite())["term"].head(9)
    )
    low, high = (_sources(page, "main", "intervals", end) for end in ("low", "high"))
    assert len(low) > 3
    assert all(left < right for left, right in zip(low, high, strict=True))
    term = page.locator("#lists li button").first.inner_text()  # the strongest of the first side
    assert page.locator("#panel-term").inner_text() == term
    panel = next(panel for panel in summary["panels"] if panel["term"] == term)
    assert sum(_sources(page, "along", "stems", "n")) == sum(sum(side["occurrences"]) for side in panel["sides"])
    assert page.locator("#sides tbody tr").count() == 2


def test_parts_have_names():
    script = (files("termburst.report") / "templates" / "panel.js").read_text(encoding="utf-8")
    named = re.search(r"const partNames = {(.*?)};", script, re.DOTALL)[1]
    assert re.findall(r"(\w+): \"", named) == list(PARTS)


def test_the_page_follows_a_change_of_the_system_theme(opened, summary):
    page = opened(summary, color_scheme="dark", anchor="#turtle")
    dark = set(_sources(page, "along", "stems", "colour"))
    page.emulate_media(color_scheme="light")
    page.locator("html[data-theme=light]").wait_for()
    assert dark.isdisjoint(_sources(page, "along", "stems", "colour"))


@pytest.mark.parametrize("anchor", ["#%E0%A4%A", "#no-such-term", "#__proto__"])
def test_the_address_may_end_in_anything(opened, summary, anchor):
    page = opened(summary, anchor=anchor)
    terms = summary["terms"]
    sure = (term for term, q in zip(terms["term"], terms["log10_q"], strict=True) if q <= np.log10(0.05))
    assert page.locator("#panel-term").inner_text() == next(sure)
    page.evaluate("location.hash = '#turtle'")
    page.locator("#panel-term", has_text=re.compile("^turtle$")).wait_for()


def test_corpora_without_a_common_term(opened):
    sides = {"a": CountedCorpus.from_texts(["ha ha so"] * 6), "b": CountedCorpus.from_texts(["it goes on"] * 6)}
    table = tb.keyness(*map(statistics_of, sides.values()))
    page = opened(summarize_keyness(table, sides, settings={"method": "beta-binomial", "adjust": "bh"}))
    ratio = page.locator("#table tbody td:nth-child(2)").all_inner_texts()
    assert set(ratio) == {"∞", "−∞"}
    assert len(_sources(page, "main", "intervals", "low")) > 0
    table = tb.keyness(*map(statistics_of, sides.values()), confidence=None, method="g2")
    saved = {name: statistics_of(side) for name, side in sides.items()}
    page = opened(summarize_keyness(table, saved, settings={"method": "g2", "adjust": "none"}))
    assert set(page.locator("#table tbody td:nth-child(3)").all_inner_texts()) == {"–"}
    assert _sources(page, "main", "intervals", "low") == []
    assert "by the test “g2” (p ≤ 0.05, not adjusted)" in page.locator("#sentence").inner_text()
    assert page.locator("#figure-along").is_hidden()


def test_a_hundred_and_thirty_thousand_rows(opened):
    """More than a browser accepts as arguments of one call."""
    side = CountedCorpus.from_texts(["so it goes"] * 6)
    table = tb.keyness(statistics_of(side), statistics_of(side))
    many = pl.concat([table] * 44_000)
    page = opened(summarize_keyness(many, {"a": side, "b": side}, max_terms=132_000, panels=1))
    assert page.locator("#count").inner_text() == "All 132,000 words"


def test_groups_can_be_chosen(opened, documents):
    labels = [name.split(".")[0] for name in documents.ids]
    groups = ("asyncio", "email", "unittest")
    sides = {group: documents.rows([k for k, label in enumerate(labels) if label == group]) for group in groups}
    of_all = documents.rows([k for k, label in enumerate(labels) if label in groups])
    of_which = [name.split(".")[0] for name in of_all.ids]
    table = tb.keyness(of_all.counts, by=of_which, terms=documents.terms, contrasts=True, min_count=10)
    page = opened(summarize_keyness(table, sides))
    for group in ("asyncio", "email"):  # the first is chosen at the start
        page.select_option("#group", group)
        own = table.filter(pl.col("group") == group)
        assert page.locator("#count").inner_text() == f"All {own.height:,} words"
        assert page.locator("#lists h3").all_inner_texts() == [group, f"less in {group}"]
        listed = set(page.locator("#lists section").first.locator("li button").all_inner_texts())
        assert listed <= set(own.filter((pl.col("log_ratio") > 0) & (pl.col("q_value") <= 0.05))["term"])
        assert _terms(page) == own["term"].to_list()[:25]
        assert group in page.locator("#panel-sentence").inner_text()


@pytest.fixture(scope="module")
def speeches_summary():
    """Speeches of two parties over the years, with a word that bursts."""
    texts = [f"the tariff {'tariff ' * (k % 4)}and trade of the people said mr smith of {k}" for k in range(30)]
    texts += [f"jobs and jobs for every family said mr jones about trade in {k}" for k in range(30)]
    party = ["old"] * 30 + ["new"] * 30
    return tb.read(texts, metadata={"year": [1900 + k for k in range(60)], "party": party})


def test_a_panel_begins_with_a_sentence_and_ends_with_symbols(opened, speeches_summary):
    page = opened(summarize(speeches_summary, title="speeches"), anchor="#tariff")
    said = page.locator("#panel-sentence").inner_text()
    times = sum(1 + k % 4 for k in range(30))
    assert said.startswith(f"“tariff”: {times} times, in 30 of 60 documents.")
    assert "by chance it would be" in said
    visible_text = page.locator("#panel").inner_text()
    assert "λ" not in visible_text
    assert "α" not in visible_text
    page.click("#details > summary")
    assert "λ" in page.locator("#panel").inner_text()


def test_occurrences_along_a_column_of_the_metadata(opened, speeches_summary):
    page = opened(summarize(speeches_summary), anchor="#tariff")
    assert page.locator("#along-by").input_value() == "year"
    assert _sources(page, "along", "stems", "x") == [1900 + k for k in range(30)]
    page.select_option("#along-by", "")
    assert _sources(page, "along", "stems", "x") == list(range(1, 31))


def test_lines_are_aligned_and_sorted(opened, speeches_summary):
    page = opened(summarize(speeches_summary, examples=20), anchor="#said")
    page.select_option("#lines-sort", "L1")
    page.click("#lines-more")
    assert page.locator("#lines li").count() == 20
    times = int(speeches_summary.counts[:, speeches_summary.terms.tolist().index("said")].sum())
    assert page.inner_text("#lines-note") == f"20 of 20 lines kept for this page; the word stands {times} times."
    before = [text.split()[-1] for text in page.locator("#lines .before").all_inner_texts()]
    assert before == sorted(before)
    left = {round(page.locator("#lines mark").nth(k).bounding_box()["x"]) for k in range(20)}
    assert max(left) - min(left) <= 1


def test_the_way_back_to_the_table(opened, summary):
    page = opened(summary, width=390, height=844, is_mobile=True, has_touch=True)
    page.locator("#table tbody th button").nth(3).tap()
    assert page.locator("#panel").bounding_box()["y"] < 400
    page.locator("#back").tap()
    assert abs(page.locator("#terms").bounding_box()["y"]) < 100


def test_the_theme_is_remembered(opened, summary):
    page = opened(summary)
    page.click("#theme")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    for _ in range(5):  # the browser stores it a little later
        page.reload()
        page.locator(READY).wait_for(state="attached")
        if page.locator("html").get_attribute("data-theme") == "dark":
            return
    pytest.fail("the theme was forgotten")


def test_a_small_corpus_gets_advice(opened):
    page = opened(summarize(CountedCorpus.from_texts(["so it goes", "so so on", "it goes on"])))
    assert "--split 1000" in page.locator("#advice").inner_text()
    assert page.locator("#sentence").inner_text().startswith("None of 4 words")


def test_g2_in_the_page_equals_that_of_the_library(opened, documents):
    first = np.array([name.startswith(("asyncio", "email")) for name in documents.ids])
    a, b = documents.rows(first), documents.rows(~first)
    table = tb.keyness(statistics_of(a), statistics_of(b), min_count=5)
    page = opened(summarize_keyness(table, {"a": a, "b": b}, panels=5))
    rival = tb.keyness(statistics_of(a), statistics_of(b), min_count=5, method="g2", confidence=None)
    mine = set(table.filter(pl.col("q_value") <= 0.05)["term"])
    cried = [term for term in rival.filter(pl.col("q_value") <= 0.05)["term"] if term not in mine]
    title = page.locator("#cried-title").inner_text()
    assert abs(int(re.search(r"\d+", title)[0]) - len(cried)) <= 2  # numbers in the page are rounded
    page.click("#cried > summary")
    assert set(page.locator("#cried-list button").all_inner_texts()) <= set(cried)
    page.locator("#cried-list button").first.click()
    assert "G², which most corpus tools use, would call this significant" in page.locator("#panel-g2").inner_text()


def test_nothing_significant_shows_what_is_closest(opened, documents):
    rng = np.random.default_rng(5)
    half = rng.permutation(documents.documents) < documents.documents // 2
    a, b = documents.rows(half), documents.rows(~half)
    table = tb.keyness(statistics_of(a), statistics_of(b), min_count=20)
    assert (table["q_value"] > 0.05).all()
    page = opened(summarize_keyness(table, {"one": a, "other": b}, panels=20))
    for k in range(2):
        section = page.locator("#lists section").nth(k)
        assert "Closest to significant" in section.inner_text()
        assert section.locator("li").count() == 8
    page.click("#alike > summary")
    assert page.locator("#alike-list button").count() > 3


@pytest.mark.parametrize("kind", ["corpus", "comparison"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(opened, speeches_summary, kind, scheme):
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    corpus = speeches_summary
    if kind == "corpus":
        found = summarize(corpus)
    else:
        sides = {name: corpus.where(pl.col("party") == name) for name in ("new", "old")}
        found = summarize_keyness(tb.keyness(*sides.values()), sides)
    page = opened(found, color_scheme=scheme)
    page.evaluate(axe)
    broken = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations)")
    assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in broken] == []
