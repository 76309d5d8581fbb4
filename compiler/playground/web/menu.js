// The menu of files: one's own, and the examples with their stories.

import { $, button, fill, make } from "./dom.js";

export function showMenu({ examples, documents, current, open, remove }) {
  const own = documents.names.filter((name) => !examples.some((each) => each.name === name)).sort();
  const row = ({ name, about, badge = "", more = [] }) => make("div", { className: "entry" },
    make("button", { type: "button", className: "file", ariaCurrent: String(name === current), onclick: () => { $("menu").close(); open(name); } },
      make("b", {}, name), badge ? make("span", { className: "badge" }, badge) : "", make("span", { className: "about" }, about)),
    ...more);
  fill($("yours"), ...(own.length ? [make("h3", {}, "Yours, kept in this browser")] : []), ...own.map((name) => row({
    name,
    about: firstLine(documents.get(name).source),
    more: [button("×", () => { remove(name); }, { ariaLabel: `remove ${name}`, title: "remove from this browser" })],
  })));
  fill($("examples"), ...examples.map(({ name, story }) => row({ name, about: story, badge: documents.get(name) ? "changed" : "" })));
}
function firstLine(source) {
  const [first] = source.split("\n", 1);
  return first.startsWith("#") ? first.slice(1).trim() : first;
}
