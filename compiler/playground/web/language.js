// Questions to the language: one at a time, most with a time limit. A worker that does not answer is ended, and another starts.

const SECONDS = { check: 20, draw: 20, layout: 10, explain: 10, exercise: 20, test: 40, equiv: 60, hover: 10, complete: 5, definition: 5, rename: 10 };
const SPENT = 1000; // milliseconds after which a question that is of no use any more is ended: starting Python takes longer
export const FIRST_DRAWING = 500; // Milliseconds: the first example is drawn before Python takes the cores.

export class Stopped extends Error {}

export class Language {
  // `changed(state)` hears whether Python is "starting", "ready", "busy", or "failed".
  constructor(address, { changed = () => {}, seconds = SECONDS, delay = 0 } = {}) {
    Object.assign(this, { address, changed, seconds });
    this.waiting = [];
    this.asked = null;
    this.number = 0;
    this.changed("starting");
    setTimeout(() => this.begin(), delay);
  }
  begin() {
    this.ready = false;
    this.changed("starting");
    this.worker = new Worker(this.address, { type: "module" });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = () => this.heard({ failed: "the worker could not be started" });
  }
  // It takes the place of questions of some kinds that still wait. `tell(told)` hears what is found on the way.
  ask(kind, question, overtakes = [], tell = () => {}) {
    this.drop(overtakes, "overtaken");
    return new Promise((resolve, reject) => {
      this.waiting.push({ question: { kind, ...question }, resolve, reject, tell });
      this.next();
    });
  }
  drop(kinds, reason) {
    const dropped = this.waiting.filter((each) => kinds.includes(each.question.kind));
    this.waiting = this.waiting.filter((each) => !dropped.includes(each));
    for (const each of dropped) each.reject(new Stopped(reason));
  }
  // Questions whose answers nobody wants any more.
  abandon(kinds, reason) {
    this.drop(kinds, reason);
    if (this.asked && kinds.includes(this.asked.question.kind) && performance.now() - this.asked.since > SPENT) this.stop(reason);
  }
  next() {
    if (!this.ready || this.asked || !this.waiting.length) return;
    this.asked = this.waiting.shift();
    this.asked.id = ++this.number;
    this.asked.since = performance.now();
    const seconds = this.seconds[this.asked.question.kind];
    if (seconds) this.asked.timer = setTimeout(() => this.stop(`it took longer than ${seconds} seconds, and was stopped`), 1000 * seconds);
    this.changed("busy", this.asked.question.kind);
    this.worker.postMessage({ id: this.asked.id, question: this.asked.question });
  }
  heard({ ready, id, told, answer, failed }) {
    if (told !== undefined) {
      if (this.asked?.id === id) this.asked.tell(JSON.parse(told));
    } else if (ready) {
      this.ready = true;
      this.changed("ready");
    } else if (id === undefined) {
      this.changed("failed", failed);
    } else if (this.asked?.id === id) {
      const asked = this.asked;
      clearTimeout(asked.timer);
      this.asked = null;
      this.changed("ready");
      if (failed) asked.reject(new Error(failed)); else asked.resolve(JSON.parse(answer));
    }
    this.next();
  }
  // Ends what is being computed.
  stop(reason) {
    if (!this.asked) return;
    const asked = this.asked;
    clearTimeout(asked.timer);
    this.asked = null;
    this.worker.terminate();
    this.begin();
    asked.reject(new Stopped(reason));
  }
}
