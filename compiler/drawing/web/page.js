// The page: the graph, the run beside it, and everything that can be pressed.

import { colours, count, fill, make } from "./dom.js";
import { Graph } from "./graph.js";
import { Grid } from "./grid.js";
import { readInput } from "./inputs.js";
import { Machine, Table } from "./machine.js";
import { Run } from "./run.js";

const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const table = new Table(data.table), other = data.against && new Table(data.against.table);
const MOVE = "UDLRS";
let run, second = null, differs = -1, told = "", playing = false, owed = 0, before = 0, picked = [];

const grid = new Grid($("grid"), colours), otherGrid = new Grid($("other"), colours);
const graph = new Graph($("graph"), data.views, table, (...states) => pick(states));

// ---- the run

function begin(world) {
  run = new Run(table, world, data.limit);
  second = other ? new Run(other, translated(world), data.limit) : null;
  differs = -1;
  playing = false;
  grid.free = otherGrid.free = false;
  compute();
}
function compute() {
  const mine = run, more = mine.compute(25), theirs = second && second.compute(25);
  if (mine !== run) return;
  refresh();
  if (more || theirs) setTimeout(compute, 0);
  else ended();
}
// The step at which this one first does not do what the other does, which is asked until it halts or is stuck.
function firstDifference(limit) {
  const mine = new Machine(table, run.world), theirs = new Machine(other, translated(run.world));
  for (let step = 0; step < limit; step++) {
    const r = mine.rule, s = theirs.rule;
    if (s < 0) return -1;
    if (r < 0 || !sameAct(table.of(r), other.of(s))) { told = `${data.label} ${act(mine)}, ${data.against.label} ${act(theirs)}`; return step; }
    if (other.isHalt(s)) return -1;
    mine.step(limit);
    theirs.step(limit);
  }
  return -1;
}
function act(machine) {
  if (machine.rule < 0) return "is stuck";
  const { symbol, write, move } = machine.table.of(machine.rule);
  if (machine.table.isHalt(machine.rule)) return "halts";
  return `does ${write === symbol ? "keep" : machine.table.symbols[write]}, ${MOVE[move]}`;
}
// The same world with the other's numbers for the symbols.
function translated(world) {
  return { start: world.start, cells: world.cells.map(([x, y, symbol]) => [x, y, other.symbols.indexOf(table.symbols[symbol])]) };
}
function sameAct(mine, theirs) {
  return table.symbols[mine.write] === other.symbols[theirs.write] && mine.move === theirs.move;
}
function ended() {
  if (second) differs = firstDifference(data.limit);
  if (second && differs >= 0 && run.view.steps === 0) seek(differs);
  else refresh();
}
function seek(step) {
  run.seek(step);
  if (second) second.seek(Math.min(step, second.total));
  refresh();
}
function refresh() {
  const view = run.view, rule = run.view.rule;
  $("slider").max = run.total;
  $("slider").value = view.steps;
  if (document.activeElement !== $("step")) $("step").value = view.steps;
  $("total").textContent = `of ${count(run.total)}${run.done ? "" : " …"}`;
  $("state").textContent = table.states[view.state];
  $("rule").textContent = ruleText(rule);
  $("play").textContent = playing ? "⏸" : "▶";
  grid.show(run);
  if (second) otherGrid.show(second);
  graph.light(view.state, rule, true);
  lightSource(rule);
  lightDetails(rule);
  lightVectors(view.state);
  tellEnd();
}
function ruleText(rule) {
  const view = run.view;
  if (view.outcome === "halted") return "halted here";
  if (rule < 0) return `no rule for ${table.symbols[view.symbol]}`;
  const { symbol, write, move, next, line } = table.of(rule);
  if (table.isHalt(rule)) return `${table.symbols[symbol]} / halt${line ? `   ${placeOf(line)}` : ""}`;
  const act = write === symbol ? "keep" : table.symbols[write];
  return `${table.symbols[symbol]} / ${act}, ${MOVE[move]} → ${table.states[next]}${line ? `   ${placeOf(line)}` : ""}`;
}
const WORDS = { halted: "halted", stuck: "stuck", budget: "still running" };
function tellEnd() {
  const parts = [];
  if (run.done) {
    parts.push(make("span", { className: run.outcome, id: "outcome" }, WORDS[run.outcome]));
    parts.push(` after ${count(run.total)} steps`);
  }
  if (differs >= 0) parts.push(" · ", make("span", { className: "differs" }, "differs"), ` at step ${count(differs + 1)}: ${told}`);
  fill($("ending"), ...parts);
  $("more").hidden = run.outcome !== "budget";
  const text = run.done && run.view.steps === run.total ? run.view.result(40000) : null;
  $("result").hidden = text === null;
  $("result").textContent = text === null ? "" : text === "" ? "(nothing is left)" : text;
}

// ---- playing

const rate = () => Math.round(10 ** ($("speed").value / 10));
function tick(time) {
  if (!playing) return;
  owed += Math.min(0.2, (time - before) / 1000) * rate();
  before = time;
  const steps = Math.floor(owed);
  if (steps) { owed -= steps; seek(run.view.steps + steps); }
  if (run.done && run.view.steps >= run.total) { playing = false; refresh(); return; }
  requestAnimationFrame(tick);
}
function play(on) {
  if (on && run.done && run.view.steps >= run.total) seek(0);
  playing = on;
  owed = 1;
  before = performance.now();
  if (on) requestAnimationFrame(tick);
  refresh();
}
function stepBy(steps) { playing = false; seek(run.view.steps + steps); }
function showRate() { $("rate").textContent = `${count(rate())} / s`; }
function submit() {
  try {
    const world = readInput($("input").value, table, data.language);
    $("complaint").textContent = "";
    begin(world);
  } catch (error) { $("complaint").textContent = error.message; }
}
function grow() { $("input").rows = Math.min(6, $("input").value.split("\n").length); }

// ---- tabs, search, looks

const TABS = { details: "State", source: "Source", vectors: "Hidden vectors", difference: "Difference" };
function tabs() {
  const there = { details: true, source: data.source.length > 0, vectors: data.model !== null, difference: data.against !== null };
  const shown = Object.keys(TABS).filter((id) => there[id]);
  fill($("tabs"), ...shown.map((id) => make("button", { id: `tab-${id}`, onclick: () => show(id) }, TABS[id])));
}
function show(id) {
  for (const each of Object.keys(TABS)) {
    $(each).classList.toggle("shown", each === id);
    $(`tab-${each}`)?.setAttribute("aria-selected", each === id);
  }
  if (id === "source") litLine?.scrollIntoView({ block: "nearest" });
}
let hits = [], hit = 0;
function search() {
  const wanted = $("search").value.trim().toLowerCase();
  hits = wanted ? table.states.map((name, state) => [name.toLowerCase(), state]).filter(([name]) => name.includes(wanted)).map(([, state]) => state) : [];
  hit = 0;
  graph.filter(wanted ? hits : null);
  $("hits").textContent = wanted ? `${hits.length} found` : "";
}
function nextHit() {
  if (!hits.length) return;
  const state = hits[hit++ % hits.length];
  pick([state]);
  graph.reveal(graph.nodeOf(state));
}
function nextView() {
  if (data.views.length < 2) return;
  const wanted = $("search").value;
  graph.use((graph.current + 1) % data.views.length);
  nameFold();
  graph.mark(picked);
  if (wanted) search();
  refresh();
}
function nameFold() {
  $("fold").hidden = data.views.length < 2;
  $("fold").textContent = graph.view.folded ? "every state" : "families";
  $("remark").textContent = graph.view.remark;
}
const isDark = () => colours().scheme === "dark";
function theme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
  refresh();
}
function nameTheme() { $("theme").textContent = isDark() ? "light" : "dark"; }
function fitAll() { graph.fit(); grid.fit(); otherGrid.fit(); }

const KEYS = [
  [" ", "space", "play or pause", () => play(!playing)],
  ["ArrowRight", "→", "one step", () => stepBy(1)],
  ["ArrowLeft", "←", "one step back", () => stepBy(-1)],
  ["PageDown", "page down", "a hundred steps", () => stepBy(100)],
  ["PageUp", "page up", "a hundred steps back", () => stepBy(-100)],
  ["Home", "home", "to the start", () => stepBy(-Infinity)],
  ["End", "end", "to the end", () => stepBy(Infinity)],
  ["ArrowUp", "↑", "faster", () => { $("speed").value = Number($("speed").value) + 3; showRate(); }],
  ["ArrowDown", "↓", "slower", () => { $("speed").value = Number($("speed").value) - 3; showRate(); }],
  ["/", "/", "find a state; enter goes to the next", () => $("search").focus()],
  ["i", "i", "type an input; enter runs it, shift+enter begins a new row of a picture", () => $("input").focus()],
  ["z", "z", "families as one box, or every state", nextView],
  ["f", "f", "show all", fitAll],
  ["+", "+", "zoom in", () => graph.zoom(1.25)],
  ["-", "−", "zoom out", () => graph.zoom(0.8)],
  ["s", "s", "the source, or the state", () => show($("source").classList.contains("shown") ? "details" : "source")],
  ["t", "t", "dark or light", theme],
  ["?", "?", "these keys", () => $("keys").showModal()],
  ["Escape", "esc", "leave a field, or what is picked", () => pick([])],
];
function key(event) {
  const field = event.target.closest("textarea, input:not([type=range])");
  if (field && event.key === "Escape") { field.blur(); return; }
  if (field || event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const found = KEYS.find(([name]) => name === event.key);
  if (!found) return;
  event.preventDefault();
  if (event.target.tagName === "BUTTON") event.target.blur();
  found[3]();
}
function split(event) {
  const move = (at) => { document.querySelector("aside").style.width = `${window.innerWidth - at.clientX - 4}px`; grid.draw(); otherGrid.draw(); };
  event.preventDefault();
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", () => window.removeEventListener("pointermove", move), { once: true });
}

function listen() {
  const on = (id, kind, act) => $(id).addEventListener(kind, act);
  on("typed", "submit", (event) => { event.preventDefault(); submit(); });
  on("input", "input", grow);
  on("input", "keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); submit(); $("input").blur(); } });
  on("play", "click", () => play(!playing));
  on("first", "click", () => stepBy(-Infinity));
  on("last", "click", () => stepBy(Infinity));
  on("back", "click", () => stepBy(-1));
  on("forth", "click", () => stepBy(1));
  on("slider", "input", () => { playing = false; seek(Number($("slider").value)); });
  on("step", "change", () => { playing = false; seek(Math.floor(Number($("step").value)) || 0); });
  on("step", "keydown", (event) => { if (event.key === "Enter") $("step").blur(); });
  on("speed", "input", showRate);
  on("more", "click", () => { run.more(1000000); second?.more(1000000); data.limit = run.limit; compute(); });
  on("search", "input", search);
  on("search", "keydown", (event) => { if (event.key === "Enter") nextHit(); });
  on("fold", "click", nextView);
  on("fit", "click", fitAll);
  on("theme", "click", theme);
  on("help", "click", () => $("keys").showModal());
  on("split", "pointerdown", split);
  window.addEventListener("keydown", key);
  window.addEventListener("resize", () => { grid.draw(); otherGrid.draw(); });
}

function main() {
  fill($("keys").querySelector("table"), ...KEYS.map(([, name, about]) => make("tr", {}, make("td", {}, make("kbd", {}, name)), make("td", {}, about))));
  $("input").value = data.start.text;
  $("mine").textContent = data.against ? data.label : "";
  $("theirs").textContent = data.against ? data.against.label : "";
  $("beside").hidden = !data.against;
  grow();
  tabs();
  nameFold();
  nameTheme();
  showRate();
  showSource();
  showVectors();
  showDifference();
  listen();
  begin(data.start);
  pick([]);
  show(data.against ? "difference" : data.source.length ? "source" : "details");
}
main();
