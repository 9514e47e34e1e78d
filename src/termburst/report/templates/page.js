// The page: unpacks the report, draws it, and connects chart, table and panel.

// The theme that was chosen on an earlier visit, or that of the system. A browser may refuse to remember.
function themeAsked() {
  return remembered() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function remembered(theme) {
  try {
    if (theme) localStorage.setItem("termburst-theme", theme);
    return localStorage.getItem("termburst-theme") ?? undefined;
  } catch {
    return undefined;
  }
}

function setTheme(theme, report) {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark"; // the theme that a click changes to
  dressCharts();
  if (report?.place) {
    colourPoints(report);
    report.redraw();
  }
  if (report?.chosen !== undefined) fillPanel(report, report.chosen); // to colour its bars anew
}

// The term at the end of the page's address, which may be anything.
function askedTerm() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

async function loadReport() {
  const [about, charts, terms, columns, panels] = await Promise.all([
    unpackedJson("about"),
    unpackedJson("charts"),
    unpackedJson("terms"),
    unpacked("columns"),
    unpackedJson("panels"),
  ]);
  for (const panel of panels) {
    for (const side of panel.sides ?? [panel]) {
      let place = 0; // places are stored as steps from one document to the next
      if (side.places) side.places = side.places.map((step) => (place += step));
    }
  }
  const report = { ...about, charts, terms, panels, rows: terms.length };
  report.columns = { term: terms, ...decodedColumns(columns, about.columns, terms.length, about.overview?.documents) };
  report.shown = tableColumns[report.kind].filter(({ key }) => key in report.columns);
  report.points = makePoints(report);
  report.bar =
    report.settings.adjust === "none"
      ? `p ≤ ${about.limits.sure}, not adjusted`
      : `q ≤ ${about.limits.sure}`;
  report.sure = (i) => report.columns.log10_q[i] <= Math.log10(report.limits.sure) + rounding;
  // A corpus is in the order of the lower bound; the names in a comparison's chart are of the surest.
  const { log10_p: p } = report.columns;
  const sure = Array.from({ length: report.rows }, (_, i) => i).filter(report.sure);
  if (report.kind === "keyness") sure.sort((i, j) => p[i] - p[j] || i - j);
  report.leading = sure.slice(0, 50_000);
  (report.kind === "corpus" ? aboutCorpus : report.design ? aboutDesign : aboutKeyness)(report);
  aboutReading(report.reading ?? []);
  return report;
}

function begin(report) {
  const refresh = () => {
    tableState.page = 0;
    tableState.rows = chosenRows(report);
    drawTable(report);
    const searching = byId("search").value.trim() !== "";
    ringPoints("found", report, searching ? tableState.rows.slice(0, 2000) : [], 5);
    byId("clear").hidden = !tableState.brushed;
  };
  const choose = (i, { move = false } = {}) => {
    report.chosen = i;
    fillPanel(report, i);
    ringPoints("chosen", report, [i], 7);
    nameLeaders(report);
    drawTable(report);
    byId("panel-live").textContent = `Showing ${visible(report.terms[i])}`;
    (report.visited ??= new Set()).add(report.terms[i]);
    history.replaceState(null, "", `#${encodeURIComponent(report.terms[i])}`);
    const { top } = byId("panel").getBoundingClientRect();
    if (move && (top > innerHeight * 0.8 || top < 0)) byId("panel").scrollIntoView();
  };
  const draw = () => {
    if (report.kind === "corpus") describeMain(report);
    else drawLists(report, choose);
    makeHead(report, refresh);
    fillMain(report, byId("scale").value);
    ringPoints("chosen", report, report.chosen === undefined ? [] : [report.chosen], 7);
    refresh();
    nameLeaders(report);
  };
  window.termburst = { choose: (term) => choose(report.terms.indexOf(term)), csv: () => csvOf(report).text };

  report.redraw = () => report.kind === "keyness" && drawLists(report, choose);
  listen(report, { refresh, draw, choose });
  listenToChart(report, { refresh, choose });
  listenToAxes(report);
  if (report.kind === "corpus") byId("leaders").replaceChildren(...chips(report, report.leading.slice(0, 12), choose));
  if (report.brought_on) drawPairs(report, choose);
  if (report.kind !== "corpus")
    listenToGroups(report, () => {
      draw();
      const first = firstOf(report);
      if (first !== undefined) choose(first);
    });
  if (report.live) listenLive(report, choose);
  if (report.kind === "keyness") byId("scale").value = report.columns.log10_p.some((p) => p < -40) ? "log" : "linear";
  draw();
  const asked = () => (location.hash ? report.terms.indexOf(askedTerm()) : -1);
  choose(asked() >= 0 ? asked() : (firstOf(report) ?? 0));
  addEventListener("hashchange", () => asked() >= 0 && choose(asked(), { move: true }));
}

// The term that is shown at first: the strongest.
const firstOf = (report) => report.first ?? report.leading.find(report.inGroup) ?? tableState.rows[0];

// The controls: each changes something and draws the page again.
function listen(report, { refresh, draw, choose }) {
  for (const id of ["search", "least", "surest"]) byId(id).addEventListener("input", refresh);
  byId("scale").addEventListener("input", draw);
  byId("clear").addEventListener("click", () => (drawn.main.source("points").selected.indices = []));
  byId("export").addEventListener("click", () => download(report));
  byId("export-as-is").addEventListener("click", () => download(report, { asIs: true }));
  const turn = (step) => () => {
    tableState.page = step === 0 ? 0 : tableState.page + step;
    drawTable(report);
  };
  byId("first").addEventListener("click", turn(0));
  byId("previous").addEventListener("click", turn(-1));
  byId("next").addEventListener("click", turn(1));
  byId("table").addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-row]");
    if (button) choose(Number(button.dataset.row), { move: true });
  });
  byId("back").addEventListener("click", () => {
    byId("terms").scrollIntoView();
    byId("terms").focus({ preventScroll: true });
  });
  byId("lines-sort").addEventListener("input", () => drawLines(report, panelOf(report, report.chosen)));
  byId("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    remembered(theme);
    setTheme(theme, report);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(themeAsked(), report));
}

// In the main chart, a box filters the table, a click chooses a term, and points that come into view get names.
function listenToChart(report, { refresh, choose }) {
  const { plot, source, part } = drawn.main;
  const { selected } = source("points");
  selected.properties.indices.change.connect(() => {
    tableState.brushed = selected.indices.length ? new Uint8Array(report.points.first.length) : null;
    for (const point of selected.indices) tableState.brushed[point] = 1;
    refresh();
  });
  part("tap").callback = (_, { source: { inspected } }) => {
    if (inspected.indices.length) choose(report.points.first[inspected.indices[0]], { move: true });
  };
  let waiting;
  const moved = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => nameLeaders(report), 80);
  };
  for (const { properties } of [plot.x_range, plot.y_range]) {
    properties.start.change.connect(moved);
    properties.end.change.connect(moved);
  }
}

// One button per term, in list items.
function chips(report, rows, choose) {
  return rows.map((i) => {
    const item = element("li");
    const button = element("button", brief(report.terms[i], 30), { type: "button", class: "chip", dir: "auto" });
    button.addEventListener("click", () => choose(i, { move: true }));
    item.append(button);
    return item;
  });
}

async function start() {
  document.documentElement.dataset.theme = themeAsked();
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser cannot unpack the page; use a browser from 2023 or later");
  const [report, library] = await Promise.all([loadReport(), unpackedText("library")]);
  document.head.append(element("script", library));
  Bokeh.set_log_level("error"); // otherwise it warns about charts without data, which are filled soon after
  setTheme(themeAsked());
  await embedChart("main", report.charts);
  begin(report);
  performance.mark("interactive"); // only the other charts are still missing
  for (const name of Object.keys(report.charts)) if (name !== "main") await embedChart(name, report.charts);
  fillPanel(report, report.chosen);
  if (report.kind === "corpus") fillCorpusCharts(report);
  performance.mark("complete");
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  byId("failure").hidden = false;
  byId("failure").textContent = `The page could not be drawn: ${error.message}`;
  throw error;
});
