// The editor: highlighting, squiggles with their hints and fixes, and the line that the run is at.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";

import { make } from "../../drawing/web/dom.js";
import { offsetIn } from "./client.js";
import { grid } from "./grid-language.js";

const SEVERITIES = [null, "error", "warning", "info"]; // as the protocol numbers them
const opened = Annotation.define(); // marks a change that opens another text: not typing
const ATTRIBUTES = { "aria-label": "source of the agent", spellcheck: "false", autocapitalize: "off", tabindex: "0" };
const KEYS = [
  ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap,
  indentWithTab,
];
const setRunning = StateEffect.define();
const running = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    marks = marks.map(change.changes);
    for (const effect of change.effects) if (effect.is(setRunning)) marks = lineMark(change.state, effect.value);
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});
function lineMark(state, line) {
  if (line < 1 || line > state.doc.lines) return Decoration.none;
  return Decoration.set([Decoration.line({ class: "running" }).range(state.doc.line(line).from)]);
}

// `typed(text)` is called at every change that a person makes; `keys` are further key bindings, `more` further
// extensions.
export function makeEditor(parent, { typed, keys, more = [] }) {
  const extensions = [
    lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), history(), drawSelection(), bracketMatching(),
    closeBrackets(), indentOnInput(), more, highlightSelectionMatches(),
    lintGutter(), running, grid(), indentUnit.of("  "), EditorView.lineWrapping,
    EditorView.contentAttributes.of(ATTRIBUTES), keymap.of([...keys, ...KEYS]),
    EditorView.updateListener.of((update) => {
      const ours = update.transactions.some((change) => change.annotation(opened));
      if (update.docChanged && !ours) typed(update.state.doc.toString());
    }),
  ];
  return new Editor(parent, extensions);
}

class Editor {
  constructor(parent, extensions) {
    this.extensions = extensions;
    this.view = new EditorView({ parent, state: EditorState.create({ extensions }) });
  }
  get text() { return this.view.state.doc.toString(); }
  // Another text, with a history of its own; `kept` is how this text was left.
  open(text, kept = null) {
    const fresh = EditorState.create({ doc: text, extensions: this.extensions });
    this.view.setState(kept?.doc.toString() === text ? kept : fresh);
  }
  // The same text laid out anew, which can be undone; whoever asks says whether it counts as typed.
  replace(text) {
    const { doc, selection } = this.view.state, at = Math.min(selection.main.head, text.length);
    this.view.dispatch({ changes: { from: 0, to: doc.length, insert: text }, selection: { anchor: at } });
  }
  runAt(line) { this.view.dispatch({ effects: setRunning.of(line) }); }
  goTo(from, to = from) {
    const most = this.view.state.doc.length;
    this.view.dispatch({ selection: { anchor: Math.min(from, most), head: Math.min(to, most) }, scrollIntoView: true });
    this.view.focus();
  }
  // Moves to words of the text without taking the keyboard.
  reveal(words) {
    const at = this.text.indexOf(words);
    if (at < 0) return;
    const effects = EditorView.scrollIntoView(at, { y: "center" });
    this.view.dispatch({ selection: { anchor: at, head: at + words.length }, effects });
  }
  goToLine(line) { const { doc } = this.view.state; this.goTo(doc.line(Math.max(1, Math.min(line, doc.lines))).from); }
  apply(changes) {
    this.view.dispatch({ changes, userEvent: "input.fix" });
    this.view.focus();
  }
  // Diagnostics of this text; `apply(fix)` mends one.
  show(diagnostics, apply) {
    const { text } = this;
    const marks = diagnostics.map(({ range, severity, code, message, fixes }) => {
      const from = Math.min(offsetIn(text, range.start), text.length);
      const to = Math.min(Math.max(offsetIn(text, range.end), from + 1), text.length);
      const actions = fixes.map((fix) => ({ name: fix.title, apply: () => apply(fix) }));
      return { from, to, severity: SEVERITIES[severity], renderMessage: () => words(code, message), actions };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }
}
// Every word comes from a file or from the compiler: it is text, never HTML.
function words(code, message) {
  const [fact, ...hint] = message.split("\n");
  const below = hint.length ? [make("div", { className: "hint" }, `hint: ${hint.join("\n")}`)] : [];
  return make("div", {}, make("div", { className: "fact" }, `${code}: ${fact}`), ...below);
}
