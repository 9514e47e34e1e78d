// The charts: fills the Bokeh figures of charts.py, and colours them for light or dark mode.

const BLUE = "#0072B2",
  ORANGE = "#D55E00",
  GREY = "#767676"; // as in charts.py; page.css has the colours of dark mode
let palette = {};

// The colours of the theme, from page.css.
function currentPalette() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    [BLUE]: of("blue"),
    [ORANGE]: of("orange"),
    [GREY]: of("grey"),
    ink: of("ink"),
    card: of("card"),
    quiet: of("quiet"),
    line: of("line"),
    sides: ["blue", "orange", "green", "purple", "amber", "sky"].map(of),
  };
}

// The colour of a side of a comparison: one per group, in the order of the groups.
const colourOf = (k) => (k < 0 ? palette.ink : palette.sides[k % palette.sides.length]);

const drawn = {}; // name → {plot, source(name)}

async function embedChart(name, items) {
  await Bokeh.embed.embed_item(items[name], byId(`chart-${name}`));
  const model = Bokeh.documents[Bokeh.documents.length - 1];
  const plot = model.get_model_by_name(name);
  drawn[name] = {
    plot,
    source: (source) => model.get_model_by_name(`${source}-data`),
    part: (part) => model.get_model_by_name(part),
  };
  dressChart(plot);
}

const original = new WeakMap(); // glyph → its colours in charts.py

function dressChart(plot) {
  for (const axis of [...plot.below, ...plot.left]) {
    axis.axis_label_text_color = axis.major_label_text_color = palette.quiet;
    axis.axis_line_color = axis.major_tick_line_color = palette.line;
  }
  for (const part of plot.center) {
    if ("grid_line_color" in part) part.grid_line_color = palette.line;
    if ("label_text_color" in part) part.label_text_color = palette.ink;
  }
  for (const renderer of plot.renderers) {
    for (const glyph of [renderer.glyph, renderer.selection_glyph, renderer.nonselection_glyph, renderer.muted_glyph]) {
      if (!glyph || typeof glyph !== "object") continue;
      if (!original.has(glyph)) original.set(glyph, {});
      const kept = original.get(glyph);
      for (const property of ["fill_color", "line_color", "hatch_color"]) {
        if (!(property in glyph)) continue;
        const value = kept[property] ?? glyph[property]?.value;
        if (typeof value !== "string" || !(value.toUpperCase() in palette)) continue;
        kept[property] = value;
        glyph[property] = { value: palette[value.toUpperCase()] };
      }
      if (renderer.name === "names") glyph.text_color = { value: palette.ink };
      if (renderer.name === "halos") glyph.text_color = glyph.text_outline_color = { value: palette.card };
    }
  }
}

function dressCharts() {
  palette = currentPalette();
  for (const { plot } of Object.values(drawn)) dressChart(plot);
}

const describe = (name, text) => byId(`chart-${name}`).setAttribute("aria-label", text);

// Round numbers on a logarithmic axis, far enough apart for their labels: powers of ten first, then numbers between.
function logTicks(low, high) {
  const apart = (Math.log10(high) - Math.log10(low)) / 5;
  const found = [];
  for (const leading of [[1], [5], [2], [3, 7], [1.5, 2.5, 4, 6, 8, 9]]) {
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
      for (const tick of leading.map((digit) => digit * 10 ** power)) {
        const isFree = found.every((other) => Math.abs(Math.log10(tick / other)) >= apart);
        if (tick >= low && tick <= high && Number.isInteger(tick) && isFree) found.push(tick);
      }
    }
  }
  return found.length ? found : [low];
}

function fillCorpusCharts({ lengths, zipf, log_alpha: logs, overview }) {
  drawn.lengths.source("lengths").data = {
    left: lengths.edges.slice(0, -1),
    right: lengths.edges.slice(1),
    documents: lengths.documents,
  };
  drawn.lengths.part("lengths-ticks").ticks = logTicks(lengths.edges[0], lengths.edges.at(-1));
  const empty = lengths.empty ? `; ${whole(lengths.empty)} ${lengths.empty === 1 ? "is" : "are"} empty` : "";
  byId("lengths-note").textContent =
    `Mean ${decimal(lengths.mean)}, median ${decimal(lengths.median)}, longest ${whole(lengths.longest)} tokens${empty}.`;
  describe(
    "lengths",
    `Histogram of the lengths of ${whole(overview.documents)} documents. ${byId("lengths-note").textContent}`,
  );

  drawn.zipf.source("zipf").data = zipf;
  byId("zipf-note").textContent =
    `${whole(overview.once)} of ${whole(overview.terms)} terms (${share(overview.once, overview.terms)}) occur once.`;
  describe("zipf", `Occurrences of terms by rank, on logarithmic axes. ${byId("zipf-note").textContent}`);

  drawn.log_alpha.source("log_alpha").data = {
    left: logs.edges.slice(0, -1),
    right: logs.edges.slice(1),
    alpha: logs.alpha,
    alpha_not: logs.alpha_not,
  };
  byId("alpha-note").textContent =
    `${whole(logs.converged)} terms have a finite fit` +
    (logs.converged ? `, ${share(logs.below_a_tenth, logs.converged)} of them with α below 0.1` : "") +
    `. ${whole(logs.boundary)} vary no more than by chance: their α is infinite.`;
  describe("log_alpha", `Histogram of the logarithms of fitted parameters. ${byId("alpha-note").textContent}`);
}

// The chart of all terms. Thousands of rare terms have nearly the same numbers: they share a point.
const bend = { log: (v) => Math.sign(v) * Math.log10(1 + Math.abs(v)), linear: (v) => v };

function makePoints(report) {
  const { rows, columns } = report;
  const pointOf = new Int32Array(rows);
  const first = [];
  const size = [];
  const shared = new Map();
  for (let i = 0; i < rows; i++) {
    const key =
      report.kind === "keyness"
        ? i
        : `${columns.n[i]} ${columns.b[i]} ${columns.plr[i]} ${columns.burst_ratio[i].toPrecision(2)}`;
    let point = shared.get(key);
    if (point === undefined) {
      point = first.length;
      first.push(i);
      size.push(0);
      shared.set(key, point);
    }
    size[point]++;
    pointOf[i] = point;
  }
  return { pointOf, first, size };
}

// Where to draw a term that only one side has: its ratio is infinite, so it is drawn beyond all others.
function edgeOf(columns, least = 1) {
  let farthest = least;
  for (const value of columns.log_ratio) if (Math.abs(value) > farthest) farthest = Math.abs(value);
  return 1.1 * farthest;
}

// Which axes are shown: those of the burst map, or logarithmic or linear ones.
function showAxes(kind, scale) {
  const { part } = drawn.main;
  for (const side of ["below", "left"]) {
    const shown = scale === "map" ? "map" : scale === "log" && (kind === "corpus" || side === "left") ? "log" : "linear";
    for (const axis of kind === "corpus" ? ["map", "log", "linear"] : ["log", "linear"]) {
      part(`${side}-${axis}`).visible = part(`${side}-${axis}-grid`).visible = axis === shown;
    }
  }
}

// Where the point of a term is, its size, and how full it is.
function placeOf(report, i, scale, thin) {
  const { columns, kind } = report;
  if (kind === "keyness") {
    const only = columns.only_in[i];
    const y = bend[scale](-columns.log10_p[i]);
    const shown = report.inGroup(i); // otherwise it must not widen the axes either
    return {
      x: !shown ? NaN : only ? (only === "a" ? report.edge : -report.edge) : columns.log_ratio[i],
      y: shown ? y : NaN,
      size: report.sure(i) ? 7 : 4,
      fill: report.sure(i) ? 0.45 : 0,
      marker: only ? (only === "a" ? "triangle" : "inverted_triangle") : "circle",
    };
  }
  if (scale === "map") {
    const known = columns.burst_ratio[i] >= 1;
    return {
      x: Math.log10(columns.n[i]),
      y: known ? Math.log10(columns.burst_ratio[i]) : NaN,
      size: report.sure(i) ? 7 : 4,
      fill: report.sure(i) ? Math.max(2 * thin, 0.2) : thin,
    };
  }
  const alpha = columns.alpha[i];
  const bent = bend[scale];
  return {
    x: bent(columns.plr[i]),
    y: bent(columns.tf_idf_sum[i]),
    size: Number.isNaN(alpha) ? 5 : 3 + 9 * Math.min(Math.max((Math.log10(alpha) + 4) / 4, 0), 1.25),
    fill: Number.isNaN(alpha) ? 0 : 2 * thin,
  };
}

function fillMain(report, scale) {
  const { points, kind } = report;
  const { plot, source, part } = drawn.main;
  showAxes(kind, scale);
  const count = points.first.length;
  const data = {
    x: new Float64Array(count),
    y: new Float64Array(count),
    size: new Float64Array(count),
    fill: new Float64Array(count),
    colour: [],
    label: [],
    note: [],
    ...(kind === "keyness" ? { marker: [] } : {}),
  };
  const thin = Math.min(Math.max(10 / Math.sqrt(count), 0.06), 0.3); // many points are drawn faint
  part("dots").glyph.line_alpha = { value: 2 * thin };
  points.first.forEach((i, point) => {
    const { marker, ...numbers } = placeOf(report, i, scale, thin);
    for (const [name, value] of Object.entries(numbers)) data[name][point] = value;
    if (marker) data.marker.push(marker);
    const several = points.size[point] > 1;
    data.label.push(several ? `${whole(points.size[point])} ${report.words}` : brief(report.terms[i], 80));
    data.note.push(several ? `such as ${brief(report.terms[i], 30)}, each ${report.note(i)}` : report.note(i));
  });
  report.place = data;
  report.scale = scale;
  colourPoints(report);
  const { selected } = source("points");
  const brushed = selected.indices; // a reset would clear it
  plot.reset?.emit();
  selected.indices = brushed;
}

function colourPoints(report) {
  report.place.colour = report.points.first.map((i) =>
    report.sure(i) ? (report.kind === "corpus" ? palette[BLUE] : colourOf(report.sideOf(i))) : palette[GREY],
  );
  drawn.main.source("points").data = { ...report.place };
}

// The width of a name in the chart, as the browser draws it.
const ruler = document.createElement("canvas").getContext("2d");
ruler.font = "12px helvetica"; // as Bokeh draws them

const NAME_HEIGHT = 16, NAME_GAP = 8; // pixels that a name takes, and that are free beside it
const CELL = [90, 36], CROWD = 40; // size in pixels of the cells of which each gets a name, unless so many points are in it

// Which points to try to name: the first of all, then the first of each cell of the map, the emptiest cells first.
// So names are also where few words are, and not only where the strongest crowd.
function namable(report, [across, up], [width, height]) {
  const { points, place } = report;
  const inView = (i) => {
    const point = points.pointOf[i];
    const [px, py] = [across(place.x[point]), up(place.y[point])];
    return points.size[point] === 1 && px >= 0 && px <= width && py >= 0 && py <= height ? [i, point, px, py] : null;
  };
  const { lower_bound: bound } = report.columns; // 1 for words that too few documents use or repeat, whose intervals are very long
  const seen = report.leading
    .filter((i) => report.kind !== "corpus" || bound[i] > 1)
    .map(inView)
    .filter(Boolean);
  const cells = new Map();
  for (const found of seen) {
    const key = Math.floor(found[2] / CELL[0]) + 1000 * Math.floor(found[3] / CELL[1]);
    const cell = cells.get(key) ?? cells.set(key, { first: found, size: 0 }).get(key);
    cell.size++;
  }
  const open = [...cells.values()].filter(({ size }) => size <= CROWD);
  const spread = open.sort((a, b) => a.size - b.size).map(({ first }) => first);
  return [...new Set([...seen.slice(0, 12), ...spread, ...seen.slice(12, 300)])];
}

// Names beside points in view. No name covers another, nor the point of another name.
function nameLeaders(report) {
  const { plot, source } = drawn.main;
  const data = report.place;
  const { x_range: xs, y_range: ys } = plot;
  const { inner_width: width, inner_height: height } = plot;
  const across = (x) => ((x - xs.start) / (xs.end - xs.start)) * width;
  const up = (y) => ((y - ys.start) / (ys.end - ys.start)) * height;
  const names = { x: [], y: [], text: [], dx: [], align: [] };
  const lines = { low: [], high: [], y: [] };
  const spans = { x: [], low: [], high: [] };
  const taken = []; // [left, right, y, height] of names and their points
  const free = (left, right, y, high) =>
    left >= 0 &&
    right <= width &&
    !taken.some(([l, r, at, tall]) => 2 * Math.abs(at - y) < tall + high && l < right + NAME_GAP && left - NAME_GAP < r);
  for (const [i, point, px, py] of namable(report, [across, up], [width, height])) {
    if (names.x.length >= width / 20) break;
    const text = brief(report.terms[i], 24);
    const [reach, gap] = [ruler.measureText(text).width, data.size[point] / 2 + 3];
    const right = free(px + gap, px + gap + reach, py, NAME_HEIGHT);
    const box = right ? [px + gap, px + gap + reach] : [px - gap - reach, px - gap];
    if (!free(...box, py, NAME_HEIGHT)) continue;
    taken.push([...box, py, NAME_HEIGHT], [px - 4, px + 4, py, 8]);
    names.x.push(data.x[point]);
    names.y.push(data.y[point]);
    names.text.push(text);
    names.dx.push(right ? gap : -gap);
    names.align.push(right ? "left" : "right");
    if (report.kind === "keyness") addInterval(lines, report, i, data.y[point]);
    else addSpan(spans, report, i);
  }
  source("names").data = names;
  if (report.kind === "corpus") {
    if (report.chosen !== undefined) addSpan(spans, report, report.chosen);
    source("spans").data = spans;
  } else {
    if (report.chosen !== undefined)
      addInterval(lines, report, report.chosen, data.y[report.points.pointOf[report.chosen]]);
    source("intervals").data = lines;
  }
}

// The interval of a burst ratio, in the burst map. An end that is not known is beyond the chart.
function addSpan(spans, { columns, scale }, i) {
  if (scale !== "map" || !(columns.ci_low[i] >= 1)) return;
  spans.x.push(Math.log10(columns.n[i]));
  spans.low.push(Math.log10(columns.ci_low[i]));
  spans.high.push(columns.ci_high[i] >= 1 ? Math.log10(columns.ci_high[i]) : 12);
}

function addInterval(lines, { columns, edge }, i, y) {
  if (Number.isNaN(columns.ci_low[i]) && Number.isNaN(columns.ci_high[i])) return;
  lines.low.push(openEnd(columns, "ci_low", i) ? -edge : columns.ci_low[i]);
  lines.high.push(openEnd(columns, "ci_high", i) ? edge : columns.ci_high[i]);
  lines.y.push(y);
}

function ringPoints(name, report, rows, extra) {
  const data = report.place;
  const points = [...new Set(rows.map((i) => report.points.pointOf[i]))];
  drawn.main.source(name).data = {
    x: points.map((p) => data.x[p]),
    y: points.map((p) => data.y[p]),
    size: points.map((p) => data.size[p] + extra),
  };
}
