// The replay beside the editor, in a frame that may run its own script and nothing else. Another document gets a new frame, which is
// shown once it is drawn.

export class Replay {
  // `heard(message)` gets what the frame says of itself; `moved()` is called when a frame begins to be replaced, and when it is.
  constructor(host, heard, moved) {
    Object.assign(this, { host, heard, moved });
    this.shown = null;
    this.next = null;
    this.fresh = null; // what is newer than the next frame
    this.kept = { step: 0, rate: null, theme: null, given: null };
    window.addEventListener("message", (event) => this.message(event));
  }
  show(html, { given = null, step = 0 } = {}) {
    this.next?.remove();
    this.next = document.createElement("iframe");
    this.next.title = "state graph and replay";
    this.next.setAttribute("sandbox", "allow-scripts allow-forms");
    this.next.className = "coming";
    this.next.srcdoc = html;
    this.fresh = null;
    Object.assign(this.kept, { step, given });
    this.host.append(this.next);
    this.moved();
  }
  // Another source of the same document.
  update(fresh) {
    if (this.next) this.fresh = fresh; else this.ask({ kind: "update", fresh });
  }
  message({ source, data }) {
    const kind = data?.kind;
    if (this.next && source === this.next.contentWindow) {
      if (kind === "ready") source.postMessage({ ...this.kept, kind: "begin" }, "*");
      if (kind === "begun") this.swap();
    } else if (source === this.shown?.contentWindow) {
      if (kind === "shown" && !this.next) {
        this.kept.step = Number(data.step) || 0;
        this.kept.given = typeof data.given === "string" ? data.given : null;
      }
      if (kind === "rate") this.kept.rate = Number(data.rate) || null;
      else this.heard(data);
    }
  }
  swap() {
    this.shown?.remove();
    [this.shown, this.next] = [this.next, null];
    this.shown.classList.remove("coming");
    this.host.classList.remove("blank");
    if (this.fresh) this.update(this.fresh);
    this.moved();
  }
  get moving() { return this.next !== null; }
  ask(message) { this.shown?.contentWindow.postMessage(message, "*"); }
  theme(theme) { this.kept.theme = theme; this.ask({ kind: "theme", theme }); }
  // Another document has no picture yet.
  blank() {
    this.next?.remove();
    this.next = null;
    this.host.classList.add("blank");
  }
  stale(old) { this.host.classList.toggle("stale", old); }
}
