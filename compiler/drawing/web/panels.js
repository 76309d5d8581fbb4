// What is beside the graph: the rules of a state, the source, hidden vectors, and differences.

function pick(states) {
  picked = states;
  graph.mark(states);
  showDetails();
  for (const line of $("source").children) line.classList.remove("picked");
  for (const state of states) sourceLine(data.headers[state])?.classList.add("picked");
  if (states.length) { sourceLine(data.headers[states[0]])?.scrollIntoView({ block: "nearest" }); show("details"); }
  lightVectors(run.view.state);
}
function stateLink(state) {
  return make("button", { className: "link", onclick: () => { pick([state]); graph.reveal(graph.nodeOf(state)); } }, table.states[state]);
}
function lineLink(line) {
  return make("button", { className: "link", onclick: () => { show("source"); sourceLine(line)?.scrollIntoView({ block: "center" }); } }, placeOf(line));
}
function showDetails() {
  const panel = $("details");
  if (!picked.length) return fill(panel, make("p", { className: "dim" }, "Click a state to see its rules."), ...facts());
  if (picked.length > 1) return fill(panel, ...family());
  const [state] = picked, rows = [], line = data.headers[state];
  for (let symbol = 0; symbol < table.symbols.length; symbol++) {
    const rule = table.rule(state, symbol);
    if (rule >= 0) rows.push(ruleRow(rule));
  }
  fill(panel, make("h2", {}, table.states[state]), ...(line ? [lineLink(line)] : []), ...clusterFacts(state), ...matching(state),
    make("table", {}, make("tr", {}, ...["reads", "writes", "moves", "then", ""].map((word) => make("th", {}, word))), ...rows));
  lightDetails(run.view.rule);
}
function ruleRow(rule) {
  const { symbol, write, move, next, line } = table.of(rule), code = (text) => make("td", { className: "code" }, text);
  const row = make("tr", {}, code(table.symbols[symbol]));
  if (table.isHalt(rule)) row.append(code("halt"), code(""), code(""));
  else row.append(code(write === symbol ? "keep" : table.symbols[write]), code(MOVE[move]), make("td", {}, stateLink(next)));
  row.append(make("td", {}, line ? lineLink(line) : ""));
  row.dataset.rule = rule;
  const margin = data.model ? data.model.margins[rule] : null;
  if (margin !== null) row.append(make("td", { className: "code dim", title: "lead of the model's choice over the next" }, margin.toFixed(3)));
  return row;
}
function family() {
  const line = data.headers[picked[0]], name = data.table.families[picked[0]] || table.states[picked[0]];
  return [make("h2", {}, `${name}: ${picked.length} states`), ...(line ? [lineLink(line)] : []), make("div", { className: "many" }, ...picked.map(stateLink))];
}
function facts() {
  return data.facts.map(([name, text]) => make("p", {}, make("span", { className: "dim" }, `${name}: `), text));
}
function clusterFacts(state) {
  if (!data.model) return [];
  const own = data.model.clusters[state];
  return own ? [make("p", { className: "dim" }, own)] : [];
}
function matching(state) {
  const text = data.against && data.against.matches[state];
  return text ? [make("p", {}, text)] : [];
}
function lightDetails(rule) {
  for (const row of $("details").querySelectorAll("tr")) row.classList.toggle("current", row.dataset.rule === String(rule));
}

// Where a line of the source is: in the agent's file, or in one that it uses states of.
const fileOf = (line) => data.files.findLast(([, above]) => line > above) || ["", 0];
function placeOf(line) {
  const [file, above] = fileOf(line);
  return `line ${line - above}${file ? ` of ${file}` : ""}`;
}
const sourceLine = (line) => (line ? $("source").children[line - 1] : undefined);
let litLine = null;
function showSource() {
  fill($("source"), ...data.source.map((text, index) => {
    const at = commentAt(text);
    const [file, above] = fileOf(index + 1), first = file && index === above;
    return make("div", { onclick: () => pickLine(index + 1), ...(first ? { className: "file", title: file } : {}) }, make("b", {}, String(index + 1 - above)), text.slice(0, at), make("span", { className: "c" }, text.slice(at)));
  }));
}
// Where a comment begins; a quoted # is none.
function commentAt(text) {
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (quote) quote = text[at] === quote ? "" : quote;
    else if (text[at] === "'" || text[at] === '"') quote = text[at];
    else if (text[at] === "#") return at;
  }
  return text.length;
}
function pickLine(line) {
  const states = new Set();
  for (let rule = 0; rule < table.rules.length / 6; rule++) if (table.rules[6 * rule + 5] === line) states.add(table.rules[6 * rule]);
  data.headers.forEach((header, state) => { if (header === line) states.add(state); });
  if (states.size) pick([...states]);
}
function lightSource(rule) {
  litLine?.classList.remove("current");
  litLine = rule < 0 ? null : sourceLine(table.of(rule).line);
  litLine?.classList.add("current");
  if (litLine && $("source").classList.contains("shown")) litLine.scrollIntoView({ block: "nearest" });
}
function showVectors() {
  if (!data.model) return;
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg"), named = new Set();
  const taken = [];
  const clear = (x, y, name) => { // whether a name has room here
    const box = [540 * x, 360 * y, 540 * x + 6 * name.length + 8, 360 * y + 12];
    const free = taken.every(([l, t, r, b]) => box[2] < l || box[0] > r || box[3] < t || box[1] > b);
    if (free) taken.push(box);
    return free;
  };
  svg.setAttribute("viewBox", "0 0 600 400");
  for (const [x, y, state] of data.model.points) {
    const dot = document.createElementNS(space, "circle"), title = document.createElementNS(space, "title");
    dot.setAttribute("cx", 30 + 540 * x);
    dot.setAttribute("cy", 20 + 360 * y);
    dot.setAttribute("r", 4.5);
    dot.setAttribute("fill", `hsl(${(state * 137.5) % 360} 65% 50%)`);
    dot.dataset.of = state;
    title.textContent = table.states[state];
    dot.append(title);
    dot.addEventListener("click", () => pick([state]));
    svg.append(dot);
    if (!named.has(state) && clear(x, y, table.states[state])) {
      const label = document.createElementNS(space, "text");
      label.setAttribute("x", 37 + 540 * x);
      label.setAttribute("y", 23 + 360 * y);
      label.textContent = table.states[state];
      svg.append(label);
    }
    named.add(state);
  }
  fill($("vectors"), make("p", { className: "dim" }, data.model.about), svg);
}
let litDots = "";
function lightVectors(state) {
  const key = `${state} ${picked}`;
  if (!data.model || litDots === key) return;
  litDots = key;
  for (const dot of $("vectors").querySelectorAll("circle")) {
    dot.classList.toggle("lit", Number(dot.dataset.of) === state);
    dot.classList.toggle("picked", picked.includes(Number(dot.dataset.of)));
  }
}
function showDifference() {
  if (!data.against) return;
  const parts = [make("p", {}, make("b", {}, data.against.verdict))];
  for (const { title, states, texts } of data.against.lists)
    parts.push(make("h2", {}, `${title} (${(states || texts).length})`), make("div", { className: "many" }, ...(states ? states.map(stateLink) : texts.map((text) => make("span", { className: "dim" }, text)))));
  for (const { text, state } of data.against.rules)
    parts.push(make("div", {}, stateLink(state), ` ${text}`));
  fill($("difference"), ...parts);
}
