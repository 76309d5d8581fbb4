// What the language server knows, in the editor: hover, completion, the way to a definition, and other names.

import { acceptCompletion, autocompletion, snippetCompletion } from "@codemirror/autocomplete";
import { EditorView, hoverTooltip, keymap } from "@codemirror/view";

import { $ } from "../../drawing/web/dom.js";
import { coloured } from "./grid-language.js";
import { markdown } from "./markdown.js";
import { toUnits } from "./units.js";

const KINDS = { state: "function", class: "enum", parameter: "variable", part: "property", move: "constant", file: "text" };
const INVITES = /(->|\bas|\bstart)\s+$|\(\s*$|\bfrom\s+"[^"]*$/; // what is offered behind these without a letter typed
const SPECIAL = /[\\${}#]/; // what a template would take for its own

// `ask(kind, at, more)` asks about a place in the file that is shown, `open(place)` goes to one in any file, `change(edits)` makes edits
// in files, `toast(text)` says something.
export function assist({ ask, open, change, toast }) {
  const define = async (view, at) => {
    const [place] = (await ask("definition", at))?.places ?? [];
    if (place) open(place); else toast("Nothing here is declared anywhere.");
  };
  const rename = async (view, at) => {
    const dialog = $("rename"), field = $("rename-name"), word = view.state.wordAt(at);
    const tell = (reply) => { $("rename-why").textContent = !reply ? "No answer came. Try again." : reply.refused ? `Not possible: ${reply.refused}.` : ""; };
    field.value = word ? view.state.sliceDoc(word.from, word.to) : "";
    tell({});
    dialog.showModal();
    field.select();
    $("rename-form").onsubmit = async (event) => {
      event.preventDefault();
      const reply = await ask("rename", at, { wanted: field.value });
      tell(reply);
      if (!reply?.edits) return;
      dialog.close();
      change(reply.edits);
      view.focus();
    };
    tell(await ask("rename", at));
  };
  const at = (view) => view.state.selection.main.head;
  return [
    hoverTooltip((view, place) => hover(view, place, ask)),
    autocompletion({ override: [(context) => complete(context, ask)], icons: false }),
    keymap.of([
      { key: "F12", run: (view) => { define(view, at(view)); return true; } },
      { key: "F2", run: (view) => { rename(view, at(view)); return true; } },
      { key: "Tab", run: acceptCompletion },
    ]),
    EditorView.domEventHandlers({
      mousedown(event, view) {
        const place = (event.ctrlKey || event.metaKey) && event.button === 0 ? view.posAtCoords(event) : null;
        if (place === null) return false;
        define(view, place);
        return true;
      },
    }),
  ];
}

async function hover(view, place, ask) {
  const text = view.state.doc.toString(), shown = await ask("hover", place);
  if (!shown?.text || view.state.doc.toString() !== text) return null;
  const pos = toUnits(text, shown.start), end = toUnits(text, shown.end);
  return { pos: Math.min(pos, place), end: Math.max(end, place), above: true, create: () => ({ dom: markdown(shown.text, coloured) }) };
}

async function complete(context, ask) {
  const line = context.state.doc.lineAt(context.pos), before = line.text.slice(0, context.pos - line.from), typed = /[A-Za-z_]\w*$/.exec(before);
  if (!context.explicit && !typed && !INVITES.test(before)) return null;
  const text = context.state.doc.toString(), reply = await ask("complete", context.pos);
  if (!reply?.items.length || context.aborted) return null;
  const labels = new Set(reply.items.map((item) => item.text)), from = toUnits(text, reply.start);
  if (!context.explicit && labels.has(text.slice(from, context.pos))) return null; // It is written already: Enter ends the line.
  return { from, options: reply.items.map(option), validFor: (word) => /^\w*$/.test(word) && !labels.has(word) };
}
function option({ text, kind, detail, arguments: fields }, place) {
  const shown = { label: text, type: KINDS[kind] ?? kind, ...(detail.length > 40 ? { info: detail } : { detail }), boost: -place / 100 };
  const plain = !fields.length || [text, ...fields].some((each) => SPECIAL.test(each));
  return plain ? shown : snippetCompletion(`${text}(${fields.map((name) => `\${${name}}`).join(", ")})`, shown);
}
