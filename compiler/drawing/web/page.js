// The state graph, the run beside it, and everything that can be pressed; `scene.html` is its markup.

import { $, colours, fill, make } from "./dom.js";
import { Graph } from "./graph.js";
import { onKeys } from "./keys.js";
import { Table } from "./machine.js";
import { DifferencePanel, SourcePanel, StatePanel, VectorPanel } from "./panels.js";
import { savePicture } from "./picture.js";
import { printing } from "./printing.js";
import { Replay } from "./replay.js";
import { Tabs } from "./tabs.js";

export const isDark = () => colours().scheme === "dark";
const LEAST_SIDE = 300, LEAST_GRAPH = 240; // pixels in which either can still be read

export class Page {
  // `theme()` changes the colours. Others may set `steps(line)` and `picks(states)`, which hear where the run is and
  // what is picked, `goTo(line)`, which shows a line of the source, and `home`, the tab that is shown first.
  constructor(theme) {
    Object.assign(this, { picked: [], home: "source", steps() {}, picks() {}, goTo: (line) => this.showLine(line) });
    this.graph = new Graph($("graph"), (...states) => this.pick(states));
    this.replay = new Replay($("replay"), {
      place: (line) => this.source.placeOf(line), changed: (view, rule) => this.light(view, rule),
    });
    const tabs = { State: "details", Source: "source", "Hidden vectors": "vectors", Difference: "difference" };
    const panels = Object.entries(tabs).map(([title, id]) => [title, $(id)]);
    this.tabs = new Tabs($("tabs"), panels, () => this.source?.follow());
    this.keys = this.bindings(theme);
    const row = ([, name, about]) => make("tr", {}, make("td", {}, make("kbd", {}, name)), make("td", {}, about));
    fill($("keys").querySelector("table"), ...this.keys.map(row));
    this.listen();
    printing(this);
  }
  // Shows what gridlang drew. Of the `same` document in another version, all that is looked at, typed and drawn stays.
  load(data, { same = false, given = null, step = 0 } = {}) {
    const before = this.data, named = same ? this.picked.map((state) => this.table.states[state]) : [];
    Object.assign(this, { data, table: new Table(data.table), other: data.against && new Table(data.against.table) });
    this.source = new SourcePanel($("source"), data, this.table, this);
    this.details = new StatePanel($("details"), data, this.table, this);
    this.vectors = data.model && new VectorPanel($("vectors"), data, this.table, this);
    if (data.against) new DifferencePanel($("difference"), data, this.table, this);
    const offered = [true, this.hasSource, data.model, data.against];
    offered.forEach((there, number) => this.tabs.offer(number, Boolean(there)));
    this.graph.load(data.views, data.graphs, same);
    $("about").textContent = data.about;
    fill($("legend"), ...data.legend.map(([kind, words]) => make("span", {}, swatch(kind), words)));
    this.nameFold();
    this.replay.load(this.table, data, this.other);
    if (!same) this.replay.begin(data.start, { given, step });
    else if (acts(before.table) !== acts(data.table) || before.start.text !== data.start.text) {
      this.replay.again(data.start);
    }
    this.pick(named.map((name) => this.table.states.indexOf(name)).filter((state) => state >= 0));
    if (!same) this.tabs.show($(data.against ? "difference" : this.hasSource ? "source" : "details"));
    this.replay.refresh();
  }
  light(view, rule) {
    this.source.light(rule);
    this.details.light(rule);
    this.vectors?.light(view.state, this.picked);
    this.graph.light(view.state, rule, true); // From here on the page is measured, which is dear between changes.
    this.source.follow();
    this.steps(rule < 0 ? 0 : this.table.of(rule).line);
  }
  pick(states) {
    this.picked = states;
    this.graph.mark(states);
    this.details.show(states);
    this.source.mark(states);
    if (states.length) this.tabs.show($("details"));
    this.light(this.replay.run.view, this.replay.run.view.rule);
    this.picks(states);
  }
  get hasSource() { return this.home === "source" && this.data.source.length > 0; }
  reveal(state) { this.graph.reveal(this.graph.nodeOf(state)); }
  showLine(line) {
    this.tabs.show($("source"));
    this.source.goTo(line);
  }

  search() {
    const wanted = $("search").value.trim().toLowerCase(), { states } = this.table;
    this.hits = wanted ? states.flatMap((name, state) => (name.toLowerCase().includes(wanted) ? [state] : [])) : [];
    this.hit = 0;
    this.graph.filter(wanted ? this.hits : null);
    $("hits").textContent = wanted ? `${this.hits.length} found` : "";
  }
  nextHit() {
    if (!this.hits?.length) return;
    const state = this.hits[this.hit++ % this.hits.length];
    this.pick([state]);
    this.reveal(state);
  }
  nextView() {
    if (this.data.views.length < 2) return;
    this.graph.use((this.graph.current + 1) % this.data.views.length);
    this.nameFold();
    this.graph.mark(this.picked);
    if ($("search").value) this.search();
    this.replay.refresh();
  }
  nameFold() {
    $("fold").hidden = this.data.views.length < 2;
    $("fold").textContent = this.graph.view.folded ? "every state" : "families";
  }
  showAll() {
    this.graph.fit();
    this.replay.grid.showAll();
    this.replay.otherGrid.showAll();
  }
  draw() {
    this.replay.draw(!this.replay.editor.open);
    if (this.replay.editor.open) this.replay.grid.canvas.focus();
  }

  bindings(theme) {
    const { replay, graph } = this;
    return [
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
      ["i", "i", "type an input; enter runs it, shift+enter begins a new row of a picture",
        () => replay.part.input.focus()],
      ["d", "d", "draw on the grid: arrows move, symbols are typed", () => this.draw()],
      ["g", "g", "go to the graph: arrows go from state to state, enter picks one", () => graph.focus()],
      ["z", "z", "families as one box, or every state", () => this.nextView()],
      ["f", "f", "show all", () => this.showAll()],
      ["h", "h", "follow the head", () => { replay.grid.follow(); replay.otherGrid.follow(); }],
      ["+", "+", "zoom in", () => graph.zoom(1.25)],
      ["-", "−", "zoom out", () => graph.zoom(0.8)],
      ["s", "s", "the source, or the state", () => {
        const away = this.hasSource && !this.tabs.isShown($("source"));
        this.tabs.show($(away ? "source" : "details"));
      }],
      ["t", "t", "dark or light", theme],
      ["?", "?", "these keys", () => $("keys").showModal()],
      ["Escape", "esc", "leave a field, the pens, or what is picked",
        () => (replay.editor.open ? replay.draw(false) : this.pick([]))],
    ];
  }
  // The border between the graph and the rest is moved by hand or by keys.
  split(width) {
    const room = $("scene").clientWidth, most = room - LEAST_GRAPH;
    $("side").style.width = `${Math.max(LEAST_SIDE, Math.min(most, width))}px`;
    $("split").setAttribute("aria-valuenow", Math.round((100 * $("side").clientWidth) / room));
  }
  listen() {
    const on = (id, kind, act) => $(id).addEventListener(kind, act);
    const right = () => $("scene").getBoundingClientRect().right;
    on("search", "input", () => this.search());
    on("search", "keydown", (event) => { if (event.key === "Enter") this.nextHit(); });
    on("fold", "click", () => this.nextView());
    on("fit", "click", () => this.showAll());
    for (const kind of ["svg", "png"]) {
      on(`save-${kind}`, "click", () => savePicture(this.graph, this.data.label, kind));
    }
    on("keys-open", "click", () => $("keys").showModal());
    on("split", "pointerdown", (event) => { event.preventDefault(); $("split").setPointerCapture(event.pointerId); });
    on("split", "pointermove", (event) => { if (event.buttons) this.split(right() - event.clientX - 4); });
    on("split", "keydown", (event) => {
      const by = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
      if (by) this.split($("side").clientWidth + by);
    });
    onKeys(window, this.keys, () => !this.data || document.querySelector("dialog[open]") !== null);
  }
}

const acts = ({ states, symbols, rules }) => JSON.stringify([states, symbols, rules.filter((_, at) => at % 6 < 5)]);
function swatch(kind) {
  const colour = make("i");
  colour.style.cssText = `background:var(--${kind}-fill);border-color:var(--${kind}-line)`;
  return colour;
}
