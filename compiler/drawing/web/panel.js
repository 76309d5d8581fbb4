// The page as a panel of an editor: what is looked at here is shown in the text, and the other way round.

(() => {
  const editor = acquireVsCodeApi(), problem = make("p", { id: "problem", role: "status", hidden: true });
  document.body.prepend(problem);

  // ---- colours of the editor

  function nameColours() {
    const { classList } = document.body, dark = classList.contains("vscode-dark") || (classList.contains("vscode-high-contrast") && !classList.contains("vscode-high-contrast-light"));
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    replay.refresh();
  }
  new MutationObserver(nameColours).observe(document.body, { attributes: true, attributeFilter: ["class"] });

  // ---- from here to the text

  let told = true; // what the editor itself asked for is not sent back
  function tell(kind, line) {
    if (!line || told) return;
    const index = data.files.findLastIndex(([, above]) => line > above);
    editor.postMessage({ kind, file: index, line: line - data.files[index][1] });
  }
  document.addEventListener("picked", ({ detail: states }) => tell("state", states.length ? data.headers[states[0]] : 0));
  document.addEventListener("stepped", ({ detail: line }) => { if (line) tell("step", line); else if (!told) editor.postMessage({ kind: "step" }); });

  // ---- from the text to here

  const asked = {
    cursor({ file, line }) {
      const [, above] = data.files[file];
      source.pick(above + line);
      if (picked.length) page.reveal(picked[0]);
    },
    play({ input }) {
      if (typeof input === "string") { replay.part.input.value = input; replay.grow(); replay.submit(); }
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
    told = message.kind === "cursor";
    asked[message.kind]?.(message);
    told = false;
  });

  // ---- what the reader has chosen stays in the next drawing

  function keep() {
    editor.setState({ of: data.label, input: replay.text === data.start.text ? null : replay.text, step: replay.step, speed: replay.part.speed.value });
  }
  function restore(kept) {
    if (kept?.of !== data.label) return;
    replay.part.speed.value = kept.speed;
    replay.showRate();
    if (kept.input !== null) { replay.part.input.value = kept.input; replay.grow(); replay.submit(); }
    replay.run.compute(100);
    replay.seek(kept.step);
  }
  nameColours();
  restore(editor.getState());
  document.addEventListener("stepped", keep);
  told = false;
  editor.postMessage({ kind: "ready" });
})();
