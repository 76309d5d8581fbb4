// What may be typed: an input on one line, or a picture on several with its start cell in brackets; and back to text.

const MOST_DRAWN = 40000; // cells of a picture that is written out
const MOST_NAMED = 20; // symbols in a complaint

export function readInput(text, table, language) {
  const number = new Map(table.symbols.map((symbol, index) => [symbol, index]));
  return text.includes("\n") ? readPicture(text, number) : readLine(text, number, language);
}

function unknown(symbol, number) {
  const known = [...number.keys()].slice(0, MOST_NAMED);
  const more = known.length < number.size ? " …" : "";
  return `\u2018${symbol}\u2019 is not in the alphabet, which is ${known.join(" ")}${more}`;
}

function readLine(text, number, language) {
  const symbols = Array.from(text), cells = [];
  for (let x = 0; x < symbols.length; x++) {
    if (!number.has(symbols[x])) throw new Error(`${unknown(symbols[x], number)}: it is character ${x + 1}`);
    if (number.get(symbols[x])) cells.push([x, 0, number.get(symbols[x])]);
  }
  if (language) checkForm(symbols, language);
  return { cells, start: [0, 0] };
}

// The clause as a position automaton; complains at the first place where the text leaves it.
function checkForm(symbols, language) {
  let here = null;
  const nexts = () => (here === null ? language.first : [...new Set(here.flatMap((p) => language.follow[p]))]);
  const ends = () => (here === null ? language.nullable : here.some((p) => language.last.includes(p)));
  for (let place = 0; place < symbols.length; place++) {
    const after = nexts().filter((p) => language.cells[p].includes(symbols[place]));
    if (!after.length) {
      const where = `\u2018${symbols[place]}\u2019 at character ${place + 1}`;
      throw new Error(`inputs are ${language.clause}: ${where} does not fit`);
    }
    here = after;
  }
  if (!ends()) throw new Error(`inputs are ${language.clause}: this one ends too early`);
}

function readPicture(text, number) {
  const rows = text.split("\n").map((row) => row.trim());
  while (rows.length && !rows[0]) rows.shift();
  while (rows.length && !rows[rows.length - 1]) rows.pop();
  const cells = [], starts = [];
  rows.forEach((row, y) => {
    const chars = Array.from(row);
    for (let at = 0, x = 0; at < chars.length; ) {
      const marked = chars[at] === "[" && chars[at + 2] === "]" && chars[at + 1].trim();
      const symbol = marked ? chars[at + 1] : chars[at];
      at += marked ? 3 : 1;
      if (!symbol.trim()) continue;
      if (!number.has(symbol)) throw new Error(`${unknown(symbol, number)}: it is in row ${y + 1}`);
      if (number.get(symbol)) cells.push([x, y, number.get(symbol)]);
      if (marked) starts.push([x, y]);
      x++;
    }
  });
  if (starts.length !== 1) throw new Error("a picture has one start cell, in brackets: _[_]_");
  return { cells, start: starts[0] };
}

// The text that means a world: a line where it begins at the start cell, else a picture; none of one that is too large.
export function writeInput({ cells, start: [left, top] }, table) {
  const full = cells.filter(([, , symbol]) => symbol), blank = table.symbols[0];
  const bound = (choose, axis, own) => full.reduce((most, cell) => choose(most, cell[axis]), own);
  const [west, north] = [bound(Math.min, 0, left), bound(Math.min, 1, top)];
  const [east, south] = [bound(Math.max, 0, left), bound(Math.max, 1, top)];
  if ((east - west + 1) * (south - north + 1) > MOST_DRAWN) return "";
  const rows = Array.from({ length: south - north + 1 }, () => Array(east - west + 1).fill(blank));
  for (const [x, y, symbol] of full) rows[y - north][x - west] = table.symbols[symbol];
  if (rows.length === 1 && west === left) return full.length ? rows[0].join("") : "";
  const gap = full.some(([, , symbol]) => table.symbols[symbol] === "[") ? " " : ""; // Else [x] could be three cells.
  rows[top - north][left - west] = `[${rows[top - north][left - west]}]`;
  return rows.map((row) => row.join(gap)).join("\n") + (rows.length === 1 ? "\n" : "");
}
