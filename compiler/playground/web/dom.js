// The drawings' own elements, and what the playground adds to them.

import { make } from "../../drawing/web/dom.js";

export { fill, make } from "../../drawing/web/dom.js";

export const $ = (id) => document.getElementById(id);
export function button(text, act, more = {}) { return make("button", { type: "button", onclick: act, ...more }, text); }

let fading = 0;
export function toast(text) {
  $("toast").textContent = text;
  $("toast").classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => $("toast").classList.remove("shown"), 3500);
}
