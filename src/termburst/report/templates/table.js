// The table of terms: search, filters, order, pages, and the download.

const PAGE = 25;
const tableState = { sort: undefined, down: true, page: 0, brushed: null, rows: [] };

const tableColumns = {
  corpus: [
    { key: "term", head: "word", kind: "text" },
    { key: "n", head: "times", title: "occurrences in the corpus (n)", show: whole },
    { key: "b", head: "documents", wide: true, title: "documents that contain it (b)", show: whole },
    { key: "b_binomial", head: "by chance", wide: true, title: "documents that would contain it if its tokens lay at random", show: whole },
    { key: "reuse", head: "used again", title: "share of the documents that use it which use it again, as fitted for a document of mean length; large for every frequent word, bursty or not", show: percent },
    { key: "burst_ratio", head: "burst ratio", title: "how many times likelier a token is this word if another token of the document is", show: times },
    { key: "lower_bound", head: "at least", wide: true, title: "the end of the interval of the burst ratio that is nearest to “not bursty”; 1× for words that too few documents use or repeat", show: times },
    { key: "log10_q", head: "q", show: probability },
    { key: "plr", head: "λ", wide: true, title: "the paper's statistic; it grows with frequency", show: decimal },
  ],
  keyness: [
    { key: "term", head: "word", kind: "text" },
    { key: "log_ratio", head: "log₂ ratio", title: "how many times more frequent, as a binary logarithm: 1 is twice, −1 is half", show: decimal },
    { key: "ci_low", head: "from", wide: true, title: "lower end of its interval", show: decimal },
    { key: "ci_high", head: "to", wide: true, title: "upper end of its interval", show: decimal },
    { key: "log_ratio_unadjusted", head: "unadjusted", title: "the log₂ ratio without the other columns of the formula", show: decimal },
    { key: "lower_bound", head: "at least", wide: true, title: "by how much it differs at least, as a binary logarithm, also if you look only at the strongest words; 0 if q is too large, or if it differs too little to stay sure after that choice", show: decimal },
    { key: "log10_q", head: "q", show: probability },
    { key: "n", head: "times", title: "occurrences in all documents", wide: true, show: whole },
    { key: "b", head: "documents", title: "documents that contain it", wide: true, show: whole },
    { key: "n_a", head: "times in A", title: "occurrences", show: whole },
    { key: "n_b", head: "times in B", title: "occurrences", show: whole },
    { key: "b_a", head: "documents in A", wide: true, title: "documents that contain it", show: whole },
    { key: "b_b", head: "documents in B", wide: true, title: "documents that contain it", show: whole },
    { key: "g2_log10_q", head: "q by G²", wide: true, title: "what G² would say, which takes every token for an independent witness", show: probability },
  ],
};

// Whether an interval has no end on that side because only one corpus has the term. Otherwise no interval was asked for.
function openEnd({ ci_low: low, ci_high: high, only_in: only }, key, i) {
  return key === "ci_low" ? only[i] === "b" && !Number.isNaN(high[i]) : only[i] === "a" && !Number.isNaN(low[i]);
}

function cell(report, column, i) {
  const value = report.columns[column.key][i];
  if (column.kind === "text") return visible(value);
  if (Number.isNaN(value)) {
    if (report.kind === "corpus" && !column.key.startsWith("alpha")) return "–";
    if (column.key.startsWith("alpha")) return report.columns.status[i] === "boundary" ? "∞" : "–";
    if (column.key === "log_ratio" && report.columns.only_in[i]) return report.columns.only_in[i] === "a" ? "∞" : "−∞";
    if (column.key === "log_ratio_unadjusted" && report.columns.only_unadjusted[i]) return report.columns.only_unadjusted[i] === "a" ? "∞" : "−∞";
    if (column.key.startsWith("ci_"))
      return openEnd(report.columns, column.key, i) ? (column.key === "ci_low" ? "−∞" : "∞") : "–";
  }
  if (report.kind === "keyness" && column.key.includes("log10") && value <= report.limits.log10_p) {
    return `< ${probability(report.limits.log10_p)}`;
  }
  return column.show(value);
}

// Wide columns are hidden on a phone.
const classOf = ({ kind, wide }) => [kind === "text" && "text", wide && "wide"].filter(Boolean).join(" ");

function makeHead(report, onChange) {
  byId("table").tHead.replaceChildren();
  const row = byId("table").tHead.insertRow();
  for (const column of report.shown) {
    const head = element("th", undefined, { scope: "col", class: classOf(column) });
    const title = column.key === "log10_q" ? report.q_means : column.title;
    const button = element("button", report.headOf?.(column) ?? column.head, { type: "button", ...(title ? { title } : {}) });
    button.addEventListener("click", () => {
      // The first click puts the most interesting rows at the top; a second click reverses the order.
      const smallFirst = column.kind === "text" || column.key.includes("log10");
      tableState.down = tableState.sort === column.key ? !tableState.down : !smallFirst;
      tableState.sort = column.key;
      onChange();
    });
    head.append(button);
    row.append(head);
  }
}

// The rows that pass all filters, in order: that of the report, until a column is chosen.
function chosenRows(report) {
  const { columns, terms, rows } = report;
  const wanted = byId("search").value.trim().toLowerCase();
  const least = Number(byId("least").value) || 1;
  const surest = byId("surest").value ? Math.log10(Number(byId("surest").value)) + rounding : Infinity;
  const found = [];
  for (let i = 0; i < rows; i++) {
    const n = columns.n ? columns.n[i] : columns.n_a[i] + columns.n_b[i];
    if (n < least || (surest < Infinity && !(columns.log10_q[i] <= surest))) continue;
    if (!report.inGroup(i)) continue;
    if (tableState.brushed && !tableState.brushed[report.points.pointOf[i]]) continue;
    if (wanted && !terms[i].toLowerCase().includes(wanted)) continue;
    found.push(i);
  }
  if (tableState.sort) sortRows(report, found);
  return found;
}

function sortRows(report, found) {
  const column = report.columns[tableState.sort];
  const turn = tableState.down ? -1 : 1;
  const infinite = (i) =>
    tableState.sort === "log_ratio" && report.columns.only_in[i]
      ? report.columns.only_in[i] === "a"
        ? Infinity
        : -Infinity
      : NaN;
  const at = (i) => (Number.isNaN(column[i]) ? infinite(i) : column[i]);
  if (typeof column[0] === "string") {
    const order = new Intl.Collator("en").compare;
    found.sort((i, j) => turn * order(column[i], column[j]) || i - j);
  } else {
    found.sort((i, j) => {
      const [a, b] = [at(i), at(j)];
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b) || i - j; // missing values come last
      return a === b ? i - j : turn * (a < b ? -1 : 1);
    });
  }
}

function drawTable(report) {
  const { rows } = tableState;
  const pages = Math.max(Math.ceil(rows.length / PAGE), 1);
  tableState.page = Math.min(tableState.page, pages - 1);
  const heads = byId("table").tHead.rows[0].cells;
  report.shown.forEach(({ key }, k) => {
    if (key === tableState.sort) heads[k].setAttribute("aria-sort", tableState.down ? "descending" : "ascending");
    else heads[k].removeAttribute("aria-sort");
  });
  const body = byId("table").tBodies[0];
  body.replaceChildren();
  for (const i of rows.slice(tableState.page * PAGE, (tableState.page + 1) * PAGE)) {
    const row = body.insertRow();
    if (i === report.chosen) row.setAttribute("aria-selected", "true");
    for (const column of report.shown) {
      if (column.key === "term") {
        const head = element("th", undefined, { scope: "row", class: "text" });
        const button = element("button", visible(report.terms[i]), { type: "button", dir: "auto" });
        button.dataset.row = i;
        head.append(button);
        row.append(head);
      } else {
        row.append(element("td", cell(report, column, i), { class: classOf(column) }));
      }
    }
  }
  if (!rows.length)
    body
      .insertRow()
      .append(element("td", `No ${report.word} passes these filters: search for less, lower “at least”, or show all.`, { class: "text", colspan: report.shown.length }));
  byId("count").textContent =
    rows.length === report.size()
      ? `All ${whole(rows.length)} ${report.words}`
      : `${whole(rows.length)} of ${whole(report.size())} ${report.words}`;
  byId("pages").textContent = `Page ${whole(tableState.page + 1)} of ${whole(pages)}`;
  byId("first").disabled = byId("previous").disabled = tableState.page === 0;
  byId("next").disabled = tableState.page >= pages - 1;
}

// Text that a spreadsheet would run as a formula, as in cli/output.py. Apostrophes before it belong to it, so that one can be removed.
// A number with a sign is not a formula.
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const signedNumber = /^[+-](?:[0-9]+\.?[0-9]*|\.[0-9]+)$/;

// The selection as CSV. Probabilities also have their logarithms, because they may be too small for a number.
// Formulas get an apostrophe, unless asIs; `escaped` says how many did.
function csvOf(report, { asIs = false } = {}) {
  let escaped = 0;
  const quoted = (text) => {
    const kept = asIs || !formula.test(text) || signedNumber.test(text) ? text : `'${text}`;
    if (kept !== text) escaped++;
    return /[",\r\n]/.test(kept) ? `"${kept.replaceAll('"', '""')}"` : kept;
  };
  const number = (value) =>
    Number.isNaN(value) ? "" : Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  const power = (logs) => Float64Array.from(logs, (log10) => 10 ** log10);
  const { panel, g2_log10_q: _, ...given } = report.columns;
  const columns = { ...given, p_value: power(given.log10_p), q_value: power(given.log10_q) };
  const keys = Object.keys(columns);
  const lines = tableState.rows.map((i) =>
    keys
      .map((key) => {
        const value = columns[key][i];
        return typeof value === "string" ? quoted(value) : number(value);
      })
      .join(","),
  );
  return { text: [keys.join(","), ...lines].join("\r\n") + "\r\n", escaped };
}

function download(report, options) {
  const { text, escaped } = csvOf(report, options);
  byId("export-note").hidden = !escaped;
  byId("export-count").textContent =
    escaped === 1
      ? "One cell begins like a formula. The file has an apostrophe before it, so that no spreadsheet runs it."
      : `${whole(escaped)} cells begin like a formula. The file has an apostrophe before each, so that no spreadsheet runs them.`;
  const link = element("a", undefined, { download: `termburst-${report.kind}.csv` });
  link.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
