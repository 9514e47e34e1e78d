// The page of a comparison: who says it, under the names and colours of the groups, and what G² would say.

const LISTED = 15; // words of a list
const ALIKE = 0.585; // log₂ 1.5: words whose whole interval is nearer to 0 do not differ

// erfc, with a relative error below 1.2e-7 (a rational approximation in t = 1/(1 + z/2)), as a decimal logarithm.
function log10Erfc(z) {
  const t = 1 / (1 + 0.5 * z);
  const terms = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];
  const power = terms.reduceRight((sum, term) => sum * t + term, 0);
  return (Math.log(t) - z * z + power) / Math.LN10;
}

// log₁₀ p of G² (Dunning 1993), which takes every token for an independent witness; and q by Benjamini and Hochberg.
function addG2(report) {
  const { n_a: inA, n_b: inB } = report.columns;
  const logP = new Float32Array(report.rows);
  for (let i = 0; i < report.rows; i++) {
    const [a, b] = report.tokensOf(i);
    const [x, y] = [inA[i], inB[i]];
    const share = (x + y) / (a + b);
    const part = (observed, expected) => (observed > 0 && expected > 0 ? observed * Math.log(observed / expected) : 0);
    const value =
      2 * (part(x, a * share) + part(y, b * share) + part(a - x, a * (1 - share)) + part(b - y, b * (1 - share)));
    logP[i] = Math.max(log10Erfc(Math.sqrt(Math.max(value, 0) / 2)), report.limits.log10_p);
  }
  const order = Array.from(logP, (_, i) => i).sort((i, j) => logP[j] - logP[i]);
  const logQ = new Float32Array(report.rows);
  let least = 0;
  order.forEach((i, k) => {
    least = Math.min(least, logP[i] + Math.log10(report.rows / (report.rows - k)));
    logQ[i] = least;
  });
  report.columns.g2_log10_q = logQ;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const ratioOf = (log2) => times(2 ** Math.abs(log2));

function keynessSentence(report, i) {
  const { columns: c } = report;
  const [more, less] = report.namesOf(i);
  const term = quoted(report.terms[i]);
  const [mine, yours] = c.log_ratio[i] < 0 || c.only_in[i] === "b" ? [less, more] : [more, less];
  const counts = `${often(c.n_a[i])} in ${more} (${manyDocuments(c.b_a[i])}), ${c.n_b[i] ? often(c.n_b[i]) : "never"} in ${less}${c.n_b[i] ? ` (${manyDocuments(c.b_b[i])})` : ""}`;
  const ends = [Math.abs(c.ci_low[i]), Math.abs(c.ci_high[i])].sort((a, b) => a - b);
  const across = c.ci_low[i] < 0 && c.ci_high[i] > 0;
  let size = ` Only ${mine} uses it.`;
  if (!c.only_in[i] && Number.isFinite(c.log_ratio[i])) {
    const range =
      c.ci_low && Number.isFinite(ends[1])
        ? across
          ? ` (95 %: from ${ratioOf(ends[0])} one way to ${ratioOf(ends[1])} the other)`
          : ` (95 %: ${ratioOf(ends[0])} to ${ratioOf(ends[1])})`
        : "";
    size = ` ${mine} uses it ${ratioOf(c.log_ratio[i])} as often as ${yours}${range}.`;
  }
  const selected = c.lower_bound?.[i] === 0 ? " Its “at least” is 0, since no difference of a given size stays sure once the strongest of so many words are picked." : "";
  const verdict = report.sure(i) ? ` That is more than its burstiness explains.${selected}` : " That may be chance: the evidence is not enough.";
  return `${term}: ${counts}. ${capital(size.trim())}${verdict}`;
}

const g2Cries = (report, i) => report.columns.g2_log10_q !== undefined && report.columns.g2_log10_q[i] <= Math.log10(report.limits.sure) + rounding;

// What G² would have said, where it differs.
function g2Sentence(report, i) {
  if (!report.columns.g2_log10_q) return "";
  const cries = g2Cries(report, i);
  if (cries && !report.sure(i))
    return "G², which most corpus tools use, would call this significant: it takes every occurrence for an independent witness, though they come in bursts.";
  if (!cries && report.sure(i)) return "G² would not have found this difference.";
  return "";
}

function aboutKeyness(report) {
  const { columns, sides } = report;
  nameUnit(report);
  report.edge = edgeOf(columns);
  const total = sides.reduce((sum, { tokens }) => sum + tokens, 0);
  const number = new Map(sides.map(({ name }, k) => [name, k]));
  const several = Boolean(columns.group);
  report.chosenGroup = several ? sides[0].name : undefined;
  report.inGroup = (i) => !several || columns.group[i] === report.chosenGroup;
  report.size = () => (several ? columns.group.filter((_, i) => report.inGroup(i)).length : report.rows);
  report.tokensOf = (i) => {
    if (!several) return [sides[0].tokens, sides[1].tokens];
    const own = sides[number.get(columns.group[i])]?.tokens ?? 0;
    return [own, total - own];
  };
  report.namesOf = (i) => (several ? [visible(columns.group[i]), "the rest"] : sides.map(({ name }) => visible(name)));
  const up = (i) => columns.log_ratio[i] > 0 || columns.only_in[i] === "a";
  report.up = up;
  report.sideOf = (i) => (several ? (up(i) ? number.get(columns.group[i]) : -1) : up(i) ? 0 : 1);
  addG2(report);
  const short = (name) => brief(name, 14);
  report.headOf = ({ key }) => {
    const [a, b] = several ? [short(report.chosenGroup), "the rest"] : sides.map(({ name }) => short(name));
    return { term: report.word, n_a: `times in ${a}`, n_b: `times in ${b}`, b_a: `documents in ${a}`, b_b: `documents in ${b}` }[key];
  };
  const ratio = (i) => cell(report, { key: "log_ratio", show: decimal }, i);
  report.note = (i) => {
    const [a, b] = report.namesOf(i);
    return `${whole(columns.n_a[i])} in ${a}, ${whole(columns.n_b[i])} in ${b}; log₂ ratio ${ratio(i)}, q ${cell(report, { key: "log10_q", show: probability }, i)}`;
  };
  report.sentence = (i) => keynessSentence(report, i);
  report.facts = (i) => {
    const [a, b] = report.namesOf(i);
    const q = { show: probability };
    return [
      ["log₂ ratio", `binary logarithm of the ratio of the fitted mean shares: 1 means twice as often in ${a}`, ratio(i)],
      ...(columns.ci_low
        ? [["interval", "of the log₂ ratio", `${cell(report, { key: "ci_low", show: decimal }, i)} to ${cell(report, { key: "ci_high", show: decimal }, i)}`]]
        : []),
      ["per million tokens", `${a}, ${b}`, report.tokensOf(i).map((n, k) => decimal((1e6 * (k ? columns.n_b : columns.n_a)[i]) / n)).join(", ")],
      ["documents", `that contain it: ${a}, ${b}`, `${whole(columns.b_a[i])}, ${whole(columns.b_b[i])}`],
      ["p", `how p was obtained: ${columns.p_method?.[i] ?? "see below"}`, cell(report, { key: "log10_p", ...q }, i)],
      ["q", "p adjusted for testing many words", cell(report, { key: "log10_q", ...q }, i)],
      ["q by G²", "what G² would say, which takes every token for an independent witness", cell(report, { key: "g2_log10_q", ...q }, i)],
    ];
  };
  describeSides(report);
}

// What the comparison cannot find, or where its p-values do not hold: sentences of questions/reach.py.
const notesOf = ({ notes }) => (notes ?? []).map((note) => `${capital(visible(note))}.`).join(" ");

function describeSides(report) {
  const { columns, overview, sides, settings } = report;
  byId("size").textContent = columns.group
    ? `${whole(sides.length)} groups, each against the rest`
    : sides.map(({ name, documents }) => `${visible(name)}: ${manyDocuments(documents)}`).join(" · ");
  const byBursts = (settings.method ?? "beta-binomial") === "beta-binomial";
  const cried = columns.g2_log10_q.reduce((sum, _, i) => sum + g2Cries(report, i), 0);
  byId("sentence").textContent =
    `${whole(overview.sure)} of ${columns.group ? `${whole(overview.tested)} comparisons of a ${report.word} between a group and the rest` : report.sized(overview.tested)} differ ${byBursts ? "by more than their burstiness explains" : `by the test “${settings.method}”`} (${report.bar}). ` +
    (byBursts && report.rows === overview.tested ? `G², which takes every token for an independent witness, would call ${whole(cried)} different.` : "");
  const few = sides.filter(({ documents }) => documents < 5);
  const notes = notesOf(report);
  byId("advice").hidden = !few.length && !notes;
  byId("advice").textContent = few.length
    ? `${notes}${notes && " "}${few.map(({ name, documents }) => `${visible(name)} has ${manyDocuments(documents)}`).join(", ")}: so few documents cannot tell a difference between groups from one between texts. Cut long texts into pieces, or compare larger groups.`
    : notes;
  byId("main-title").textContent = "How much, and how sure";
  byId("scale-name").textContent = "Scale";
  byId("main-note").textContent =
    `Each point is a ${report.word}: the farther from the middle, the larger the difference; the higher, the surer. Coloured by the side that says it more, if ${report.bar}. Triangles at the edges: only one side has it. ` +
    "Lines are the intervals of the named ones.";
  describe(
    "main",
    `Volcano chart of ${report.sized(report.rows)}: the log ratio on the horizontal axis, the p-value on the vertical axis. The table below has the same numbers.`,
  );
  drawSides(sides);
  byId("method").replaceChildren(
    ...[
      "The ratio compares the fitted mean share of a word in a document of one side with that of the other. It may differ from the ratio of the rates per million tokens if bursts or lengths differ. " +
        "The default test allows for words that come in bursts. q is p adjusted for testing many words. G² is computed here from the same counts, for comparison.",
      settingsSentence(settings),
      ...footnotes(report, overview.tested),
    ].map((text) => element("li", visible(text))),
  );
}

// The size of each side.
function drawSides(sides) {
  byId("sides").replaceChildren(
    plainTable(
      ["corpus", "documents", "tokens", "terms", "mean length", "longest"],
      sides.map(({ name, documents, tokens, terms, lengths }) => [
        visible(name),
        whole(documents),
        whole(tokens),
        whole(terms),
        decimal(lengths.mean),
        whole(lengths.longest),
      ]),
    ),
  );
}

function settingsSentence(settings) {
  const said = Object.entries(settings)
    .filter(([key]) => key !== "counting")
    .map(([key, value]) => `${key} ${value}`);
  return `Settings: ${said.join(", ") || "the defaults"}.`;
}

// The selector of the group rules the whole page.
function listenToGroups(report, draw) {
  if (!report.columns.group) return;
  byId("group-choice").hidden = false;
  for (const { name } of report.design?.contrasts ?? report.sides) {
    const option = element("option", visible(name));
    option.value = name;
    byId("group").append(option);
  }
  byId("group").addEventListener("input", () => {
    report.chosenGroup = byId("group").value;
    draw();
  });
}

function drawLists(report, choose) {
  const { columns: c, sides } = report;
  const several = Boolean(c.group);
  const mine = Array.from({ length: report.rows }, (_, i) => i).filter(report.inGroup);
  const nearest = (i) => Math.min(Math.abs(c.ci_low?.[i] ?? 0), Math.abs(c.ci_high?.[i] ?? 0)) || 0;
  const first = [];
  const strength = (i) => (c.lower_bound ? Math.abs(c.lower_bound[i]) || 0 : nearest(i));
  const ordered = Boolean(c.lower_bound) && !report.design && mine.some((i) => Math.abs(c.lower_bound[i]) > 0);
  const byGroup = several && !report.design;
  const names = report.design ? contrastOf(report).names : several ? [report.chosenGroup, `less in ${report.chosenGroup}`] : sides.map(({ name }) => name);
  const colours = byGroup ? [colourOf(sides.findIndex(({ name }) => name === report.chosenGroup)), palette[GREY]] : [colourOf(0), colourOf(1)];
  const widest = Math.max(1, ...mine.filter(report.sure).slice(0, 5000).map((i) => Math.min(Math.abs(c.log_ratio[i]) || 0, 12)));
  byId("lists").replaceChildren(
    ...[true, false].map((wanted, k) => {
      const side = mine.filter((i) => report.up(i) === wanted);
      const sure = side.filter(report.sure).sort((i, j) => strength(j) - strength(i) || c.log10_p[i] - c.log10_p[j]);
      const shown = (sure.length ? sure : [...side].sort((i, j) => c.log10_p[i] - c.log10_p[j])).slice(0, sure.length ? LISTED : 8);
      const section = element("section", undefined, { class: "card" });
      section.style.setProperty("--side", colours[k]);
      const head = element("h3");
      head.append(element("bdi", brief(names[k], 60)));
      const note = sure.length
        ? `${report.sized(sure.length)} ${usedHow(report, byGroup && !wanted)}${sure.length > LISTED ? `; the ${LISTED} strongest` : ""}${ordered ? ", in the order of how much they differ at least (≥)" : ""}`
        : shown.length
          ? "Nothing is sure. Closest to significant:"
          : "Nothing.";
      const list = element("ol");
      first.push(...shown.slice(0, 1));
      for (const i of shown) list.append(listItem(report, i, widest, choose));
      section.append(head, element("p", note, { class: "note" }), list);
      return section;
    }),
  );
  drawAlike(report, mine, choose);
  const [a, b] = byGroup ? [report.chosenGroup, "the rest"] : names;
  if (report.design) describeContrast(report);
  drawn.main.part("below-linear").axis_label = `← ${brief(b, 20)}      log₂ ratio      ${brief(a, 20)} →`;
  report.first = first[0];
}

// What the words of a list have in common: used more here, or in the list of what a group lacks, less.
function usedHow(report, less) {
  if (report.design) return contrastOf(report).sides ? "used more here" : "for sure";
  return less ? "used less often here than elsewhere" : "used more often here than elsewhere";
}

// By how much a word differs at least; nothing if that is not sure. A word of one side alone has no ratio before it.
function leastOf(report, i, less) {
  const { lower_bound: bound, only_in: only } = report.columns;
  if (!bound || report.design || !(Math.abs(bound[i]) > 0)) return "";
  const least = `≥ ${times(2 ** Math.abs(bound[i]))}`;
  return only[i] ? `, surely ${least} ${less ? "rarer" : "as often"}` : ` ${least}`;
}

// One word of a list: its ratio with its interval as a bar.
function listItem(report, i, widest, choose) {
  const { columns: c } = report;
  const item = element("li");
  const button = element("button", brief(report.terms[i], 40), { type: "button", dir: "auto" });
  button.addEventListener("click", () => choose(i, { move: true }));
  const bar = element("span", undefined, { class: "span", "aria-hidden": "true" });
  const across = (log2) => `${(100 * Math.min(Math.abs(log2), 1.3 * widest)) / (1.3 * widest)}%`;
  if (c.ci_low && !(c.ci_low[i] < 0 && c.ci_high[i] > 0)) {
    const ends = [c.ci_low[i], c.ci_high[i]].map((end) => (Number.isFinite(end) ? Math.abs(end) : 1.3 * widest)).sort((a, b) => a - b);
    const span = element("i");
    span.style.left = across(ends[0]);
    span.style.right = `calc(100% - ${across(ends[1])})`;
    bar.append(span);
  }
  if (Number.isFinite(c.log_ratio[i])) {
    const mark = element("b");
    mark.style.left = across(c.log_ratio[i]);
    bar.append(mark);
  }
  const never = c.group && !report.design && !report.up(i);
  const alone = report.design && !contrastOf(report).sides ? "no limit" : "only here"; // a slope has no sides
  const ratio = !c.only_in[i] ? (report.ratioOf ?? ratioOf)(c.log_ratio[i]) : never ? "never here" : alone;
  const least = leastOf(report, i, never);
  const shown = element("span", ratio, { class: "times" });
  if (least) shown.append(element("small", least, { title: "at least so many times, also if you look only at the strongest words" }));
  item.append(button, bar, shown);
  return item;
}

// Frequent words that surely differ by less than half as much again.
function drawAlike(report, mine, choose) {
  const { columns: c } = report;
  const all = (i) => (c.n ? c.n[i] : c.n_a[i] + c.n_b[i]);
  const slope = report.design && !contrastOf(report).sides; // its ratio is per unit: a small one is no small difference
  const alike =
    c.ci_low && !slope ? mine.filter((i) => c.ci_low[i] > -ALIKE && c.ci_high[i] < ALIKE).sort((i, j) => all(j) - all(i)) : [];
  byId("alike").hidden = !alike.length;
  byId("alike-note").textContent = `The 95 % interval of the ratio of ${report.sized(alike.length)} lies within 1.5× either way. The most frequent:`;
  byId("alike-list").replaceChildren(...chips(report, alike.slice(0, 24), choose));
  const cried = mine.filter((i) => !report.sure(i) && g2Cries(report, i)).sort((i, j) => c.g2_log10_q[i] - c.g2_log10_q[j]);
  byId("cried").hidden = !cried.length;
  byId("cried-title").textContent = `Words that only G² calls different (${whole(cried.length)})`;
  byId("cried-list").replaceChildren(...chips(report, cried.slice(0, 24), choose));
}
