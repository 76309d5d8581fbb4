// The page as a panel of VS Code: what is looked at here is shown in the text, and the other way round.

import { make } from "./dom.js";

export function follow(page, editor) {
  const { data, replay } = page, problem = make("p", { id: "problem", role: "status", hidden: true });
  let asked = true; // The editor is not told what it asked for.
  document.body.prepend(problem);
  document.body.classList.add("panel");

  const nameColours = () => {
    const has = (name) => document.body.classList.contains(name);
    const contrast = has("vscode-high-contrast") && !has("vscode-high-contrast-light");
    document.documentElement.dataset.theme = has("vscode-dark") || contrast ? "dark" : "light";
    replay.refresh();
  };
  const tell = (kind, line) => {
    if (!line || asked) return;
    const file = data.files.findLastIndex(([, above]) => line > above);
    editor.postMessage({ kind, file, line: line - data.files[file][1] });
  };
  const keep = () => editor.setState({
    of: data.label, input: replay.given, step: replay.step, speed: replay.part.speed.value,
  });
  page.picks = (states) => tell("state", states.length ? data.headers[states[0]] : 0);
  page.steps = (line) => {
    keep();
    if (line) tell("step", line); else if (!asked) editor.postMessage({ kind: "step" });
  };

  const acts = {
    cursor({ file, line }) {
      page.source.pick(data.files[file][1] + line);
      if (page.picked.length) page.reveal(page.picked[0]);
    },
    play({ input }) {
      if (typeof input === "string") replay.type(input);
      replay.seek(0);
      replay.play(true);
    },
    problem({ text }) {
      problem.textContent = text;
      problem.hidden = !text;
      document.body.classList.toggle("failed", Boolean(text));
    },
  };
  window.addEventListener("message", ({ data: message }) => {
    asked = message.kind === "cursor";
    acts[message.kind]?.(message);
    asked = false;
  });

  new MutationObserver(nameColours).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  const kept = editor.getState();
  nameColours();
  if (kept?.of === data.label) {
    replay.speed(kept.speed);
    if (kept.input !== null) replay.type(kept.input);
    replay.run.compute(100);
    replay.seek(kept.step);
  }
  asked = false;
  editor.postMessage({ kind: "ready" });
}
