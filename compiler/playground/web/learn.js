// An agent is learned from runs of the one on screen, and proven to do the same; a difference is one more run to learn.

import { $, button, fill, make } from "../../drawing/web/dom.js";
import { Bench } from "./bench.js";
import { plural } from "./panels.js";

const RUNS = { least: 1, usual: 30, most: 1000 };
const GIVEN = "A difference becomes one more run, until the two are proven to do the same. The learner is given what "
  + "an observer sees: in each step the symbol read, the symbol written and the move. It is not given the rules, "
  + "nor how many states there are.";
const CUT = "A trace of this run was given already, and is cut before the difference: more runs may help.";
const CHECKED = "The proof was accepted by the checker, which uses no code of the prover.";
const READING = "1:0L is: read 1, write 0, go left. S stays, and halts where nothing is written.";

// `about()` are the parameters of a request about what is on screen; `begin()` ends a comparison that is shown;
// `compared` shows a page beside the editor, `open` a new document.
export function showLearn({ client, about, begin, compared, open, download }) {
  const range = { min: RUNS.least, max: RUNS.most, value: RUNS.usual };
  const count = make("input", { type: "number", id: "learn-count", ...range });
  const where = make("select", { id: "learn-where", ariaLabel: "where it runs" },
    make("option", { value: "" }, "on random declared inputs"),
    make("option", { value: "anywhere" }, "on random worlds"));
  // One round: `more` are the worlds of differences so far.
  const round = (asked, more) => {
    const parts = [];
    const tell = ({ traces, learned, merging, proving }) => {
      if (merging) return bench.tell(`Merging … ${plural(merging, "state")}`);
      if (proving) return bench.tell(`Looking for a proof, or a difference … ${plural(proving, "abstract state")}`);
      if (traces) parts.push(tracesPart(traces, more.length));
      if (learned) parts.push(learnedPart(learned, asked.name, open));
      fill(found, ...parts);
    };
    const runs = Math.max(RUNS.least, Math.min(RUNS.most, Math.round(Number(count.value)) || RUNS.usual));
    count.value = runs;
    return bench.ask({ ...asked, count: runs, anywhere: Boolean(where.value), more }, "Recording runs …", tell);
  };
  const learn = async () => {
    const asked = about(), more = [];
    begin();
    for (;;) {
      const reply = await round(asked, more);
      if (!reply) return;
      const stays = more.includes(reply.again);
      verdict(reply, asked.name, stays);
      if (reply.again === null || stays) return;
      more.push(reply.again);
    }
  };
  const verdict = (reply, name, stays) => {
    const kind = reply.equivalent === null ? "" : reply.equivalent ? "good" : "bad", learned = `${name}_learned`;
    const both = "state graph and replay of what was learned, beside the agent";
    const keep = `for gridlang verify; keep ${learned}.grid beside it`;
    const show = () => compared(reply, `${learned}.grid`);
    const buttons = [button("Show both", show, { className: "small", title: both })];
    const keepIt = () => download(`${learned}.proof.json`, reply.certificate);
    if (reply.certificate) buttons.push(button("Certificate", keepIt, { className: "small", title: keep }));
    const why = stays ? CUT : reply.equivalent ? CHECKED : "";
    fill(summary, make("pre", { className: kind }, reply.words.join("\n")), make("p", { className: "row" }, ...buttons),
      why ? make("p", { className: "dim" }, why) : "");
    summary.scrollIntoView({ block: "nearest" });
  };
  const bench = new Bench(client, "gridlang/learn", { id: "learn", title: "Learn", begin: learn, found: "learned" });
  const { found, summary } = bench;
  const runs = make("label", {}, "from ", count, " runs of this agent");
  fill($("learn"), make("p", { className: "row" }, bench.start, bench.stop, runs, where),
    make("p", { className: "dim" }, GIVEN), ...bench.parts);
  return bench;
}

function tracesPart({ count, steps, inputs, shown }, added) {
  const chosen = inputs ? "on declared inputs, drawn at random" : "on random worlds";
  const line = ({ given, steps }) => make("li", {},
    make("pre", {}, `${given.trimEnd() || "(empty)"}   ${given.includes("\n") ? "\n" : ""}${steps}`));
  const more = added ? `; ${plural(added, "trace")} of differences` : "";
  const about = `, ${plural(steps, "step")}: ${chosen}, the same ones each time${more}.`;
  return make("div", {}, make("p", {}, make("b", {}, plural(count, "trace")), about),
    make("details", {},
      make("summary", {}, "some of them"), make("ul", {}, ...shown.map(line)),
      make("p", { className: "hint" }, READING)));
}
function learnedPart({ source, states, of }, name, open) {
  const learned = `${name}_learned`, about = `merged from the traces; the agent has ${of}.`;
  const looks = { className: "small", id: "open-learned" };
  const take = button("Open as a new document", () => open(learned, source), looks);
  return make("div", {}, make("p", { className: "row" }, make("b", {}, plural(states, "state")), about, take),
    make("details", {}, make("summary", {}, `${learned}.grid`), make("pre", {}, source)));
}
