// The state graph: moved, zoomed, searched, and lit where the run is.

import { PanZoom, zoomButtons } from "./panzoom.js";
import { Roving } from "./roving.js";

export class Graph {
  constructor(host, views, table, pick) {
    this.host = host;
    this.views = views;
    this.table = table;
    this.pick = pick;
    this.current = 0;
    this.svgs = [...host.querySelectorAll("svg")];
    this.lit = [];
    this.marked = [];
    this.lineOf = views.map((view) => Int32Array.from(view.line));
    this.places = this.svgs.map(() => null);
    this.listen();
    this.use(0);
  }
  get svg() { return this.svgs[this.current]; }
  get view() { return this.views[this.current]; }
  get group() { return this.svg.querySelector("g.all"); }
  use(index) {
    this.current = index;
    this.svgs.forEach((svg, number) => svg.classList.toggle("hidden", number !== index));
    this.lit = [];
    this.marked = [];
    this.stops.refresh();
    if (!this.places[index]) this.fit(); else this.apply();
  }
  fit() {
    const view = this.view, box = this.host.getBoundingClientRect();
    const scale = Math.max(0.02, Math.min(1.4, (box.width - 60) / view.width, (box.height - 70) / view.height));
    this.places[this.current] = {
      scale, x: (box.width - view.width * scale) / 2 + 8, y: (box.height - 30 - view.height * scale) / 2,
    };
    this.apply();
  }
  apply() {
    const { scale, x, y } = this.places[this.current];
    this.group.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  }
  zoom(factor, x, y) {
    const place = this.places[this.current], box = this.host.getBoundingClientRect();
    x ??= box.width / 2;
    y ??= box.height / 2;
    const scale = Math.max(0.03, Math.min(6, place.scale * factor));
    place.x = x - ((x - place.x) * scale) / place.scale;
    place.y = y - ((y - place.y) * scale) / place.scale;
    place.scale = scale;
    this.apply();
  }
  listen() {
    const pan = (dx, dy) => { const place = this.places[this.current]; place.x += dx; place.y += dy; this.apply(); };
    new PanZoom(this.host, { pan, zoom: (...by) => this.zoom(...by), tap: (event) => this.clicked(event.target) });
    this.stops = new Roving(this.host, { pick: (node) => this.clicked(node), reveal: (node) => this.reveal(node) });
    this.host.append(zoomButtons((factor) => this.zoom(factor), () => this.fit()));
  }
  clicked(target) {
    const chip = target.closest("[data-state]"), node = target.closest("[data-node]");
    if (chip) this.pick(Number(chip.dataset.state));
    else if (node) this.pick(...this.view.members[Number(node.dataset.node)]);
    else this.pick();
  }
  focus() { this.svg.querySelector("[data-node][tabindex='0']")?.focus({ preventScroll: true }); }
  nodeOf(state) { return this.svg.querySelector(`[data-node="${this.view.home[state]}"]`); }
  swap(list, elements, name) {
    for (const element of list) element.classList.remove(name);
    for (const element of elements) element.classList.add(name);
    return elements;
  }
  // Lights the state that the run is in, and the rule that comes next (or, at the end, came last).
  light(state, rule, follow) {
    const found = [], node = this.nodeOf(state);
    if (node) found.push(node);
    found.push(...this.svg.querySelectorAll(`[data-state="${state}"]`));
    const line = rule < 0 ? -1 : this.lineOf[this.current][rule];
    if (line >= 0) {
      const text = this.svg.querySelector(`[data-line="${line}"]`);
      if (text) found.push(text);
      const edge = this.view.edge[line];
      if (edge >= 0) found.push(...this.svg.querySelectorAll(`.edge[data-edge="${edge}"]`));
    }
    this.lit = this.swap(this.lit, found, "lit");
    if (follow && node) this.reveal(node);
  }
  reveal(node) {
    const box = this.host.getBoundingClientRect(), own = node.getBoundingClientRect();
    const place = this.places[this.current], middle = [(own.left + own.right) / 2, (own.top + own.bottom) / 2];
    const inside = middle[0] > box.left && middle[0] < box.right && middle[1] > box.top && middle[1] < box.bottom;
    if (inside) return;
    place.x += (box.left + box.right) / 2 - middle[0];
    place.y += (box.top + box.bottom) / 2 - middle[1];
    this.apply();
  }
  mark(states) {
    const nodes = [...new Set(states.map((state) => this.nodeOf(state)).filter(Boolean))];
    const chips = states.length === 1 ? [...this.svg.querySelectorAll(`[data-state="${states[0]}"]`)] : [];
    this.marked = this.swap(this.marked, [...nodes, ...chips], "picked");
  }
  // Dims all but these states; null ends that.
  filter(states) {
    this.svg.classList.toggle("searching", states !== null);
    for (const element of this.svg.querySelectorAll(".hit")) element.classList.remove("hit");
    for (const state of states || []) {
      this.nodeOf(state)?.classList.add("hit");
      for (const chip of this.svg.querySelectorAll(`[data-state="${state}"]`)) chip.classList.add("hit");
    }
  }
}
