// A second Python, for what may take long: it starts when it is first asked, tells what it finds meanwhile, and can be stopped.

import { Stopped } from "./language.js";

export class Workshop {
  constructor(address) { Object.assign(this, { address, worker: null, asked: null, number: 0 }); }
  // `tell(told)` hears what is found on the way. A question that is still worked on is ended first.
  ask(kind, question, tell = () => {}) {
    this.stop("another question came");
    if (!this.worker) this.begin();
    return new Promise((resolve, reject) => {
      this.asked = { id: ++this.number, tell, resolve, reject };
      this.worker.postMessage({ id: this.number, question: { kind, ...question } });
    });
  }
  begin() {
    this.worker = new Worker(this.address, { type: "module" });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = () => this.heard({ failed: "the worker could not be started" });
  }
  heard({ ready, id, told, answer, failed }) {
    const { asked } = this;
    if (ready || !asked || (id !== undefined && id !== asked.id)) return;
    if (told !== undefined) return asked.tell(JSON.parse(told));
    this.asked = null;
    if (failed) asked.reject(new Error(failed)); else asked.resolve(JSON.parse(answer));
  }
  stop(reason = "stopped") {
    if (!this.asked) return;
    const { asked } = this;
    this.worker.terminate();
    Object.assign(this, { worker: null, asked: null });
    asked.reject(new Stopped(reason));
  }
}

// Runs a question with its Stop button: `show(true)` while it is worked on. Null where it was stopped, or went wrong.
export async function worked(workshop, kind, question, { tell, show, failed }) {
  const held = document.activeElement;
  show(true);
  try {
    const reply = await workshop.ask(kind, question, tell);
    const [problem] = reply.diagnostics ?? [];
    if (!reply.failure && !problem) return reply;
    failed(reply.failure ?? `${problem.message}.${problem.hint ? ` Hint: ${problem.hint}.` : ""}`);
  } catch (error) {
    failed(error instanceof Stopped ? `Not decided: ${error.message}.` : `This went wrong: ${error.message}`);
  } finally {
    show(false);
    const { activeElement: now, body } = document;
    if (now === body || now.hidden) held.focus(); // The button that had the keyboard was disabled or is hidden now.
  }
  return null;
}
