// What is typed is checked at once. The picture is drawn again only if it is another one, and nothing newer was typed.

import { $ } from "../../drawing/web/dom.js";
import { Stopped } from "./language.js";

const PAUSE = 100; // milliseconds without typing until the source is checked
const CALM = 300; // and until it is drawn, which takes longer

export class Checking {
  // `now` is what is on screen; `show(page, source, given)` shows another picture, `problems(diagnostics)` what is wrong.
  // `agent()` is the source with the files that it needs, `edits()` counts the changes of these.
  constructor(now, { language, replay, agent, edits, problems, show, toast, busy }) {
    Object.assign(this, { now, language, replay, agent, edits, problems, show, toast, busy });
    this.pending = 0;
    this.typedAt = -Infinity;
  }
  typed() {
    this.typedAt = performance.now();
    clearTimeout(this.pending);
    this.pending = setTimeout(() => this.check(), PAUSE);
  }
  async check() {
    clearTimeout(this.pending);
    const { now, language } = this, { source, name, given, comparing } = now, asked = { ...this.agent(), given }, edits = this.edits();
    const isOld = () => source !== now.source || name !== now.name || edits !== this.edits();
    const before = comparing || now.checked === null ? null : { source: now.checked, files: now.files };
    try {
      const reply = await language.ask("check", { ...asked, shown: before }, ["check", "draw"]);
      if (isOld()) return;
      this.problems(reply.diagnostics ?? []);
      if (reply.failure) this.toast(reply.failure);
      this.tell(reply);
      if (reply.unchanged && !now.comparing) this.keep(reply.unchanged, asked);
      else if (reply.drawn && !now.comparing) await this.draw(asked, isOld);
    } catch (error) {
      if (error.message === "overtaken" || isOld()) return;
      this.replay.stale(true);
      this.toast(error instanceof Stopped ? `Checking this was given up: ${error.message}.` : `This went wrong: ${error.message}`);
    }
    if (!isOld()) Object.assign(now, { judged: source, edits });
    this.busy();
  }
  // A picture that is not that of the text looks so; where there is none, it is said why.
  tell({ drawn, library }) {
    const why = library ? "A library has no graph of its own: agents use its states." : "The graph comes once the source has no errors.";
    this.replay.stale(!drawn);
    $("blank").textContent = drawn ? "" : why;
    if (library) { this.replay.blank(); this.now.checked = null; }
  }
  keep(fresh, { source, files }) {
    if (this.now.checked !== source || this.now.edits !== this.edits()) this.replay.update(fresh);
    Object.assign(this.now, { checked: source, files, edits: this.edits() });
  }
  async draw(asked, isOld) {
    await new Promise((go) => setTimeout(go, Math.max(0, this.typedAt + CALM - performance.now())));
    if (isOld()) return;
    const reply = await this.language.ask("draw", { ...asked, fold: this.now.fold }, ["draw"]);
    if (isOld() || this.now.comparing) return;
    if (reply.page) this.show(reply.page, asked.source, asked.given);
    else this.toast(reply.failure ?? reply.diagnostics[0].message);
  }
}
