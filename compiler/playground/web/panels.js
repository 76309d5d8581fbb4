// The menu of files; and below the editor problems, tests, exercises, and how the agent compares with an example.

import { $, button, count, fill, make } from "../../drawing/web/dom.js";
import { Tabs } from "../../drawing/web/tabs.js";
import { Bench } from "./bench.js";
import { uriOf } from "./client.js";

const TITLES = {
  problems: "Problems", tests: "Test", prove: "Prove", learn: "Learn", exercises: "Exercises", compare: "Compare",
};
const SEVERITIES = [null, "error", "warning", "note"]; // as the protocol numbers them
export const plural = (number, what) => `${count(number)} ${what}${number === 1 ? "" : "s"}`;
const dim = (text) => make("p", { className: "dim" }, text);
const small = (title, act, more = {}) => button(title, act, { className: "small", ...more });

let tabs, current = null;
let before = null; // was shown when problems turned up, and is shown again when they are gone
export function makeTabs() {
  const titled = Object.entries(TITLES).map(([id, title]) => [title, $(id)]);
  tabs = new Tabs($("panels"), titled, (panel) => { current = panel.id; });
  showTab("exercises");
}
export function showTab(id) {
  tabs.show($(id));
  $(`tab-${id}`).scrollIntoView({ block: "nearest", inline: "nearest" }); // A phone has no room for all.
}

// ---- problems

// `found` is null while nothing is known of the source yet; those of other files say which.
export function showProblems(found, shown, { goTo, apply, explain }) {
  if (!found) return fill($("problems"), dim("Checking …"));
  const all = found.filter(({ data }) => data !== "elsewhere");
  const errors = all.filter(({ severity }) => SEVERITIES[severity] === "error").length;
  $("tab-problems").textContent = all.length ? `Problems (${all.length})` : "Problems";
  $("tab-problems").classList.toggle("bad", errors > 0);
  if (errors && before === null) { before = current; showTab("problems"); }
  if (!errors && before !== null) { if (current === "problems") showTab(before); before = null; }
  if (!all.length) return fill($("problems"), dim("No problems. Change something: the graph and the replay follow."));
  fill($("problems"), ...all.map((each) => problem(each, shown, { goTo, apply, explain })));
}
function problem({ name, range, severity, code, message, fixes }, shown, { goTo, apply, explain }) {
  const place = { uri: uriOf(name), range }, [fact, ...hint] = message.split("\n");
  const line = `line ${range.start.line + 1}${name === shown ? "" : ` of ${name}.grid`}`;
  const more = make("pre", { className: "more", hidden: true });
  const tellMore = async () => {
    if (!more.textContent) more.textContent = await explain(code);
    more.hidden = !more.hidden;
  };
  const mend = (fix) => button(fix.title, () => { goTo(place); apply(fix); }, { className: "fix" });
  return make("div", { className: `problem ${SEVERITIES[severity]}` },
    make("div", {}, button(line, () => goTo(place), { className: "link" }), " ", fact, " ",
      button(code, tellMore, { className: "link", title: "tell more" })),
    hint.length ? make("div", { className: "hint" }, `hint: ${hint.join("\n")}`) : "",
    make("div", { className: "row" }, ...fixes.map(mend)), more);
}

// ---- tests

const mark = (passed) => make("span", { className: passed ? "good" : "bad" }, passed ? "✓" : "✗");
function testLine({ test, passed, problem, given, line }, replay, goToLine) {
  const place = line && goToLine ? [button(`line ${line}`, () => goToLine(line), { className: "link" }), " "] : [];
  const again = () => small("▶ watch", () => replay(given), { ariaLabel: `watch ${test}` });
  const watch = given === null || given === undefined ? "" : again(), why = problem ? make("pre", {}, problem) : "";
  return make("div", { className: "test" }, mark(passed), " ", ...place, make("code", {}, test), " ", watch, why);
}

// `about()` are the parameters of a request about what is on screen; `replay(given)` runs an input on the grid.
export function showTests({ client, about, replay, goToLine }) {
  const run = async () => {
    const reply = await bench.ask(about(), "Running the tests, and looking for an input that goes wrong …");
    if (!reply) return;
    const { counterexample: wrong, failed, passed, tests, words } = reply;
    const verdict = failed ? plural(failed, "failure") : passed ? "all is well" : "nothing to test";
    const input = make("code", {}, wrong || "the empty input");
    fill(bench.summary,
      make("p", {}, make("b", { className: failed ? "bad" : "good" }, verdict)),
      ...tests.map((each) => testLine(each, replay, goToLine)),
      wrong === null ? "" : make("p", {}, "It goes wrong on ", input, " ", small("▶ watch", () => replay(wrong))),
      make("pre", { className: "dim" }, words.join("\n")));
  };
  const bench = new Bench(client, "gridlang/test", { id: "tests", title: "Run the tests", begin: run });
  const what = make("span", { className: "dim" }, "of this file, and check its output clause on many inputs");
  fill($("tests"), make("p", { className: "row" }, bench.start, bench.stop, what), ...bench.parts);
}

// ---- exercises

export function showExercises(example, { client, about, replay, begin, documents }) {
  $("tab-exercises").textContent = TITLES.exercises;
  if (!example) return fill($("exercises"), dim("Exercises come with the examples: choose one at the top."));
  const keys = example.exercises.map((_, number) => `${example.name}/${number}`);
  const solved = (key) => documents.data.solved[key];
  const tell = () => { $("tab-exercises").textContent = `Exercises ${keys.filter(solved).length}/${keys.length}`; };
  const parts = example.exercises.map(({ title, task, tests, starter }, number) => {
    const key = keys[number], done = make("span", { className: "good" }, solved(key) ? "✓ solved" : "");
    const check = async () => {
      const reply = await bench.ask({ ...about(), tests }, "Checking …");
      if (!reply) return;
      const right = reply.tests.length > 0 && reply.tests.every(({ passed }) => passed);
      const wrong = reply.problem ? `Not yet: ${reply.problem}.` : "Not yet.";
      const verdict = right ? "Well done: all tests of the exercise pass." : wrong;
      if (right) { documents.solve(key); done.textContent = "✓ solved"; tell(); }
      fill(bench.summary, make("p", { className: right ? "good" : "bad" }, verdict),
        ...reply.tests.map((each) => testLine(each, replay)));
    };
    const looks = { id: `exercise-${number}`, title: "Check my answer", begin: check };
    const bench = new Bench(client, "gridlang/exercise", looks);
    Object.assign(bench.start, { className: "small", ariaLabel: `check my answer to ${title}` });
    const from = starter ? small("Begin", () => begin(example, starter.trimStart())) : "";
    return make("article", { className: "exercise" },
      make("h2", {}, title, " ", done), make("p", {}, ...inWords(task)),
      make("p", { className: "row" }, from, bench.start, bench.stop), ...bench.parts);
  });
  fill($("exercises"), dim(example.story), ...parts);
  tell();
}
// What stands between backquotes is code.
export const inWords = (text) => text.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));

// ---- compare

export function showCompare(examples, { client, about, compared }) {
  const agents = examples.filter(({ source }) => !/^library\b/m.test(source));
  const option = (value, text = value) => make("option", { value }, text);
  const other = make("select", { id: "other", ariaLabel: "the example to compare with" },
    ...agents.map(({ name }) => option(`${name}.grid`)));
  const scope = make("select", { ariaLabel: "where" },
    option("inputs", "on its declared inputs"), option("worlds", "on all worlds"));
  const forget = () => fill(bench.summary);
  const choose = () => {
    const { source } = agents.find(({ name }) => `${name}.grid` === other.value);
    scope.value = /^input\b/m.test(source) ? "inputs" : "worlds";
    forget();
  };
  const compare = async () => {
    const asked = { ...about(), other: other.value, scope: scope.value };
    const reply = await bench.ask(asked, "Looking for a proof, or for a difference …");
    if (!reply) return;
    const kind = reply.equivalent === null ? "" : reply.equivalent ? "good" : "bad";
    fill(bench.summary, make("pre", { className: kind }, reply.words.join("\n")));
    compared(reply, asked.other);
  };
  const bench = new Bench(client, "gridlang/compare", { id: "compare", title: "Compare", begin: compare });
  other.addEventListener("change", choose);
  scope.addEventListener("change", forget);
  const question = ["Does this agent do what", other, "does", scope, bench.start, bench.stop];
  fill($("compare"), make("p", { className: "row" }, ...question), ...bench.parts);
  return (name) => {
    if (agents.some((each) => each.name === name)) other.value = `${name}.grid`;
    choose();
  };
}

// ---- the menu: one's own files, and the examples with their stories

export function showMenu({ examples, documents, current, open, remove, removed, putBack }) {
  const own = documents.names.filter((name) => !examples.some((each) => each.name === name)).sort();
  const row = (name, about, badge, ...more) => {
    const onclick = () => { $("menu").close(); open(name); };
    const marked = badge ? make("span", { className: "badge" }, badge) : "";
    return make("div", { className: "entry" },
      make("button", { type: "button", className: "file", ariaCurrent: String(name === current), onclick },
        make("b", {}, name), marked, make("span", { className: "about" }, about)), ...more);
  };
  const mine = (name) => {
    const about = { ariaLabel: `remove ${name}`, title: "remove from this browser" };
    const away = button("×", () => remove(name), about);
    return row(name, firstLine(documents.get(name).source), "", away);
  };
  const gone = (name) => make("div", { className: "entry dim" }, `${name} is removed.`,
    button("Undo", () => putBack(name), { ariaLabel: `put ${name} back` }));
  const rows = [...own.map(mine), ...[...removed.keys()].map(gone)];
  fill($("yours"), ...(rows.length ? [make("h3", {}, "Yours, kept in this browser"), ...rows] : []));
  fill($("examples"), ...examples.map(({ name, story }) => row(name, story, documents.get(name) ? "changed" : "")));
}
function firstLine(source) {
  const [first] = source.split("\n", 1);
  return first.startsWith("#") ? first.slice(1).trim() : first;
}
