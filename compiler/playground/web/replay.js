// The replay beside the editor, in a frame that may run its own script and nothing else. A new one is shown once it is drawn.

export class Replay {
  // `heard(message)` gets what the frame says of itself.
  constructor(host, heard) {
    this.host = host;
    this.heard = heard;
    this.shown = null;
    this.next = null;
    this.kept = { step: 0, rate: null, theme: null, given: null };
    window.addEventListener("message", (event) => this.message(event));
  }
  // A page of the same document keeps its step, and what was typed or drawn since it was asked for.
  show(html, { same = false, given = null } = {}) {
    this.next?.frame.remove();
    const frame = document.createElement("iframe");
    frame.title = "state graph and replay";
    frame.setAttribute("sandbox", "allow-scripts allow-forms");
    frame.className = "coming";
    frame.srcdoc = html;
    this.next = { frame, same };
    if (!same) Object.assign(this.kept, { step: 0, given });
    this.host.append(frame);
  }
  message(event) {
    if (this.next && event.source === this.next.frame.contentWindow && event.data?.kind === "ready") this.swap();
    else if (this.shown && event.source === this.shown.contentWindow) {
      const { kind } = event.data ?? {};
      if (kind === "shown" && !(this.next && !this.next.same)) {
        this.kept.step = Number(event.data.step) || 0;
        this.kept.given = typeof event.data.given === "string" ? event.data.given : null;
      }
      if (kind === "rate") this.kept.rate = Number(event.data.rate) || null;
      else this.heard(event.data);
    }
  }
  swap() {
    const { frame } = this.next, before = this.shown;
    [this.shown, this.next] = [frame, null];
    this.ask({ kind: "restore", ...this.kept });
    // What is asked for is drawn before the old frame goes.
    setTimeout(() => { frame.classList.remove("coming"); before?.remove(); }, 30);
  }
  ask(message) { this.shown?.contentWindow.postMessage(message, "*"); }
  theme(theme) { this.kept.theme = theme; this.ask({ kind: "theme", theme }); }
  stale(old) { this.host.classList.toggle("stale", old); }
}
