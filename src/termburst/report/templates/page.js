// The page: it unpacks the report, draws it, and joins chart, table and panel.

function themeAsked() {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function setTheme(theme, report) {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark"; // what it changes to
  dressCharts();
  if (report?.place) colourPoints(report);
  if (report?.chosen !== undefined) fillPanel(report, report.chosen); // its bars have colours of their own
}

// The term that the address of the page ends in, whatever else that may be.
function askedTerm() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

async function loadReport() {
  const [about, charts, terms, columns, panels] = await Promise.all([
    unpackedJson("about"), unpackedJson("charts"), unpackedJson("terms"), unpacked("columns"), unpackedJson("panels"),
  ]);
  for (const panel of panels) {
    for (const side of panel.sides ?? [panel]) {
      let place = 0; // places are steps from one document to the next
      if (side.places) side.places = side.places.map((step) => (place += step));
    }
  }
  const report = { ...about, charts, terms, panels, rows: terms.length };
  report.columns = { term: terms, ...decodedColumns(columns, about.columns, terms.length) };
  report.shown = tableColumns[report.kind].filter(({ key }) => key in report.columns);
  report.points = makePoints(report);
  report.bar = report.settings.adjust === "none" ? `p at most ${about.limits.sure}, not adjusted` : `q at most ${about.limits.sure}`;
  report.sure = (i) => report.columns.log10_q[i] <= Math.log10(report.limits.sure) + rounding;
  // The surest first: by λ it would be frequent words, whose λ is large whether they burst or not.
  const { log10_p: p } = report.columns;
  const sure = Array.from({ length: report.rows }, (_, i) => i).filter(report.sure);
  report.leading = sure.sort((i, j) => p[i] - p[j] || i - j).slice(0, 5000);
  (report.kind === "corpus" ? aboutCorpus : aboutKeyness)(report);
  return report;
}

// What a corpus's page says of a term, and of all of them.
function aboutCorpus(report) {
  const { columns, overview, settings } = report;
  report.unit = "terms";
  const times = (i) => (columns.n[i] === 1 ? "once" : `${whole(columns.n[i])} times`);
  report.note = (i) => `λ ${decimal(columns.plr[i])}, ${times(i)} in ${manyDocuments(columns.b[i])}, q ${probability(columns.log10_q[i])}`;
  report.facts = (i) => [
    ["occurrences, n", whole(columns.n[i])],
    ["documents, b", whole(columns.b[i])],
    ["λ", decimal(columns.plr[i])],
    ["Σ TF–IDF", decimal(columns.tf_idf_sum[i])],
    [`p (${columns.how[i] || "not tested"})`, probability(columns.log10_p[i])],
    ["q", probability(columns.log10_q[i])],
    ["α", cell(report, { key: "alpha", show: decimal }, i)],
    ["α of the rest", cell(report, { key: "alpha_not", show: decimal }, i)],
    ["fit", columns.status[i]],
  ];
  byId("size").textContent =
    `${manyDocuments(overview.documents)} · ${whole(overview.tokens)} tokens · ${whole(overview.terms)} terms`;
  byId("sentence").textContent =
    `${whole(overview.sure)} of ${whole(overview.tested)} terms come in bursts that chance does not explain (${report.bar}). ${overview.sure ? "The surest:" : ""}`;
  byId("main-title").textContent = "λ against total TF–IDF";
  const r = report.correlation === null ? "" : ` λ and total TF–IDF correlate at ${report.correlation.toFixed(3)}.`;
  const kept = settings.counting && !settings.counting.stop_words && !settings.counting.pretokenized;
  byId("main-note").textContent =
    `Each point is a term: larger where its fitted α is, hollow where α is infinite, grey unless ${report.bar}. Terms with ` +
    `the same counts share a point.${r} Drag a box to filter the table; click a point for its term.` +
    (kept ? " Stop words were kept: very frequent words have a large λ whether they burst or not." : "");
  describe("main", `Scatter chart of ${whole(report.rows)} terms, λ across and total TF–IDF upwards.${r} The table below holds the same numbers.`);
  byId("method").replaceChildren(
    ...[
      `λ is the penalised likelihood-ratio statistic of Ahmed, Sheridan, McIsaac and Farooque (2026), form “${settings.form}”, ` +
        `with μ = ${decimal(settings.mu)} and σ² = ${decimal(settings.sigma2)}. For very frequent words it is large whether they burst or not.`,
      "p is the probability of such a λ where a term's tokens lie at random among all positions; q is p adjusted for testing " +
        `${whole(overview.tested)} terms (${settings.adjust}). How p was obtained: exact, over all outcomes; monte-carlo, by random draws; tail, from the shape of their tail.`,
      "α and α of the rest are exact maximum-likelihood estimates of a beta-binomial: converged; boundary, α being infinite; or degenerate, where documents are all one term.",
      ...(overview.clamped ? [`${whole(overview.clamped)} terms repeat too often for the penalty (η² ≤ r): their λ is clamped as in the paper, and no guide.`] : []),
      ...footnotes(report, overview.kept),
    ].map((text) => element("li", text)),
  );
}

function aboutKeyness(report) {
  const { columns, overview, sides } = report;
  report.unit = columns.group ? "terms by group" : "terms";
  report.edge = edgeOf(columns);
  const ratio = (i) => cell(report, { key: "log_ratio", show: decimal }, i);
  const interval = (i) => columns.ci_low ? `${cell(report, { key: "ci_low", show: decimal }, i)} to ${cell(report, { key: "ci_high", show: decimal }, i)}` : "–";
  report.note = (i) => `${columns.group ? `${visible(columns.group[i])}: ` : ""}log₂ ratio ${ratio(i)}, ${whole(columns.n_a[i])} against ${whole(columns.n_b[i])}, q ${cell(report, { key: "log10_q", show: probability }, i)}`;
  report.facts = (i) => [
    ...(columns.group ? [["group A, against the rest", visible(columns.group[i])]] : []),
    ["log₂ ratio", ratio(i)],
    ["its interval", interval(i)],
    ["occurrences in A, B", `${whole(columns.n_a[i])}, ${whole(columns.n_b[i])}`],
    ...(columns.group ? [] : [["per million tokens", [columns.n_a[i], columns.n_b[i]].map((n, k) => decimal((1e6 * n) / sides[k].tokens)).join(", ")]]),
    ["documents in A, B", `${whole(columns.b_a[i])}, ${whole(columns.b_b[i])}`],
    [`p (${columns.reference?.[i] ?? ""})`, cell(report, { key: "log10_p", show: probability }, i)],
    ["q", cell(report, { key: "log10_q", show: probability }, i)],
  ];
  const named = (k) => `${String.fromCharCode(65 + k)}: ${visible(sides[k].name)}`;
  byId("size").textContent = columns.group
    ? `${whole(sides.length)} groups, each (A) against the rest (B)`
    : `${named(0)}, ${whole(sides[0].documents)} documents · ${named(1)}, ${whole(sides[1].documents)} documents`;
  const byBursts = report.settings.method === "beta-binomial";
  byId("sentence").textContent =
    `${whole(overview.sure)} of ${whole(overview.tested)} ${report.unit} differ ${byBursts ? "by more than their burstiness explains" : `by the test “${report.settings.method ?? "unnamed"}”`} (${report.bar}). ${overview.sure ? "The surest:" : ""}`;
  byId("main-title").textContent = "How much, and how sure";
  byId("main-note").textContent =
    `Each point is a term, filled where ${report.bar}; triangles at the edges are terms of one side only. Lines are intervals of ` +
    "the named terms. Drag a box to filter the table; click a point for its term.";
  describe("main", `Volcano chart of ${whole(report.rows)} ${report.unit}: the log ratio across, the p-value upwards. The table below holds the same numbers.`);
  byId("sides").replaceChildren(
    plainTable(["corpus", "documents", "tokens", "terms", "mean length", "longest"],
      sides.map(({ name, documents, tokens, terms, lengths }) =>
        [visible(name), whole(documents), whole(tokens), whole(terms), decimal(lengths.mean), whole(lengths.longest)])),
  );
  if (columns.group) {
    byId("group-choice").hidden = false;
    for (const name of [...new Set(columns.group)].sort()) {
      const option = element("option", visible(name));
      option.value = name;
      byId("group").append(option);
    }
  }
  byId("method").replaceChildren(
    ...[
      "log₂ ratio says by how many doublings a term's fitted mean share of a document in A exceeds that in B; where bursts " +
        "or lengths differ, so may the rates per million tokens. p is that of the method named below; by default it allows " +
        "for words coming in bursts. q is p adjusted for testing many terms.",
      `Settings: ${Object.entries(report.settings).filter(([key]) => key !== "counting").map(([key, value]) => `${key} ${value}`).join(", ") || "as by default"}.`,
      ...footnotes(report, overview.tested),
    ].map((text) => element("li", text)),
  );
}

function footnotes(report, tested) {
  const { counting } = report.settings;
  const said = counting && (counting.pretokenized ? "tokens as given" : `token pattern ${counting.token_pattern}, ${counting.lowercase ? "case folded" : "case kept"}`);
  return [
    ...(counting ? [`Counted with ${visible(said)}; terms of ${[...new Set(counting.ngrams)].join(" to ")} token${counting.ngrams[1] > 1 ? "s" : ""}; stop words: ${visible(counting.stop_words ?? "none left out")}.`] : []),
    ...(tested > report.rows ? [`The page lists the leading ${whole(report.rows)} of ${whole(tested)} ${report.unit}.`] : []),
    `Charts and lines are kept for the leading ${whole(report.panels.length)} terms; a panel shows up to ${report.limits.places} documents. Numbers have six digits, p and q three, ` +
      `terms are cut after ${report.limits.term} characters; termburst terms and termburst keyness write them in full.`,
    `Made by termburst ${report.termburst}.`,
  ];
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
    history.replaceState(null, "", `#${encodeURIComponent(report.terms[i])}`);
    const { top, bottom } = byId("panel").getBoundingClientRect();
    if (move && (top > innerHeight * 0.8 || bottom < innerHeight * 0.2 || (top < 0 && innerWidth <= 900))) byId("panel").scrollIntoView();
    byId("panel").scrollTop = 0;
  };
  const draw = () => {
    fillMain(report, byId("scale").value);
    ringPoints("chosen", report, report.chosen === undefined ? [] : [report.chosen], 7);
    refresh();
    nameLeaders(report);
  };
  let waiting;
  window.termburst = {
    brushed(points) {
      tableState.brushed = points.length ? new Uint8Array(report.points.first.length) : null;
      for (const point of points) tableState.brushed[point] = 1;
      refresh();
    },
    tapped(points) {
      if (points.length) choose(report.points.first[points[0]], { move: true });
    },
    moved() {
      clearTimeout(waiting);
      waiting = setTimeout(() => nameLeaders(report), 80);
    },
    choose: (term) => choose(report.terms.indexOf(term)),
    csv: () => csvOf(report),
  };

  makeHead(report, refresh);
  for (const id of ["search", "least", "surest", "group"]) byId(id).addEventListener("input", refresh);
  byId("scale").addEventListener("input", draw);
  byId("clear").addEventListener("click", () => (drawn.main.source("points").selected.indices = []));
  byId("export").addEventListener("click", () => download(report));
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
  byId("theme").addEventListener("click", () => {
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark", report);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(themeAsked(), report));

  const named = new Set();
  for (const i of report.leading) {
    if (named.has(report.terms[i])) continue; // by another group
    if (named.add(report.terms[i]).size > 12) break;
    const item = element("li");
    const button = element("button", brief(report.terms[i], 30), { type: "button", class: "chip", dir: "auto" });
    button.addEventListener("click", () => choose(i, { move: true }));
    item.append(button);
    byId("leaders").append(item);
  }
  if (report.kind === "keyness") byId("scale").value = report.columns.log10_p.some((p) => p < -40) ? "log" : "linear";
  draw();
  const asked = () => (location.hash ? report.terms.indexOf(askedTerm()) : -1);
  choose(asked() >= 0 ? asked() : (report.leading[0] ?? 0));
  addEventListener("hashchange", () => asked() >= 0 && choose(asked(), { move: true }));
}

async function start() {
  document.documentElement.dataset.theme = themeAsked();
  if (typeof DecompressionStream === "undefined") throw new Error("this browser cannot unpack the page: use one from 2023 or later");
  const [report, library] = await Promise.all([loadReport(), unpackedText("library")]);
  document.head.append(element("script", library));
  Bokeh.set_log_level("error"); // it would warn of charts without data, which are filled in a moment
  setTheme(themeAsked());
  await embedChart("main", report.charts);
  begin(report);
  performance.mark("interactive"); // what is left are charts beside and below
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
