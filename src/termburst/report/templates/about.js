// The sentences of the page: about its words, and about how they were found.

const TINY = { documents: 20, tokens: 5000 }; // below this, hardly anything can be sure

// "word" or "term": n-grams and given tokens are not always words.
function nameUnit(report) {
  const { counting } = report.settings;
  report.word = counting && (counting.pretokenized || counting.ngrams[1] > 1) ? "term" : "word";
  report.words = `${report.word}s`;
  report.sized = (n) => (n === 1 ? `1 ${report.word}` : `${whole(n)} ${report.words}`);
}

const often = (n) => (n === 1 ? "once" : n === 2 ? "twice" : `${whole(n)} times`);
const quoted = (term) => `“${brief(term, 40)}”`;

// The fit at mean length says more than short documents show: at most n − b of them repeat it. As in inference/burst_effects.py.
const hardlyRepeats = (c, i) => c.reuse[i] > (2 * (c.n[i] - c.b[i])) / c.b[i];

// What makes a frequent word bursty: most documents that use it use it again even by chance. As in questions/burst_columns.py.
const tooFrequent = (c, i) =>
  c.reuse[i] <= c.reuse_binomial[i] || (c.reuse_binomial[i] > 0.5 && 1 - c.reuse[i] > 0.9 * (1 - c.reuse_binomial[i]));
function frequentSentence(c, i) {
  if (!(c.b[i] < 0.9 * c.b_binomial[i])) return "used more in some documents than in others";
  const [mean, expected] = [c.b[i], c.b_binomial[i]].map((documents) => inDigits[1].format(c.n[i] / documents));
  return `missing in more documents than by chance, which would put it into ${whole(c.b_binomial[i])}; those with it use it ${mean} times on average, by chance ${expected}`;
}

// What the numbers of a term say.
function corpusSentence(report, i) {
  const { columns: c, overview } = report;
  const term = quoted(report.terms[i]);
  const where = `${often(c.n[i])}, in ${whole(c.b[i])} of ${manyDocuments(overview.documents)}`;
  const repeat = c.n[i] - c.b[i];
  const again = !repeat
    ? " No document repeats it."
    : hardlyRepeats(c, i)
    ? ` So at most ${whole(repeat)} of them ${repeat === 1 ? "repeats" : "repeat"} it; the fit expects ${percent(c.reuse[i])} at mean length.`
    : tooFrequent(c, i) && c.burst_ratio[i] > 1
      ? ` It is ${frequentSentence(c, i)}.`
    : c.reuse[i] >= 0
      ? ` A document of mean length that uses it uses it again in ${percent(c.reuse[i])} of cases${c.reuse[i] > c.reuse_binomial[i] ? `; by chance it would be ${percent(c.reuse_binomial[i])}` : ""}.`
      : "";
  if (!(c.burst_ratio[i] > 1)) return `${term}: ${where}.${again} It does not repeat more than chance explains.`;
  const interval = c.ci_high[i] >= 1 ? `${times(c.ci_low[i])} to ${times(c.ci_high[i])}` : `at least ${times(c.ci_low[i])}`;
  const ratio = ` Where it stands once, any other ${report.word} of the document is ${times(c.burst_ratio[i])} likelier to be it (95 %: ${interval}).`;
  const sure = report.sure(i)
    ? " Chance does not explain this."
    : " But chance may well do that: the evidence is not enough to call it bursty.";
  return `${term}: ${where}.${again}${ratio}${sure}`;
}

function aboutCorpus(report) {
  const { columns, overview, settings } = report;
  nameUnit(report);
  report.size = () => report.rows;
  report.inGroup = () => true;
  report.headOf = ({ key }) => (key === "term" ? report.word : undefined);
  report.note = (i) =>
    `${often(columns.n[i])} in ${manyDocuments(columns.b[i])}, ` +
    (columns.burst_ratio[i] > 1 ? `burst ratio ${times(columns.burst_ratio[i])}` : "not bursty") +
    `, q ${probability(columns.log10_q[i])}`;
  report.sentence = (i) => corpusSentence(report, i);
  report.facts = (i) => [
    ["n", "occurrences in the corpus", whole(columns.n[i])],
    ["b", "documents that contain it", whole(columns.b[i])],
    ["λ", "the paper's penalised likelihood-ratio statistic; it grows with frequency", decimal(columns.plr[i])],
    ["Σ TF–IDF", "TF–IDF, summed over the documents", decimal(columns.tf_idf_sum[i])],
    ["p", `probability of a λ at least this large if tokens lie at random (${columns.p_method[i] || "not tested"})`, probability(columns.log10_p[i])],
    ["q", `p adjusted for testing ${whole(overview.tested)} ${report.words} (${settings.adjust})`, probability(columns.log10_q[i])],
    ["α", "parameter of the fitted beta-binomial: small if a word bursts, infinite if it does not", cell(report, { key: "alpha", show: decimal }, i)],
    ["α of the rest", "the other parameter of the fitted beta-binomial", cell(report, { key: "alpha_not", show: decimal }, i)],
    ["fit", "converged; boundary (α is infinite); or degenerate (a document is all this word, or none of it)", columns.status[i]],
  ];
  byId("size").textContent =
    `${manyDocuments(overview.documents)} · ${whole(overview.tokens)} tokens · ${whole(overview.terms)} different ${report.words}`;
  const lead = report.leading[0];
  byId("sentence").textContent = overview.sure
    ? `${whole(overview.sure)} of ${report.sized(overview.tested)} come in bursts: some documents use them more, and others less, than chance explains (${report.bar}).` +
      (lead === undefined || hardlyRepeats(columns, lead)
        ? ""
        : tooFrequent(columns, lead)
          ? ` ${quoted(report.terms[lead])} is ${frequentSentence(columns, lead)}.`
        : ` ${quoted(report.terms[lead])} is used again in ${percent(columns.reuse[lead])} of the documents of mean length that use it; by chance it would be ${percent(columns.reuse_binomial[lead])}.`)
    : `None of ${report.sized(overview.tested)} is surely bursty (${report.bar}).`;
  adviseCorpus(report);
  byId("main-title").textContent = "How often, how bursty";
  describeMain(report);
  byId("method").replaceChildren(
    ...[
      "The burst ratio is (1 + 1/α)/(1 + 1/α₀) of the exact beta-binomial fit: how many times likelier a token is this word if another token of the same document is. Its interval is by profile likelihood (95 %). “At least” is the end of the interval nearest to 1×, and 1× for words that too few documents use or repeat: the list is in this order.",
      "“Used again” is the fitted share of documents of mean length with two or more occurrences among those with one or more. It is large for every frequent word, bursty or not; such a word is bursty if documents lack it that would have it with all tokens at random (“by chance”), or if it is used much more in some than in others.",
      `λ is the penalised likelihood-ratio statistic of Ahmed, Sheridan, McIsaac and Farooque (2026), form “${settings.form}”, ` +
        `with μ = ${decimal(settings.mu)} and σ² = ${decimal(settings.sigma2)}. Very frequent words have a large λ, bursty or not.`,
      "p is the probability of a λ at least this large if the tokens of a word lie at random among all positions. q is p adjusted for " +
        `testing ${whole(overview.tested)} ${report.words} (${settings.adjust}). p was computed from all outcomes (exact), from random draws (monte-carlo), or from the shape of the tail of the draws (tail).`,
      ...(overview.clamped
        ? [
            `${whole(overview.clamped)} ${report.words} repeat too often for the penalty (η² ≤ r). Their λ is clamped as in the paper; do not rely on it.`,
          ]
        : []),
      ...footnotes(report, overview.kept),
    ].map((text) => element("li", text)),
  );
}

// A number of documents that is a mean.
const few = (mean) =>
  mean >= 100 ? whole(mean) : mean >= 0.01 ? String(Number(mean.toPrecision(2))) : "fewer than 0.01";

// The surest pairs of words, of which one brings on the other: one sentence for each.
function drawPairs(report, choose) {
  const { pairs, looked_at: lookedAt, why, unbounded } = report.brought_on;
  const all = report.overview.documents;
  byId("pairs-note").textContent =
    why ??
    "Both words come in more of the same documents than by chance, and the second comes later in more of them than if the words of each document were shuffled: the surest pairs" +
      `${lookedAt < all ? ` in ${whole(lookedAt)} of the ${manyDocuments(all)}, evenly spaced` : ""}. Pairs that mostly stand in passages which other documents repeat are left out. ` +
      `A pair is not a cause.${unbounded ? " Some words are always followed by the same words; their numbers say little." : ""}`;
  const place = new Map(pairs.flatMap(({ source, target }) => [[source, -1], [target, -1]]));
  report.terms.forEach((term, i) => place.has(term) && place.set(term, i));
  const word = (term) => {
    const at = place.get(term);
    if (at < 0) return element("b", brief(term), { dir: "auto" }); // beyond the words that the page lists
    const button = element("button", brief(term), { type: "button", dir: "auto" });
    button.addEventListener("click", () => choose(at, { move: true }));
    return button;
  };
  byId("pairs-list").hidden = !pairs.length;
  byId("pairs-list").replaceChildren(
    ...pairs.map(({ source, target, documents, expected, later, earlier, ratio, ci_low: low, ci_high: high }) => {
      const item = element("li");
      const interval = high === null ? `at least ${times(low)}` : `${times(low)} to ${times(high)}`;
      const likelier =
        low === null || low <= 1
          ? ""
          : ratio === null
            ? `, and comes only after it or other such words (95 %: ${interval} likelier)`
            : `, and is ${times(ratio)} likelier after it (95 %: ${interval})`;
      item.append(word(source), " brings on ", word(target), `, which comes later in ${manyDocuments(later)} and earlier in ${whole(earlier)}${likelier}. Both words are in ${manyDocuments(documents)}; ${few(expected)} are expected by chance.`);
      return item;
    }),
  );
}

// What to do if nothing can be found.
function adviseCorpus({ overview }) {
  const said = [];
  if (overview.documents < TINY.documents)
    said.push(
      `With ${manyDocuments(overview.documents)} little can be sure: burstiness shows between documents. Cut long texts into pieces (--split 1000, or corpus.split(tokens=1000)), or read each line as a document (--lines).`,
    );
  else if (overview.tokens < TINY.tokens) said.push(`With ${whole(overview.tokens)} tokens little can be sure: add more texts.`);
  else if (!overview.sure) said.push("Are the documents in a random order of tokens, or very short? Longer documents show more: join those that belong together.");
  byId("advice").hidden = !said.length;
  byId("advice").textContent = said.join(" ");
}

// The note and the description of the main chart, for its view.
function describeMain(report) {
  const map = byId("scale").value === "map";
  const r = report.correlation === null ? "" : ` λ and total TF–IDF correlate at ${report.correlation.toFixed(3)}.`;
  byId("main-title").textContent = map ? "How often, how bursty" : "λ and total TF–IDF";
  byId("main-note").textContent =
    map
      ? `Each point is a ${report.word}: the farther right, the more frequent; the higher, the burstier. Blue: chance does not explain it (${report.bar}). Lines are the intervals of the named ones.`
      : `The paper's Fig. 3. Each point is a ${report.word}: larger if its fitted α is larger, hollow if α is infinite, blue if ${report.bar}.${r} Very frequent words have a large λ, bursty or not.`;
  describe(
    "main",
    `Scatter chart of ${report.sized(report.rows)}: ${map ? "frequency on the horizontal axis, burst ratio on the vertical axis" : `λ on the horizontal axis, total TF–IDF on the vertical axis.${r}`}. The table below has the same numbers.`,
  );
}

// What was skipped, repaired or guessed when files were read. A line that begins with spaces belongs to the one before.
function aboutReading(reports) {
  if (!reports.length) return;
  const inShort = ({ source, lines }) => {
    const kinds = lines.filter((line, k) => !line.startsWith(" ") && lines[k + 1]?.startsWith(" ")); // "skipped: 1 file"
    const said = [lines[0].replace(/\.$/, ""), ...kinds].join("; ");
    return reports.length > 1 ? `${source}: ${said}.` : `${said}.`;
  };
  byId("reading-first").textContent = `How these texts were read: ${visible(reports.map(inShort).join(" "))}`;
  const most = 8; // lines that are shown without a click
  byId("reading").open = reports.reduce((sum, { lines }) => sum + lines.length, 0) <= most;
  for (const { source, lines } of reports) {
    const list = element("ul");
    for (const line of lines.slice(1)) {
      const item = element("li", visible(line.trim()));
      const above = line.startsWith(" ") && list.lastElementChild;
      if (!above) list.append(item);
      else {
        if (!above.querySelector("ul")) above.append(element("ul"));
        above.querySelector("ul").append(item);
      }
    }
    if (reports.length > 1 && list.childElementCount) byId("reading").append(element("p", visible(source)));
    if (list.childElementCount) byId("reading").append(list);
  }
  byId("reading").hidden = false;
}

function footnotes(report, tested) {
  const { counting } = report.settings;
  return [
    ...(counting ? [`Words: ${visible(counting.in_words)}.`] : []),
    ...(tested > report.rows
      ? [`The page lists the first ${whole(report.rows)} of ${report.sized(tested)}.`]
      : []),
    `${report.live ? `Every ${report.word} has` : `The first ${whole(report.panels.length)} ${report.words} have`} charts and lines. A panel shows up to ${report.limits.places} documents. Numbers have six digits, p and q three. ` +
      `Terms are cut after ${report.limits.term} characters; termburst terms and termburst keyness write them in full.`,
    `Made by termburst ${report.termburst}.`,
  ];
}
