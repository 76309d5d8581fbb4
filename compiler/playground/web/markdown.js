// The Markdown of the language server's answers as elements: code, bold, slanted, and text; never HTML, never a link.

import { make } from "../../drawing/web/dom.js";

const FENCE = /^(`{3,})(\w*)\n([^]*?)\n\1$/;
const INLINE = /(`+)(?!`)([^]*?[^`])\1(?!`)|\*\*((?:\\.|[^*\\])+)\*\*|\*((?:\\.|[^*\\])+)\*/g;
const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

// `colour(code)` gives the elements of a block of code.
export function markdown(text, colour) {
  return make("div", { className: "markdown" }, ...sections(text).map((section) => {
    const fenced = FENCE.exec(section);
    return fenced ? make("pre", {}, ...colour(fenced[3])) : make("p", {}, ...inline(section));
  }));
}
// Parts between empty lines; within a fence an empty line is part of the code.
function sections(text) {
  const parts = [];
  let fence = "";
  for (const part of text.split("\n\n")) {
    if (fence) parts.push(`${parts.pop()}\n\n${part}`); else parts.push(part);
    fence ||= /^(`{3,})/.exec(part)?.[1] ?? "";
    if (fence && FENCE.test(parts.at(-1))) fence = "";
  }
  return parts;
}
function inline(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, , code, bold, slanted] = found;
    parts.push(plain(text.slice(at, found.index)));
    if (code !== undefined) parts.push(make("code", {}, /^ .*` $|^ `.* $/.test(code) ? code.slice(1, -1) : code));
    else parts.push(make(bold === undefined ? "em" : "strong", {}, plain(bold ?? slanted)));
    at = found.index + whole.length;
  }
  return [...parts, plain(text.slice(at))];
}
function plain(text) {
  const unescaped = text.replace(/\\([\\`*_[\]()#!~|])/g, "$1");
  return unescaped.replace(/&(amp|lt|gt);/g, (entity) => ENTITIES[entity]);
}
