// What is typed is checked at once, and drawn if nothing newer was typed.

import { $ } from "../../drawing/web/dom.js";
import { nameOf, Refused, Stopped, uriOf } from "./client.js";

const PAUSE = 100; // milliseconds without typing until the source is checked
const CALM = 300; // and until it is drawn, which takes longer
const CHECK = "textDocument/diagnostic", FIXES = "textDocument/codeAction", PAGE = "gridlang/page";
const ERROR = 1;
const ALL = { start: { line: 0, character: 0 }, end: { line: 1e9, character: 0 } };
const LIBRARY = "A library has no graph of its own: agents use its states.";
const BROKEN = "The graph comes once the source has no errors.";

export class Checking {
  // `now` is what is on screen; `show(page, source, given)` shows what it looks like, `problems(found)` what is wrong.
  // `edits()` counts the changes of files other than the agent's.
  constructor(now, { client, stage, edits, problems, show, toast, busy }) {
    Object.assign(this, { now, client, stage, edits, problems, show, toast, busy });
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
    const { now } = this, { source, name } = now, edits = this.edits();
    const isOld = () => source !== now.source || name !== now.name || edits !== this.edits();
    const asked = { textDocument: { uri: uriOf(name) } };
    try {
      const found = await this.found(asked);
      if (isOld()) return;
      this.problems(found);
      const broken = found.some(({ severity }) => severity === ERROR);
      this.tell(broken ? BROKEN : "");
      const known = now.comparing || (now.checked === source && now.edits === edits);
      if (!broken && !known) await this.draw(asked, isOld);
    } catch (error) {
      if (error.message === "overtaken" || isOld()) return;
      if (now.checked !== source) this.tell(error.message);
      const about = error instanceof Stopped ? "Checking this was given up: " : "This went wrong: ";
      this.toast(`${error instanceof Refused ? "" : about}${error.message}`);
    }
    if (!isOld()) Object.assign(now, { judged: source, edits });
    this.busy();
  }
  // All that is wrong, each with the name of its file and with what mends it.
  async found(asked) {
    const report = await this.client.request(CHECK, asked, { replaces: [CHECK, FIXES, PAGE] });
    const files = Object.entries({ [asked.textDocument.uri]: report, ...report.relatedDocuments });
    const lists = files.filter(([, { items }]) => items.length).map(([uri, { items }]) => this.mended(uri, items));
    return (await Promise.all(lists)).flat();
  }
  async mended(uri, items) {
    const asked = { textDocument: { uri }, range: ALL, context: { diagnostics: items, only: ["quickfix"] } };
    const fixes = Map.groupBy(await this.client.request(FIXES, asked), (each) => JSON.stringify(each.diagnostics[0]));
    return items.map((each) => ({ ...each, name: nameOf(uri), fixes: fixes.get(JSON.stringify(each)) ?? [] }));
  }
  // A picture that is not that of the text looks so; where there is none, it is said why.
  tell(why) {
    this.stage.stale(Boolean(why));
    $("blank").textContent = why;
  }
  async draw(asked, isOld) {
    await new Promise((go) => setTimeout(go, Math.max(0, this.typedAt + CALM - performance.now())));
    if (isOld()) return;
    const { given, source } = this.now, page = await this.client.request(PAGE, asked, { replaces: [PAGE] });
    if (isOld() || this.now.comparing) return;
    if (page) return this.show(page, source, given);
    this.tell(LIBRARY);
    this.stage.blank();
    this.now.checked = null;
  }
}
