// The panel of the chosen term.

const partNames = {
  tf_icf: "TF–ICF",
  btf_idf: "BTF–IDF",
  repetition: "repetition",
  collection: "collection",
  excess: "excess",
  mean_length: "mean length",
  mu_shift: "shift of μ",
  precision: "precision",
  stirling: "Stirling",
  penalty: "penalty",
  constant: "constant",
};

function fillPanel(report, i) {
  const panel = panelOf(report, i);
  byId("panel-term").textContent = visible(report.terms[i]);
  byId("panel-sentence").textContent = report.sentence(i);
  const g2 = report.kind === "keyness" ? g2Sentence(report, i) : "";
  byId("panel-g2").hidden = !g2;
  byId("panel-g2").textContent = g2;
  byId("facts").replaceChildren(
    ...report.facts(i).map(([name, meaning, value]) => {
      const pair = element("div");
      pair.append(element("dt", name, { title: meaning }), element("dd", value));
      return pair;
    }),
  );
  const without = panel === undefined;
  byId("panel-note").hidden = !without;
  byId("panel-note").textContent = without
    ? report.live
      ? "Reading …"
      : `This page has charts and lines only for the first ${report.sized(report.panels.length)}, not for this one. ` +
        "To have more, make the page again with a larger --panels, or use termburst explore."
    : "";
  byId("panel-charts").hidden = without;
  byId("lines-block").hidden = without;
  if (report.kind === "corpus") byId("figure-waterfall").hidden = without;
  if (without) {
    if (report.live) askForPanel(report, i);
    return;
  }
  drawLines(report, panel);
  if (report.kind === "corpus") drawCollocates(report, panel, i);
  if (report.live && report.kind === "corpus") drawTriggers(report, panel);
  if (!(report.kind === "corpus" ? drawn.waterfall : drawn.along)) return; // the page is still being drawn
  if (report.kind === "corpus") {
    drawCounts(report, panel);
    drawWaterfall(report, panel, i);
  }
  drawAlong(report, panel, i);
}

// The panel that the page has, or that the server has sent.
const panelOf = (report, i) => report.panels[report.columns.panel[i] - 1] ?? report.asked?.get(report.terms[i]);

// The sides of a comparison, one after another; a corpus is a single side.
function sidesOf(report, panel) {
  if (report.kind === "corpus") {
    return panel.places ? [{ ...panel, names: report.documents, size: report.overview.documents }] : [];
  }
  if (!panel.sides.some(({ places }) => places.length)) return []; // both sides are statistics, which forget documents
  return panel.sides.map((side, k) => ({
    ...side,
    names: report.documents[k],
    size: report.sides[k].documents,
    label: report.sides.length > 1 ? report.sides[k].name : undefined,
  }));
}

const documentName = (names, number) =>
  names[number] === undefined ? `document ${whole(number + 1)}` : visible(names[number]);

// The values of a metadata column by which documents can be laid out, one per document; undefined for their order.
function axisOf(report, k) {
  const chosen = byId("along-by").value;
  const axes = report.kind === "corpus" ? report.axes : report.sides[k].axes;
  return chosen === "" ? undefined : axes?.find(({ column }) => column === chosen)?.values;
}

function listenToAxes(report) {
  const axes = (report.kind === "corpus" ? report.axes : report.sides[0].axes) ?? [];
  byId("along-choice").hidden = !axes.length;
  const add = (value, text) => {
    const option = element("option", text);
    option.value = value;
    byId("along-by").append(option);
  };
  add("", "the order of documents");
  for (const { column } of axes) add(column, brief(column, 30));
  if (axes.length) byId("along-by").value = axes[0].column;
  byId("along-by").addEventListener("input", () => fillPanel(report, report.chosen));
}

function drawAlong(report, panel, i) {
  const sides = sidesOf(report, panel);
  byId("figure-along").hidden = !sides.length;
  if (!sides.length) return;
  const { plot, source, part } = drawn.along;
  const stems = { x: [], n: [], label: [], colour: [] };
  const several = Boolean(report.columns.group);
  const column = axisOf(report, 0) && byId("along-by").value;
  let [offset, documents, least, most] = [0, 0, Infinity, -Infinity];
  sides.forEach(({ places, occurrences, names, size, label }, k) => {
    const values = column ? axisOf(report, k) : undefined;
    for (const value of values ?? []) if (value !== null) [least, most] = [Math.min(least, value), Math.max(most, value)];
    places.forEach((place, at) => {
      const x = values ? values[place] : offset + place + 1;
      if (x === null || x === undefined) return;
      stems.x.push(x);
      stems.n.push(occurrences[at]);
      stems.label.push((label === undefined ? "" : `${visible(label)}: `) + documentName(names, place));
      stems.colour.push(report.kind === "corpus" ? palette[BLUE] : colourOf(k));
    });
    offset += size;
    documents += places.length;
  });
  const [low, high] = column ? [least, most] : [0.5, offset + 0.5];
  const margin = 0.01 * (high - low) || 0.5;
  plot.x_range.start = low - margin;
  plot.x_range.end = high + margin;
  part("along-axis").visible = !column;
  part("along-column").visible = Boolean(column);
  if (column) part("along-column").axis_label = brief(column, 40);
  source("stems").data = stems;
  const top = stems.n.reduce((a, b) => Math.max(a, b), 0);
  const { b, b_a: inA, b_b: inB } = report.columns;
  const known = sides.map((_, k) => report.kind === "corpus" || report.sides[k].has_documents);
  const all = b ? b[i] : several ? inA[i] + inB[i] : (known[0] ? inA[i] : 0) + (known[1] ? inB[i] : 0);
  const unknown = sides
    .filter((_, k) => !known[k])
    .map(({ label }) => ` The documents of ${visible(label)} are not known, only their counts.`)
    .join("");
  const without = column && stems.n.length < documents ? ` ${manyDocuments(documents - stems.n.length)} without ${brief(column, 30)} not shown.` : "";
  const sidesNote = sides.length > 1 && !column ? ` In the order ${sides.map(({ label }) => visible(label)).join(", then ")}.` : "";
  byId("along-note").textContent =
    `${documents < all ? `${whole(documents)} of ${whole(all)} documents, those with the highest counts` : manyDocuments(all)}, ` +
    `up to ${often(top)} in one.${sidesNote}${unknown}${without}`;
  describe("along", `Occurrences in each document, along ${column ? brief(column, 40) : "the order of the corpus"}. ${byId("along-note").textContent}`);
}

// Words near the term, as the collocates test finds them.
function drawCollocates(report, panel, i) {
  const { collocates } = panel;
  byId("figure-collocates").hidden = !collocates;
  if (!collocates) return;
  if (!collocates.length) {
    byId("collocates").replaceChildren(element("p", `No ${report.word} stands near it more often than chance.`, { class: "note" }));
    return;
  }
  byId("collocates").replaceChildren(
    plainTable(
      [report.word, "times near it", "documents", "how many times more than chance", "q"],
      collocates.map(({ term, n_window, documents, log_ratio, log10_q }) => [
        brief(term, 40),
        whole(n_window),
        whole(documents),
        log_ratio === null ? "–" : times(2 ** log_ratio),
        probability(log10_q ?? NaN),
      ]),
    ),
  );
}

function drawCounts(report, panel) {
  const { plot, source } = drawn.counts;
  const last = panel.observed.length - 1;
  const k = panel.observed.map((_, at) => (at === last ? `${at}+` : String(at)));
  const floor = 0.1;
  const positive = (values) => values.map((value) => (value > 0 ? value : NaN));
  plot.x_range.factors = k;
  plot.y_range.start = floor;
  plot.y_range.end = 2 * Math.max(...panel.observed, ...panel.binomial, ...panel.beta_binomial);
  source("counts").data = {
    k,
    observed: positive(panel.observed),
    floor: k.map(() => floor),
    binomial: positive(panel.binomial),
    beta_binomial: positive(panel.beta_binomial),
    binomial_line: positive(panel.binomial).with(-1, NaN),
    beta_binomial_line: positive(panel.beta_binomial).with(-1, NaN),
    observed_text: panel.observed.map(whole),
  };
  byId("counts-table").replaceChildren(
    plainTable(
      ["occurrences", "documents", "binomial", "beta-binomial"],
      k.map((name, at) => [
        name,
        whole(panel.observed[at]),
        decimal(panel.binomial[at]),
        decimal(panel.beta_binomial[at]),
      ]),
    ),
  );
  describe(
    "counts",
    "How many documents contain the term 0, 1, 2, … times, and how many a binomial and a beta-binomial expect. The table below has the same numbers.",
  );
}

function drawWaterfall(report, panel, i) {
  const { plot, source } = drawn.waterfall;
  const bars = { part: [], left: [], right: [], colour: [], value: [], formula: [] };
  const values = { end: [], part: [], value: [] };
  const add = (part, left, right, colour, value, formula) => {
    bars.part.push(part);
    bars.left.push(Math.min(left, right));
    bars.right.push(Math.max(left, right));
    bars.colour.push(palette[colour]);
    bars.value.push(decimal(value));
    bars.formula.push(formula);
    values.end.push(Math.max(left, right));
    values.part.push(part);
    values.value.push((value > 0 && part !== "λ" ? "+" : "") + decimal(value));
  };
  let sum = 0;
  for (const [name, value] of Object.entries(panel.parts)) {
    add(partNames[name] ?? name, sum, sum + value, value < 0 ? ORANGE : BLUE, value, report.formulas[name] ?? "");
    sum += value;
  }
  const plr = report.columns.plr[i];
  add("λ", 0, plr, GREY, plr, "the sum");
  plot.y_range.factors = [...bars.part].reverse();
  const [low, high] = [Math.min(0, ...bars.left), Math.max(...bars.right)];
  plot.x_range.start = low - 0.04 * (high - low);
  plot.x_range.end = high + (byId("chart-waterfall").clientWidth < 400 ? 0.4 : 0.25) * (high - low); // room for the values
  source("bars").data = bars;
  source("values").data = values;
  byId("parts-table").replaceChildren(
    plainTable(
      ["part", "value", "formula, as printed"],
      bars.part.map((part, k) => [part, bars.value[k], bars.formula[k]]),
    ),
  );
  describe("waterfall", `λ = ${decimal(plr)} as the sum of its parts. The table below has the same numbers.`);
}

const FEW_LINES = 10; // lines that are shown before a click

// The word at a distance from the term: R1 is the first after it, L1 the last before it. For sorting only.
function neighbour({ before, after }, key) {
  const words = (key[0] === "R" ? after : before).toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const at = Number(key[1]) - 1;
  return (key[0] === "R" ? words[at] : words[words.length - 1 - at]) ?? "";
}

function linesOf(report, panel) {
  const all = panel.found
    ? panel.found.map((line, order) => ({ ...line, k: 0, document: order })) // every line, from the server
    : sidesOf(report, panel).flatMap(({ lines, names, label }, k) =>
        lines.map((line) => ({ ...line, k, name: documentName(names, line.document), label })),
      );
  const key = byId("lines-sort").value;
  if (key === "document") return all.sort((a, b) => a.k - b.k || a.document - b.document);
  const order = new Intl.Collator(undefined).compare;
  return all.sort((a, b) => order(neighbour(a, key), neighbour(b, key)));
}

function drawLines(report, panel, all = byId("lines-more").dataset.all === panel.term) {
  const lines = linesOf(report, panel);
  const shown = all ? lines : lines.slice(0, FEW_LINES);
  byId("lines").replaceChildren(...shown.map((line) => concordanceLine(report, line)));
  byId("lines-block").hidden = !lines.length;
  byId("lines-more").hidden = shown.length === lines.length;
  byId("lines-more").textContent = `Show all ${whole(lines.length)}`;
  byId("lines-more").onclick = () => {
    byId("lines-more").dataset.all = panel.term;
    drawLines(report, panel, true);
  };
  byId("lines-note").textContent = linesNote(report, panel, shown.length, lines.length);
}

// How many lines there are, and whether the term has more occurrences than the page keeps.
function linesNote(report, panel, shown, kept) {
  const lines = kept === 1 ? "One line" : `${whole(shown)} of ${whole(kept)} lines`;
  if (panel.more) return `${lines}; there are more: search for a longer phrase.`;
  if (report.live) return `${lines}.`;
  const { n, n_a, n_b } = report.columns;
  const i = report.terms.indexOf(panel.term);
  const times = n ? n[i] : n_a[i] + n_b[i];
  return times > kept ? `${lines} kept for this page; the word stands ${whole(times)} times.` : `${lines}.`;
}

// One line of the concordance: the term stands in the middle, under the others.
function concordanceLine(report, { before, term, after, name, label, k }) {
  const item = element("li");
  const side = (kind, text) => {
    const cell = element("span", undefined, { class: kind });
    cell.append(element("bdi", visible(text), { dir: "auto" }));
    return cell;
  };
  const mark = element("mark", visible(term), { dir: "auto" });
  if (label !== undefined) mark.style.borderBottom = `3px solid ${colourOf(k)}`;
  item.append(side("before", before), mark, side("after", after));
  item.append(element("span", label === undefined ? name : `${visible(label)}: ${name}`, { class: "source" }));
  return item;
}
