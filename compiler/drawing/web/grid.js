// The grid on a canvas: symbols, the head, and where it came from.

import { SIDE } from "./machine.js";
import { TRAIL } from "./run.js";

const LEGIBLE = 12; // pixels of a cell

export class Grid {
  constructor(canvas, colours) {
    this.canvas = canvas;
    this.colours = colours;
    this.size = 26; // of a cell, in pixels
    this.corner = [0, 0]; // the cell at the upper left, as a fraction
    this.free = false; // whether the reader moved it
    this.listen();
  }
  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      let last = [event.clientX, event.clientY];
      canvas.setPointerCapture(event.pointerId);
      const drag = (move) => {
        this.free = true;
        this.corner[0] -= (move.clientX - last[0]) / this.size;
        this.corner[1] -= (move.clientY - last[1]) / this.size;
        last = [move.clientX, move.clientY];
        this.draw();
      };
      canvas.addEventListener("pointermove", drag);
      canvas.addEventListener("pointerup", () => canvas.removeEventListener("pointermove", drag), { once: true });
    });
  }
  zoom(factor, x, y) {
    const size = Math.max(1, Math.min(60, this.size * factor));
    this.corner[0] += x / this.size - x / size;
    this.corner[1] += y / this.size - y / size;
    this.size = size;
    this.free = true;
    this.draw();
  }
  show(run) {
    this.run = run;
    this.draw();
  }
  fit() { this.free = false; this.draw(); }
  // All of the run where that is legible, else all so far, else what is around the head.
  aim(width, height) {
    const room = (box) => Math.min(width / (box.right - box.left + 3), height / (box.bottom - box.top + 3));
    const box = room(this.run.box) >= LEGIBLE ? this.run.box : this.run.seen, { x, y } = this.run.view;
    this.size = Math.max(2, Math.min(30, room(box)));
    const within = (low, high, at, corner, cells) =>
      high - low + 3 <= cells + 0.1 ? (low + high + 1 - cells) / 2 : Math.min(Math.max(corner, at - cells * 0.8), at - cells * 0.2);
    this.corner = [
      within(box.left, box.right, x, this.corner[0], width / this.size),
      within(box.top, box.bottom, y, this.corner[1], height / this.size),
    ];
  }
  draw() {
    if (!this.run) return;
    const canvas = this.canvas, ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    if (!this.free) this.aim(width, height);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.lines(pen, width, height);
    this.path(pen);
    this.symbols(pen, width, height);
    this.head(pen);
  }
  place(x, y) { return [(x - this.corner[0]) * this.size, (y - this.corner[1]) * this.size]; }
  lines(pen, width, height) {
    if (this.size < 9) return;
    pen.strokeStyle = this.colours().rule;
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
    pen.fillStyle = this.colours().accent;
    trail.forEach(([x, y], index) => {
      const [left, top] = this.place(x, y);
      pen.globalAlpha = 0.04 + 0.2 * ((index + 1) / trail.length) ** 2;
      pen.fillRect(left, top, this.size, this.size);
    });
    pen.globalAlpha = 1;
  }
  symbols(pen, width, height) {
    const { ink, scheme } = this.colours(), { view, table } = this.run, size = this.size;
    const inWords = size >= 9;
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
        if (inWords) {
          pen.fillStyle = ink;
          pen.fillText(table.symbols[symbol], x + size / 2, y + size * 0.54);
        } else {
          pen.fillStyle = table.symbols.length === 2 ? ink : `hsl(${(symbol * 137.5) % 360} 60% ${scheme === "dark" ? 62 : 42}%)`;
          pen.fillRect(x, y, Math.max(1, size - (size > 4 ? 1 : 0)), Math.max(1, size - (size > 4 ? 1 : 0)));
        }
      }
    }
  }
  head(pen) {
    const { view } = this.run, [left, top] = this.place(view.x, view.y), colours = this.colours();
    pen.strokeStyle = view.outcome === "stuck" ? colours.bad : view.outcome === "halted" ? colours.good : colours.accent;
    pen.lineWidth = this.size >= 9 ? 2.5 : 2;
    const room = Math.max(this.size, 6);
    pen.strokeRect(left + (this.size - room) / 2 + 0.5, top + (this.size - room) / 2 + 0.5, room - 1, room - 1);
  }
}
