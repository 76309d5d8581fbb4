// The menu of files; and below the editor problems, tests, exercises, and how the agent compares with an example.

import { $, button, count, fill, make } from "../../drawing/web/dom.js";
import { Tabs } from "../../drawing/web/tabs.js";
import { Stopped } from "./language.js";
import { judging } from "./verdicts.js";

const TITLES = { problems: "Problems", tests: "Test", prove: "Prove", learn: "Learn", exercises: "Exercises", compare: "Compare" };
export const plural = (number, what) => `${count(number)} ${what}${number === 1 ? "" : "s"}`;

let tabs, current = null, before = null; // `before` was shown when problems turned up, and is shown again when they are gone
export function makeTabs() {
  tabs = new Tabs($("panels"), Object.entries(TITLES).map(([id, title]) => [title, $(id)]), (panel) => { current = panel.id; });
  showTab("exercises");
}
export function showTab(id) {
  tabs.show($(id));
  $(`tab-${id}`).scrollIntoView({ block: "nearest", inline: "nearest" }); // A phone has no room for all.
}

// ---- problems

// `diagnostics` are null while nothing is known of the source yet.
export function showProblems(diagnostics, editor, explain) {
  if (!diagnostics) return fill($("problems"), make("p", { className: "dim" }, "Checking …"));
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  $("tab-problems").textContent = diagnostics.length ? `Problems (${diagnostics.length})` : "Problems";
  $("tab-problems").classList.toggle("bad", errors > 0);
  if (errors && before === null) { before = current; showTab("problems"); }
  if (!errors && before !== null) { if (current === "problems") showTab(before); before = null; }
  if (!diagnostics.length) return fill($("problems"), make("p", { className: "dim" }, "No problems. Change something: the graph and the replay follow."));
  fill($("problems"), ...diagnostics.map((each) => {
    const where = button(each.place, () => editor.goTo(each), { className: "link" });
    const more = make("pre", { className: "more", hidden: true });
    const code = button(each.code, async () => {
      if (!more.textContent) more.textContent = await explain(each.code);
      more.hidden = !more.hidden;
    }, { className: "link", title: "tell more" });
    const fixes = each.fixes.map((fix) => button(fix.title, () => { editor.goTo(each); editor.apply(fix); }, { className: "fix" }));
    const hint = each.hint ? make("div", { className: "hint" }, `hint: ${each.hint}`) : "";
    return make("div", { className: `problem ${each.severity}` }, make("div", {}, where, " ", each.message, " ", code), hint, make("div", { className: "row" }, ...fixes), more);
  }));
}

// ---- tests

const mark = (passed) => make("span", { className: passed ? "good" : "bad" }, passed ? "✓" : "✗");
function testLine({ test, passed, problem, given, line }, replay, editor) {
  const place = line && editor ? [button(`line ${line}`, () => editor.goToLine(line), { className: "link" }), " "] : [];
  const watch = given === null || given === undefined ? "" : button("▶ watch", () => replay(given), { className: "small", ariaLabel: `watch ${test}` });
  return make("div", { className: "test" }, mark(passed), " ", ...place, make("code", {}, test), " ", watch, problem ? make("pre", {}, problem) : "");
}

// `act` asks the language; what it says, or why it says nothing, is filled into the panel.
async function working(panel, about, act) {
  judging(panel);
  fill(panel, make("p", { className: "dim working" }, about));
  try {
    const reply = await act();
    if (reply.failure) return fill(panel, make("p", { className: "bad" }, reply.failure));
    if (reply.diagnostics) return fill(panel, make("p", { className: "bad" }, `First mend the source: ${reply.diagnostics[0].message}.`));
    return reply;
  } catch (error) {
    fill(panel, make("p", { className: "bad" }, error instanceof Stopped ? `No answer: ${error.message}.` : `This went wrong: ${error.message}`));
  }
  return null;
}

export function showTests({ ask, replay, editor }) {
  const told = make("div", { role: "status" });
  const run = async () => {
    const reply = await working(told, "Running the tests, and looking for an input that goes wrong …", () => ask("test"));
    if (!reply) return;
    const wrong = reply.counterexample;
    const watch = wrong === null ? [] : [make("p", {}, "It goes wrong on ", make("code", {}, wrong || "the empty input"), " ", button("▶ watch", () => replay(wrong), { className: "small" }))];
    const verdict = reply.failed ? make("b", { className: "bad" }, `${plural(reply.failed, "failure")}`) : make("b", { className: "good" }, reply.passed ? "all is well" : "nothing to test");
    fill(told, make("p", {}, verdict), ...reply.tests.map((each) => testLine(each, replay, editor)), ...watch, make("pre", { className: "dim" }, reply.words.join("\n")));
  };
  fill($("tests"), make("p", {}, button("Run the tests", run, { className: "chief", id: "run-tests" }), make("span", { className: "dim" }, " of this file, and check its output clause on many inputs")), told);
  return run;
}

// ---- exercises

export function showExercises(example, { ask, replay, begin, documents }) {
  $("tab-exercises").textContent = TITLES.exercises;
  if (!example) return fill($("exercises"), make("p", { className: "dim" }, "Exercises come with the examples: choose one at the top."));
  const tab = () => {
    const solved = example.exercises.filter((_, number) => documents.data.solved[`${example.name}/${number}`]).length;
    $("tab-exercises").textContent = `Exercises ${solved}/${example.exercises.length}`;
  };
  const parts = example.exercises.map((exercise, number) => {
    const key = `${example.name}/${number}`, told = make("div", { role: "status" }), done = make("span", { className: "good" }, documents.data.solved[key] ? "✓ solved" : "");
    const check = async () => {
      const reply = await working(told, "Checking …", () => ask("exercise", { tests: exercise.tests }));
      if (!reply) return;
      if (reply.problem) return fill(told, make("p", { className: "bad" }, `Not yet: ${reply.problem}.`));
      const solved = reply.tests.length > 0 && reply.tests.every(({ passed }) => passed);
      if (solved) { documents.solve(key); done.textContent = "✓ solved"; tab(); }
      fill(told, make("p", { className: solved ? "good" : "bad" }, solved ? "Well done: all tests of the exercise pass." : "Not yet."), ...reply.tests.map((each) => testLine(each, replay)));
    };
    const starter = exercise.starter ? [button("Begin", () => begin(example, exercise.starter.trimStart()), { className: "small" })] : [];
    return make("article", { className: "exercise" }, make("h2", {}, exercise.title, " ", done), make("p", {}, ...inWords(exercise.task)), make("p", { className: "row" }, ...starter, button("Check my answer", check, { className: "small", ariaLabel: `check my answer to ${exercise.title}` })), told);
  });
  fill($("exercises"), make("p", { className: "dim" }, example.story), ...parts);
  tab();
}
// What stands between backquotes is code.
export const inWords = (text) => text.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));

// ---- compare

export function showCompare(examples, { ask, compared }) {
  const agents = examples.filter(({ source }) => !/^library\b/m.test(source));
  const other = make("select", { id: "other", ariaLabel: "the example to compare with" }, ...agents.map(({ name }) => make("option", { value: `${name}.grid` }, `${name}.grid`)));
  const scope = make("select", { ariaLabel: "where" }, make("option", { value: "inputs" }, "on its declared inputs"), make("option", { value: "worlds" }, "on all worlds"));
  const choose = () => { scope.value = /^input\b/m.test(agents.find(({ name }) => `${name}.grid` === other.value).source) ? "inputs" : "worlds"; };
  const told = make("div", { role: "status" });
  other.addEventListener("change", () => { choose(); fill(told); });
  scope.addEventListener("change", () => fill(told));
  const compare = async () => {
    const reply = await working(told, "Looking for a proof, or for a difference …", () => ask("equiv", { other: other.value, scope: scope.value }));
    if (!reply) return;
    const kind = reply.equivalent === null ? "" : reply.equivalent ? "good" : "bad";
    fill(told, make("pre", { className: kind }, reply.words.join("\n")));
    compared(reply, other.value);
  };
  fill($("compare"), make("p", { className: "row" }, "Does this agent do what", other, "does", scope, button("Compare", compare, { className: "chief", id: "run-compare" })), told);
  return (name) => { if (agents.some((each) => each.name === name)) other.value = `${name}.grid`; choose(); fill(told); };
}

// ---- the menu: one's own files, and the examples with their stories

export function showMenu({ examples, documents, current, open, remove, removed, putBack }) {
  const own = documents.names.filter((name) => !examples.some((each) => each.name === name)).sort();
  const row = ({ name, about, badge = "", more = [] }) => make("div", { className: "entry" },
    make("button", { type: "button", className: "file", ariaCurrent: String(name === current), onclick: () => { $("menu").close(); open(name); } },
      make("b", {}, name), badge ? make("span", { className: "badge" }, badge) : "", make("span", { className: "about" }, about)),
    ...more);
  const gone = [...removed.keys()].map((name) => make("div", { className: "entry dim" }, `${name} is removed.`, button("Undo", () => putBack(name), { ariaLabel: `put ${name} back` })));
  fill($("yours"), ...(own.length + gone.length ? [make("h3", {}, "Yours, kept in this browser")] : []), ...own.map((name) => row({
    name,
    about: firstLine(documents.get(name).source),
    more: [button("×", () => { remove(name); }, { ariaLabel: `remove ${name}`, title: "remove from this browser" })],
  })), ...gone);
  fill($("examples"), ...examples.map(({ name, story }) => row({ name, about: story, badge: documents.get(name) ? "changed" : "" })));
}
function firstLine(source) {
  const [first] = source.split("\n", 1);
  return first.startsWith("#") ? first.slice(1).trim() : first;
}
