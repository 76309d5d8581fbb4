// How `.grid` is coloured and indented: a scanner of one line at a time, which remembers the picture and the
// declaration that it is in.

import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { highlightCode, tags } from "@lezer/highlight";

import { make } from "../../drawing/web/dom.js";

// The words of the language, which the build puts in here.
const DECLARING = new RegExp(`^(${VOCABULARY.headers.join("|")})\\b`);
const OPENING = /^(alphabet|state)\b/; // what stands below is indented
const WORDS = new Set(VOCABULARY.words), FUNCTIONS = new Set(VOCABULARY.functions);
const NAMES_A_STATE = new Set(["state", "start", "as"]);

function token(stream, state) {
  if (state.picture) {
    if (stream.skipTo('"""')) { stream.match('"""'); state.picture = false; } else stream.skipToEnd();
    return "string";
  }
  if (stream.eatSpace()) return null;
  if (stream.match('"""')) { state.picture = true; return "string"; }
  if (stream.match(/^#.*/)) return "comment";
  if (stream.match(/^"(\\.|[^"\\])*"?/)) return "string";
  if (stream.match(/^'(\\.|[^'\\])'?/u)) return "character";
  const first = stream.string.slice(0, stream.pos).trim() === "";
  if (first && stream.match(DECLARING)) { state.before = stream.current(); return "keyword"; }
  if (stream.match("->")) { state.before = "as"; return "operator"; }
  if (stream.match(/^\d+/)) return "number";
  if (stream.match(/^_(?!\w)/)) return "atom";
  if (stream.match(/^[A-Za-z_]\w*/)) {
    const word = stream.current(), before = state.before;
    state.before = word;
    if (word === "halt") return "moduleKeyword";
    if (NAMES_A_STATE.has(before)) return before === "state" ? "definition" : "stateName";
    if (/^[UDLRS]$/.test(word)) return "atom";
    if (WORDS.has(word)) return "controlKeyword";
    return FUNCTIONS.has(word) ? "function" : "variableName";
  }
  if (stream.eat(",") && state.before !== "state") return "punctuation"; // `state strip, init` names two.
  if (stream.match(/^[-+*^=<>!|:.]+/)) { state.before = ""; return "operator"; }
  stream.next();
  return "punctuation";
}

// A new line as `fmt` would indent it: declarations at the margin, what belongs to one two columns in; an empty line
// ends that.
function indent(state, textAfter, context) {
  const above = context.lineAt(context.pos, -1).text;
  if (state.picture) return context.lineIndent(context.pos, -1);
  if (DECLARING.test(textAfter) || !above.trim()) return 0;
  return OPENING.test(above) || /^\s/.test(above) ? context.unit : 0;
}

const language = StreamLanguage.define({
  name: "grid",
  startState: () => ({ picture: false, before: "" }),
  blankLine: (state) => { state.before = ""; },
  token,
  indent,
  languageData: {
    commentTokens: { line: "#" }, indentOnInput: new RegExp(`^\\s+${DECLARING.source.slice(1, -2)}\\s$`),
  },
  tokenTable: {
    definition: tags.definition(tags.function(tags.variableName)),
    stateName: tags.function(tags.variableName),
    function: tags.standard(tags.variableName),
  },
});
const style = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.controlKeyword, tags.operator], color: "var(--word)" },
  { tag: tags.moduleKeyword, color: "var(--good)", fontWeight: "600" },
  { tag: [tags.string, tags.character], color: "var(--text)" },
  { tag: [tags.number, tags.atom], color: "var(--value)" },
  { tag: tags.definition(tags.function(tags.variableName)), color: "var(--name)", fontWeight: "700" },
  { tag: tags.function(tags.variableName), color: "var(--name)" },
]);

// Code outside the editor, in its colours.
export function coloured(code) {
  const parts = [];
  const put = (text, className) => parts.push(className ? make("span", { className }, text) : text);
  highlightCode(code, language.parser.parse(code), style, put, () => parts.push("\n"));
  return parts;
}
export const grid = () => [language, syntaxHighlighting(style)];
