// The playground: what is typed is checked, drawn and run; everything happens in this browser.

import { $ } from "../../drawing/web/dom.js";
import { adopting } from "./adopting.js";
import { assist } from "./assist.js";
import { Checking } from "./checking.js";
import { Client, nameOf, offsetIn, positionIn, Stopped, uriOf } from "./client.js";
import { Documents, plainName } from "./documents.js";
import { makeEditor } from "./editor.js";
import { Files } from "./files.js";
import { showLearn } from "./learn.js";
import { makeTabs, showCompare, showExercises, showMenu, showProblems, showTab, showTests } from "./panels.js";
import { showProve } from "./prove.js";
import { fromFragment, leaveLink, toFragment } from "./share.js";
import { Stage } from "./stage.js";
import { Tour } from "./tour.js";
import { textIs } from "./verdicts.js";

// What whoever types no longer wants to know.
const ABOUT_TEXT = {
  "gridlang/test": "testing …", "gridlang/exercise": "checking …", "gridlang/compare": "comparing …",
};
const LONG = ["gridlang/prove", "gridlang/learn"];
const FIRST_DRAWING = 500; // milliseconds: the first example is drawn before Python takes the cores
const SIZES = [1, 1.25, 1.5]; // of the text, as on a projector
const KEPT = "Kept in this browser. Download it to have it as a file.";
const COMING = "The graph comes once Python has started.";
const LARGEST_FILE = 1000000; // bytes; nobody writes so much by hand

const documents = new Documents();
// `given` is the world that was typed or drawn, null for the agent's own; `judged` the source that was checked last,
// `checked` the one that the stage shows, null where it shows another document; `edits` counts the changes of other
// files that were judged, `found` is what is wrong; `step` is where the replay begins.
const now = {
  name: "", source: "", given: null, example: null, step: 0, judged: null, checked: null, comparing: false, edits: 0,
  found: null,
};
// A newcomer's first example is on its way before anything else is known.
let early = location.hash || documents.data.current ? null : fetch(`pages/${document.body.dataset.first}.json`);
const removed = new Map(); // documents that can be put back
let examples = [], starter = "", chosen = () => {}, saving = 0;

const WORKER = new URL("worker.js", import.meta.url);
const client = new Client(WORKER, { texts: () => files.all(), delay: FIRST_DRAWING, changed(state, about) {
  document.body.dataset.python = state;
  const said = { starting: "Python is starting …", busy: ABOUT_TEXT[about], failed: `Python did not start: ${about}` };
  $("status").textContent = said[state] ?? "";
} });
// A second Python, for what may take long: it starts when it is first asked.
const workshop = new Client(WORKER, { texts: () => files.all() });
const stage = new Stage({
  shown: heard,
  goTo({ name, line }) { side("code"); files.show(name || now.name); editor.goToLine(line || 1); },
  theme: toggleTheme,
});
const checking = new Checking(now, { client, stage, edits: () => files.edits, problems, show: shown, toast, busy });
const editor = makeEditor($("editor"), { typed, keys: [
  { key: "Mod-Enter", run: () => { showTab("tests"); $("run-tests").click(); return true; } },
  { key: "Mod-s", run: () => {
    keep();
    toast(documents.disk.has(files.shown) ? `Saved to ${files.shown}.grid.` : KEPT);
    return true;
  } },
  { key: "Shift-Alt-f", run: () => { layout(); return true; } },
], more: assist({
  ask: askAbout,
  open: (place) => goTo(place),
  change: edited,
  toast,
}) });
const files = new Files($("files"), {
  documents, editor, main: () => now, example: byName,
  shown() { problems(); mark(); $("undo-all").hidden = !original(); },
});

const tour = new Tour(documents, { put, text: (name) => files.text(name), side, watch });

let fading = 0;
function toast(text) {
  $("toast").textContent = text;
  $("toast").classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => $("toast").classList.remove("shown"), 3500);
}

// ---- typing

function typed(text) {
  if (files.aside) files.put(text); else now.source = text;
  files.draw();
  changed();
}
// A file is another than it was, typed or by other means.
function changed() {
  textIs(everything());
  client.abandon(Object.keys(ABOUT_TEXT), "the source has changed");
  leaveLink();
  live();
  clearTimeout(saving);
  saving = setTimeout(keep, 300);
  checking.typed();
  busy();
  $("undo-all").hidden = !original();
}
// The example that the file in the editor was, where it is another now.
function original() {
  const example = byName(files.shown);
  return example && example.source !== files.text(files.shown) ? example : null;
}
function keep() {
  clearTimeout(saving);
  if (!now.name) return;
  files.keep();
  const { name, source, given, example } = now;
  const unchanged = example?.name === name && example.source === source && given === null;
  if (unchanged) documents.remove(name); else documents.put(name, { source, given, example: example?.name ?? null });
}
// What the document that runs consists of, as one text.
const everything = () => JSON.stringify(files.needed().map((name) => [name, files.text(name)]));
// All that is wrong, in whichever file, null where that is not known yet; by default what was found last.
function problems(found = now.found) {
  now.found = found;
  const apply = (fix) => edited(fix.edit.changes), explain = (code) => client.request("gridlang/explain", { code });
  editor.show(found?.filter(({ name }) => name === files.shown) ?? [], apply);
  showProblems(found, files.shown, { goTo, apply, explain });
}
// The answer about a place in the file that is shown; null where a later one took its place, or there is none in time.
async function askAbout(what, at, more = {}) {
  const method = `textDocument/${what}`, position = positionIn(files.text(files.shown), at);
  const asked = { textDocument: { uri: uriOf(files.shown) }, position, ...more };
  try {
    return await client.request(method, asked, { replaces: [method] });
  } catch (error) {
    if (error instanceof Stopped) return null;
    throw error;
  }
}
function goTo({ uri, range: { start, end } }) {
  const name = nameOf(uri);
  if (files.show(name)) editor.goTo(offsetIn(files.text(name), start), offsetIn(files.text(name), end));
}
// Makes the protocol's edits, by file.
function edited(edits) {
  const count = files.change(edits);
  changed();
  if (count > 1) toast(`Changed in ${count} files.`);
}
function shown(page, source, given) {
  const same = now.checked !== null;
  Object.assign(now, { judged: source, checked: source, edits: files.edits });
  stage.show(page, { same, given, step: now.step });
  now.step = 0;
}
// Until the replay is that of what is typed it is said to be busy.
function busy() {
  $("stage").ariaBusy = String(now.judged !== now.source || now.edits !== files.edits);
}

// ---- the run

// The line that the run is at, where it is in the file that the editor shows.
let at = { name: "", line: 0 };
function mark() {
  const sure = now.checked === now.source && now.edits === files.edits;
  editor.runAt(sure && at.name === files.shown ? at.line : 0);
  files.runsIn(sure && at.line ? at.name : "");
}
function heard({ line, name }) {
  if (now.comparing === "another" || (now.checked === null && !now.comparing)) return;
  at = { name: name || now.name, line };
  mark();
  if (now.comparing) return;
  if (stage.given !== now.given) { now.given = stage.given; leaveLink(); keep(); }
  document.body.dataset.steps = String(stage.total);
}
function watch(given) {
  if (now.comparing) live();
  stage.watch(given);
  side("replay");
}
function live() {
  if (!now.comparing) return;
  Object.assign(now, { comparing: false, judged: null, checked: null });
  busy();
  $("banner").hidden = true;
  checking.check();
}
// The lines of the page are those of this document, or of `another` agent.
function compared({ page, equivalent }, other, whose = "this") {
  if (!page) return;
  now.comparing = whose;
  if (whose === "another") { at = { name: "", line: 0 }; mark(); }
  $("banner-text").textContent = equivalent === false ? `Where it differs from ${other}` : `Beside ${other}`;
  $("banner").hidden = false;
  now.checked = null;
  stage.show(page);
  if (equivalent === false) side("replay");
}

// ---- documents

async function open(name, link = null) {
  const { source, given = null, example = name } = documents.get(name) ?? byName(name);
  keep();
  if (!link) leaveLink();
  const step = link?.step ?? 0, unknown = { judged: null, checked: null, comparing: false };
  Object.assign(now, { name, source, given, example: byName(example) ?? null, step, ...unknown });
  textIs(everything());
  busy();
  documents.set("current", name);
  $("name").textContent = name;
  $("banner").hidden = true;
  document.title = `${name} · gridlang playground`;
  editor.open(source);
  files.begin();
  $("undo-all").hidden = !original();
  problems(null);
  panels();
  stage.stale(false);
  stage.blank();
  $("blank").textContent = "";
  const plain = now.example?.name === name && now.example.source === source && given === null;
  const ready = plain && !Object.keys(files.own()).length ? await prepared(name) : null;
  if (now.name !== name || now.source !== source) return;
  if (ready) { problems([]); shown(ready, source, null); } else $("blank").textContent = COMING;
  checking.check();
}
function byName(name) { return examples.find((each) => each.name === name); }
// The page of an example as it is, which was drawn when the playground was built; a library has none.
async function prepared(name) {
  const asked = name === document.body.dataset.first && early ? early : fetch(`pages/${name}.json`);
  const response = await asked.catch(() => null);
  early = null;
  return response?.ok ? response.json() : null;
}
// The parameters of a request about the document that runs.
const about = () => ({ textDocument: { uri: uriOf(now.name) }, name: now.name });
function panels() {
  const goToLine = (line) => { files.show(now.name); editor.goToLine(line); };
  const take = (name, source) => adopt({ name, source, given: null });
  const another = (reply, file) => compared(reply, file, "another");
  workshop.abandon(LONG, "another file was opened", 0);
  showTests({ client, about, replay: watch, goToLine });
  showExercises(now.example, { client, about, replay: watch, begin, documents });
  showProve({ client: workshop, about, replay: watch, download: save });
  showLearn({ client: workshop, about, begin: live, compared: another, open: take, download: save });
  chosen(now.example?.name);
}
function begin(example, source) {
  const name = documents.free("answer", examples.map((each) => each.name));
  documents.put(name, { source, given: null, example: example.name });
  open(name);
}
function fresh() {
  const name = documents.free("my_agent", examples.map((each) => each.name));
  const source = starter.replaceAll("NAME", plainName(name).replaceAll("-", "_"));
  documents.put(name, { source, given: null, example: null });
  open(name);
}
// The tour's text in its document; what was typed there can be undone.
function put(name, source, show) {
  if (name !== now.name) {
    documents.put(name, { source, given: null, example: document.body.dataset.first });
    open(name);
  } else {
    live();
    files.show(name);
    if (source !== now.source) editor.replace(source);
  }
  editor.reveal(show);
}
function menu() {
  keep();
  const remove = (name) => {
    removed.set(name, documents.get(name));
    documents.remove(name);
    if (name === now.name) { now.name = ""; open(examples[0].name); }
    menu();
    document.querySelector(`[aria-label="put ${name} back"]`).focus();
  };
  const putBack = (name) => { documents.put(name, removed.get(name)); removed.delete(name); menu(); };
  showMenu({ examples, documents, current: now.name, open, remove, removed, putBack });
  if (!$("menu").open) $("menu").showModal();
}
async function openFile(file) {
  if (!file) return;
  if (file.size > LARGEST_FILE) return toast("This file is too large to be a source.");
  const source = (await file.text()).replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  adopt({ name: plainName(file.name), source, given: null });
  toast(`Opened ${file.name}.`);
}
// Takes a document in, and never over another one that differs; the same link again gives the same document.
function adopt({ name, source, given, example = null }, link = null) {
  const free = documents.home(name, source, (wanted) => documents.get(wanted)?.source);
  documents.put(free, { source, given, example: byName(example ?? name) ? example ?? name : null });
  open(free, link);
}
const download = () => save(`${files.shown}.grid`, files.text(files.shown));
function save(name, text) {
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = Object.assign(document.createElement("a"), { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
async function share() {
  const { name, source, given, example } = now;
  const tab = document.querySelector("#panels [aria-selected=true]").getAttribute("aria-controls");
  const more = { files: files.own(), example: example?.name ?? null, step: stage.step, tab };
  history.replaceState(null, "", await toFragment({ name, source, given, ...more }));
  const kept = await navigator.clipboard.writeText(location.href).then(() => "your clipboard", () => "the address bar");
  toast(`The link is in ${kept}: it holds source and input.`);
}
async function layout() {
  const name = files.shown, source = files.text(name), asked = { textDocument: { uri: uriOf(name) } };
  const edits = await client.request("textDocument/formatting", asked).catch((error) => error.message);
  if (name !== files.shown || source !== files.text(name)) return;
  if (edits?.length === 0) toast("It is laid out well already.");
  else if (Array.isArray(edits)) editor.replace(edits[0].newText);
  else toast(edits ?? "Mend the problems first: a broken source is not laid out.");
}

// ---- looks

function isDark() {
  const { theme } = documents.data;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
function theme(wanted) {
  document.documentElement.dataset.theme = wanted;
  if (stage.started) stage.replay.refresh();
}
function size() {
  document.documentElement.style.setProperty("--size", documents.data.size);
  editor.view.requestMeasure();
}
function toggleTheme() {
  documents.set("theme", isDark() ? "light" : "dark");
  theme(documents.data.theme);
}
function side(name) {
  document.querySelector("main").dataset.side = name;
  for (const each of $("sides").children) each.setAttribute("aria-pressed", each.dataset.side === name);
}
function split(event) {
  const move = (at) => { $("code").style.flexBasis = `${Math.max(280, Math.min(at.clientX, innerWidth - 320))}px`; };
  event.preventDefault();
  addEventListener("pointermove", move);
  addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
}
function listen() {
  const on = (id, act) => $(id).addEventListener("click", act);
  on("menu-open", menu);
  on("menu-close", () => $("menu").close());
  on("new", () => { $("menu").close(); fresh(); });
  on("open", () => $("file").click());
  on("download", download);
  on("share", share);
  on("layout", layout);
  on("banner-back", live);
  on("undo-all", () => {
    const name = files.shown;
    if (original()) editor.replace(original().source);
    if (!files.aside) now.given = null;
    documents.remove(name);
  });
  on("theme", toggleTheme);
  on("size", () => {
    documents.set("size", SIZES[(SIZES.indexOf(documents.data.size) + 1) % SIZES.length]);
    size();
  });
  on("rename-cancel", () => { $("rename").close(); editor.view.focus(); });
  $("file").addEventListener("change", () => {
    $("menu").close();
    openFile($("file").files[0]);
    $("file").value = "";
  });
  $("border").addEventListener("pointerdown", split);
  on("help-open", () => $("help").showModal());
  on("help-close", () => $("help").close());
  on("help", (event) => { if (event.target === $("help")) $("help").close(); }); // beside it
  for (const each of $("sides").children) each.addEventListener("click", () => side(each.dataset.side));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); openFile(event.dataTransfer.files[0]); });
  addEventListener("hashchange", () => linked());
  addEventListener("pagehide", keep);
}
// The document in the address: a shared one, or an example by name.
async function linked() {
  const example = byName(/^#(\w+)$/.exec(location.hash)?.[1]);
  if (example) { open(example.name, {}); return true; }
  try {
    const link = await fromFragment(location.hash);
    if (link) adopt({ ...link, name: plainName(link.name), source: adopting(link, files, documents) }, link);
    if (link?.tab && $(`tab-${link.tab}`)) showTab(link.tab);
    return link !== null;
  } catch (error) { toast(`This link is broken: ${error.message.replace(/\.$/, "")}.`); }
  return false;
}

async function main() {
  client.start();
  theme(isDark() ? "dark" : "light");
  size();
  makeTabs();
  listen();
  let disk;
  ({ examples, starter, tour: tour.steps, files: disk = {} } = await (await fetch("examples.json")).json());
  chosen = showCompare(examples, { client, about, compared });
  documents.unwritten = (name) => toast(`${name}.grid could not be saved to its file; it is kept in this browser.`);
  documents.fromDisk(disk);
  const [first] = Object.keys(disk);
  if (first) return open(first);
  if (await linked()) return;
  const last = documents.data.current;
  tour.begin(!last);
  open(last && (documents.get(last) || byName(last)) ? last : examples[0].name);
}
main();
