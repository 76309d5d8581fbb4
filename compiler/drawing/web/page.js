// The page: the graph, the run beside it, and everything that can be pressed.

import { $, colours, fill, make } from "./dom.js";
import { Graph } from "./graph.js";
import { onKeys } from "./keys.js";
import { Table } from "./machine.js";
import { DifferencePanel, SourcePanel, StatePanel, VectorPanel } from "./panels.js";
import { Replay } from "./replay.js";
import { Tabs } from "./tabs.js";

const data = JSON.parse($("data").textContent);
const table = new Table(data.table), other = data.against && new Table(data.against.table);
const page = { pick, reveal: (state) => graph.reveal(graph.nodeOf(state)), goTo };
let picked = [];

const graph = new Graph($("graph"), data.views, table, (...states) => pick(states));
const source = new SourcePanel($("source"), data, table, page);
const details = new StatePanel($("details"), data, table, page, source);
const vectors = data.model && new VectorPanel($("vectors"), data, table, page);
if (data.against) new DifferencePanel($("difference"), data, table, page);
const tabs = new Tabs($("tabs"), [
  ["State", $("details")],
  ...(data.source.length ? [["Source", $("source")]] : []),
  ...(data.model ? [["Hidden vectors", $("vectors")]] : []),
  ...(data.against ? [["Difference", $("difference")]] : []),
], () => source.follow());
const replay = new Replay($("replay"), { place: (line) => source.placeOf(line), changed: light, limit: data.limit });

function light(view, rule) {
  source.light(rule);
  details.light(rule);
  vectors?.light(view.state, picked);
  graph.light(view.state, rule, true); // From here on the page is measured, which is dear between changes.
  source.follow();
  document.dispatchEvent(new CustomEvent("stepped", { detail: rule < 0 ? 0 : table.of(rule).line }));
}
function pick(states) {
  picked = states;
  graph.mark(states);
  details.show(states);
  source.mark(states);
  if (states.length) tabs.show($("details"));
  light(replay.run.view, replay.run.view.rule);
  document.dispatchEvent(new CustomEvent("picked", { detail: states }));
}
function goTo(line) {
  tabs.show($("source"));
  source.goTo(line);
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
  page.reveal(state);
}
function nextView() {
  if (data.views.length < 2) return;
  graph.use((graph.current + 1) % data.views.length);
  nameFold();
  graph.mark(picked);
  if ($("search").value) search();
  replay.refresh();
}
function nameFold() {
  $("fold").hidden = data.views.length < 2;
  $("fold").textContent = graph.view.folded ? "every state" : "families";
}
const isDark = () => colours().scheme === "dark";
function theme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
  replay.refresh();
}
function nameTheme() { $("theme").textContent = isDark() ? "light" : "dark"; }
function showAll() { graph.fit(); replay.grid.showAll(); replay.otherGrid.showAll(); }

const KEYS = [
  [" ", "space", "play or pause", () => replay.play(!replay.playing)],
  ["ArrowRight", "→", "one step", () => replay.stepBy(1)],
  ["ArrowLeft", "←", "one step back", () => replay.stepBy(-1)],
  ["PageDown", "page down", "a hundred steps", () => replay.stepBy(100)],
  ["PageUp", "page up", "a hundred steps back", () => replay.stepBy(-100)],
  ["Home", "home", "to the start", () => replay.stepBy(-Infinity)],
  ["End", "end", "to the end", () => replay.stepBy(Infinity)],
  ["ArrowUp", "↑", "faster", () => replay.faster(3)],
  ["ArrowDown", "↓", "slower", () => replay.faster(-3)],
  ["/", "/", "find a state; enter goes to the next", () => $("search").focus()],
  ["i", "i", "type an input; enter runs it, shift+enter begins a new row of a picture", () => replay.part.input.focus()],
  ["d", "d", "draw on the grid: arrows move, symbols are typed", draw],
  ["g", "g", "go to the graph: arrows go from state to state, enter picks one", () => graph.focus()],
  ["z", "z", "families as one box, or every state", nextView],
  ["f", "f", "show all", showAll],
  ["h", "h", "follow the head", () => { replay.grid.follow(); replay.otherGrid.follow(); }],
  ["+", "+", "zoom in", () => graph.zoom(1.25)],
  ["-", "−", "zoom out", () => graph.zoom(0.8)],
  ["s", "s", "the source, or the state", () => tabs.show(data.source.length && !tabs.isShown($("source")) ? $("source") : $("details"))],
  ["t", "t", "dark or light", theme],
  ["?", "?", "these keys", () => $("keys").showModal()],
  ["Escape", "esc", "leave a field, the pens, or what is picked", () => (replay.editor.open ? replay.draw(false) : pick([]))],
];
function draw() {
  replay.draw(!replay.editor.open);
  if (replay.editor.open) replay.grid.canvas.focus();
}

// The border between the graph and the rest is moved by hand or by keys.
function split(width) {
  const least = 300, most = window.innerWidth - 240; // pixels in which either can still be read
  $("side").style.width = `${Math.max(least, Math.min(most, width))}px`;
  $("split").setAttribute("aria-valuenow", Math.round((100 * $("side").clientWidth) / window.innerWidth));
}
function listen() {
  const on = (id, kind, act) => $(id).addEventListener(kind, act);
  on("search", "input", search);
  on("search", "keydown", (event) => { if (event.key === "Enter") nextHit(); });
  on("fold", "click", nextView);
  on("fit", "click", showAll);
  on("theme", "click", theme);
  on("help", "click", () => $("keys").showModal());
  on("split", "pointerdown", (event) => { event.preventDefault(); $("split").setPointerCapture(event.pointerId); });
  on("split", "pointermove", (event) => { if (event.buttons) split(window.innerWidth - event.clientX - 4); });
  on("split", "keydown", (event) => {
    const by = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
    if (by) split($("side").clientWidth + by);
  });
  onKeys(window, KEYS, () => $("keys").open);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { nameTheme(); replay.refresh(); });
}

function main() {
  document.documentElement.classList.toggle("framed", window.parent !== window);
  fill($("keys").querySelector("table"), ...KEYS.map(([, name, about]) => make("tr", {}, make("td", {}, make("kbd", {}, name)), make("td", {}, about))));
  nameFold();
  nameTheme();
  listen();
  replay.load(table, { language: data.language, label: data.label, other, otherLabel: data.against ? data.against.label : "" });
  replay.begin(data.start, { text: data.start.text });
  pick([]);
  tabs.show(data.against ? $("difference") : data.source.length ? $("source") : $("details"));
}
main();
