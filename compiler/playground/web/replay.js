// The replay beside the editor, in a frame that may run its own script and nothing else. A new one is shown once it is drawn.

const PATIENCE = 500; // milliseconds in which a frame says how it is left; one that computes may need 25

export class Replay {
  // `heard(message)` gets what the frame says of itself; `moved()` is called when a frame begins to be replaced, and when it is.
  constructor(host, heard, moved) {
    Object.assign(this, { host, heard, moved });
    this.shown = null;
    this.next = null;
    this.leaving = null;
    this.kept = { step: 0, rate: null, theme: null, given: null };
    window.addEventListener("message", (event) => this.message(event));
  }
  // A page of the same document continues where the one before it was left.
  show(html, { same = false, given = null, step = 0 } = {}) {
    this.next?.frame.remove();
    const frame = document.createElement("iframe");
    frame.title = "state graph and replay";
    frame.setAttribute("sandbox", "allow-scripts allow-forms");
    frame.className = "coming";
    frame.srcdoc = html;
    this.next = { frame, same, ready: false, fresh: null };
    if (!same) Object.assign(this.kept, { step, given });
    this.host.append(frame);
    this.moved();
  }
  // The same picture, with what else is new of it.
  update(fresh) {
    if (this.next) this.next.fresh = fresh; else this.ask({ kind: "update", fresh });
  }
  message(event) {
    if (this.next && event.source === this.next.frame.contentWindow && event.data?.kind === "ready") this.ready(this.next);
    else if (this.leaving && event.source === this.leaving.contentWindow && event.data?.kind === "left") this.ask({ ...event.data, kind: "continue" });
    else if (this.shown && event.source === this.shown.contentWindow) {
      const { kind } = event.data ?? {};
      if (kind === "left") return this.next?.ready ? this.swap(event.data) : undefined;
      if (kind === "restored") return this.put();
      if (kind === "shown" && !(this.next && !this.next.same)) {
        this.kept.step = Number(event.data.step) || 0;
        this.kept.given = typeof event.data.given === "string" ? event.data.given : null;
      }
      if (kind === "rate") this.kept.rate = Number(event.data.rate) || null;
      else this.heard(event.data);
    }
  }
  ready(next) {
    next.ready = true;
    if (!this.shown || !next.same) return this.swap();
    this.ask({ kind: "leave" });
    setTimeout(() => { if (this.next === next) this.swap(); }, PATIENCE);
  }
  swap(left = {}) {
    this.leaving?.remove();
    const { fresh } = this.next;
    [this.leaving, this.shown, this.next] = [this.shown, this.next.frame, null];
    this.ask({ ...this.kept, ...left, kind: "restore" });
    if (fresh) this.update(fresh);
  }
  // The new frame is as the old one was left. What was typed into that one meanwhile still comes.
  put() {
    const { shown, leaving } = this;
    shown.classList.remove("coming");
    this.host.classList.remove("blank");
    if (leaving && document.activeElement === leaving) shown.focus();
    leaving?.classList.add("coming");
    setTimeout(() => { leaving?.remove(); if (this.leaving === leaving) this.leaving = null; this.moved(); }, 30);
  }
  get moving() { return this.next !== null || this.leaving !== null; }
  ask(message) { this.shown?.contentWindow.postMessage(message, "*"); }
  theme(theme) { this.kept.theme = theme; this.ask({ kind: "theme", theme }); }
  // Another document has no picture yet.
  blank() {
    this.next?.frame.remove();
    this.next = null;
    this.host.classList.add("blank");
  }
  stale(old) { this.host.classList.toggle("stale", old); }
}
