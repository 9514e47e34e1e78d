// How search results are ordered: Sphinx's own scores, but pages and sections whose title has all words that were
// asked for come first. Otherwise most results have the same score, and are in the order of the alphabet.
var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
    const asked = words(new URLSearchParams(window.location.search).get("q") || "");
    const named = words(title);
    if (!asked.length || !asked.every((word) => named.includes(word))) return score;
    return score + (` ${named.join(" ")} `.includes(` ${asked.join(" ")} `) ? 60 : 30);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
