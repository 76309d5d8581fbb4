// What is typed is checked at once, and drawn if nothing newer was typed.

import { $ } from "../../drawing/web/dom.js";
import { Stopped } from "./language.js";

const PAUSE = 100; // milliseconds without typing until the source is checked
const CALM = 300; // and until it is drawn, which takes longer

export class Checking {
  // `now` is what is on screen; `show(page, source, given)` shows what it looks like, `problems(diagnostics)` what is wrong.
  // `agent()` is the source with the files that it needs, `edits()` counts the changes of these.
  constructor(now, { language, stage, agent, edits, problems, show, toast, busy }) {
    Object.assign(this, { now, language, stage, agent, edits, problems, show, toast, busy });
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
    const { now } = this, { source, name } = now, asked = this.agent(), edits = this.edits();
    const isOld = () => source !== now.source || name !== now.name || edits !== this.edits();
    try {
      const reply = await this.language.ask("check", asked, ["check", "draw"]);
      if (isOld()) return;
      this.problems(reply.diagnostics ?? []);
      if (reply.failure) this.toast(reply.failure);
      this.tell(reply);
      if (reply.drawn && !now.comparing && (now.checked !== source || now.edits !== edits)) await this.draw(asked, isOld);
    } catch (error) {
      if (error.message === "overtaken" || isOld()) return;
      this.stage.stale(true);
      this.toast(error instanceof Stopped ? `Checking this was given up: ${error.message}.` : `This went wrong: ${error.message}`);
    }
    if (!isOld()) Object.assign(now, { judged: source, edits });
    this.busy();
  }
  // A picture that is not that of the text looks so; where there is none, it is said why.
  tell({ drawn, library }) {
    const why = library ? "A library has no graph of its own: agents use its states." : "The graph comes once the source has no errors.";
    this.stage.stale(!drawn);
    $("blank").textContent = drawn ? "" : why;
    if (library) { this.stage.blank(); this.now.checked = null; }
  }
  async draw(asked, isOld) {
    await new Promise((go) => setTimeout(go, Math.max(0, this.typedAt + CALM - performance.now())));
    if (isOld()) return;
    const { given } = this.now, reply = await this.language.ask("draw", asked, ["draw"]);
    if (isOld() || this.now.comparing) return;
    if (reply.page) this.show(reply.page, asked.source, given);
    else this.toast(reply.failure ?? reply.diagnostics[0].message);
  }
}
