// One's work, kept in this browser: documents by name, which exercises are solved, where the tour is, how the page
// looks.

const KEY = "gridlang.playground/1";
const EMPTY = { current: null, documents: {}, solved: {}, theme: null, size: 1, tour: null };

export class Documents {
  constructor(storage = window.localStorage) {
    this.storage = storage;
    this.disk = new Map(); // files of `gridlang play FILE` by name, with the text that is there
    this.unwritten = () => {}; // hears of one that could not be written
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
    if (this.disk.has(name) && this.disk.get(name) !== document.source) this.write(name, document.source);
    return this.save();
  }
  async write(name, source) {
    this.disk.set(name, source);
    const reply = await fetch(`files/${name}.grid`, { method: "PUT", body: source }).catch(() => null);
    if (!reply?.ok) { this.disk.set(name, null); this.unwritten(name); }
  }
  fromDisk(files) {
    for (const [name, source] of Object.entries(files)) {
      this.disk.set(name, source);
      this.put(name, { given: null, example: null, ...this.get(name), source });
    }
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
export function plainName(name) {
  const plain = name.replace(/\.grid$/i, "").replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+/, "");
  return plain.slice(0, 60) || "agent";
}
