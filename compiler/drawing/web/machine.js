// A table on a world, one step or many at a time: what compiler/simulation/simulate.py defines, in the page.

import { Outcome } from "./outcomes.js";

const DX = [0, 0, -1, 1, 0], DY = [-1, 1, 0, 0, 0], STAY = 4;
export const SIDE = 32;
const NEAR = 1 << 14, FAR = 1 << 24; // squares from the middle
const EDGE = 1 << 28; // cells from the middle that a head may go
const MAX_CELLS = 5000000, MAX_SQUARES = 65536; // two kilobytes each
const NOWHERE = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };

export class Table {
  // `rules` holds six numbers a rule: state, symbol, write, move, next, line of the source.
  constructor(data) { this.load(data); }
  load(data) {
    this.states = data.states;
    this.symbols = data.symbols;
    this.rules = Int32Array.from(data.rules);
    this.index = new Int32Array(data.states.length * data.symbols.length).fill(-1);
    for (let r = 0; r < this.rules.length / 6; r++)
      this.index[this.rules[6 * r] * data.symbols.length + this.rules[6 * r + 1]] = r;
    this.steps = this.stepsOf();
  }
  // What each pair of state and symbol does, eight numbers a pair: where the pairs of the next state begin (-1 if
  // there is no rule), the symbol written, the way, the cells that are filled by it, whether it is the idle step, and
  // two of no use.
  stepsOf() {
    const { rules } = this, wide = this.symbols.length, steps = new Int32Array(8 * this.index.length).fill(-1);
    for (let r = 0; r < rules.length / 6; r++) {
      const [state, symbol, write, move, next] = rules.subarray(6 * r, 6 * r + 5);
      const gain = (write ? 1 : 0) - (symbol ? 1 : 0);
      steps.set([next * wide, write, DX[move], DY[move], gain, this.isHalt(r) ? 1 : 0], 8 * (state * wide + symbol));
    }
    return steps;
  }
  rule(state, symbol) { return this.index[state * this.symbols.length + symbol]; }
  of(rule) {
    const [state, symbol, write, move, next, line] = this.rules.subarray(6 * rule, 6 * rule + 6);
    return { rule, state, symbol, write, move, next, line };
  }
  isHalt(rule) {
    return this.rules[6 * rule + 2] === this.rules[6 * rule + 1] && this.rules[6 * rule + 3] === STAY;
  }
}

// Symbols on a plane, in squares that are copied only when they are written to.
export class Plane {
  constructor() { this.squares = new Map(); this.age = 0; this.count = 0; this.spare = new Uint16Array(SIDE * SIDE); }
  // Of squares that are not far away it is a small integer, which is found sooner.
  key(x, y) {
    const h = (x >> 5) + NEAR, v = (y >> 5) + NEAR;
    return ((h | v) & ~(2 * NEAR - 1)) === 0 ? h * 2 * NEAR + v : (h + FAR) * 4 * FAR + v + FAR;
  }
  get(x, y) {
    const square = this.squares.get(this.key(x, y));
    return square ? square.cells[(y & 31) * SIDE + (x & 31)] : 0;
  }
  set(x, y, symbol) {
    const key = this.key(x, y), at = (y & 31) * SIDE + (x & 31);
    let square = this.squares.get(key);
    if (!square) {
      if (!symbol) return;
      square = { age: this.age, cells: new Uint16Array(SIDE * SIDE), x: x & ~31, y: y & ~31 };
      this.squares.set(key, square);
    }
    if (square.cells[at] === symbol) return;
    if (square.age !== this.age) {
      square = { ...square, age: this.age, cells: square.cells.slice() };
      this.squares.set(key, square);
    }
    this.count += (symbol ? 1 : 0) - (square.cells[at] ? 1 : 0);
    square.cells[at] = symbol;
  }
  get isFull() { return this.count > MAX_CELLS || this.squares.size > MAX_SQUARES; }
  // The square around a cell, to be written to; one that is all blank is kept once something is.
  own(x, y) {
    const square = this.squares.get(this.key(x, y));
    if (square && square.age === this.age) return square;
    const mine = { age: this.age, cells: square ? square.cells.slice() : this.spare, x: x & ~31, y: y & ~31 };
    if (square) this.squares.set(this.key(x, y), mine);
    return mine;
  }
  // Ends writing to it; `gain` cells have become full.
  leave(square, gain) {
    this.count += gain;
    if (square.cells !== this.spare || !gain) return; // The spare one is blank as long as no cell was filled.
    this.squares.set(this.key(square.x, square.y), square);
    this.spare = new Uint16Array(SIDE * SIDE);
  }
  saved() { this.age++; return { squares: new Map(this.squares), count: this.count }; }
  restore(saved, age) { this.squares = new Map(saved.squares); this.count = saved.count; this.age = age; }
  *full() {
    for (const square of this.squares.values())
      for (let at = 0; at < SIDE * SIDE; at++)
        if (square.cells[at]) yield [square.x + (at & 31), square.y + (at >> 5), square.cells[at]];
  }
}

export function widen(box, x, y) {
  if (x < box.left) box.left = x; else if (x > box.right) box.right = x;
  if (y < box.top) box.top = y; else if (y > box.bottom) box.bottom = y;
}

export class Machine {
  constructor(table, world) {
    this.table = table;
    this.plane = new Plane();
    for (const [x, y, symbol] of world.cells) this.plane.set(x, y, symbol);
    [this.x, this.y] = world.start;
    this.state = 0;
    this.steps = 0;
    this.outcome = Outcome.RUNNING;
  }
  // Whether the page has no room for more of the world.
  get spent() { return this.plane.isFull || Math.abs(this.x) > EDGE || Math.abs(this.y) > EDGE; }
  get symbol() { return this.plane.get(this.x, this.y); }
  get rule() { return this.table.rule(this.state, this.symbol); }
  // Steps, until `most` are done, `limit` is reached or there is none; the idle step is the last. Widens `box` by the
  // way.
  run(most, limit, box = NOWHERE) {
    const { plane, table: { steps, symbols: { length: wide } } } = this;
    let left = Math.min(most, limit - this.steps, Number.MAX_SAFE_INTEGER), row = this.state * wide, { x, y } = this;
    if (this.outcome !== Outcome.RUNNING) return;
    while (left > 0 && !plane.isFull && Math.abs(x) <= EDGE && Math.abs(y) <= EDGE) {
      const square = plane.own(x, y), { cells } = square, before = left;
      let gain = 0, h = x - square.x, v = y - square.y, west = h, east = h, north = v, south = v;
      do {
        const place = (v << 5) | h, pair = (row + cells[place]) << 3, next = steps[pair];
        if (next < 0) { this.outcome = Outcome.STUCK; break; }
        cells[place] = steps[pair + 1];
        h += steps[pair + 2];
        v += steps[pair + 3];
        gain += steps[pair + 4];
        row = next;
        left--;
        if (h < west) west = h; else if (h > east) east = h;
        if (v < north) north = v; else if (v > south) south = v;
        if (steps[pair + 5]) { this.outcome = Outcome.HALTED; break; }
      } while (left > 0 && ((h | v) & ~31) === 0);
      plane.leave(square, gain);
      x = square.x + h;
      y = square.y + v;
      this.steps += before - left;
      widen(box, square.x + west, square.y + north);
      widen(box, square.x + east, square.y + south);
      if (this.outcome !== Outcome.RUNNING) break;
    }
    Object.assign(this, { x, y, state: row / wide });
    if (this.outcome === Outcome.RUNNING && (this.steps >= limit || this.spent)) this.outcome = Outcome.BUDGET;
  }
  step(limit) { this.run(1, limit); }
  // The bounding box of what is left, rows joined by newlines.
  result(largest = 4000000) {
    let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
    for (const [x, y] of this.plane.full()) {
      left = Math.min(left, x); right = Math.max(right, x);
      top = Math.min(top, y); bottom = Math.max(bottom, y);
    }
    if (left > right) return "";
    if ((right - left + 1) * (bottom - top + 1) > largest) return null;
    const rows = [];
    for (let y = top; y <= bottom; y++) {
      let row = "";
      for (let x = left; x <= right; x++) row += this.table.symbols[this.plane.get(x, y)];
      rows.push(row);
    }
    return rows.join("\n");
  }
}
