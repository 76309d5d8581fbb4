// Where diagnostics stand: in the file that is in the editor, or in another, which is told at the name of that file.

import { importsIn } from "./files.js";
import { toUnits } from "./units.js";

const nameOf = (file) => file.replace(/\.grid$/, "");

// Diagnostics with their file, how their place is called, and `from` and `to` in the text of the editor, null where they have none there.
export function placedIn(found, files, main) {
  const shown = files.shown, text = files.text(shown);
  return found.map((each) => {
    const name = nameOf(each.file ?? "") || main, file = `${name}.grid`, here = name === shown, there = files.text(name) ?? "";
    const about = { ...each, file, start: each.start ?? 0, end: each.end ?? 0, fixes: each.fixes.map(({ title, edits }) => ({ title, edits: edits.map(({ start, end, text: put }) => ({ file, start: toUnits(there, start), end: toUnits(there, end), text: put })) })) };
    const place = `${each.line ? `line ${each.line}` : "here"}${here ? "" : ` of ${file}`}`;
    if (here) return { ...about, place, ...(each.start === null ? { from: null, to: null } : { from: toUnits(there, each.start), to: toUnits(there, each.end) }) };
    const leads = importsIn(text).find((other) => files.needed(other.name).includes(name));
    return { ...about, place, elsewhere: true, from: leads?.from ?? null, to: leads?.to ?? null };
  });
}
