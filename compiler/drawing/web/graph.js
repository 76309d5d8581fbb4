// The state graph: moved, zoomed, searched, and lit where the run is.

import { make } from "./dom.js";
import { PanZoom, zoomButtons } from "./panzoom.js";
import { Roving } from "./roving.js";

const LARGEST_SCALE = 1.8; // of a small graph in a large pane
const LEGIBLE_SCALE = 0.9; // At this scale the smallest words, of 10 pixels, have 9.

export class Graph {
  // `pick(...states)` is called when states are clicked.
  constructor(host, pick) {
    Object.assign(this, { host, pick, views: [], current: 0, places: [], lit: [], marked: [], picked: [] });
    this.moved = false; // by the reader: then it keeps its place when its pane changes size
    this.listen();
    new ResizeObserver(() => this.resized()).observe(host);
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
    if (!this.places[index]) this.begin(); else this.apply();
  }
  // Shows `views`: the `drawings`, or those that the page has. In another version of the same document one of the
  // same size, or that the reader moved, stays in its place.
  load(views, drawings = null, same = false) {
    const before = same ? this.view : null, place = this.places[this.current], choice = same && this.views.length > 1;
    if (drawings) {
      for (const svg of this.host.querySelectorAll(":scope > svg:not(.map)")) svg.remove();
      const innerHTML = drawings.map((each) => `<svg><g class="all">${each}</g></svg>`).join("");
      this.host.prepend(...make("template", { innerHTML }).content.children);
    }
    this.svgs = [...this.host.querySelectorAll(":scope > svg:not(.map)")];
    this.views = views;
    this.lineOf = views.map((view) => Int32Array.from(view.line));
    const alike = views.findIndex((view) => view.folded === before?.folded), index = choice ? Math.max(0, alike) : 0;
    const now = views[index];
    const still = before && now.width === before.width && now.height === before.height;
    const stays = before && now.folded === before.folded && (this.moved || still);
    if (!same) this.moved = false;
    this.places = views.map((_, number) => (stays && number === index ? place : null));
    this.use(index);
  }
  resized() {
    const { width, height } = this.host.getBoundingClientRect(), before = this.size, place = this.places[this.current];
    if (!place || !width || !height || (before.width === width && before.height === height)) return;
    this.places = this.places.map((each) => (each === place ? each : null));
    if (!this.moved) {
      this.begin(this.legible);
      if (this.lit[0]?.isConnected) this.reveal(this.lit[0]);
    } else {
      this.size = { width, height };
    }
  }
  fit() { this.begin(0); }
  // All of it where its words stay legible; else from the start on, the rest by panning.
  begin(legible = LEGIBLE_SCALE) {
    this.legible = legible;
    const view = this.view, box = this.host.getBoundingClientRect();
    this.moved = false;
    this.size = { width: box.width, height: box.height };
    const all = Math.min(LARGEST_SCALE, (box.width - 60) / view.width, (box.height - 40) / view.height);
    const scale = Math.max(legible, all), node = this.svg.querySelector(".node.start .box");
    const middle = (at, size) => node[at].baseVal.value + node[size].baseVal.value / 2;
    const start = node ? [middle("x", "width"), middle("y", "height")] : [0, 0];
    const along = (room, size, at, edge) => {
      const spare = room - size * scale;
      return spare >= 0 ? spare / 2 : Math.min(edge, Math.max(spare - edge, room / 2 - at * scale));
    };
    this.places[this.current] = {
      scale,
      x: along(box.width, view.width, start[0], 34) + (all >= legible ? 8 : 0),
      y: along(box.height, view.height, start[1], 16),
    };
    this.apply();
  }
  apply() {
    const { scale, x, y } = this.places[this.current];
    this.group.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    this.overview();
  }
  // All boxes in a corner, and what is seen of them, where that is not all. A press there moves to it.
  overview() {
    const { map, view, size } = this, { scale, x, y } = this.places[this.current];
    const port = { x: -x / scale, y: -y / scale, width: size.width / scale, height: size.height / scale };
    const [right, bottom] = [x + view.width * scale, y + view.height * scale];
    const isAll = x > -1 && y > -1 && right <= size.width + 30 && bottom <= size.height + 1;
    map.toggleAttribute("hidden", !size.width || isAll);
    if (map.hasAttribute("hidden")) return;
    if (this.mapped !== this.svg) {
      this.mapped = this.svg;
      const outline = (box) => {
        const [left, top, width, height] = ["x", "y", "width", "height"].map((name) => box.getAttribute(name));
        return `M${left} ${top}h${width}v${height}h-${width}z`;
      };
      map.innerHTML = `<path d="${[...this.svg.querySelectorAll(".node > .box")].map(outline).join("")}"/><rect/>`;
      map.setAttribute("viewBox", `0 0 ${view.width} ${view.height}`);
    }
    for (const [name, value] of Object.entries(port)) map.lastChild.setAttribute(name, value);
  }
  lookAt(event) {
    const place = this.places[this.current], inverse = this.map.getScreenCTM().inverse();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse);
    this.moved = true;
    Object.assign(place, { x: this.size.width / 2 - at.x * place.scale, y: this.size.height / 2 - at.y * place.scale });
    this.apply();
  }
  zoom(factor, x, y) {
    const place = this.places[this.current], box = this.host.getBoundingClientRect();
    this.moved = true;
    x ??= box.width / 2;
    y ??= box.height / 2;
    const scale = Math.max(0.03, Math.min(6, place.scale * factor));
    place.x = x - ((x - place.x) * scale) / place.scale;
    place.y = y - ((y - place.y) * scale) / place.scale;
    place.scale = scale;
    this.apply();
  }
  listen() {
    const pan = (dx, dy) => {
      const place = this.places[this.current];
      this.moved = true;
      place.x += dx;
      place.y += dy;
      this.apply();
    };
    new PanZoom(this.host, { pan, zoom: (...by) => this.zoom(...by), tap: (event) => this.clicked(event.target) });
    this.stops = new Roving(this.host, { pick: (node) => this.clicked(node), reveal: (node) => this.reveal(node) });
    this.map = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.map.classList.add("map");
    this.map.setAttribute("aria-hidden", "true");
    this.map.addEventListener("pointerdown", (event) => { event.stopPropagation(); this.lookAt(event); });
    this.host.append(zoomButtons((factor) => this.zoom(factor), () => this.fit()), this.map);
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
  // Brings a state into view: all of it, or the middle of one that is larger than the view.
  reveal(node) {
    const box = this.host.getBoundingClientRect(), own = node.getBoundingClientRect();
    const place = this.places[this.current];
    const away = (low, high) => {
      const middle = (own[low] + own[high]) / 2, large = own[high] - own[low] > box[high] - box[low];
      const inside = large ? middle > box[low] && middle < box[high] : own[low] >= box[low] && own[high] <= box[high];
      return inside ? 0 : (box[low] + box[high]) / 2 - middle;
    };
    const [x, y] = [away("left", "right"), away("top", "bottom")];
    if (!x && !y) return;
    place.x += x;
    place.y += y;
    this.apply();
  }
  // Picks states: their rules and where these lead are lit, all else is dimmed.
  mark(states) {
    this.picked = states;
    const nodes = [...new Set(states.map((state) => this.nodeOf(state)).filter(Boolean))];
    const chips = states.length === 1 ? [...this.svg.querySelectorAll(`[data-state="${states[0]}"]`)] : [];
    for (const node of this.svg.querySelectorAll(".node")) node.setAttribute("aria-pressed", nodes.includes(node));
    this.marked = this.swap(this.marked, [...nodes, ...chips], "picked");
    const mine = new Set(nodes.map((node) => Number(node.dataset.node))), ends = this.view.ends;
    const near = new Set([...mine]), touched = ends.map(([source, target]) => mine.has(source) || mine.has(target));
    ends.forEach(([source, target], edge) => { if (touched[edge]) near.add(source).add(target); });
    this.svg.classList.toggle("picking", mine.size > 0);
    for (const node of this.svg.querySelectorAll("[data-node]")) {
      node.classList.toggle("near", near.has(Number(node.dataset.node)));
    }
    for (const part of this.svg.querySelectorAll("[data-edge]")) {
      const edge = Number(part.dataset.edge);
      part.classList.toggle("near", touched[edge]);
      part.classList.toggle("leaves", touched[edge] && mine.has(ends[edge][0]));
    }
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
