// The menu of files: one's own, and the examples with their stories.

import { $, button, fill, make } from "./dom.js";

export function showMenu({ examples, documents, current, open, remove }) {
  const own = documents.names.filter((name) => !examples.some((each) => each.name === name)).sort();
  const entry = (name, about, badge, more = []) => make("div", { className: "entry" },
    button("", () => { $("menu").close(); open(name); }, { className: "file", ariaCurrent: String(name === current) }),
    ...more);
  const rows = (names) => names.map(({ name, about, badge, more }) => {
    const row = entry(name, about, badge, more);
    row.firstChild.append(make("b", {}, name), badge ? make("span", { className: "badge" }, badge) : "", make("span", { className: "about" }, about));
    return row;
  });
  fill($("yours"), ...(own.length ? [make("h3", {}, "Yours, kept in this browser")] : []), ...rows(own.map((name) => ({
    name,
    about: firstLine(documents.get(name).source),
    more: [button("×", () => { remove(name); }, { ariaLabel: `remove ${name}`, title: "remove from this browser" })],
  }))));
  fill($("examples"), ...rows(examples.map(({ name, story }) => ({ name, about: story, badge: documents.get(name) ? "changed" : "" }))));
}
function firstLine(source) {
  const [first] = source.split("\n", 1);
  return first.startsWith("#") ? first.slice(1).trim() : first;
}
