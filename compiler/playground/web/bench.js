// Where something is asked of the language that takes a while: a button that starts it, one that stops it, what is
// found on the way, a clock, and the answer.

import { button, fill, make } from "../../drawing/web/dom.js";
import { Stopped } from "./client.js";
import { judging } from "./verdicts.js";

const OFTEN = 200; // milliseconds between two words of progress, and of the clock

export class Bench {
  // `begin()` is what its button does; `id` is part of the names of its buttons, `found` is that of what is found on
  // the way.
  constructor(client, method, { id, title, begin, found }) {
    Object.assign(this, { client, method });
    this.found = make("div", { id: found ?? "" });
    this.working = make("p", { className: "dim" });
    this.summary = make("div", { role: "status" });
    this.start = button(title, begin, { className: "chief", id: `run-${id}` });
    this.stop = button("Stop", () => this.end("you stopped it"), { id: `stop-${id}`, hidden: true });
  }
  get parts() { return this.found.id ? [this.found, this.working, this.summary] : [this.working, this.summary]; }
  end(reason) { this.client.abandon([this.method], reason, 0); }
  tell(text) { this.doing = text; }
  show(busy) {
    const since = performance.now(), seconds = () => Math.round((performance.now() - since) / 1000);
    const clock = () => { this.working.textContent = `${this.doing} ${seconds()} s`; };
    this.stop.hidden = !busy;
    this.start.disabled = busy;
    clearInterval(this.ticking);
    if (busy) { clock(); this.ticking = setInterval(clock, OFTEN); } else this.working.textContent = "";
  }
  // Null where it was stopped, or went wrong.
  async ask(params, about, tell) {
    const held = document.activeElement;
    for (const each of [this.found, this.summary]) { judging(each); fill(each); }
    this.doing = about;
    this.show(true);
    try {
      return await this.client.request(this.method, params, { tell });
    } catch (error) {
      const why = error instanceof Stopped ? `Not decided: ${error.message}.` : error.message;
      fill(this.summary, make("p", { className: "bad" }, why));
    } finally {
      this.show(false);
      const { activeElement: now, body } = document;
      if (now === body || now.hidden) held.focus(); // The button that had the keyboard was disabled or is hidden now.
    }
    return null;
  }
}
