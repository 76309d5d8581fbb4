// Files that are edited together: the agent that runs, and those that it takes something from, each in a tab.

import { fill, make } from "../../drawing/web/dom.js";
import { changesIn, nameOf } from "./client.js";

const IMPORT = /^[^#"\n]*\b(?:from|as)\s+"([^"\n]+)\.grid"/gm;
const MOST = 200000; // characters of other documents that Python holds

const importsIn = (text) => [...text.matchAll(IMPORT)].map(([, name]) => name);

export class Files {
  // `main()` is the document that runs, `example(name)` an example; `shown(name)` is called when a tab is opened.
  constructor(host, { documents, editor, main, example, shown }) {
    Object.assign(this, { host, documents, editor, main, example, opened: shown });
    this.shown = ""; // the name of the file in the editor
    this.running = ""; // the one that the run is in
    this.edits = 0; // changes of files other than the main one
    this.left = new Map(); // how the editor left each file
    this.typed = new Map(); // texts that are not kept yet
  }
  // Another main document, which is in the editor already.
  begin() {
    this.left.clear();
    this.shown = this.main().name;
    this.draw();
  }
  get aside() { return this.shown !== this.main().name; }
  // The text of a file; undefined where there is none.
  text(name) {
    const { name: main, source } = this.main();
    if (name === main) return source;
    return this.typed.get(name) ?? this.documents.get(name)?.source ?? this.example(name)?.source;
  }
  // A file and all that it takes something from, in the order of their mention; some may not be there.
  needed(name = this.main().name) {
    const names = new Set([name]);
    for (const each of names) importsIn(this.text(each) ?? "").forEach((other) => names.add(other));
    return [...names];
  }
  // The texts of needed files that others do not have: one's own, and changed examples.
  own() {
    const changed = (name) => this.text(name) !== undefined && this.text(name) !== this.example(name)?.source;
    const names = this.needed().slice(1).filter(changed);
    return Object.fromEntries(names.map((name) => [`${name}.grid`, this.text(name)]));
  }
  // By name all texts that Python is to have; where there are very many, those that are needed.
  all() {
    const { name: main } = this.main(), others = this.documents.names.filter((name) => name !== main);
    const size = others.reduce((sum, name) => sum + this.text(name).length, 0), names = size > MOST ? [] : others;
    const needed = this.needed().filter((name) => this.text(name) !== undefined);
    return Object.fromEntries([...new Set([...needed, ...names])].map((name) => [name, this.text(name)]));
  }
  // What was typed into a file that is not the main one.
  put(text, name = this.shown) {
    this.typed.set(name, text);
    this.edits += 1;
  }
  keep() {
    for (const [name, source] of this.typed) {
      const example = this.example(name) ? name : null;
      const same = example && !this.documents.disk.has(name) && this.example(name).source === source;
      if (same) this.documents.remove(name);
      else this.documents.put(name, { given: null, example, ...this.documents.get(name), source });
    }
    this.typed.clear();
  }
  // Puts a file into the editor; false where there is none.
  show(name) {
    const text = this.text(name);
    if (text === undefined) return false;
    if (name === this.shown) return true;
    this.left.set(this.shown, this.editor.view.state);
    this.shown = name;
    this.editor.open(text, this.left.get(name));
    this.draw();
    this.opened(name);
    return true;
  }
  // The protocol's edits by file, and how many files they are in; those of the one in the editor can be undone there.
  change(edits) {
    const byFile = Object.entries(edits);
    for (const [uri, each] of byFile) {
      const name = nameOf(uri), text = this.text(name), changes = changesIn(text, each);
      if (name === this.shown) { this.editor.apply(changes); continue; }
      const backwards = changes.toSorted((one, other) => other.from - one.from);
      const put = (all, { from, to, insert }) => all.slice(0, from) + insert + all.slice(to);
      const changed = backwards.reduce(put, text);
      if (name === this.main().name) this.main().source = changed; else this.put(changed, name);
    }
    return byFile.length;
  }
  runsIn(name) {
    if (name === this.running) return;
    this.running = name;
    this.draw();
  }
  draw() {
    const names = this.needed();
    this.host.hidden = names.length < 2;
    fill(this.host, ...(this.host.hidden ? [] : names.map((name) => this.tab(name))));
  }
  tab(name) {
    const there = this.text(name) !== undefined, runs = name === this.running && names(this) > 1;
    return make("button", {
      type: "button",
      className: `opened${runs ? " runs" : ""}${there ? "" : " missing"}`,
      title: there ? (runs ? "the run is in this file" : `${name}.grid`) : `make ${name}.grid`,
      ariaCurrent: String(name === this.shown),
      onclick: () => { if (!there) this.make(name); this.show(name); },
    }, there ? `${name}.grid` : `+ ${name}.grid`);
  }
  // A file that is named and not there: a library with the states that are wanted of it.
  make(name) {
    const use = new RegExp(`^use\\s+([\\w\\s,]+?)\\s+from\\s+"${name}\\.grid"`, "m");
    const wanted = this.needed().map((each) => use.exec(this.text(each) ?? "")?.[1]).find(Boolean);
    const states = (wanted ?? "walk").split(",").map((state) => `\nstate ${state.trim()}\n  any : halt\n`);
    this.put(`library ${name.replaceAll("-", "_")}\n${states.join("")}`, name);
  }
}
const names = (files) => files.needed().length;
