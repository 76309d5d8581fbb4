// A whole run: computed once, remembered at some steps, and computed again from there wherever one looks.

import { Machine } from "./machine.js";

export const TRAIL = 32; // steps that the way of the head is shown for
const MOST_POINTS = 400; // moments that a run remembers

export class Run {
  constructor(table, world, limit) {
    this.table = table;
    this.world = world;
    this.limit = limit;
    this.ahead = new Machine(table, world); // finds out how the run ends
    this.view = new Machine(table, world); // is where one looks
    this.trail = [];
    this.every = 1024;
    this.box = this.boxOf(world); // of all that the run visits
    this.seen = { ...this.box }; // and up to where one looks
    this.points = [this.remember()];
    this.age = 1 << 20; // ages of planes that were restored are never those of `ahead`
  }
  get total() { return this.ahead.steps; }
  get done() { return this.ahead.outcome !== ""; }
  get outcome() { return this.ahead.outcome; }
  boxOf(world) {
    const [sx, sy] = world.start, box = { left: sx, right: sx, top: sy, bottom: sy };
    for (const [x, y] of world.cells) this.widen(box, x, y);
    return box;
  }
  widen(box, x, y) {
    if (x < box.left) box.left = x; else if (x > box.right) box.right = x;
    if (y < box.top) box.top = y; else if (y > box.bottom) box.bottom = y;
  }
  remember() {
    const { steps, state, x, y, plane } = this.ahead;
    return { steps, state, x, y, plane: plane.saved(), box: { ...this.box } };
  }
  // Computes for some milliseconds; true while there is more to do.
  compute(milliseconds) {
    const until = performance.now() + milliseconds, ahead = this.ahead;
    while (!ahead.outcome && performance.now() < until)
      for (let n = 0; n < 2048 && !ahead.outcome; n++) {
        ahead.step(this.limit);
        this.widen(this.box, ahead.x, ahead.y);
        if (ahead.steps % this.every === 0 && ahead.steps > this.points[this.points.length - 1].steps)
          this.save();
      }
    return !ahead.outcome;
  }
  save() {
    this.points.push(this.remember());
    if (this.points.length > MOST_POINTS) {
      this.every *= 2;
      this.points = this.points.filter((point) => point.steps % this.every === 0);
    }
  }
  more(steps) {
    this.limit += steps;
    if (this.ahead.outcome === "budget") this.ahead.outcome = "";
    if (this.view.outcome === "budget") this.view.outcome = "";
  }
  // Shows the moment after a number of steps.
  seek(step) {
    step = Math.max(0, Math.min(step, this.total));
    const view = this.view;
    if (step < view.steps || step - view.steps > this.every) this.restore(Math.max(0, step - TRAIL));
    if (step < view.steps) this.restore(0);
    while (view.steps < step) {
      this.trail.push([view.x, view.y]);
      view.step(Infinity);
      this.widen(this.seen, view.x, view.y);
    }
    if (this.trail.length > 4 * TRAIL) this.trail = this.trail.slice(-TRAIL);
    view.outcome = step === this.total ? this.outcome : "";
  }
  restore(step) {
    let low = 0, high = this.points.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.points[middle].steps <= step) low = middle; else high = middle - 1;
    }
    const point = this.points[low], view = this.view;
    view.plane.restore(point.plane, ++this.age);
    [view.steps, view.state, view.x, view.y, view.outcome] = [point.steps, point.state, point.x, point.y, ""];
    this.seen = { ...point.box };
    this.trail = [];
  }
}
