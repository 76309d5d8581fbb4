// The page beside the editor: of what is typed, or of a comparison.

import { Page } from "../../drawing/web/page.js";

const OFTEN = 30; // milliseconds between two words of where the run is

export class Stage {
  // `shown({ line, file })` hears where the run is, `goTo` the same of a line that is pressed.
  constructor({ shown, goTo, theme }) {
    Object.assign(this, { shown, started: false });
    this.page = new Page(theme);
    this.page.home = "details"; // the source stands in the editor
    this.page.goTo = (line) => goTo(this.placed(line));
    this.page.steps = (line) => this.moved(line);
  }
  get replay() { return this.page.replay; }
  get given() { return this.started ? this.replay.given : null; }
  get step() { return this.started ? this.replay.step : 0; }
  get total() { return this.replay.run.total; }
  // A line of the page, which has all files one below the other, as a line of its file.
  placed(line) {
    const [file, above] = this.page.source.fileOf(line) ?? ["", 0];
    return { line: line - above, name: file.replace(/\.grid$/, "") };
  }
  show(data, options = {}) {
    this.page.load(data, options);
    this.started = true;
    document.querySelector("#stage").classList.remove("blank");
  }
  moved(line) {
    this.line = line;
    this.later ??= setTimeout(() => { this.later = null; this.shown(this.placed(this.line)); }, OFTEN);
  }
  watch(given) {
    this.replay.type(given);
    this.replay.play(true);
  }
  // Another document has no picture yet.
  blank() { document.querySelector("#stage").classList.add("blank"); this.replay.playing = false; }
  stale(old) { document.querySelector("#stage").classList.toggle("stale", old); }
}
