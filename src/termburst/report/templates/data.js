// Unpacks the blocks of the page, and writes numbers and terms for people. What came from the corpus is text, never markup:
// it enters the page only through textContent.

const byId = (id) => document.getElementById(id);

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < characters.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

async function unpacked(name) {
  const element = byId(`block-${name}`);
  const bytes = fromBase64(element.textContent);
  element.remove(); // otherwise the page would hold it twice
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

const unpackedText = async (name) => new TextDecoder().decode(await unpacked(name));
const unpackedJson = async (name) => JSON.parse(await unpackedText(name));

// The columns that render.py packed: name → values; a missing value is NaN or "".
function decodedColumns(buffer, spec, rows, documents) {
  const bytes = new Uint8Array(buffer);
  const columns = {};
  let at = 0;
  for (const { name, kind, names } of spec) {
    if (kind === "computed") {
      columns[name] = Float64Array.from(columns.n, (n, i) => n * Math.log(documents / columns.b[i])); // Σ TF–IDF
      continue;
    }
    if (kind === "names") {
      const codes = new Uint16Array(buffer.slice(at, at + 2 * rows));
      columns[name] = Array.from(codes, (code) => (code ? names[code - 1] : ""));
      at += 2 * rows;
      continue;
    }
    const whole = new Uint8Array(4 * rows);
    for (let plane = 0; plane < 4; plane++) {
      for (let i = 0; i < rows; i++) whole[4 * i + plane] = bytes[at + plane * rows + i];
    }
    columns[name] = kind === "integers" ? new Uint32Array(whole.buffer) : new Float32Array(whole.buffer);
    at += 4 * rows;
  }
  return columns;
}

// Characters that would hide, reorder or break the text around them are shown by their number.
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const visible = (text) =>
  text.replace(unseen, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
const brief = (text, most = 40) => (text.length > most ? `${visible(text.slice(0, most - 1))}…` : visible(text));

// One formatter per number of digits: making one takes as long as using it a hundred times.
const inDigits = [0, 1, 2, 3, 4, 5, 6].map(
  (digits) => new Intl.NumberFormat("en-GB", { maximumFractionDigits: digits }),
);
const whole = (value) => inDigits[0].format(value);
const manyDocuments = (n) => (n === 1 ? "one document" : `${whole(n)} documents`);
const share = (part, all) => `${inDigits[1].format((100 * part) / all)}\u00a0%`;
// A probability for people; "–" if it is not known, and never 0 or 100 % unless it is.
function percent(value) {
  if (!(value >= 0)) return "–";
  const size = 100 * value;
  if (size > 0 && size < 0.1) return "below 0.1\u00a0%";
  return `${inDigits[size < 1 || (size > 99 && size < 100) ? 1 : 0].format(size)}\u00a0%`;
}
// How many times: 3.2×, 140×, 12,000×.
const times = (value) =>
  Number.isFinite(value) ? `${value >= 100 ? whole(Number(value.toPrecision(2))) : String(Number(value.toPrecision(2)))}×` : "∞";

function decimal(value) {
  if (value === null || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0"; // and not −0
  if (size >= 1e9 || (size > 0 && size < 1e-3)) return value.toExponential(2).replaceAll("-", "−").replace("e+", "e");
  const digits = size >= 1000 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(size)));
  return inDigits[digits].format(value).replace("-", "−");
}

const rounding = 2 ** -13; // largest rounding error of decimal logarithms: half the step in render.py

// A probability from its decimal logarithm; it may be too small for a number: 3.1e−1755.
function probability(log10) {
  if (Number.isNaN(log10)) return "–";
  if (log10 > -3) return inDigits[Math.min(2 - Math.floor(log10), 5)].format(10 ** log10);
  let exponent = Math.floor(log10);
  let mantissa = (10 ** (log10 - exponent)).toFixed(1);
  if (mantissa === "10.0") [mantissa, exponent] = ["1.0", exponent + 1];
  return `${mantissa}e−${-exponent}`;
}

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// A table of plain rows; the first cell of each row is its heading.
function plainTable(head, rows) {
  const table = element("table", undefined, { class: "plain" });
  const top = table.createTHead().insertRow();
  head.forEach((name, k) => top.append(element("th", name, { scope: "col", ...(k ? {} : { class: "text" }) })));
  const body = table.createTBody();
  for (const [first, ...rest] of rows) {
    const row = body.insertRow();
    row.append(element("th", first, { scope: "row", class: "text" }), ...rest.map((value) => element("td", value)));
  }
  return table;
}
