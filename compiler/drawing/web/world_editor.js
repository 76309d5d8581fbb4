// Drawing on the grid: a pen for each symbol and one for the start cell, by pointer and by keys.

import { fill, make } from "./dom.js";

const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const START = -1; // the pen that moves the start cell
let editors = 0; // so that the radio buttons of two do not mix

export class WorldEditor {
  // The root gets the pens; `changed(world)` is told of each stroke.
  constructor(root, grid, changed) {
    Object.assign(this, { root, grid, changed, pen: 1, open: false });
    this.group = `pens-${++editors}`;
    root.hidden = true;
    root.setAttribute("role", "radiogroup");
    root.setAttribute("aria-label", "what to draw");
    grid.canvas.addEventListener("keydown", (event) => { if (this.open) this.key(event); });
    for (const kind of ["focus", "blur"]) grid.canvas.addEventListener(kind, () => grid.draw());
  }
  begin(table, { cells, start }) {
    this.table = table;
    this.cells = new Map(cells.map((cell) => [`${cell[0]},${cell[1]}`, cell]));
    this.start = [...start];
    this.pen = Math.min(this.pen, table.symbols.length - 1);
    this.open = true;
    this.root.hidden = false;
    const pens = table.symbols.map((symbol, number) => this.choice(symbol, number));
    fill(this.root, this.choice("start cell", START), ...pens);
    this.grid.canvas.setAttribute("role", "application");
    this.grid.draws((x, y, first) => this.stroke(x, y, first));
  }
  end() {
    this.open = false;
    this.root.hidden = true;
    this.grid.canvas.setAttribute("role", "img");
    this.grid.draws(null);
  }
  choice(text, pen) {
    const onchange = () => { this.pen = pen; };
    const input = make("input", { type: "radio", name: this.group, checked: pen === this.pen, onchange });
    const title = pen === START ? "where the head begins" : pen ? `write ${text}` : "erase";
    const label = make("label", { className: pen === START ? "" : "code", title }, input, text);
    input.dataset.pen = pen;
    return label;
  }
  at(x, y) { return this.cells.get(`${x},${y}`)?.[2] || 0; }
  // The first cell of a stroke says whether it draws or, where its symbol is there already, erases.
  stroke(x, y, first) {
    if (first) this.ink = this.at(x, y) === this.pen ? 0 : this.pen;
    this.grid.cursor = [x, y];
    if (this.pen === START) this.begins(x, y); else this.set(x, y, this.ink);
  }
  begins(x, y) {
    this.start = [x, y];
    this.tell();
  }
  set(x, y, symbol) {
    if (this.at(x, y) === symbol) return this.grid.draw();
    if (symbol) this.cells.set(`${x},${y}`, [x, y, symbol]); else this.cells.delete(`${x},${y}`);
    this.tell();
  }
  tell() { this.changed({ cells: [...this.cells.values()], start: [...this.start] }); }
  // Arrows move the cursor, a symbol is typed where it stands, Enter and space use the pen.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey && MOVES[event.key]) return;
    const [x, y] = this.grid.cursor, symbol = this.table.symbols.indexOf(event.key);
    if (MOVES[event.key]) this.grid.moveCursor(...MOVES[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.stroke(x, y, true);
    else if (event.key === "Delete") this.set(x, y, 0);
    else if (event.key === "Backspace") { this.grid.moveCursor(-1, 0); this.set(x - 1, y, 0); }
    else if (symbol >= 0) { this.set(x, y, symbol); this.grid.moveCursor(1, 0); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
