// What is proven of the agent on screen: each claim with its verdict as soon as it is decided.

import { $, button, fill, make } from "../../drawing/web/dom.js";
import { inWords } from "./panels.js";
import { Bench } from "./workshop.js";

const LIMITS = "In a browser some outputs cannot be proven, such as a product or a sorted list: then it says so, and `gridlang prove FILE` in a terminal tries more. Most proofs take seconds, large agents minutes; Stop ends it.";
const MARKS = { proven: ["✓", "good"], refuted: ["✗", "bad"], tested: ["○", ""], unknown: ["?", ""] };

// `about()` is the source on screen and its name; `replay(given)` runs an input on the grid.
export function showProve({ workshop, about, replay, download }) {
  const run = async () => {
    const asked = about(), { name } = asked, since = performance.now(), lines = new Map();
    fill(told);
    const reply = await bench.ask(asked, "Looking for proofs …", ({ claim, progress }) => {
      if (claim) { lines.set(claim.says, claim); fill(told, ...[...lines.values()].map((each) => claimLine(each, replay))); }
      else bench.tell(`Looking for proofs … ${progress.toLocaleString("en")} abstract states`);
    });
    if (!reply) return;
    const all = [...lines.values()].every(({ answer }) => answer === "proven"), seconds = ((performance.now() - since) / 1000).toFixed(1);
    const file = name.replace(/\.grid$/, ".proof.json");
    const keep = reply.certificate ? button("Certificate", () => download(file, reply.certificate), { className: "small", title: `for gridlang verify ${file} ${name} ${name}` }) : "";
    fill(summary, make("p", { className: "row" }, make("b", { className: all ? "good" : "" }, all ? "All is proven, on every declared input of any length." : "Not all is proven."), keep),
      make("p", { className: "dim" }, `${seconds} seconds. What is called proven was accepted by the checker, which uses no code of the prover.`));
  };
  const bench = new Bench(workshop, "prove", "Prove", run, "proven"), { told, summary } = bench;
  fill($("prove"), make("p", { className: "row" }, bench.start, bench.stop, make("span", { className: "dim" }, "never stuck, the output clause, and halting: on every declared input, of any length"), make("p", { className: "hint" }, ...inWords(LIMITS))), told, bench.working, summary);
}

function claimLine({ says, answer, words, input, elsewhere }, replay) {
  const [sign, kind] = MARKS[answer];
  const watch = input === null ? "" : button("▶ watch", () => replay(input), { className: "small", ariaLabel: `watch ${says}` });
  const where = elsewhere ? make("div", { className: "hint" }, "Not decided here: ", make("code", {}, "gridlang prove FILE"), " in a terminal looks for a proof by values.") : "";
  return make("div", { className: "test" }, make("span", { className: kind }, sign), " ", make("b", {}, says), " ", watch, make("div", { className: "hint" }, words), where);
}
