// Help: what is where, keys, the language at a glance, and the way to the documentation.

import { $ } from "../../drawing/web/dom.js";

export function listenForHelp() {
  $("help-open").addEventListener("click", () => $("help").showModal());
  $("help-close").addEventListener("click", () => $("help").close());
  $("help").addEventListener("click", (event) => { if (event.target === $("help")) $("help").close(); }); // beside it
}
