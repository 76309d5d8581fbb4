// A replay inside the playground: it tells the playground what is shown, and does what the playground asks for.

const HOST = window.parent;
const LONGEST_TEXT = 100000; // characters of a world that are kept and shared; a larger one is still run
const OFTEN = 30; // milliseconds between two messages

let given = null; // what the reader typed or drew, null while the agent's own first world is shown
let draft = false; // whether the field holds what was typed and not run
let leaving = false; // whether another page takes the place of this one
function tell(kind, more) { HOST.postMessage({ kind, ...more }, "*"); }

// A line of the page, which has all files one below the other, as a line of its file.
function placed(line) {
  const [file, above] = source.fileOf(line) ?? ["", 0];
  return { line: line - above, file };
}
let owing = false, restored = false; // What is shown before the playground has said what to show is not told.
function tellShown() {
  if (owing || !restored) return;
  owing = true;
  setTimeout(() => {
    owing = false;
    const { rule, steps } = replay.run.view;
    tell("shown", { step: steps, total: replay.run.total, given, ...placed(rule < 0 ? 0 : table.of(rule).line) });
  }, OFTEN);
}
// After each of these the page does what it did before, and the playground hears of it.
function after(object, name, then) {
  const act = object[name].bind(object);
  object[name] = (...values) => { act(...values); then(); };
}
const keepText = () => {
  draft = replay.part.complaint.textContent !== "";
  if (replay.text.length <= LONGEST_TEXT && !draft) given = replay.text;
};
after(replay, "changed", tellShown);
after(replay, "submit", () => {
  keepText();
  tellShown();
  if (leaving) tell("left", left());
});
after(replay, "drawn", () => { draft = false; given = replay.text.length <= LONGEST_TEXT ? replay.text : null; tellShown(); });
after(graph, "use", () => tell("fold", { folded: graph.view.folded }));
after(replay, "showRate", () => tell("rate", { rate: Number(replay.part.speed.value) }));

replay.part.input.addEventListener("input", () => {
  draft = true;
  if (leaving) tell("left", left());
});

// Runs what was typed or drawn, even where the input clause forbids it; the agent's own world stays where a symbol is
// no longer in the alphabet.
function runText(text) {
  let world;
  try { world = readInput(text, table, null); } catch { given = null; return; }
  replay.begin(world, { text });
}
// What the reader is doing continues in the page that replaces this one.
function left() {
  const { part: { input }, step, playing, editor } = replay;
  return {
    step, given, playing,
    text: draft ? input.value : null,
    caret: document.hasFocus() && document.activeElement === input ? [input.selectionStart, input.selectionEnd] : null,
    pen: editor.open ? editor.pen : null,
    picked: picked.map((state) => table.states[state]),
    place: graph.moved ? { ...graph.places[graph.current], folded: graph.view.folded } : null,
  };
}
function goOn({ text = null, caret = null, pen = null, playing = false, picked: names = [], place = null }) {
  if (place?.folded === graph.view.folded) { graph.places[graph.current] = place; graph.moved = true; graph.apply(); }
  const states = names.map((name) => table.states.indexOf(name)).filter((state) => state >= 0);
  if (states.length) pick(states);
  if (pen !== null) { replay.editor.pen = pen; replay.draw(true); }
  if (text !== null) { replay.part.input.value = text; replay.grow(); draft = true; }
  if (caret) { replay.part.input.focus({ preventScroll: true }); replay.part.input.setSelectionRange(...caret); }
  if (playing) replay.play(true);
}
const ASKED = {
  leave() { leaving = true; tell("left", left()); },
  continue({ given: kept, ...more }) {
    if (typeof kept === "string" && kept !== given) { given = kept; runText(kept); }
    goOn(more);
  },
  restore({ step, rate, theme: wanted, given: kept, ...more }) {
    restored = true;
    setTimeout(() => tell("restored", {}), OFTEN); // By then it is drawn.
    if (typeof kept === "string" && !data.against) {
      given = kept;
      if (kept !== replay.text) runText(kept);
    }
    if (rate) { replay.part.speed.value = rate; replay.showRate(); }
    if (wanted) document.documentElement.dataset.theme = wanted;
    nameTheme();
    graph.fit(); // A frame has its size once it is shown.
    if (step && !data.against) replay.begin(replay.run.world, { step });
    else replay.refresh();
    if (!data.against) goOn(more);
    tellShown();
  },
  // The same picture of another source: only places in it, clauses and the agent's own world are others.
  update({ fresh }) {
    const own = data.start.text;
    Object.assign(data, fresh);
    table.rules.set(data.table.rules);
    source.show();
    details.show(picked);
    replay.language = data.language;
    if (given === null && !draft && !replay.editor.open && data.start.text !== own) replay.begin(data.start, { text: data.start.text });
    else replay.refresh();
  },
  theme({ theme: wanted }) { document.documentElement.dataset.theme = wanted; nameTheme(); replay.refresh(); },
  replay({ given: text }) {
    replay.part.input.value = text;
    replay.grow();
    replay.submit();
    replay.play(true);
  },
};
window.addEventListener("message", (event) => {
  if (event.source === HOST && Object.hasOwn(ASKED, event.data?.kind)) ASKED[event.data.kind](event.data);
});

page.goTo = (line) => tell("line", placed(line));
if (!data.against) tabs.show($("details"));
tell("ready", {});
