// The page of a comparison by a formula: one contrast at a time, adjusted for the other columns, and unadjusted.

// The contrast that is shown, or that of a row, with the names of its two sides.
function contrastOf(report, i) {
  const wanted = i === undefined ? report.chosenGroup : report.columns.group[i];
  const found = report.design.contrasts.find(({ name }) => name === wanted);
  const names = found.sides ?? [`more with ${found.column}`, `less with ${found.column}`];
  return { ...found, names };
}

// The ratio of a slope is per unit, so it is near 1 and needs more digits.
const ratioPerUnit = (log2) => `${String(Number((2 ** Math.abs(log2)).toPrecision(4)))}×`;

// The interval of a ratio, in words; nothing if there is none.
function designRange(report, i, ratio) {
  const { ci_low: low, ci_high: high } = report.columns;
  if (!low || !Number.isFinite(low[i]) || !Number.isFinite(high[i])) return "";
  const ends = [low[i], high[i]].map(Math.abs).sort((a, b) => a - b).map(ratio);
  return low[i] < 0 && high[i] > 0 ? ` (95 %: from ${ratio(low[i])} less to ${ratio(high[i])} more)` : ` (95 %: ${ends[0]} to ${ends[1]})`;
}

// A value with the name of its column; a condition says by itself what it is.
const sideOf = (column, side) => [column, side].filter(Boolean).map(visible).join(" ");

function designSentence(report, i) {
  const { columns: c } = report;
  const { sides, column, name } = contrastOf(report, i);
  const begin = `${quoted(report.terms[i])}: ${often(c.n[i])} in ${manyDocuments(c.b[i])}.`;
  if (c.status[i] === "undetermined") return `${begin} ${visible(name)}: the documents say nothing about it, since neither side uses the ${report.word}.`;
  const down = !report.up(i);
  const verdict = report.sure(i) ? "That is more than its burstiness explains." : "That may be chance: the evidence is not enough.";
  if (!sides) {
    if (c.only_in[i]) return `${begin} All of it is where ${visible(column)} is ${down ? "lowest" : "highest"}. ${verdict}`;
    return `${begin} With each unit of ${visible(column)} ${c.frequent?.[i] ? `its odds become ${ratioPerUnit(c.log_ratio[i])} ${down ? "smaller" : "as large"}` : `it becomes ${ratioPerUnit(c.log_ratio[i])} ${down ? "rarer" : "as frequent"}`}${designRange(report, i, ratioPerUnit)}, all else equal. ${verdict}`;
  }
  const [mine, yours] = (down ? [...sides].reverse() : sides).map((side) => sideOf(column, side));
  if (c.only_in[i]) return `${begin} Of the two, only ${mine} uses it, not ${yours}. ${verdict}`;
  const alone = Number.isFinite(c.log_ratio_unadjusted[i]) ? designAlone(report, i, mine, yours, down) : "";
  // what is estimated is a ratio of odds; for a rare word that is how many times as often
  const often_as = c.frequent?.[i] ? `has ${ratioOf(c.log_ratio[i])} the odds of it that ${yours} has` : `uses it ${ratioOf(c.log_ratio[i])} as often as ${yours}`;
  return `${begin} ${capital(mine)} ${often_as}${designRange(report, i, ratioOf)}, all else equal${alone}. ${verdict}`;
}

// The unadjusted ratio, in words; nothing if there is no other column in the formula.
function designAlone(report, i, mine, yours, down) {
  const alone = report.columns.log_ratio_unadjusted[i];
  if (Math.abs(alone - report.columns.log_ratio[i]) < 5e-3) return "";
  const turned = alone < 0 !== down;
  const more = report.columns.frequent?.[i] ? `has ${ratioOf(alone)} the odds` : `uses it ${ratioOf(alone)} as often`;
  return turned ? `; without the other columns, ${yours} ${more}` : `; without the other columns, ${ratioOf(alone)}`;
}

function aboutDesign(report) {
  const { columns, design } = report;
  nameUnit(report);
  report.chosenGroup = (design.contrasts.find(({ sure }) => sure) ?? design.contrasts[0]).name;
  report.inGroup = (i) => columns.group[i] === report.chosenGroup && columns.status[i] !== "undetermined";
  report.size = () => columns.group.filter((_, i) => report.inGroup(i)).length;
  report.up = (i) => columns.log_ratio[i] > 0 || columns.only_in[i] === "a";
  report.sideOf = (i) => (report.up(i) ? 0 : 1);
  report.ratioOf = (log2) => (contrastOf(report).sides ? ratioOf : ratioPerUnit)(log2);
  report.headOf = ({ key }) => (key === "term" ? report.word : undefined);
  const shown = (key, show, i) => cell(report, { key, show }, i);
  report.note = (i) => `${often(columns.n[i])} in ${manyDocuments(columns.b[i])}; log₂ ratio ${shown("log_ratio", decimal, i)}, q ${shown("log10_q", probability, i)}`;
  report.sentence = (i) => designSentence(report, i);
  report.facts = (i) => [
    ["contrast", "what is compared", visible(columns.group[i])],
    ["log₂ ratio", "binary logarithm of the ratio, with all other columns equal: 1 means twice the odds, which is twice as often if the word is rare", shown("log_ratio", decimal, i)],
    ["interval", "of the log₂ ratio", `${shown("ci_low", decimal, i)} to ${shown("ci_high", decimal, i)}`],
    ["unadjusted", "the log₂ ratio without the other columns", shown("log_ratio_unadjusted", decimal, i)],
    ["p", `how p was obtained: ${columns.p_method[i]}`, shown("log10_p", probability, i)],
    ["q", "p adjusted for testing many words", shown("log10_q", probability, i)],
    ...(columns.log10_p_documents
      ? [["p by documents", "p if all documents were independent of each other", shown("log10_p_documents", probability, i)]]
      : []),
    ["fit", "status of the fit; separated: only one side has the word", columns.status[i]],
  ];
  describeDesign(report);
}

// What does not depend on the contrast that is shown.
function describeDesign(report) {
  const { design, overview, settings, sides } = report;
  const count = design.contrasts.length;
  byId("size").textContent = `${visible(design.formula)} · ${manyDocuments(sides[0].documents)}`;
  byId("sentence").textContent =
    `${whole(overview.sure)} of ${whole(overview.tested)} rows (one per ${report.word} and contrast; ${count === 1 ? "one contrast" : `${whole(count)} contrasts`}) differ by more than burstiness explains (${report.bar}), all other columns of the formula being equal.`;
  const notes = notesOf(report);
  byId("advice").hidden = !notes;
  byId("advice").textContent = notes;
  byId("main-title").textContent = "How much, and how sure";
  byId("scale-name").textContent = "Scale";
  byId("main-note").textContent =
    `Each point is a ${report.word}: the farther from the middle, the larger the difference; the higher, the surer. Coloured by the side that says it more, if ${report.bar}. Triangles at the edges: only one side has it. ` +
    "Lines are the intervals of the named ones. Drag a box to filter the table. Click a point to read about it.";
  drawSides(sides);
  byId("method").replaceChildren(
    ...[
      ...design.about,
      "The ratio is that of odds, which for a word below a few per cent of the tokens is the ratio of shares. The test allows for words that come in bursts. q is p adjusted for the words of each contrast.",
      settingsSentence(settings),
      ...footnotes(report, overview.tested),
    ].map((text) => element("li", visible(text))),
  );
}

// What changes with the contrast.
function describeContrast(report) {
  const { name, column, sides, tested, sure } = contrastOf(report);
  const what = sides ? `${sideOf(column, sides[0])} against ${visible(sides[1])}` : `the slope of ${visible(column)}, per unit`;
  report.edge = edgeOf({ log_ratio: report.columns.log_ratio.filter((_, i) => report.inGroup(i)) }, sides ? 1 : 0);
  byId("contrast-note").textContent = `${capital(what)}: ${whole(sure)} of ${report.sized(tested)} differ (${report.bar}).`;
  describe("main", `Volcano chart of ${visible(name)}: the log ratio on the horizontal axis, the p-value on the vertical axis. The table below has the same numbers.`);
}
