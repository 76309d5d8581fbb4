// Elements made from text that comes from files, which is never read as HTML.

export const $ = (id) => document.getElementById(id);
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  element.append(...children);
  return element;
}
export function button(text, act, more = {}) { return make("button", { type: "button", onclick: act, ...more }, text); }
export function fill(element, ...children) { element.replaceChildren(...children); }
export const count = (number) => number.toLocaleString("en");

// Scrolls a panel, and nothing around it, until an element in it is seen with some room about it.
export function scrollWithin(panel, element, room = 40) {
  if (!element || !panel.clientHeight) return;
  const top = element.getBoundingClientRect().top - panel.getBoundingClientRect().top - panel.clientTop;
  const bottom = top + element.offsetHeight;
  room = Math.max(0, Math.min(room, (panel.clientHeight - element.offsetHeight) / 2));
  if (top < room) panel.scrollTop += top - room;
  else if (bottom > panel.clientHeight - room) panel.scrollTop += bottom - panel.clientHeight + room;
}

// Colours of the style sheet, for what is painted.
export function colours(element = document.documentElement) {
  const style = getComputedStyle(element), get = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["ink", "faint", "rule", "edge", "accent", "good", "bad", "scheme"];
  return Object.fromEntries(names.map((name) => [name, get(name)]));
}
