// A replay inside the playground: it tells the playground what is shown, and does what the playground asks for.

const HOST = window.parent;
const LONGEST_TEXT = 100000; // characters of a world that are kept and shared; a larger one is still run
const OFTEN = 30; // milliseconds between two messages

let given = null; // what the reader typed or drew, null while the agent's own first world is shown
let draft = false; // whether the field holds what was typed and not run
function tell(kind, more) { HOST.postMessage({ kind, ...more }, "*"); }

// A line of the page, which has all files one below the other, as a line of its file.
function placed(line) {
  const [file, above] = source.fileOf(line) ?? ["", 0];
  return { line: line - above, file };
}
let owing = false, begun = false; // What is shown before the playground has said what to show is not told.
function tellShown() {
  if (owing || !begun) return;
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
after(replay, "submit", () => { keepText(); tellShown(); });
after(replay, "drawn", () => { draft = false; given = replay.text.length <= LONGEST_TEXT ? replay.text : null; tellShown(); });
after(replay, "showRate", () => tell("rate", { rate: Number(replay.part.speed.value) }));

replay.part.input.addEventListener("input", () => { draft = true; });

// What was typed or drawn, even where the input clause forbids it; the agent's own world where a symbol is no longer in the alphabet.
function worldShown() {
  try { return given === null ? data.start : readInput(given, table, null); } catch { given = null; return data.start; }
}
// Runs it on a table that acts otherwise, up to the same step; what is typed, drawn and played goes on.
function runAgain() {
  const { step, playing, editor } = replay, world = worldShown();
  if (!draft) { replay.part.input.value = given ?? data.start.text; replay.grow(); }
  replay.start(world, step);
  if (editor.open) editor.begin(table, world);
  if (playing) replay.play(true);
}
const acts = ({ states, symbols, rules }) => JSON.stringify([states, symbols, rules.filter((_, at) => at % 6 < 5)]);
const ASKED = {
  begin({ step, rate, theme: wanted, given: kept }) {
    begun = true;
    setTimeout(() => tell("begun", {}), OFTEN); // By then it is drawn.
    if (rate) { replay.part.speed.value = rate; replay.showRate(); }
    if (wanted) document.documentElement.dataset.theme = wanted;
    nameTheme();
    graph.begin(); // A frame has its size once it is shown.
    if (!data.against) {
      given = kept;
      const world = worldShown(), text = given ?? data.start.text;
      if (step || text !== replay.text) replay.begin(world, { text, step });
    }
    replay.refresh();
    tellShown();
  },
  // The same document with another source.
  update({ fresh }) {
    const names = picked.map((state) => table.states[state]), own = data.start.text, same = acts(data.table) === acts(fresh.table);
    Object.assign(data, fresh);
    table.load(data.table);
    replay.language = data.language;
    source.show();
    graph.load(data.graphs, data.views);
    nameFold();
    $("about").textContent = data.about;
    fill($("legend"), ...data.legend.map(([kind, words]) => make("span", {}, make("i", { style: `background:var(--${kind}-fill);border-color:var(--${kind}-line)` }), words)));
    if (!same || (given === null && own !== data.start.text)) runAgain();
    pick(names.map((name) => table.states.indexOf(name)).filter((state) => state >= 0));
    replay.refresh();
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
