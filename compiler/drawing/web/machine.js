// A table on a world, one step at a time: what compiler/simulation/simulate.py defines, in the page.

const DX = [0, 0, -1, 1, 0], DY = [-1, 1, 0, 0, 0], STAY = 4;
export const SIDE = 32;
const MIDDLE = 1 << 20, MAX_CELLS = 5000000;

export class Table {
  // `rules` holds six numbers a rule: state, symbol, write, move, next, line of the source.
  constructor(data) {
    this.name = data.name;
    this.states = data.states;
    this.symbols = data.symbols;
    this.rules = Int32Array.from(data.rules);
    this.index = new Int32Array(data.states.length * data.symbols.length).fill(-1);
    for (let r = 0; r < this.rules.length / 6; r++)
      this.index[this.rules[6 * r] * data.symbols.length + this.rules[6 * r + 1]] = r;
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
  constructor() { this.squares = new Map(); this.age = 0; this.count = 0; }
  key(x, y) { return ((x >> 5) + MIDDLE) * 2 * MIDDLE + (y >> 5) + MIDDLE; }
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
  saved() { this.age++; return { squares: new Map(this.squares), count: this.count }; }
  restore(saved, age) { this.squares = new Map(saved.squares); this.count = saved.count; this.age = age; }
  *full() {
    for (const square of this.squares.values())
      for (let at = 0; at < SIDE * SIDE; at++)
        if (square.cells[at]) yield [square.x + (at & 31), square.y + (at >> 5), square.cells[at]];
  }
}

export class Machine {
  constructor(table, world) {
    this.table = table;
    this.plane = new Plane();
    for (const [x, y, symbol] of world.cells) this.plane.set(x, y, symbol);
    [this.x, this.y] = world.start;
    this.state = 0;
    this.steps = 0;
    this.outcome = "";
  }
  get symbol() { return this.plane.get(this.x, this.y); }
  get rule() { return this.table.rule(this.state, this.symbol); }
  // One step, or the reason why there is none; the idle step is the last.
  step(limit) {
    if (this.outcome) return false;
    if (this.steps >= limit || this.plane.count > MAX_CELLS) { this.outcome = "budget"; return false; }
    const symbol = this.symbol, rule = this.table.rule(this.state, symbol);
    if (rule < 0) { this.outcome = "stuck"; return false; }
    const rules = this.table.rules, write = rules[6 * rule + 2], move = rules[6 * rule + 3];
    this.plane.set(this.x, this.y, write);
    this.x += DX[move];
    this.y += DY[move];
    this.state = rules[6 * rule + 4];
    this.steps++;
    if (write === symbol && move === STAY) this.outcome = "halted";
    return true;
  }
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
