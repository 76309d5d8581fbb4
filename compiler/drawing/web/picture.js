// The graph as a file of its own: an SVG with the rules of the style sheet that it uses, or that painted as a PNG.

import { make } from "./dom.js";

const ROOM = 28, SHARP = 2; // pixels around the graph; pixels of a PNG for each of them
const NAMED = /--[\w-]+/g;

export async function savePicture(graph, name, kind) {
  const svg = alone(graph), address = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  const file = `${name.replace(/\.grid$/, "")}.${kind}`;
  if (kind === "svg") return make("a", { href: address, download: file }).click();
  const image = new Image(), { width, height } = svg.viewBox.baseVal;
  image.src = address;
  await image.decode();
  const canvas = make("canvas", { width: SHARP * width, height: SHARP * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  make("a", { href: canvas.toDataURL(), download: file }).click();
}

function alone({ svg, view }) {
  const copy = svg.cloneNode(true), [width, height] = [view.width + 2 * ROOM, view.height + 2 * ROOM];
  for (const part of copy.querySelectorAll("[class]")) part.classList.remove("lit", "picked", "near", "leaves", "hit");
  for (const [key, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", viewBox: `${-ROOM} ${-ROOM} ${width} ${height}`, width, height, class: "" })) copy.setAttribute(key, value);
  copy.querySelector("g.all").removeAttribute("transform");
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.selectorText && !rule.selectorText.includes(":") && copy.querySelector(rule.selectorText)).map((rule) => rule.cssText).join("");
  const look = getComputedStyle(document.documentElement), values = [...new Set([...rules.matchAll(NAMED)].map(([name]) => name))].map((name) => `${name}:${look.getPropertyValue(name)}`);
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = `:root{${values.join(";")};background:${look.getPropertyValue("--paper")}}${rules}`;
  copy.prepend(style);
  return copy;
}
