// An agent is learned by asking the one on screen what it does, and proven to do the same.

import { $, button, fill, make } from "../../drawing/web/dom.js";
import { Bench } from "./bench.js";
import { plural } from "./panels.js";

const GIVEN = "Learn asks this agent what it does after some reads, and is not given its rules, nor how many states "
  + "there are. It guesses an agent, looks for a difference, and asks on, until the two are proven to do the same.";
const CHECKED = "The proof was accepted by the checker, which uses no code of the prover.";

// `about()` are the parameters of a request about what is on screen; `begin()` ends a comparison that is shown;
// `compared` shows a page beside the editor, `open` a new document.
export function showLearn({ client, about, begin, compared, open, download }) {
  const learn = async () => {
    const asked = about();
    begin();
    const reply = await bench.ask(asked, "Asking …", ({ learned, states, queries, proving }) => {
      if (learned) fill(found, learnedPart(learned, asked.name, open));
      else if (proving) bench.tell(`Looking for a proof … ${plural(proving, "abstract state")}`);
      else bench.tell(`Asking … ${plural(states, "state")}, ${plural(queries, "question")}`);
    });
    if (reply) verdict(reply, `${asked.name}_learned`);
  };
  const verdict = ({ equivalent, words, page, certificate }, learned) => {
    const small = (title, act, about) => button(title, act, { className: "small", title: about });
    const show = () => compared({ page, equivalent }, `${learned}.grid`);
    const keep = () => download(`${learned}.proof.json`, certificate);
    const buttons = [small("Show both", show, "state graph and replay of what was learned, beside the agent")];
    if (certificate) buttons.push(small("Certificate", keep, `for gridlang verify; keep ${learned}.grid beside it`));
    fill(summary, make("pre", { className: equivalent ? "good" : "" }, words.join("\n")),
      make("p", { className: "row" }, ...buttons), equivalent ? make("p", { className: "dim" }, CHECKED) : "");
    summary.scrollIntoView({ block: "nearest" });
  };
  const bench = new Bench(client, "gridlang/learn", { id: "learn", title: "Learn", begin: learn, found: "learned" });
  const { found, summary } = bench;
  fill($("learn"), make("p", { className: "row" }, bench.start, bench.stop), make("p", { className: "dim" }, GIVEN),
    ...bench.parts);
}

function learnedPart({ source, states, of, queries, steps }, name, open) {
  const learned = `${name}_learned`, looks = { className: "small", id: "open-learned" };
  const about = `from ${plural(queries, "question")} of ${plural(steps, "step")} in all; the agent has ${of}.`;
  const take = button("Open as a new document", () => open(learned, source), looks);
  return make("div", {}, make("p", { className: "row" }, make("b", {}, plural(states, "state")), about, take),
    make("details", {}, make("summary", {}, `${learned}.grid`), make("pre", {}, source)));
}
