// A replay inside the playground: it tells the playground what is shown, does what it asks, and lets one draw on the grid.

const HOST = window.parent;
const LONGEST_TEXT = 100000; // characters of a world that are kept and shared; a larger one is still run

let drawn = null; // the symbol that a click puts on the grid, START for the start cell, null while nothing is drawn
const START = -1;

function tell(kind, more) { HOST.postMessage({ kind, ...more }, "*"); }

// ---- what is shown

let owing = false, typedText = null; // what the reader typed or drew, null while the agent's own first world is shown
function tellShown() {
  if (owing) return;
  owing = true;
  setTimeout(() => {
    owing = false;
    const { rule, steps } = run.view, line = rule < 0 ? 0 : table.of(rule).line, [file] = line ? fileOf(line) : [""];
    tell("shown", { step: steps, total: run.total, outcome: run.done ? run.outcome : "", line: file ? 0 : line, given: typedText, playing });
  }, 30);
}
const refreshed = refresh, submitted = submit;
refresh = () => { refreshed(); tellShown(); };
submit = () => {
  typedText = $("input").value.slice(0, LONGEST_TEXT);
  submitted();
};

// ---- drawing

function showTools() {
  const tool = (symbol, name, title) => make("button", { type: "button", className: "tool", title, ariaPressed: "false", onclick: () => choose(drawn === symbol ? null : symbol) }, name);
  const symbols = table.symbols.map((name, symbol) => tool(symbol, symbol ? name : "⌫", symbol ? `draw ${name}` : "erase"));
  const tools = make("div", { id: "tools" }, make("span", { className: "dim", id: "tools-name" }, "draw"), ...symbols.slice(1), symbols[0], tool(START, "start", "set the cell where the agent starts"));
  tools.setAttribute("role", "toolbar");
  tools.setAttribute("aria-label", "draw on the grid");
  $("worlds").before(tools);
}
function choose(symbol) {
  drawn = symbol;
  const pressed = symbol === null ? null : symbol === START ? "start" : symbol ? table.symbols[symbol] : "⌫";
  for (const button of $("tools").querySelectorAll(".tool")) button.ariaPressed = String(button.textContent === pressed);
  $("grid").classList.toggle("drawing", symbol !== null);
  if (symbol !== null) { playing = false; if (run.view.steps) seek(0); }
}
function cellAt(event) {
  const box = $("grid").getBoundingClientRect();
  return [Math.floor(grid.corner[0] + (event.clientX - box.left) / grid.size), Math.floor(grid.corner[1] + (event.clientY - box.top) / grid.size)];
}
function drawAt([x, y]) {
  const { cells, start } = run.world, others = cells.filter((cell) => cell[0] !== x || cell[1] !== y);
  const world = drawn === START ? { cells, start: [x, y] } : { cells: drawn ? [...others, [x, y, drawn]] : others, start };
  const { corner, size } = grid;
  begin(world);
  [grid.corner, grid.size, grid.free] = [corner, size, true]; // What one draws on does not move away.
  const text = textOf(world);
  typedText = text;
  $("input").value = text ?? "";
  $("complaint").textContent = "";
  grow();
  refresh();
}
// A world as it is typed: a line where it is an input, else a picture; null where that would be too large.
function textOf({ cells, start }) {
  const byPlace = new Map(cells.map(([x, y, symbol]) => [`${x} ${y}`, table.symbols[symbol]]));
  const at = (x, y) => byPlace.get(`${x} ${y}`) ?? table.symbols[0];
  const xs = [start[0], ...cells.map(([x]) => x)], ys = [start[1], ...cells.map(([, y]) => y)];
  const bound = (numbers) => numbers.reduce(([low, high], n) => [Math.min(low, n), Math.max(high, n)], [Infinity, -Infinity]);
  const [left, right] = bound(xs), [top, bottom] = bound(ys);
  if ((right - left + 1) * (bottom - top + 1) > LONGEST_TEXT) return null;
  if (!start[0] && !start[1] && !left && !top && !bottom) {
    const line = Array.from({ length: cells.length ? right + 1 : 0 }, (_, x) => at(x, 0)).join("");
    try { readInput(line, table, data.language); return line; } catch { /* It is no input, but a world like any other. */ }
  }
  const rows = [];
  for (let y = top; y <= bottom; y++) {
    let row = "";
    for (let x = left; x <= right; x++) row += x === start[0] && y === start[1] ? `[${at(x, y)}]` : at(x, y);
    rows.push(row);
  }
  return `${rows.join("\n")}\n`;
}
function listenToPen() {
  let last = "";
  const paint = (event) => {
    const cell = cellAt(event);
    if (String(cell) === last) return;
    last = String(cell);
    drawAt(cell);
  };
  const drop = () => window.removeEventListener("pointermove", paint);
  // It listens before the page does, which would move the grid.
  $("grid").addEventListener("pointerdown", (event) => {
    if (drawn === null || event.button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    last = "";
    paint(event);
    window.addEventListener("pointermove", paint);
    for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, drop, { once: true });
  }, { capture: true });
}

// ---- what the playground asks for

const ASKED = {
  restore({ step, rate, theme: wanted, given, tool }) {
    if (wanted) document.documentElement.dataset.theme = wanted;
    if (given !== null && given !== undefined) typedText = given;
    if (rate) { $("speed").value = rate; showRate(); }
    if (tool !== null && tool !== undefined && tool < table.symbols.length) choose(tool);
    if (step && !data.against) seekWhenThere(step);
    nameTheme();
    graph.fit(); // A frame has its size once it is shown.
    refresh();
  },
  theme({ theme: wanted }) { document.documentElement.dataset.theme = wanted; nameTheme(); refresh(); },
  replay({ given }) { $("input").value = given; grow(); submit(); play(true); },
  play() { play(!playing); },
};
// The run is computed little by little, so the step may not be there yet.
function seekWhenThere(step, tries = 200) {
  if (run.total >= step || run.done || !tries) seek(step);
  else setTimeout(() => seekWhenThere(step, tries - 1), 10);
}
window.addEventListener("message", (event) => {
  if (event.source === HOST && Object.hasOwn(ASKED, event.data?.kind)) ASKED[event.data.kind](event.data);
});
$("speed").addEventListener("input", () => tell("rate", { rate: Number($("speed").value) }));

showTools();
listenToPen();
if (!data.against) show("details");
tell("ready", {});
tellShown();
