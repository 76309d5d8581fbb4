// An agent is learned from runs of the one on screen, and proven to do the same; a difference is one more run to learn from.

import { $, button, fill, make } from "../../drawing/web/dom.js";
import { plural } from "./panels.js";
import { Bench } from "./workshop.js";

const RUNS = { least: 1, usual: 30, most: 1000 };
const GIVEN = "A difference becomes one more run, until the two are proven to do the same. The learner is given what an observer sees: in each step the symbol read, the symbol written and the move. It is not given the rules, nor how many states there are.";

// `about()` is the source on screen and its name; `begin()` ends a comparison that is shown; `compared` shows a page beside the editor, `open` a new document.
export function showLearn({ workshop, about, begin, compared, open, download }) {
  const count = make("input", { type: "number", id: "learn-count", min: RUNS.least, max: RUNS.most, value: RUNS.usual });
  const where = make("select", { id: "learn-where", ariaLabel: "where it runs" }, make("option", { value: "" }, "on random declared inputs"), make("option", { value: "anywhere" }, "on random worlds"));
  // One round: `more` are the worlds of differences so far.
  const round = async (asked, more) => {
    const parts = {};
    const tell = ({ traces, learned, merging, proving }) => {
      if (traces) { parts.traces = tracesPart(traces, more.length); fill(told, parts.traces); }
      else if (learned) { parts.learned = learned; fill(told, parts.traces, learnedPart(learned, asked.name, open)); }
      else bench.tell(merging ? `Merging … ${plural(merging, "state")}` : `Looking for a proof, or a difference … ${plural(proving, "abstract state")}`);
    };
    const runs = Math.max(RUNS.least, Math.min(RUNS.most, Math.round(Number(count.value)) || RUNS.usual));
    count.value = runs;
    return bench.ask({ ...asked, count: runs, anywhere: Boolean(where.value), more }, "Recording runs …", tell);
  };
  const learn = async (asked, more) => {
    begin();
    for (;;) {
      const reply = await round(asked, more);
      if (!reply) return;
      const stays = more.includes(reply.again);
      verdict(reply, asked, more, stays);
      if (reply.again === null || stays) return;
      more = [...more, reply.again];
    }
  };
  const verdict = (reply, asked, more, stays) => {
    const kind = reply.equivalent === null ? "" : reply.equivalent ? "good" : "bad", file = learnedName(asked.name);
    const buttons = [button("Show both", () => compared(reply, file), { className: "small", title: "state graph and replay of what was learned, beside the agent" })];
    if (reply.certificate) buttons.push(button("Certificate", () => download(file.replace(/\.grid$/, ".proof.json"), reply.certificate), { className: "small", title: `for gridlang verify; keep ${file} beside it` }));
    const why = stays ? "A trace of this run was given already, and is cut before the difference: more runs may help."
      : reply.equivalent ? "The proof was accepted by the checker, which uses no code of the prover." : "";
    fill(summary, make("pre", { className: kind }, reply.words.join("\n")), make("p", { className: "row" }, ...buttons), why ? make("p", { className: "dim" }, why) : "");
    summary.scrollIntoView({ block: "nearest" });
  };
  const bench = new Bench(workshop, "learn", "Learn", () => learn(about(), []), "learned"), { told, summary } = bench;
  fill($("learn"), make("p", { className: "row" }, bench.start, bench.stop, make("label", {}, "from ", count, " runs of this agent"), where), make("p", { className: "dim" }, GIVEN), told, bench.working, summary);
}

const learnedName = (name) => name.replace(/\.grid$/, "_learned.grid");

function tracesPart({ count, steps, inputs, shown }, added) {
  const chosen = inputs ? "on declared inputs, drawn at random, the same ones each time" : "on random worlds, the same ones each time";
  const line = ({ given, steps }) => make("li", {}, make("pre", {}, `${given.trimEnd() || "(empty)"}   ${given.includes("\n") ? "\n" : ""}${steps}`));
  const more = added ? `; ${plural(added, "trace")} of differences` : "";
  return make("div", {}, make("p", {}, make("b", {}, plural(count, "trace")), `, ${plural(steps, "step")}: ${chosen}${more}.`),
    make("details", {}, make("summary", {}, "some of them"), make("ul", {}, ...shown.map(line)), make("p", { className: "hint" }, "1:0L is: read 1, write 0, go left. S stays, and halts where nothing is written.")));
}
function learnedPart({ source, states, of }, name, open) {
  const file = learnedName(name);
  return make("div", {}, make("p", { className: "row" }, make("b", {}, plural(states, "state")), `merged from the traces; the agent has ${of}.`, button("Open as a new document", () => open(file, source), { className: "small", id: "open-learned" })),
    make("details", {}, make("summary", {}, file), make("pre", {}, source)));
}
