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
  const panel = report.panels[report.columns.panel[i] - 1];
  byId("panel-term").textContent = visible(report.terms[i]);
  byId("facts").replaceChildren(
    ...report.facts(i).map(([name, value]) => {
      const pair = element("div");
      pair.append(element("dt", name), element("dd", value));
      return pair;
    }),
  );
  const without = panel === undefined;
  byId("panel-note").hidden = !without;
  byId("panel-note").textContent = without
    ? `This page has charts and lines only for the first ${whole(report.panels.length)} terms, not for this one. ` +
      "To have more, make the page again with a larger --panels."
    : "";
  byId("panel-charts").hidden = without;
  byId("lines-block").hidden = without;
  if (without) return;
  drawLines(report, panel);
  if (!(report.kind === "corpus" ? drawn.waterfall : drawn.along)) return; // the page is still being drawn
  if (report.kind === "corpus") {
    drawCounts(report, panel);
    drawWaterfall(report, panel, i);
  }
  drawAlong(report, panel, i);
}

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
    label: report.sides[k].name,
  }));
}

const documentName = (names, number) =>
  names[number] === undefined ? `document ${whole(number + 1)}` : visible(names[number]);

function drawAlong(report, panel, i) {
  const sides = sidesOf(report, panel);
  byId("figure-along").hidden = !sides.length;
  if (!sides.length) return;
  const { plot, source } = drawn.along;
  const stems = { x: [], n: [], label: [], colour: [] };
  let offset = 0;
  let documents = 0;
  sides.forEach(({ places, occurrences, names, size, label }, k) => {
    places.forEach((place, at) => {
      stems.x.push(offset + place + 1);
      stems.n.push(occurrences[at]);
      stems.label.push((label === undefined ? "" : `${visible(label)}: `) + documentName(names, place));
      stems.colour.push(palette[k % 2 ? ORANGE : BLUE]);
    });
    offset += size;
    documents += places.length;
  });
  plot.x_range.start = 0.5 - 0.01 * offset;
  plot.x_range.end = offset + 0.5 + 0.01 * offset;
  source("stems").data = stems;
  const most = stems.n.reduce((a, b) => Math.max(a, b), 0);
  const { b, b_a: inA, b_b: inB, group } = report.columns;
  const known = sides.map((_, k) => report.kind === "corpus" || report.sides[k].has_documents);
  const all = b ? b[i] : group ? inA[i] + inB[i] : (known[0] ? inA[i] : 0) + (known[1] ? inB[i] : 0);
  const unknown = sides
    .filter((_, k) => !known[k])
    .map(({ label }) => ` The documents of ${visible(label)} are not known, only their counts.`)
    .join("");
  const sidesNote =
    sides.length > 1
      ? ` In the order ${sides.map(({ label }, k) => visible(label) + (sides.length > 2 ? "" : k ? " (orange)" : " (blue)")).join(", then ")}.`
      : "";
  byId("along-note").textContent =
    `${documents < all ? `${whole(documents)} of ${whole(all)} documents, those with the highest counts` : manyDocuments(all)}, ` +
    `up to ${whole(most)} times in one.${sidesNote}${unknown}`;
  describe("along", `Occurrences in each document, in the order of the corpus. ${byId("along-note").textContent}`);
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

function drawLines(report, panel) {
  const list = byId("lines");
  list.replaceChildren();
  for (const { lines, names, label } of sidesOf(report, panel)) {
    for (const { document: number, before, term, after } of lines) {
      const item = element("li");
      const text = element("bdi", undefined, { dir: "auto" });
      text.append(visible(before), element("mark", visible(term)), visible(after));
      const name = documentName(names, number);
      item.append(
        element("span", label === undefined ? name : `${visible(label)}: ${name}`, { class: "source" }),
        text,
      );
      list.append(item);
    }
  }
  byId("lines-block").hidden = !list.children.length;
}
