// What is typed is checked at once. The picture is drawn again only if it is another one, and nothing newer was typed.

import { $ } from "../../drawing/web/dom.js";
import { Stopped } from "./language.js";

const PAUSE = 100; // milliseconds without typing until the source is checked
const CALM = 300; // and until it is drawn, which takes longer

export class Checking {
  // `now` is what is on screen; `show(page, source, given)` shows another picture, `problems(diagnostics)` what is wrong.
  constructor(now, { language, replay, problems, show, toast, busy }) {
    Object.assign(this, { now, language, replay, problems, show, toast, busy });
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
    const { now, language } = this, { source, name, given } = now, asked = { source, name: `${name}.grid`, given };
    const isOld = () => source !== now.source || name !== now.name;
    try {
      const reply = await language.ask("check", { ...asked, shown: now.comparing ? null : now.checked }, ["check", "draw"]);
      if (isOld()) return;
      this.problems(placed(source, reply.diagnostics ?? []));
      if (reply.failure) this.toast(reply.failure);
      this.tell(reply);
      if (reply.unchanged && !now.comparing) this.keep(reply.unchanged, source);
      else if (reply.drawn && !now.comparing) await this.draw(asked, isOld);
    } catch (error) {
      if (error.message === "overtaken" || isOld()) return;
      this.replay.stale(true);
      this.toast(error instanceof Stopped ? `Checking this was given up: ${error.message}.` : `This went wrong: ${error.message}`);
    }
    if (!isOld()) now.judged = source;
    this.busy();
  }
  // A picture that is not that of the text looks so; where there is none, it is said why.
  tell({ drawn, library }) {
    const why = library ? "A library has no graph of its own: agents use its states." : "The graph comes once the source has no errors.";
    this.replay.stale(!drawn);
    $("blank").textContent = drawn ? "" : why;
    if (library) { this.replay.blank(); this.now.checked = null; }
  }
  keep(fresh, source) {
    if (this.now.checked !== source) this.replay.update(fresh);
    this.now.checked = source;
  }
  async draw(asked, isOld) {
    await new Promise((go) => setTimeout(go, Math.max(0, this.typedAt + CALM - performance.now())));
    if (isOld()) return;
    const reply = await this.language.ask("draw", { ...asked, fold: this.now.fold }, ["draw"]);
    if (isOld() || this.now.comparing) return;
    if (reply.page) this.show(reply.page, asked.source, asked.given);
    else this.toast(reply.failure ?? reply.diagnostics[0].message);
  }
  // Another view of the graph, which the frame shows for the first time.
  async view({ folded, unfolded }) {
    const wanted = { folded: Boolean(folded), unfolded: unfolded.map(String) }, asked = { source: this.now.checked, name: `${this.now.name}.grid` };
    const reply = await this.language.ask("view", { ...asked, ...wanted }).catch((error) => ({ failure: error.message }));
    if (reply.view) this.replay.ask({ kind: "view", ...wanted, ...reply });
    else this.toast(reply.failure ?? reply.diagnostics[0].message);
  }
}

// Python counts characters; the editor counts units of UTF-16.
function placed(source, diagnostics) {
  const wide = /[\ud800-\udfff]/.test(source), characters = wide ? Array.from(source) : null;
  const place = (offset) => (offset === null ? null : wide ? characters.slice(0, offset).join("").length : offset);
  return diagnostics.map((each) => ({
    ...each,
    from: place(each.start),
    to: place(each.end),
    fixes: each.fixes.map(({ title, edits }) => ({ title, edits: edits.map(({ start, end, text }) => ({ start: place(start), end: place(end), text })) })),
  }));
}
