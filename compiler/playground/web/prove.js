// What is proven of the agent on screen: each claim with its verdict as soon as it is decided.

import { $, button, fill, make } from "../../drawing/web/dom.js";
import { Bench } from "./bench.js";

const ABOUT = "never stuck, the output clause, and halting: on every declared input, of any length";
const LIMITS = "Most proofs take seconds, large agents minutes; Stop ends it.";
const CHECKED = "What is called proven was accepted by the checker, which uses no code of the prover.";
const MARKS = { proven: ["✓", "good"], refuted: ["✗", "bad"], tested: ["○", ""], unknown: ["?", ""] };

// `about()` are the parameters of a request about what is on screen; `replay(given)` runs an input on the grid.
export function showProve({ client, about, replay, download }) {
  const run = async () => {
    const asked = about(), since = performance.now(), lines = new Map();
    const reply = await bench.ask(asked, "Looking for proofs …", ({ claim, progress }) => {
      if (!claim) return bench.tell(`Looking for proofs … ${progress.toLocaleString("en")} abstract states`);
      lines.set(claim.says, claim);
      fill(found, ...[...lines.values()].map((each) => claimLine(each, replay)));
    });
    if (!reply) return;
    const all = [...lines.values()].every(({ answer }) => answer === "proven");
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    const verdict = all ? "All is proven, on every declared input of any length." : "Not all is proven.";
    const said = make("b", { className: all ? "good" : "" }, verdict);
    fill(summary,
      make("p", { className: "row" }, said, ...keep(reply, asked.name, download)),
      make("p", { className: "dim" }, `${seconds} seconds. ${CHECKED}`));
  };
  const bench = new Bench(client, "gridlang/prove", { id: "prove", title: "Prove", begin: run, found: "proven" });
  const { found, summary } = bench, limits = make("p", { className: "hint" }, LIMITS);
  const what = make("span", { className: "dim" }, ABOUT);
  fill($("prove"), make("p", { className: "row" }, bench.start, bench.stop, what, limits), ...bench.parts);
}

function keep({ certificate }, name, download) {
  const file = `${name}.proof.json`, title = `for gridlang verify ${file} ${name}.grid ${name}.grid`;
  if (!certificate) return [];
  return [button("Certificate", () => download(file, certificate), { className: "small", title })];
}
function claimLine({ says, answer, words, input }, replay) {
  const [sign, kind] = MARKS[answer];
  const again = () => button("▶ watch", () => replay(input), { className: "small", ariaLabel: `watch ${says}` });
  return make("div", { className: "test" },
    make("span", { className: kind }, sign), " ", make("b", {}, says), " ", input === null ? "" : again(),
    make("div", { className: "hint" }, words));
}
