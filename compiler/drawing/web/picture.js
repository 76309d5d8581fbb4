// The graph as a file of its own: an SVG with the rules of the style sheet that it uses, or that painted as a PNG.

import { make } from "./dom.js";

const ROOM = 28, SHARP = 2; // pixels around the graph; pixels of a PNG for each of them
const NAMED = /--[\w-]+/g;

export async function savePicture(graph, name, kind) {
  const svg = alone(graph), text = new XMLSerializer().serializeToString(svg);
  const address = `data:image/svg+xml,${encodeURIComponent(text)}`;
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
  const viewBox = `${-ROOM} ${-ROOM} ${width} ${height}`, xmlns = "http://www.w3.org/2000/svg";
  const attributes = { xmlns, viewBox, width, height, class: "" };
  for (const [name, value] of Object.entries(attributes)) copy.setAttribute(name, value);
  copy.querySelector("g.all").removeAttribute("transform");
  const used = ({ selectorText: where }) => where && !where.includes(":") && copy.querySelector(where);
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter(used);
  const css = rules.map((rule) => rule.cssText).join(""), names = new Set(css.match(NAMED));
  const look = getComputedStyle(document.documentElement);
  const values = [...names].map((name) => `${name}:${look.getPropertyValue(name)}`);
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = `:root{${values.join(";")};background:${look.getPropertyValue("--paper")}}${css}`;
  copy.prepend(style);
  return copy;
}
