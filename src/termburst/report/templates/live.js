// The live page of `termburst explore`: what the page does not hold is asked of the server that it came from.

async function fetched(path, parameters) {
  const answer = await fetch(`${path}?${new URLSearchParams(parameters)}`);
  const found = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new Error(found.error ?? `the server answered ${answer.status}`);
  return found;
}

const inPage = (line) => ({ ...line, name: visible(line.name) });

const gone = (error) =>
  error instanceof TypeError ? "termburst explore has ended: start it again, and open the address that it prints." : error.message;

async function askForPanel(report, i) {
  const term = report.terms[i];
  report.asked ??= new Map();
  try {
    const alone = report.kind === "corpus" && report.word === "word"; // then its lines are those of the word
    const [{ panel, documents }, near, all] = await Promise.all([
      fetched("api/term", { term, ...(report.kind === "keyness" ? { by: report.settings.by } : {}) }),
      report.kind === "corpus" ? fetched("api/collocates", { term }).catch(() => ({})) : {},
      alone ? fetched("api/kwic", { q: term }).catch(() => ({})) : {},
    ]);
    const found = all.lines?.length ? { found: all.lines.map(inPage), more: all.more } : {};
    if (report.kind === "corpus") Object.assign(report.documents, documents);
    else documents.forEach((names, k) => Object.assign(report.documents[k], names));
    report.asked.set(term, { ...panel, collocates: near.collocates, ...found });
    if (report.chosen === i) fillPanel(report, i);
  } catch (error) {
    if (report.chosen !== i) return;
    byId("panel-note").hidden = false;
    byId("panel-note").textContent = visible(gone(error));
  }
}

// Words that come together with the chosen one, and which come later or earlier. The server fits an urn for the first of them, which takes a while.
async function askForTriggers(report) {
  const i = report.chosen;
  const term = report.terms[i];
  byId("triggers-status").textContent = "Fitting an urn to the order of all words; the first time takes longest …";
  try {
    const { triggers } = await fetched("api/triggers", { term });
    const panel = report.asked?.get(term);
    if (panel) panel.triggers = triggers;
    if (report.chosen === i) drawTriggers(report, { triggers });
  } catch (error) {
    if (report.chosen === i) byId("triggers-status").textContent = visible(gone(error));
  }
}

function drawTriggers(report, { triggers }) {
  byId("triggers-ask").hidden = Boolean(triggers);
  byId("triggers-status").textContent = triggers && !triggers.length ? `No ${report.word} surely comes together with it.` : "";
  const number = (value) => (value === null ? "∞" : times(value));
  byId("triggers").replaceChildren(
    ...(triggers?.length
      ? [
          plainTable(
            ["", report.word, "documents", "by chance", "q", "later", "earlier", "q of the order", "times likelier", "95 % interval"],
            triggers.map((row) => [
              row.direction,
              brief(row.term, 40),
              whole(row.documents),
              few(row.expected),
              probability(row.log10_q_together),
              whole(row.later),
              whole(row.earlier),
              probability(row.log10_q_after),
              row.ci_low === null ? "–" : number(row.ratio),
              row.ci_low === null ? "–" : `${times(row.ci_low)} to ${number(row.ci_high)}`,
            ]),
          ),
        ]
      : []),
  );
}

function listenLive(report, choose) {
  byId("triggers-ask")?.addEventListener("click", () => askForTriggers(report));
  byId("ask").addEventListener("submit", async (event) => {
    event.preventDefault();
    const query = byId("ask-text").value.trim();
    if (!query) return;
    const exact = report.terms.indexOf(query.toLowerCase());
    if (exact >= 0 && !byId("ask-regex").checked) choose(exact, { move: true });
    byId("ask-status").textContent = "Searching …";
    try {
      const found = await fetched("api/kwic", { q: query, regex: byId("ask-regex").checked ? "1" : "0" });
      byId("ask-status").textContent = found.more
        ? `More than ${whole(found.lines.length)} lines; the first are shown.`
        : found.lines.length === 1 ? "One line." : `${whole(found.lines.length)} lines.`;
      if (exact < 0 || byId("ask-regex").checked) showFound(report, query, found);
    } catch (error) {
      byId("ask-status").textContent = visible(gone(error));
    }
  });
  for (const { column, groups } of report.groups ?? []) {
    const link = element("a", `${brief(column, 40)} (${whole(groups.length)} groups)`, { href: `compare?${new URLSearchParams({ by: column })}`, class: "chip" });
    link.addEventListener("click", () => (byId("ask-status").textContent = "Comparing …"));
    byId("groupings").append(" ", link);
    byId("groupings").hidden = false;
  }
  byId("keep").addEventListener("click", () => {
    location.href = `keep?${new URLSearchParams([...(report.visited ?? [])].slice(0, 200).map((term) => ["term", term]))}`;
  });
}

// The lines of a phrase, which has no panel of its own.
function showFound(report, query, { lines, more }) {
  byId("panel-term").textContent = visible(query);
  byId("panel-sentence").textContent = lines.length ? "" : "Nothing was found. Try a part of it with *, such as free*.";
  byId("panel-charts").hidden = byId("panel-note").hidden = byId("panel-g2").hidden = true;
  byId("lines-block").hidden = false;
  drawLines(report, { term: query, found: lines.map(inPage), more }, true);
  byId("panel").scrollIntoView();
}
