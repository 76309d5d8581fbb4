// One's work, kept in this browser: documents by name, which exercises are solved, where the tour is, and how the page looks.

const KEY = "gridlang.playground/1";
const EMPTY = { current: null, documents: {}, solved: {}, theme: null, tour: null };

export class Documents {
  constructor(storage = window.localStorage) {
    this.storage = storage;
    this.data = { ...EMPTY, ...this.read() };
  }
  read() {
    try {
      const data = JSON.parse(this.storage.getItem(KEY));
      return typeof data?.documents === "object" ? data : {};
    } catch { return {}; }
  }
  // False where the browser keeps nothing: then the work lasts as long as the page.
  save() {
    try { this.storage.setItem(KEY, JSON.stringify(this.data)); return true; } catch { return false; }
  }
  get names() { return Object.keys(this.data.documents); }
  get(name) { return Object.hasOwn(this.data.documents, name) ? this.data.documents[name] : null; }
  put(name, document) {
    this.data.documents[name] = document;
    return this.save();
  }
  remove(name) { delete this.data.documents[name]; this.save(); }
  set(key, value) { this.data[key] = value; return this.save(); }
  solve(key) { this.data.solved[key] = true; this.save(); }
  // Where a text is kept already, or can be: never over another text, which `textOf(name)` gives.
  home(name, text, textOf) {
    return firstOf(name, (wanted) => (textOf(wanted) ?? text) === text);
  }
  // A name that no document has yet.
  free(name, taken = []) {
    const used = new Set([...this.names, ...taken]);
    return firstOf(name, (wanted) => !used.has(wanted));
  }
}
function firstOf(name, fits) {
  let number = 2, wanted = name;
  while (!fits(wanted)) wanted = `${name}-${number++}`;
  return wanted;
}

// A name as a file may have it.
export const plainName = (name) => name.replace(/\.grid$/i, "").replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+/, "").slice(0, 60) || "agent";
