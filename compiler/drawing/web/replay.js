// A replay: an input, the grid, and the steps of a run forwards and back; beside it another agent's run on the same
// world.

import { button, count, fill, make } from "./dom.js";
import { Grid } from "./grid.js";
import { readInput, writeInput } from "./inputs.js";
import { Machine } from "./machine.js";
import { Outcome } from "./outcomes.js";
import { Run } from "./run.js";
import { WorldEditor } from "./world_editor.js";

export const MOVE = "UDLRS";
const WORDS = { [Outcome.HALTED]: "halted", [Outcome.STUCK]: "stuck", [Outcome.BUDGET]: "still running" };
const FIRST = 1000000; // steps until the reader asks for more
const LONGEST_TEXT = 100000; // characters of a world that are kept and shared
const SLICE = 25; // milliseconds of computing, between which the page answers

export class Replay {
  // The root gets everything. `place(line)` names a line of the source; `changed(view, rule)` is told where the run is.
  constructor(root, { place = (line) => `line ${line}`, changed = () => {} } = {}) {
    Object.assign(this, { root, place, changed, limit: FIRST });
    Object.assign(this, { run: null, second: null, differs: -1, told: "", playing: false, endless: false });
    Object.assign(this, { owed: 0, before: 0, wanted: 0 });
    this.given = null; // what the reader typed or drew; null while the agent's own first world is shown
    this.draft = false; // whether the field holds what was typed and not run
    root.classList.add("replay");
    this.build();
    this.grid = new Grid(this.part.world, "the grid");
    this.otherGrid = new Grid(this.part.otherworld, "the other's grid");
    this.editor = new WorldEditor(this.part.pens, this.grid, (world) => this.drawn(world));
    this.showRate();
  }
  // The agent that is run, the clause that inputs are checked by, and the agent to compare it with.
  load(table, { language, label, limit, against }, other) {
    Object.assign(this, { table, language, label, limit, other, otherLabel: against?.label ?? "" });
    this.part.mine.textContent = other ? label : "";
    this.part.theirs.textContent = this.otherLabel;
    this.part.beside.hidden = !other;
  }
  // Runs the agent's own world, or what was `given`, and looks at a step once it is computed.
  begin(own, { given = null, step = 0 } = {}) {
    this.given = given;
    const world = this.worldGiven(own);
    this.write(this.given ?? own.text);
    if (this.editor.open) this.draw(false);
    this.start(world, step);
  }
  // Runs another version of the agent up to the same step; what is typed, drawn and played goes on.
  again(own) {
    const { step, playing, editor } = this, world = this.worldGiven(own);
    if (!this.draft) this.write(this.given ?? own.text);
    this.start(world, step);
    if (editor.open) editor.begin(this.table, world);
    if (playing) this.play(true);
  }
  // What was typed or drawn, even where the input clause forbids it; the agent's own world where a symbol is no
  // longer in the alphabet.
  worldGiven(own) {
    if (this.given === null) return own;
    try { return readInput(this.given, this.table, null); } catch { this.given = null; return own; }
  }
  // Puts a text into the field.
  write(text) {
    this.part.input.value = text;
    this.part.complaint.textContent = "";
    this.draft = false;
    this.grow();
  }
  // Runs a text as if it was typed.
  type(text) { this.write(text); this.submit(); }
  start(world, step = 0) {
    this.run = new Run(this.table, world, this.limit);
    this.second = this.other ? new Run(this.other, this.translated(world), this.limit) : null;
    this.differs = -1;
    this.wanted = step;
    this.playing = this.endless = false;
    this.compute();
  }
  get text() { return this.part.input.value; }
  get step() { return this.run.view.steps; }
  get atEnd() { return this.run.done && this.step >= this.run.total; }

  compute() {
    const mine = this.run, more = mine.compute(SLICE), theirs = this.second && this.second.compute(SLICE);
    clearTimeout(this.later);
    if (this.endless && (more || theirs)) this.counted();
    else if (this.wanted && (mine.total >= this.wanted || !more)) {
      this.look(this.wanted);
      this.wanted = 0;
    } else this.refresh();
    if (more || theirs) this.later = setTimeout(() => { if (mine === this.run) this.compute(); }, 0);
    else this.computed();
  }
  computed() {
    if (this.second) this.differs = this.firstDifference();
    if (this.endless) { this.endless = false; return this.look(this.run.total); }
    if (this.differs >= 0 && this.step === 0 && !this.editor.open) this.look(this.differs); else this.refresh();
  }
  // The first step at which this agent does not do what the other does, until that one halts or is stuck.
  firstDifference() {
    const { table, other, run } = this;
    const mine = new Machine(table, run.world), theirs = new Machine(other, this.translated(run.world));
    for (let step = 0; step < this.limit; step++) {
      const r = mine.rule, s = theirs.rule;
      if (s < 0) return -1;
      if (r < 0 || !this.sameAct(table.of(r), other.of(s))) {
        this.told = `${this.label} ${act(mine)}, ${this.otherLabel} ${act(theirs)}`;
        return step;
      }
      if (other.isHalt(s)) return -1;
      mine.step(this.limit);
      theirs.step(this.limit);
    }
    return -1;
  }
  // The same world with the other's numbers for the symbols.
  translated({ start, cells }) {
    const number = (symbol) => this.other.symbols.indexOf(this.table.symbols[symbol]);
    return { start, cells: cells.map(([x, y, symbol]) => [x, y, number(symbol)]) };
  }
  sameAct(mine, theirs) {
    return this.table.symbols[mine.write] === this.other.symbols[theirs.write] && mine.move === theirs.move;
  }

  // Shows a step; this ends drawing.
  seek(step) {
    if (this.editor.open) this.draw(false);
    if (this.endless) this.toTheEnd();
    this.look(step);
  }
  look(step) {
    this.run.seek(step);
    if (this.second) this.second.seek(Math.min(step, this.second.total));
    this.refresh();
  }
  stepBy(steps) { this.playing = false; this.seek(this.step + steps); }
  play(on) {
    if (on && this.atEnd) this.seek(0);
    this.playing = on;
    this.owed = 1;
    this.before = performance.now();
    if (on) requestAnimationFrame((time) => this.tick(time));
    this.refresh();
  }
  tick(time) {
    if (!this.playing) return;
    this.owed += Math.min(0.2, Math.max(0, time - this.before) / 1000) * this.rate;
    this.before = time;
    const steps = Math.floor(this.owed);
    if (steps) { this.owed -= steps; this.seek(this.step + steps); }
    if (this.atEnd) { this.playing = false; this.refresh(); return; }
    requestAnimationFrame((next) => this.tick(next));
  }
  get rate() { return Math.round(10 ** (this.part.speed.value / 10)); }
  faster(by) { this.speed(Number(this.part.speed.value) + by); }
  speed(value) { this.part.speed.value = value; this.showRate(); }
  showRate() {
    this.part.rate.textContent = `${count(this.rate)} / s`;
    this.part.speed.setAttribute("aria-valuetext", `${count(this.rate)} steps a second`);
  }
  // Runs on until it halts, is stuck, or the reader stops it; meanwhile only the steps are shown.
  toTheEnd() {
    if (this.endless) { this.run.stop(); this.second?.stop(); return this.compute(); }
    if (this.editor.open) this.draw(false);
    this.playing = false;
    this.endless = true;
    this.run.goOn();
    this.second?.goOn();
    this.compute();
  }
  counted() {
    this.part.total.textContent = `of ${count(this.run.total)} …`;
    this.part.more.hidden = false;
    this.part.more.textContent = `stop · ${count(this.run.total)} steps`;
  }

  submit() {
    const text = this.tidied();
    this.draft = true;
    try {
      const world = readInput(text, this.table, this.language);
      if (this.editor.open) this.draw(false);
      this.write(text);
      this.keep();
      this.start(world);
    } catch (error) { this.part.complaint.textContent = error.message; }
  }
  // What was typed without the blanks around it, unless they are symbols.
  tidied() { return this.text.includes("\n") || this.table.symbols.includes(" ") ? this.text : this.text.trim(); }
  // A world that is too long to be kept is still run.
  keep() { this.given = this.text.length <= LONGEST_TEXT ? this.text : null; }
  grow() { this.part.input.rows = Math.min(6, this.text.split("\n").length); }
  // Opens or closes the pens, which draw on the world as it is at the start.
  draw(on) {
    this.part.draw.setAttribute("aria-pressed", on);
    this.part.warning.textContent = "";
    if (!on) { this.grow(); return this.editor.end(); }
    this.playing = false;
    this.part.complaint.textContent = "";
    this.look(0);
    this.editor.begin(this.table, this.run.world);
  }
  // What is drawn is also typed; an input that the clause forbids still runs, with a warning.
  // Nothing above the grid may change its height meanwhile: the grid would move away under the pen.
  drawn(world) {
    this.part.input.value = writeInput(world, this.table);
    this.part.warning.textContent = "";
    try {
      readInput(this.text, this.table, this.language);
    } catch (error) {
      this.part.warning.textContent = error.message;
    }
    this.draft = false;
    this.keep();
    this.start(world);
  }

  refresh() {
    const { run, part, table } = this, view = run.view, rule = view.rule;
    this.grid.show(run); // Measured first: measuring after a change is slow.
    if (this.second) this.otherGrid.show(this.second);
    part.slider.max = run.total;
    part.slider.value = view.steps;
    if (document.activeElement !== part.step) part.step.value = view.steps;
    part.total.textContent = `of ${count(run.total)}${run.done ? (run.outcome === Outcome.BUDGET ? "+" : "") : " …"}`;
    part.now.setAttribute("aria-live", this.playing ? "off" : "polite");
    part.state.textContent = table.states[view.state];
    part.rule.textContent = this.ruleText(view, rule);
    const line = view.outcome !== Outcome.HALTED && rule >= 0 ? this.table.of(rule).line : 0;
    part.where.textContent = line ? this.place(line) : "";
    part.play.textContent = this.playing ? "⏸" : "▶";
    part.play.setAttribute("aria-label", this.playing ? "pause" : "play");
    this.tellEnd();
    this.changed(view, rule);
  }
  ruleText(view, rule) {
    const { symbols, states } = this.table;
    if (view.outcome === Outcome.HALTED) return "halted here";
    if (rule < 0) return `no rule for ${symbols[view.symbol]}`;
    const { symbol, write, move, next } = this.table.of(rule);
    if (this.table.isHalt(rule)) return `${symbols[symbol]} / halt`;
    return `${symbols[symbol]} / ${write === symbol ? "keep" : symbols[write]}, ${MOVE[move]} → ${states[next]}`;
  }
  // The outcome, shown at the last step.
  tellEnd() {
    const { run, part, atEnd, differs } = this, parts = [];
    if (atEnd) {
      const why = run.ahead.spent ? ": its world has outgrown this page" : "";
      const ended = make("span", { className: `outcome ${run.outcome}` }, WORDS[run.outcome]);
      parts.push(ended, ` after ${count(run.total)} steps${why}`);
    }
    if (differs >= 0) {
      const where = `differs at step ${count(differs + 1)}`;
      const there = button(where, () => this.seek(differs), { className: "link differs" });
      parts.push(...(atEnd ? [" · "] : []), there, `: ${this.told}`);
    }
    const key = `${run.outcome} ${atEnd} ${run.total} ${differs} ${this.told}`;
    if (key !== this.ended) fill(part.ending, ...parts);
    this.ended = key;
    part.more.hidden = !run.paused;
    part.more.textContent = "run until it halts";
    const text = atEnd ? run.view.result(40000) : null;
    part.result.hidden = text === null;
    part.result.textContent = text === "" ? "(nothing is left)" : text;
  }

  build() {
    const part = (this.part = {});
    const named = (name, tag, properties = {}, ...children) => {
      part[name] = make(tag, { className: name, ...properties }, ...children);
      return part[name];
    };
    const key = (name, text, title, onclick) => {
      const about = { type: "button", title, "aria-label": title.replace(/ \(.*/, ""), onclick };
      return named(name, "button", about, text);
    };
    const seek = (step) => { this.playing = false; this.seek(step); };
    fill(
      this.root,
      make("form", { className: "typed", onsubmit: (event) => { event.preventDefault(); this.submit(); } },
        named("input", "textarea", {
          rows: 1, spellcheck: false, "aria-label": "input", autocapitalize: "off",
          oninput: () => { this.draft = true; this.grow(); }, onkeydown: (event) => this.typed(event),
        }),
        named("go", "button", { title: "run this (Enter)" }, "run"),
        named("draw", "button", {
          type: "button", title: "draw on the grid", "aria-pressed": "false",
          onclick: () => this.draw(!this.editor.open),
        }, "draw")),
      named("complaint", "p", { role: "alert" }),
      named("pens", "div"),
      make("div", { className: "worlds" },
        make("figure", {}, named("mine", "figcaption"), named("world", "div")),
        named("beside", "figure", { hidden: true }, named("theirs", "figcaption"), named("otherworld", "div"))),
      named("warning", "p", { role: "status" }),
      named("now", "div", {}, named("state", "span"), named("rule", "span"), named("where", "span")),
      make("div", { className: "when" },
        named("slider", "input", {
          type: "range", min: 0, value: 0, step: 1, "aria-label": "step",
          oninput: () => seek(Number(part.slider.value)),
        }),
        make("label", { className: "at" }, "step ", named("step", "input", {
          type: "number", min: 0, value: 0,
          onchange: () => seek(Math.floor(Number(part.step.value)) || 0),
          onkeydown: (event) => { if (event.key === "Enter") part.step.blur(); },
        })),
        named("total", "span")),
      make("div", { className: "transport" },
        key("first", "|◂", "to the start (Home)", () => this.stepBy(-Infinity)),
        key("back", "◂", "one step back (←)", () => this.stepBy(-1)),
        key("play", "▶", "play or pause (space)", () => this.play(!this.playing)),
        key("forth", "▸", "one step (→)", () => this.stepBy(1)),
        key("last", "▸|", "to the end (End)", () => this.stepBy(Infinity)),
        make("label", { className: "pace", title: "steps a second (↑ ↓)" },
          named("speed", "input", {
            type: "range", min: 0, max: 60, value: 9, "aria-label": "speed", oninput: () => this.showRate(),
          }), " ", named("rate", "span"))),
      named("ending", "p", { role: "status" }),
      named("result", "pre", { hidden: true, tabIndex: 0, role: "region", "aria-label": "result" }),
      named("more", "button", { type: "button", hidden: true, onclick: () => this.toTheEnd() }, "run until it halts"),
    );
  }
  typed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.submit();
    this.part.input.blur();
  }
}

function act(machine) {
  if (machine.rule < 0) return "is stuck";
  const { symbol, write, move } = machine.table.of(machine.rule);
  if (machine.table.isHalt(machine.rule)) return "halts";
  return `does ${write === symbol ? "keep" : machine.table.symbols[write]}, ${MOVE[move]}`;
}
