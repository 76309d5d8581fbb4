// What is beside the graph: the rules of a state, the source, hidden vectors, and differences.
// A panel takes its root, the page's data, the table and `page`: pick(states), reveal(state), goTo(line).

import { button, fill, make, scrollWithin } from "./dom.js";
import { MOVE } from "./replay.js";

const dim = (text) => make("p", { className: "dim" }, text);

export function stateLink(state, table, page) {
  return button(table.states[state], () => { page.pick([state]); page.reveal(state); }, { className: "link" });
}

export class StatePanel {
  constructor(root, data, table, page) { Object.assign(this, { root, data, table, page }); }
  show(states) {
    const { root, data, table } = this;
    if (!states.length) return fill(root, dim("Click a state to see its rules."), ...this.facts());
    if (states.length > 1) return fill(root, ...this.family(states));
    const [state] = states, rows = [];
    for (let symbol = 0; symbol < table.symbols.length; symbol++) {
      const rule = table.rule(state, symbol);
      if (rule >= 0) rows.push(this.row(rule));
    }
    const heads = ["reads", "writes", "moves", "then", "line"];
    const cluster = data.model?.clusters[state], match = data.against?.matches[state];
    const about = [...(cluster ? [dim(cluster)] : []), ...(match ? [make("p", {}, match)] : [])];
    return fill(root, make("h2", {}, table.states[state]), ...this.line(data.headers[state]), ...about,
      make("table", {}, make("tr", {}, ...heads.map((word) => make("th", { scope: "col" }, word))), ...rows));
  }
  line(line) {
    return line ? [button(this.page.source.placeOf(line), () => this.page.goTo(line), { className: "link" })] : [];
  }
  row(rule) {
    const { table } = this, { symbol, write, move, next, line } = table.of(rule);
    const code = (text) => make("td", { className: "code" }, text);
    const row = make("tr", {}, code(table.symbols[symbol]));
    if (table.isHalt(rule)) row.append(code("halt"), code(""), code(""));
    else {
      row.append(code(write === symbol ? "keep" : table.symbols[write]), code(MOVE[move]),
        make("td", {}, stateLink(next, table, this.page)));
    }
    row.append(make("td", {}, ...this.line(line)));
    row.dataset.rule = rule;
    return row;
  }
  family(states) {
    const { data, table } = this, name = data.table.families[states[0]] || table.states[states[0]];
    const links = states.map((state) => stateLink(state, table, this.page));
    return [make("h2", {}, `${name}: ${states.length} states`), ...this.line(data.headers[states[0]]),
      make("div", { className: "many" }, ...links)];
  }
  facts() {
    return this.data.facts.map(([name, text]) => make("p", {}, make("span", { className: "dim" }, `${name}: `), text));
  }
  light(rule) {
    for (const row of this.root.querySelectorAll("tr")) {
      row.classList.toggle("current", row.dataset.rule === String(rule));
    }
  }
}

export class SourcePanel {
  constructor(root, data, table, page) {
    Object.assign(this, { root, data, table, page, lit: null });
    this.show();
  }
  show() {
    fill(this.root, ...this.data.source.map((text, index) => {
      const [file, above] = this.fileOf(index + 1), first = file && index === above;
      const line = make("div", { onclick: () => this.pick(index + 1) },
        make("b", {}, String(index + 1 - above)), ...coloured(text, this.data.colours[index]));
      if (first) { line.className = "file"; line.dataset.file = file; }
      return line;
    }));
  }
  // Where a line of the source is; a file is named unless it is the one that was opened.
  fileOf(line) { return this.data.files.findLast(([, above]) => line > above); }
  placeOf(line) {
    const [file, above] = this.fileOf(line);
    return `line ${line - above}${file && file !== this.data.file ? ` of ${file}` : ""}`;
  }
  line(line) { return line ? this.root.children[line - 1] : undefined; }
  goTo(line) { scrollWithin(this.root, this.line(line), Infinity); }
  pick(line) {
    const { rules } = this.table, states = new Set();
    for (let rule = 0; rule < rules.length / 6; rule++) if (rules[6 * rule + 5] === line) states.add(rules[6 * rule]);
    this.data.headers.forEach((header, state) => { if (header === line) states.add(state); });
    if (states.size) this.page.pick([...states]);
  }
  mark(states) {
    for (const line of this.root.querySelectorAll(".picked")) line.classList.remove("picked");
    for (const state of states) this.line(this.data.headers[state])?.classList.add("picked");
    if (states.length) scrollWithin(this.root, this.line(this.data.headers[states[0]]));
  }
  light(rule) {
    this.lit?.classList.remove("current");
    this.lit = rule < 0 ? null : this.line(this.table.of(rule).line);
    this.lit?.classList.add("current");
  }
  follow() { scrollWithin(this.root, this.lit, 70); }
}
// A line in the colours of its words: [from, to, class, from, to, class, …].
function coloured(text, marks) {
  const parts = [];
  let at = 0;
  for (let mark = 0; mark < marks.length; mark += 3) {
    const [from, to, kind] = marks.slice(mark, mark + 3);
    parts.push(text.slice(at, from), make("span", { className: kind }, text.slice(from, to)));
    at = to;
  }
  return [...parts, text.slice(at)];
}

const shape = (tag, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

export class VectorPanel {
  constructor(root, data, table, page) {
    this.root = root;
    this.lit = "";
    const svg = shape("svg", { viewBox: "0 0 600 400", role: "img", "aria-label": data.model.about });
    const named = new Set(), taken = [];
    const clear = (x, y, name) => { // whether a name has room here
      const box = [540 * x, 360 * y, 540 * x + 6 * name.length + 8, 360 * y + 12];
      const free = taken.every(([l, t, r, b]) => box[2] < l || box[0] > r || box[3] < t || box[1] > b);
      if (free) taken.push(box);
      return free;
    };
    for (const [x, y, state] of data.model.points) {
      const name = table.states[state], fill = `hsl(${(state * 137.5) % 360} 65% 50%)`;
      const look = { cx: 30 + 540 * x, cy: 20 + 360 * y, r: 4.5, fill, "data-of": state };
      const dot = shape("circle", look, shape("title", {}, name));
      dot.addEventListener("click", () => page.pick([state]));
      svg.append(dot);
      if (!named.has(state) && clear(x, y, name)) svg.append(shape("text", { x: 37 + 540 * x, y: 23 + 360 * y }, name));
      named.add(state);
    }
    fill(root, dim(data.model.about), svg);
  }
  light(state, picked) {
    const key = `${state} ${picked}`;
    if (this.lit === key) return;
    this.lit = key;
    for (const dot of this.root.querySelectorAll("circle")) {
      dot.classList.toggle("lit", Number(dot.dataset.of) === state);
      dot.classList.toggle("picked", picked.includes(Number(dot.dataset.of)));
    }
  }
}

export class DifferencePanel {
  constructor(root, data, table, page) {
    const link = (state) => stateLink(state, table, page), parts = [make("p", {}, make("b", {}, data.against.verdict))];
    const word = (text) => make("span", { className: "dim" }, text);
    for (const { title, states, texts } of data.against.lists)
      parts.push(make("h2", {}, `${title} (${(states || texts).length})`),
        make("div", { className: "many" }, ...(states?.map(link) ?? texts.map(word))));
    for (const { text, state } of data.against.rules) parts.push(make("div", {}, link(state), ` ${text}`));
    fill(root, ...parts);
  }
}
