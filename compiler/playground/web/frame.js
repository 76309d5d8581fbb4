// A replay inside the playground: it tells the playground what is shown, and does what the playground asks for.

const HOST = window.parent;
const LONGEST_TEXT = 100000; // characters of a world that are kept and shared; a larger one is still run
const OFTEN = 30; // milliseconds between two messages

let given = null; // what the reader typed or drew, null while the agent's own first world is shown
function tell(kind, more) { HOST.postMessage({ kind, ...more }, "*"); }

let owing = false;
function tellShown() {
  if (owing) return;
  owing = true;
  setTimeout(() => {
    owing = false;
    const { rule, steps } = replay.run.view, line = rule < 0 ? 0 : table.of(rule).line;
    const inUsedFile = data.files.some(([, above]) => line > above);
    tell("shown", { step: steps, total: replay.run.total, line: inUsedFile ? 0 : line, given });
  }, OFTEN);
}
// After each of these the page does what it did before, and the playground hears of it.
function after(object, name, then) {
  const act = object[name].bind(object);
  object[name] = (...values) => { act(...values); then(); };
}
const keepText = () => {
  if (replay.text.length <= LONGEST_TEXT && !replay.part.complaint.textContent) given = replay.text;
};
after(replay, "changed", tellShown);
after(replay, "submit", () => { keepText(); tellShown(); });
after(replay, "drawn", () => { given = replay.text.length <= LONGEST_TEXT ? replay.text : null; tellShown(); });
after(replay, "showRate", () => tell("rate", { rate: Number(replay.part.speed.value) }));

// What was typed while this page was drawn; where it does not fit the agent any more, the agent's own world stays.
function runText(text) {
  replay.part.input.value = text;
  replay.submit();
  if (replay.part.complaint.textContent) { given = null; replay.begin(data.start, { text: data.start.text }); }
}
const ASKED = {
  restore({ step, rate, theme: wanted, given: kept }) {
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

page.goTo = (line) => tell("line", { line });
if (!data.against) tabs.show($("details"));
tell("ready", {});
tellShown();
