// Elements from words: whatever comes from a file, a link or the compiler is text, never HTML.

export const $ = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value); else element[name] = value;
  element.append(...children);
  return element;
}
export function fill(element, ...children) { element.replaceChildren(...children); }
export function button(text, act, more = {}) { return make("button", { type: "button", onclick: act, ...more }, text); }

let fading = 0;
export function toast(text) {
  $("toast").textContent = text;
  $("toast").classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => $("toast").classList.remove("shown"), 3500);
}
