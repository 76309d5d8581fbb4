// All that a run visits in one small picture: a strip for a tape, a map for a plane, and a box for what is in view.

import { make } from "./dom.js";
import { SIDE } from "./machine.js";

const TALLEST = 110, FLATTEST = 14, COARSEST = 7; // pixels of the picture's height, and of a cell
const SPECK = 16; // times as large: in such a whole a part is a speck
const SHARE = 10; // the picture is repainted after this many times as long as painting took

export function symbolColour(symbol, table, { ink, scheme }) {
  return table.symbols.length === 2 ? ink : `hsl(${(symbol * 137.5) % 360} 50% ${scheme === "dark" ? 62 : 45}%)`;
}

export class Overview {
  // A press in it asks for a cell to be the centre of what is in view.
  constructor(centre) {
    const looks = { className: "overview", hidden: true, title: "press to look there", "aria-hidden": "true" };
    this.canvas = make("canvas", looks);
    this.picture = document.createElement("canvas");
    this.key = "";
    this.rest = 0; // until when the picture is good enough
    const look = (event) => { if (event.buttons) centre(...this.cellAt(event.offsetX, event.offsetY)); };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      look(event);
    });
    this.canvas.addEventListener("pointermove", look);
  }
  // All that the run will visit; or has so far, where that would be a speck in it.
  get box() {
    const { box, seen } = this.run, area = ({ left, right, top, bottom }) => (right - left + 1) * (bottom - top + 1);
    return SPECK * area(seen) < area(box) ? seen : box;
  }
  cellAt(x, y) { return [this.box.left + (x - this.left) / this.wide, this.box.top + y / this.high]; }
  show(run, port, colours) {
    this.canvas.hidden = run === null;
    Object.assign(this, { run, port, colours });
    if (run) this.paint();
  }
  measure() {
    const { left, right, top, bottom } = this.box, across = right - left + 1, down = bottom - top + 1;
    const { width } = this.port;
    this.wide = Math.min(COARSEST, width / across, down > 8 ? TALLEST / down : Infinity);
    this.high = Math.min(TALLEST / down, Math.max(this.wide, FLATTEST / down));
    this.left = (width - across * this.wide) / 2;
    this.height = Math.max(FLATTEST, Math.ceil(down * this.high));
    return width;
  }
  paint() {
    const width = this.measure(), ratio = window.devicePixelRatio || 1, canvas = this.canvas;
    if (!width) return;
    const size = [Math.round(width * ratio), Math.round(this.height * ratio)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    if (this.styled !== this.height) canvas.style.height = `${(this.styled = this.height)}px`;
    this.refresh(size, ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, ...size);
    pen.drawImage(this.picture, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.marks(pen, width);
  }
  refresh(size, ratio) {
    const { box } = this, { view } = this.run;
    const key = [...size, ...Object.values(box), view.steps, this.colours.scheme].join();
    clearTimeout(this.later);
    if (key === this.key && this.of === this.run) return;
    const now = performance.now();
    if (this.of === this.run && now < this.rest && size[0] === this.picture.width) {
      this.later = setTimeout(() => { if (this.run) this.paint(); }, this.rest - now);
      return;
    }
    [this.picture.width, this.picture.height] = size;
    this.cells(this.picture.getContext("2d"), ratio);
    Object.assign(this, { key, of: this.run, rest: performance.now() + SHARE * (performance.now() - now) });
  }
  // A cell smaller than a pixel paints that pixel, once in a row.
  cells(pen, ratio) {
    const { view, table } = this.run, { box, wide, high } = this;
    const tones = table.symbols.map((_, symbol) => symbolColour(symbol, table, this.colours));
    const least = 1 / ratio, each = [Math.max(wide, least), Math.max(high, least)];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const square of view.plane.squares.values())
      for (let at = 0, last = -1; at < SIDE * SIDE; at++) {
        const symbol = square.cells[at], x = (square.x + (at & 31) - box.left) * wide;
        if (!symbol || (last >= 0 && at & 31 && x - last < least)) continue;
        pen.fillStyle = tones[symbol];
        pen.fillRect(this.left + x, (square.y + (at >> 5) - box.top) * high, ...each);
        last = x;
      }
  }
  marks(pen, width) {
    const { view } = this.run, { box, port, wide, high, left } = this;
    const x = left + (port.left - box.left) * wide, y = (port.top - box.top) * high;
    const from = [Math.max(0.75, x), Math.max(0.75, y)];
    const to = [
      Math.min(width - 0.75, x + port.across * wide), Math.min(this.height - 0.75, y + port.down * high),
    ];
    if (to[0] > from[0] && to[1] > from[1]) {
      pen.strokeStyle = this.colours.ink;
      pen.lineWidth = 1.5;
      pen.strokeRect(...from, to[0] - from[0], to[1] - from[1]);
    }
    pen.fillStyle = this.colours.accent;
    const size = Math.max(4, wide);
    const tall = Math.max(4, high), middle = [left + (view.x - box.left + 0.5) * wide, (view.y - box.top + 0.5) * high];
    pen.fillRect(middle[0] - size / 2, middle[1] - tall / 2, size, tall);
  }
}
