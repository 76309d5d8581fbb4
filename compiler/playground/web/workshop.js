// A second Python, for what may take long: it starts when it is first asked, tells what it finds meanwhile, and can be stopped.

import { button, make } from "../../drawing/web/dom.js";
import { judging } from "./verdicts.js";
import { Language, Stopped } from "./language.js";

const KINDS = ["prove", "learn"];
const OFTEN = 200; // milliseconds between two words of progress, and of the clock

export class Workshop {
  constructor(address) { Object.assign(this, { address, language: null }); }
  // A question that is still worked on is ended first.
  ask(kind, question, tell) {
    this.stop("another question came");
    this.language ??= new Language(this.address, { seconds: {}, changed: (state, why) => { if (state === "failed") this.language.drop(KINDS, why); } });
    return this.language.ask(kind, question, [], tell);
  }
  stop(reason) {
    this.language?.drop(KINDS, reason);
    this.language?.stop(reason);
  }
}

// Where a kind of question is asked: a button that starts it, one that stops it, what is told on the way, how far it is, and the answer.
export class Bench {
  constructor(workshop, kind, title, start, told) {
    Object.assign(this, { workshop, kind });
    this.told = make("div", { id: told });
    this.working = make("p", { className: "dim" });
    this.summary = make("div", { role: "status" });
    this.start = button(title, start, { className: "chief", id: `run-${kind}` });
    this.stop = button("Stop", () => workshop.stop("you stopped it"), { id: `stop-${kind}`, hidden: true });
  }
  // How far it is, with a clock.
  tell(text) { this.doing = text; }
  show(busy) {
    const since = performance.now(), clock = () => { this.working.textContent = `${this.doing} ${Math.round((performance.now() - since) / 1000)} s`; };
    this.stop.hidden = !busy;
    this.start.disabled = busy;
    clearInterval(this.ticking);
    if (busy) { clock(); this.ticking = setInterval(clock, OFTEN); } else this.working.textContent = "";
  }
  // Null where it was stopped, or went wrong.
  async ask(question, about, tell) {
    const held = document.activeElement, failed = (why) => this.summary.replaceChildren(make("p", { className: "bad" }, why));
    [this.told, this.summary].forEach(judging);
    this.summary.replaceChildren();
    this.doing = about;
    this.show(true);
    try {
      const reply = await this.workshop.ask(this.kind, question, tell);
      const [problem] = reply.diagnostics ?? [];
      if (!reply.failure && !problem) return reply;
      failed(reply.failure ?? `${problem.message}.${problem.hint ? ` Hint: ${problem.hint}.` : ""}`);
    } catch (error) {
      failed(error instanceof Stopped ? `Not decided: ${error.message}.` : `This went wrong: ${error.message}`);
    } finally {
      this.show(false);
      const { activeElement: now, body } = document;
      if (now === body || now.hidden) held.focus(); // The button that had the keyboard was disabled or is hidden now.
    }
    return null;
  }
}
