// What the language server knows, in the editor: hover, completion, the way to a definition, and other names.

import { acceptCompletion, autocompletion, snippetCompletion } from "@codemirror/autocomplete";
import { EditorView, hoverTooltip, keymap } from "@codemirror/view";

import { $ } from "../../drawing/web/dom.js";
import { offsetIn, Refused } from "./client.js";
import { coloured } from "./grid-language.js";
import { markdown } from "./markdown.js";

const KINDS = {
  2: "method", 3: "function", 5: "property", 6: "variable",
  13: "enum", 14: "keyword", 17: "text", 20: "constant", 21: "constant",
};
const SNIPPET = 2;
const LONGEST_DETAIL = 40; // characters beside a word; more stands below
const INVITES = /(->|\bas|\bstart)\s+$|\(\s*$|\bfrom\s+"[^"]*$/; // what is offered behind these without a letter typed

// `ask(method, at, more)` asks about a place in the file that is shown, and gives null where there is no answer in
// time; `open(place)` goes to one in any file, `change(edits)` makes edits in files, `toast(text)` says something.
export function assist({ ask, open, change, toast }) {
  const define = async (at) => {
    const [place] = (await ask("definition", at)) ?? [];
    if (place) open(place); else toast("Nothing here is declared anywhere.");
  };
  const rename = async (view, at) => {
    const dialog = $("rename"), field = $("rename-name"), word = view.state.wordAt(at);
    const tried = async (method, more) => {
      try {
        const reply = await ask(method, at, more);
        $("rename-why").textContent = reply ? "" : "No answer came. Try again.";
        return reply;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        $("rename-why").textContent = `Not possible: ${error.message}`;
        return null;
      }
    };
    field.value = word ? view.state.sliceDoc(word.from, word.to) : "";
    $("rename-why").textContent = "";
    dialog.showModal();
    field.select();
    $("rename-form").onsubmit = async (event) => {
      event.preventDefault();
      const reply = await tried("rename", { newName: field.value });
      if (!reply) return;
      dialog.close();
      change(reply.changes);
      view.focus();
    };
    await tried("prepareRename");
  };
  const here = (act) => (view) => { act(view, view.state.selection.main.head); return true; };
  return [
    hoverTooltip((view, place) => hover(view, place, ask)),
    autocompletion({ override: [(context) => complete(context, ask)], icons: false }),
    keymap.of([
      { key: "F12", run: here((_, at) => define(at)) },
      { key: "F2", run: here(rename) },
      { key: "Tab", run: acceptCompletion },
    ]),
    EditorView.domEventHandlers({
      mousedown(event, view) {
        const place = (event.ctrlKey || event.metaKey) && event.button === 0 ? view.posAtCoords(event) : null;
        if (place === null) return false;
        define(place);
        return true;
      },
    }),
  ];
}

async function hover(view, place, ask) {
  const text = view.state.doc.toString(), shown = await ask("hover", place);
  if (!shown || view.state.doc.toString() !== text) return null;
  const pos = offsetIn(text, shown.range.start), end = offsetIn(text, shown.range.end);
  const create = () => ({ dom: markdown(shown.contents.value, coloured) });
  return { pos: Math.min(pos, place), end: Math.max(end, place), above: true, create };
}

async function complete(context, ask) {
  const text = context.state.doc.toString(), line = context.state.doc.lineAt(context.pos);
  const before = text.slice(line.from, context.pos);
  if (!context.explicit && !/[A-Za-z_]\w*$/.test(before) && !INVITES.test(before)) return null;
  const reply = await ask("completion", context.pos);
  if (!reply?.items.length || context.aborted) return null;
  const from = offsetIn(text, reply.items[0].textEdit.range.start);
  const labels = new Set(reply.items.map(({ label }) => label));
  const written = labels.has(text.slice(from, context.pos)); // Then Enter ends the line.
  if (!context.explicit && written) return null;
  return { from, options: reply.items.map(option), validFor: (word) => /^\w*$/.test(word) && !labels.has(word) };
}
function option({ label, kind, detail, textEdit, insertTextFormat }, place) {
  const about = detail.length > LONGEST_DETAIL ? { info: detail } : { detail };
  const shown = { label, type: KINDS[kind] ?? "text", ...about, boost: -place / 100 };
  return insertTextFormat === SNIPPET ? snippetCompletion(textEdit.newText, shown) : shown;
}
