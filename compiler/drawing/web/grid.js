// The grid on a canvas: symbols, the head and where it came from; below it the whole world, where that does not fit.

import { button, colours, make } from "./dom.js";
import { SIDE } from "./machine.js";
import { Outcome } from "./outcomes.js";
import { Overview, symbolColour } from "./overview.js";
import { PanZoom, zoomButtons } from "./panzoom.js";
import { TRAIL } from "./run.js";

const LEGIBLE = 18, LARGEST = 30; // pixels of a cell that the grid chooses itself; a symbol takes up three fifths
const WRITTEN = 9; // pixels of a cell below which its symbol is a coloured square
const SMALLEST = 2, ENORMOUS = 64; // pixels of a cell that a reader may choose
const TINY = 0.001; // and in which all is shown
const FILLED = "#"; // a symbol that is painted, not written
const AHEAD = 0.2; // of the width, which is kept free before and behind the head

export class Grid {
  // The host gets a canvas, buttons and an overview.
  constructor(host, label = "the grid") {
    this.label = label;
    this.size = LARGEST; // pixels of a cell
    this.corner = [0, 0]; // the cell at the upper left, as a fraction
    this.mode = "follow"; // the head; or show the "whole"; or it is "free": the reader moved it
    this.chosen = null; // the size of a cell that the reader chose
    this.cursor = null; // the cell that keys draw on
    this.canvas = make("canvas", { className: "cells", tabIndex: 0, role: "img", "aria-label": label });
    const back = { className: "follow", hidden: true, title: "keep the head in view" };
    this.back = button("follow the head", () => this.follow(), back);
    this.overview = new Overview((x, y) => this.centre(x, y));
    const zooms = zoomButtons((factor) => this.zoom(factor), () => this.showAll());
    const frame = make("div", { className: "frame" }, this.canvas, zooms, this.back);
    host.classList.add("grid");
    host.append(frame, this.overview.canvas);
    this.hands = new PanZoom(this.canvas, { pan: (dx, dy) => this.pan(dx, dy), zoom: (...by) => this.zoom(...by) });
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.width = this.height = 0; // pixels of the canvas
    new ResizeObserver(() => { this.measure(); this.draw(); }).observe(this.canvas);
  }
  get cells() { return [this.width / this.size, this.height / this.size]; }
  measure() { [this.width, this.height] = [this.canvas.clientWidth, this.canvas.clientHeight]; }
  pan(dx, dy) {
    this.mode = "free";
    this.corner = [this.corner[0] - dx / this.size, this.corner[1] - dy / this.size];
    this.draw();
  }
  // The cell under a place stays there; while the head is followed it stays in view.
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const size = Math.max(SMALLEST, Math.min(ENORMOUS, this.size * factor));
    this.corner = [this.corner[0] + x / this.size - x / size, this.corner[1] + y / this.size - y / size];
    this.size = this.chosen = size;
    if (this.mode === "whole") this.mode = "free";
    this.draw();
  }
  centre(x, y) {
    const [across, down] = this.cells;
    this.mode = "free";
    this.corner = [x - across / 2, y - down / 2];
    this.draw();
  }
  follow() { this.mode = "follow"; this.chosen = null; this.draw(); }
  showAll() { this.mode = "whole"; this.chosen = null; this.draw(); }
  show(run) {
    this.run = run;
    this.draw();
  }
  // Lets a pointer draw: `stroke(x, y, first)` gets cells. Null ends that.
  draws(stroke) {
    this.mode = stroke ? "free" : "follow";
    this.hands.stroke = stroke && ((x, y, first) => stroke(...this.cellAt(x, y), first));
    this.canvas.classList.toggle("drawing", Boolean(stroke));
    this.cursor = stroke ? [...this.run.world.start] : null;
    this.draw();
  }
  cellAt(x, y) { return [Math.floor(this.corner[0] + x / this.size), Math.floor(this.corner[1] + y / this.size)]; }
  moveCursor(dx, dy) {
    const [across, down] = this.cells, into = (low, at, cells) => Math.max(at + 2 - cells, Math.min(low, at - 1));
    this.cursor = [this.cursor[0] + dx, this.cursor[1] + dy];
    this.corner = [into(this.corner[0], this.cursor[0], across), into(this.corner[1], this.cursor[1], down)];
    this.draw();
  }
  room(box) {
    return Math.min(this.width / (box.right - box.left + 3), this.height / (box.bottom - box.top + 3));
  }
  // All of the run where that is legible, else legible cells around the head; or all so far, however small.
  aim() {
    const { box, seen, view } = this.run, whole = this.mode === "whole", shown = whole ? seen : box;
    const least = whole ? TINY : LEGIBLE;
    this.size = this.chosen ?? Math.max(least, Math.min(LARGEST, this.room(shown)));
    const [across, down] = this.cells;
    this.corner = [
      this.within(shown.left, shown.right, view.x, this.corner[0], across),
      this.within(shown.top, shown.bottom, view.y, this.corner[1], down),
    ];
  }
  within(low, high, at, corner, cells) {
    if (high - low + 3 <= cells + 0.1) return (low + high + 1 - cells) / 2;
    const least = at + 1 - cells * (1 - AHEAD), most = at - cells * AHEAD;
    const away = Math.max(least - corner, corner - most);
    // With reduced motion the view stands still, and moves by half of itself at a time.
    const next = away > (this.calm.matches ? 0 : cells) ? at - cells / 2 : Math.max(least, Math.min(corner, most));
    return Math.max(low - 1, Math.min(next, high + 2 - cells));
  }
  draw() {
    if (!this.width) this.measure();
    const { canvas, width, height } = this, ratio = window.devicePixelRatio || 1;
    if (!this.run || !width || !height) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    if (this.mode !== "free") this.aim();
    const pen = canvas.getContext("2d");
    this.colours = colours(canvas);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.lines(pen, width, height);
    this.path(pen);
    this.symbols(pen, width, height);
    this.head(pen);
    this.mark(pen);
    this.tell();
  }
  tell() {
    const { view, table, box } = this.run, [across, down] = this.cells, { left, right, top, bottom } = box;
    this.back.hidden = this.mode === "follow" || this.cursor !== null;
    const where = `the head is at (${view.x}, ${view.y}) on ${table.symbols[view.symbol]}`;
    this.canvas.setAttribute("aria-label", `${this.label}: ${where}`);
    const fits = right - left + 1 <= across + 0.1 && bottom - top + 1 <= down + 0.1;
    const port = { left: this.corner[0], top: this.corner[1], across, down, width: this.width };
    this.overview.show(fits ? null : this.run, port, this.colours);
  }
  place(x, y) { return [(x - this.corner[0]) * this.size, (y - this.corner[1]) * this.size]; }
  lines(pen, width, height) {
    if (this.size < WRITTEN) return;
    pen.strokeStyle = this.colours.rule;
    pen.lineWidth = 1;
    pen.beginPath();
    for (let x = Math.ceil(this.corner[0]); (x - this.corner[0]) * this.size < width; x++) {
      const at = Math.round((x - this.corner[0]) * this.size) + 0.5;
      pen.moveTo(at, 0); pen.lineTo(at, height);
    }
    for (let y = Math.ceil(this.corner[1]); (y - this.corner[1]) * this.size < height; y++) {
      const at = Math.round((y - this.corner[1]) * this.size) + 0.5;
      pen.moveTo(0, at); pen.lineTo(width, at);
    }
    pen.stroke();
  }
  path(pen) {
    const trail = this.run.trail.slice(-TRAIL);
    pen.fillStyle = this.colours.accent;
    trail.forEach(([x, y], index) => {
      const [left, top] = this.place(x, y);
      pen.globalAlpha = 0.04 + 0.2 * ((index + 1) / trail.length) ** 2;
      pen.fillRect(left, top, this.size, this.size);
    });
    pen.globalAlpha = 1;
  }
  symbols(pen, width, height) {
    const { view, table } = this.run, size = this.size, written = size >= WRITTEN;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = `600 ${Math.max(7, size * 0.62)}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace`;
    for (const square of view.plane.squares.values()) {
      const [left, top] = this.place(square.x, square.y);
      if (left > width || top > height || left + SIDE * size < 0 || top + SIDE * size < 0) continue;
      for (let at = 0; at < SIDE * SIDE; at++) {
        const symbol = square.cells[at];
        if (!symbol) continue;
        const x = left + (at & 31) * size, y = top + (at >> 5) * size;
        if (x < -size || y < -size || x > width || y > height) continue;
        if (written && table.symbols[symbol] === FILLED) {
          pen.fillStyle = this.colours.ink;
          pen.fillRect(x + 1, y + 1, size - 1, size - 1);
        } else if (written) {
          pen.fillStyle = this.colours.ink;
          pen.fillText(table.symbols[symbol], x + size / 2, y + size * 0.54);
        } else {
          pen.fillStyle = symbolColour(symbol, table, this.colours);
          pen.fillRect(x, y, Math.max(1, size - (size > 4 ? 1 : 0)), Math.max(1, size - (size > 4 ? 1 : 0)));
        }
      }
    }
  }
  head(pen) {
    const { view } = this.run, [left, top] = this.place(view.x, view.y), { bad, good, accent } = this.colours;
    pen.strokeStyle = view.outcome === Outcome.STUCK ? bad : view.outcome === Outcome.HALTED ? good : accent;
    pen.lineWidth = this.size >= WRITTEN ? 2.5 : 2;
    const room = Math.max(this.size, 6);
    pen.strokeRect(left + (this.size - room) / 2 + 0.5, top + (this.size - room) / 2 + 0.5, room - 1, room - 1);
  }
  mark(pen) {
    if (!this.cursor || document.activeElement !== this.canvas) return;
    const [left, top] = this.place(...this.cursor);
    pen.strokeStyle = this.colours.ink;
    pen.lineWidth = 1.5;
    pen.setLineDash([3, 2]);
    pen.strokeRect(left + 3, top + 3, this.size - 6, this.size - 6);
    pen.setLineDash([]);
  }
}
