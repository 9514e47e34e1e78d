// The sentences of the page: about its terms, and about how they were found.

function aboutCorpus(report) {
  const { columns, overview, settings } = report;
  report.unit = "terms";
  const times = (i) => (columns.n[i] === 1 ? "once" : `${whole(columns.n[i])} times`);
  report.note = (i) =>
    `λ ${decimal(columns.plr[i])}, ${times(i)} in ${manyDocuments(columns.b[i])}, q ${probability(columns.log10_q[i])}`;
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
    `Each point is a term: larger if its fitted α is larger, hollow if α is infinite, blue if ${report.bar}, otherwise grey. ` +
    `Terms with the same counts share a point.${r} Drag a box to filter the table. Click a point to see its term.` +
    (kept ? " Stop words were not removed: very frequent words have a large λ, bursty or not." : "");
  describe(
    "main",
    `Scatter chart of ${whole(report.rows)} terms: λ on the horizontal axis, total TF–IDF on the vertical axis.${r} The table below has the same numbers.`,
  );
  byId("method").replaceChildren(
    ...[
      `λ is the penalised likelihood-ratio statistic of Ahmed, Sheridan, McIsaac and Farooque (2026), form “${settings.form}”, ` +
        `with μ = ${decimal(settings.mu)} and σ² = ${decimal(settings.sigma2)}. Very frequent words have a large λ, bursty or not.`,
      "p is the probability of a λ at least this large if the tokens of a term lie at random among all positions. q is p adjusted for " +
        `testing ${whole(overview.tested)} terms (${settings.adjust}). p was computed from all outcomes (exact), from random draws (monte-carlo), or from the shape of the tail of the draws (tail).`,
      "α and α of the rest are exact maximum-likelihood estimates of a beta-binomial. Their status is converged, boundary (α is infinite) or degenerate (every document is either this term alone or without it).",
      ...(overview.clamped
        ? [
            `${whole(overview.clamped)} terms repeat too often for the penalty (η² ≤ r). Their λ is clamped as in the paper; do not rely on it.`,
          ]
        : []),
      ...footnotes(report, overview.kept),
    ].map((text) => element("li", text)),
  );
}

function aboutKeyness(report) {
  const { columns, overview, sides } = report;
  report.unit = columns.group ? "terms by group" : "terms";
  report.edge = edgeOf(columns);
  const ratio = (i) => cell(report, { key: "log_ratio", show: decimal }, i);
  const interval = (i) =>
    columns.ci_low
      ? `${cell(report, { key: "ci_low", show: decimal }, i)} to ${cell(report, { key: "ci_high", show: decimal }, i)}`
      : "–";
  report.note = (i) =>
    `${columns.group ? `${visible(columns.group[i])}: ` : ""}log₂ ratio ${ratio(i)}, ${whole(columns.n_a[i])} against ${whole(columns.n_b[i])}, q ${cell(report, { key: "log10_q", show: probability }, i)}`;
  report.facts = (i) => [
    ...(columns.group ? [["group A, against the rest", visible(columns.group[i])]] : []),
    ["log₂ ratio", ratio(i)],
    ["its interval", interval(i)],
    ["occurrences in A, B", `${whole(columns.n_a[i])}, ${whole(columns.n_b[i])}`],
    ...(columns.group
      ? []
      : [
          [
            "per million tokens",
            [columns.n_a[i], columns.n_b[i]].map((n, k) => decimal((1e6 * n) / sides[k].tokens)).join(", "),
          ],
        ]),
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
    `Each point is a term. A point is filled if ${report.bar}. Triangles at the edges are terms that only one side has. Lines are the ` +
    "intervals of the named terms. Drag a box to filter the table. Click a point to see its term.";
  describe(
    "main",
    `Volcano chart of ${whole(report.rows)} ${report.unit}: the log ratio on the horizontal axis, the p-value on the vertical axis. The table below has the same numbers.`,
  );
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
      "log₂ ratio compares the fitted mean share of a term in a document of A with that in B: 1 means twice as frequent in A, " +
        "−1 half as frequent. It may differ from the ratio of the rates per million tokens if bursts or lengths differ. p is that of the " +
        "method named below; the default allows for words that come in bursts. q is p adjusted for testing many terms.",
      `Settings: ${
        Object.entries(report.settings)
          .filter(([key]) => key !== "counting")
          .map(([key, value]) => `${key} ${value}`)
          .join(", ") || "the defaults"
      }.`,
      ...footnotes(report, overview.tested),
    ].map((text) => element("li", text)),
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
  const said =
    counting &&
    (counting.pretokenized
      ? "tokens as given"
      : `${counting.words === "unicode" ? "words as Unicode sees them" : `token pattern ${counting.token_pattern}`}${counting.language ? `, language ${counting.language}` : ""}, ${counting.lowercase ? "in lower case" : "upper and lower case kept"}`);
  return [
    ...(counting
      ? [
          `Counted with ${visible(said)}; terms of ${[...new Set(counting.ngrams)].join(" to ")} token${counting.ngrams[1] > 1 ? "s" : ""}; stop words removed: ${visible(counting.stop_words ?? "none")}.`,
        ]
      : []),
    ...(tested > report.rows
      ? [`The page lists the first ${whole(report.rows)} of ${whole(tested)} ${report.unit}.`]
      : []),
    `The first ${whole(report.panels.length)} terms have charts and lines. A panel shows up to ${report.limits.places} documents. Numbers have six digits, p and q three. ` +
      `Terms are cut after ${report.limits.term} characters; termburst terms and termburst keyness write them in full.`,
    `Made by termburst ${report.termburst}.`,
  ];
}
