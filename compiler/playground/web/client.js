// The editor's side of the language server protocol: a worker holds the open texts, and answers one request after
// another. One that takes too long ends with its worker, and another starts.

const FOLDER = "file:///language/agents/";
const USUAL = 10; // seconds until a request is given up; 0 is never
const SECONDS = {
  "textDocument/diagnostic": 20, "gridlang/page": 20, "gridlang/exercise": 20, "gridlang/test": 40,
  "gridlang/compare": 60, "gridlang/prove": 0, "gridlang/learn": 0,
};
const ONLINE = "Without a network only what was loaded works: try again once there is one.";
const SPENT = 1000; // milliseconds after which a request of no use any more is ended: starting Python takes longer
const ABLE = { textDocument: { completion: { completionItem: { snippetSupport: true } } } };

export const uriOf = (name) => `${FOLDER}${name}.grid`;
export const nameOf = (uri) => decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1)).replace(/\.grid$/, "");
// Places in a text: the protocol counts lines and units of UTF-16, the editor only these.
export function positionIn(text, at) {
  const lines = text.slice(0, at).split("\n");
  return { line: lines.length - 1, character: lines.at(-1).length };
}
export function offsetIn(text, { line, character }) {
  const above = text.split("\n", line);
  return above.reduce((sum, each) => sum + each.length + 1, 0) + character;
}
// The changes of a file's text that the protocol's edits are.
export const changesIn = (text, edits) => edits.map(({ range: { start, end }, newText }) => (
  { from: offsetIn(text, start), to: offsetIn(text, end), insert: newText }
));

export class Stopped extends Error {} // ended by somebody, or by its time
export class Refused extends Error {} // the language says why not

export class Client {
  // `texts()` are the open ones by name; `changed(state)` hears whether Python is "starting", "ready", "busy" or
  // "failed".
  constructor(address, { texts, changed = () => {}, delay = 0 }) {
    Object.assign(this, { address, texts, changed, delay, waiting: [], asked: null, number: 0 });
  }
  start() {
    if (this.starting) return;
    this.changed("starting");
    this.starting = setTimeout(() => this.begin(), this.delay);
  }
  begin() {
    this.ready = false;
    this.open = new Map(); // the texts that the worker has
    this.changed("starting");
    this.worker = new Worker(this.address, { type: "module" });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = () => this.heard({ failed: "the worker could not be started" });
    this.send("initialize", { capabilities: ABLE, rootUri: FOLDER });
  }
  // The result about the texts of now. It takes the place of requests of some methods that still wait.
  // `tell(found)` hears what is found on the way.
  request(method, params, { replaces = [], tell = () => {} } = {}) {
    this.drop(replaces, "overtaken");
    this.start();
    return new Promise((resolve, reject) => {
      this.waiting.push({ method, params, texts: this.texts(), resolve, reject, tell });
      this.next();
    });
  }
  drop(methods, reason) {
    const dropped = this.waiting.filter((each) => methods.includes(each.method));
    this.waiting = this.waiting.filter((each) => !dropped.includes(each));
    for (const each of dropped) each.reject(new Stopped(reason));
  }
  // Requests whose results nobody wants any more.
  abandon(methods, reason, spent = SPENT) {
    this.drop(methods, reason);
    if (methods.includes(this.asked?.method) && performance.now() - this.asked.since > spent) this.stop(reason);
  }
  next() {
    if (!this.ready || this.asked || !this.waiting.length) return;
    const asked = this.asked = this.waiting.shift(), seconds = SECONDS[asked.method] ?? USUAL;
    const late = () => this.stop(`it took longer than ${seconds} seconds, and was stopped`);
    if (seconds) asked.timer = setTimeout(late, 1000 * seconds);
    asked.since = performance.now();
    this.changed("busy", asked.method);
    this.synchronise(asked.texts);
    asked.id = this.send(asked.method, asked.params);
  }
  send(method, params) {
    this.worker.postMessage({ id: ++this.number, method, params });
    return this.number;
  }
  synchronise(texts) {
    for (const [name, text] of Object.entries(texts)) {
      if (this.open.get(name) === text) continue;
      const textDocument = { uri: uriOf(name), version: this.number };
      if (this.open.has(name)) this.send("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
      else this.send("textDocument/didOpen", { textDocument: { ...textDocument, languageId: "grid", text } });
      this.open.set(name, text);
    }
    for (const name of this.open.keys()) {
      if (Object.hasOwn(texts, name)) continue;
      this.send("textDocument/didClose", { textDocument: { uri: uriOf(name) } });
      this.open.delete(name);
    }
  }
  heard({ ready, id, told, result, error, failed }) {
    const { asked } = this;
    if (ready) {
      this.ready = true;
      this.changed("ready");
    } else if (id === undefined) {
      return this.fail(failed);
    } else if (asked?.id !== id) {
      return; // nobody waits for it
    } else if (told !== undefined) {
      asked.tell(JSON.parse(told));
    } else {
      this.forget();
      this.changed("ready");
      if (failed) asked.reject(new Error(failed));
      else if (error) asked.reject(new Refused(error.message));
      else asked.resolve(result);
    }
    this.next();
  }
  // Python does not start: the next request tries again.
  fail(why) {
    this.worker.terminate();
    this.starting = null;
    this.changed("failed", why);
    for (const { reject } of this.waiting.splice(0)) reject(new Refused(`Python did not start: ${why}. ${ONLINE}`));
  }
  forget() {
    clearTimeout(this.asked.timer);
    this.asked = null;
  }
  // Ends what is being computed.
  stop(reason) {
    const { asked } = this;
    if (!asked) return;
    this.forget();
    this.worker.terminate();
    this.begin();
    asked.reject(new Stopped(reason));
  }
}
