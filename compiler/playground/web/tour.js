// The tour: a card below the page that leads from step to step, each with its source; offered once to a newcomer.

import { $, fill, make } from "../../drawing/web/dom.js";
import { inWords, showTab } from "./panels.js";

const NAME = "tour"; // the document that it writes into

export class Tour {
  // `put(name, source, show)` puts a text into a document, and the words to look at into view; `text(name)` is what a
  // document holds, undefined where there is none; `side(name)` turns a phone to that side, `watch(input)` runs an
  // input.
  constructor(documents, { put, text, side, watch }) {
    Object.assign(this, { documents, put, text, side, watch, steps: [], at: 0 });
    const on = (id, act) => $(id).addEventListener("click", () => act());
    on("tour-open", () => this.open());
    on("tour-start", () => this.open());
    on("tour-decline", () => this.close());
    on("tour-close", () => this.close());
    on("tour-act", () => this.perform());
    on("tour-back", () => this.go(this.at - 1));
    on("tour-next", () => (this.last ? this.close(0) : this.go(this.at + 1)));
    // In the editor and in a dialog the key has another meaning.
    addEventListener("keydown", ({ key, target }) => {
      if (key === "Escape" && !target.closest?.(".cm-editor, dialog")) this.close();
    });
  }
  get kept() { return this.documents.data.tour ?? {}; }
  keep(more) { this.documents.set("tour", { ...this.kept, ...more }); }
  get last() { return this.at === this.steps.length - 1; }

  // A tour that was open when the page was left is open again, and leaves the text as it is.
  begin(newcomer) {
    if (this.kept.open) this.show(this.kept.step);
    else if (newcomer && !this.kept.offered) this.offer();
  }
  offer() {
    $("tour-length").textContent = this.steps.length;
    $("offer").hidden = false;
    this.keep({ offered: true });
  }
  open() {
    if (!this.steps.length) return;
    this.go(this.kept.step);
    $("tour-next").focus();
  }
  go(step) {
    const name = this.home();
    this.show(step);
    const { source, show = "" } = this.steps[this.at];
    this.keep({ name });
    this.put(name, source, show);
  }
  // Its document. One that was changed and left is the visitor's: then it is another one.
  home() {
    const { name } = this.kept, { current } = this.documents.data, text = name && this.text(name);
    const untouched = text === undefined || this.steps.some(({ source }) => source === text);
    return name && (untouched || (name === current && !$("tour").hidden)) ? name : this.documents.free(NAME);
  }
  show(step) {
    this.at = Math.max(0, Math.min(Number(step) || 0, this.steps.length - 1));
    const { title, words, links = [], part, tab, act } = this.steps[this.at];
    this.keep({ step: this.at, open: true });
    fill($("tour-title"), title, " ", make("span", { className: "dim" }, `${this.at + 1} of ${this.steps.length}`));
    const leads = links.flatMap(([text, href]) => [" ", make("a", { href, target: "_blank" }, text)]);
    fill($("tour-words"), ...inWords(words), ...leads);
    fill($("tour-act"), act ?? "");
    $("tour-act").hidden = !act;
    fill($("tour-next"), this.last ? "Done" : "Next");
    if (this.at === 0 && document.activeElement === $("tour-back")) $("tour-next").focus();
    $("tour-back").disabled = this.at === 0;
    $("offer").hidden = true;
    $("tour").hidden = false;
    if (tab) showTab(tab);
    this.side(part === "stage" ? "replay" : "code");
    this.light($(part));
  }
  perform() {
    const { press, watch } = this.steps[this.at];
    if (press) $(press).click(); else this.watch(watch);
  }
  light(part) {
    document.querySelector(".toured")?.classList.remove("toured");
    part?.classList.add("toured");
  }
  close(step = this.kept.step) {
    const card = [$("offer"), $("tour")].find(({ hidden }) => !hidden);
    if (!card) return;
    const inside = card.contains(document.activeElement);
    card.hidden = true;
    this.light(null);
    this.keep({ step, open: false });
    if (inside) $("tour-open").focus();
  }
}
