// A whole run: computed once, remembered at some steps, and computed again from there wherever one looks.

import { Machine, widen } from "./machine.js";
import { Outcome } from "./outcomes.js";

export const TRAIL = 32; // steps that the way of the head is shown for
const AT_ONCE = 1 << 18; // steps between two looks at the clock: some milliseconds
const MOST_POINTS = 100; // moments that a run remembers
const MOST_SQUARES = 400000; // of the plane, in all of them

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
  get done() { return this.ahead.outcome !== Outcome.RUNNING; }
  get outcome() { return this.ahead.outcome; }
  boxOf(world) {
    const [sx, sy] = world.start, box = { left: sx, right: sx, top: sy, bottom: sy };
    for (const [x, y] of world.cells) widen(box, x, y);
    return box;
  }
  remember() {
    const { steps, state, x, y, plane } = this.ahead;
    return { steps, state, x, y, plane: plane.saved(), box: { ...this.box } };
  }
  // Computes for some milliseconds; true while there is more to do.
  compute(milliseconds) {
    const until = performance.now() + milliseconds, ahead = this.ahead;
    while (!this.done && performance.now() < until) {
      ahead.run(Math.min(AT_ONCE, this.every - (ahead.steps % this.every)), this.limit, this.box);
      if (ahead.steps % this.every === 0 && ahead.steps > this.points[this.points.length - 1].steps) this.save();
    }
    return !this.done;
  }
  save() {
    this.points.push(this.remember());
    const squares = this.points.reduce((sum, point) => sum + point.plane.squares.size, 0);
    if (this.points.length > MOST_POINTS || squares > MOST_SQUARES) {
      this.every *= 2;
      this.points = this.points.filter((point) => point.steps % this.every === 0);
    }
  }
  // Goes on, until it is stopped.
  goOn() {
    this.limit = Infinity;
    if (this.outcome === Outcome.BUDGET) this.ahead.outcome = this.view.outcome = Outcome.RUNNING;
  }
  stop() {
    this.limit = this.total;
    if (!this.done) this.ahead.outcome = Outcome.BUDGET;
  }
  // Whether it could go on.
  get paused() { return this.outcome === Outcome.BUDGET && !this.ahead.spent; }
  // Shows the moment after a number of steps.
  seek(step) {
    step = Math.max(0, Math.min(step, this.total));
    const view = this.view;
    if (step < view.steps || step - view.steps > this.every) this.restore(Math.max(0, step - TRAIL));
    if (step < view.steps) this.restore(0);
    view.outcome = Outcome.RUNNING;
    view.run(step - TRAIL - view.steps, Infinity, this.seen);
    while (view.steps < step) {
      this.trail.push([view.x, view.y]);
      view.run(1, Infinity, this.seen);
    }
    if (this.trail.length > 4 * TRAIL) this.trail = this.trail.slice(-TRAIL);
    view.outcome = step === this.total ? this.outcome : Outcome.RUNNING;
  }
  restore(step) {
    let low = 0, high = this.points.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.points[middle].steps <= step) low = middle; else high = middle - 1;
    }
    const point = this.points[low], view = this.view;
    view.plane.restore(point.plane, ++this.age);
    const { steps, state, x, y } = point;
    Object.assign(view, { steps, state, x, y, outcome: Outcome.RUNNING });
    this.seen = { ...point.box };
    this.trail = [];
  }
}
