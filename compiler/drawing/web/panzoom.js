// A mouse, a wheel, fingers and keys on an element: they move, zoom and tap what it shows.
// The style sheet says whose a vertical movement is: with `touch-action: none` all belong to the element; with `pan-y`
// one finger and the wheel scroll the page, and two fingers, a sideways drag and Ctrl with the wheel are the element's.

import { button, make } from "./dom.js";

const SLOP = { mouse: 4, pen: 6, touch: 8 }; // pixels that a hand trembles
const NOTCH = 500; // pixels of a wheel that zoom by e: a notch of 100 makes a fifth
const NUDGE = 48; // pixels that a key moves
const PANS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class PanZoom {
  // `pan(dx, dy)` and `zoom(factor, x, y)` are in pixels of the element; `tap(event)` is a click that moved nothing.
  // While `stroke` is a function one pointer draws: it gets `(x, y, first)` and nothing is moved.
  constructor(element, { pan, zoom, tap = () => {} }) {
    Object.assign(this, { element, pan, zoom, tap });
    this.stroke = null;
    this.pointers = new Map();
    this.moved = false;
    element.classList.add("panzoom");
    const on = (kind, act, options) => element.addEventListener(kind, act, options);
    on("wheel", (event) => this.wheel(event), { passive: false });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => this.pointers.delete(event.pointerId));
    on("click", (event) => { if (!this.moved && !this.stroke && !event.target.closest("button")) this.tap(event); });
    // A browser that scrolls with two fingers takes them away from the element.
    const own = (event) => { if (event.touches.length > 1 || this.stroke) event.preventDefault(); };
    on("touchmove", own, { passive: false });
    on("keydown", (event) => this.key(event));
  }
  get leavesScrolling() { return getComputedStyle(this.element).touchAction !== "none"; }
  at(event) {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey && this.leavesScrolling) return;
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 33 : event.deltaMode === 2 ? 400 : 1);
    // A trackpad's pinch comes as a wheel of few pixels with Ctrl.
    const strength = event.ctrlKey && Math.abs(pixels) < 50 ? 6 : 1;
    this.zoom(Math.exp((-Math.max(-300, Math.min(300, pixels)) * strength) / NOTCH), ...this.at(event));
  }
  down(event) {
    if (event.button || event.target.closest("button")) return;
    this.pointers.set(event.pointerId, this.at(event));
    if (this.pointers.size === 1) this.moved = this.drawn = false;
    this.from = this.at(event);
    // A finger may be the first of two: it draws when it moves or is lifted.
    if (event.pointerType !== "touch") this.begin();
  }
  begin() {
    if (!this.stroke || this.drawn || this.pointers.size !== 1) return;
    this.drawn = true;
    this.stroke(...this.from, true);
  }
  up(event) {
    if (!this.moved && this.pointers.has(event.pointerId)) this.begin();
    this.pointers.delete(event.pointerId);
  }
  move(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const now = this.at(event), trembles = SLOP[event.pointerType] || SLOP.mouse;
    if (!this.moved && Math.hypot(now[0] - this.from[0], now[1] - this.from[1]) < trembles) return;
    if (!this.moved) this.element.setPointerCapture(event.pointerId);
    this.moved = true;
    this.pointers.set(event.pointerId, now);
    if (this.pointers.size > 1) this.pinch(event.pointerId, last, now);
    else if (this.stroke) { this.begin(); this.stroke(...now, false); }
    else this.pan(now[0] - last[0], now[1] - last[1]);
  }
  // One of two fingers moved: what lies under the two stays under them.
  pinch(id, last, now) {
    const [, other] = [...this.pointers].find(([each]) => each !== id);
    const apart = ([x, y]) => Math.max(10, Math.hypot(x - other[0], y - other[1]));
    this.pan((now[0] - last[0]) / 2, (now[1] - last[1]) / 2);
    this.zoom(apart(now) / apart(last), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }
  key(event) {
    const arrow = event.shiftKey && PANS[event.key];
    if (!arrow || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.pan(NUDGE * arrow[0], NUDGE * arrow[1]);
  }
}

// Buttons for what a wheel or two fingers do.
export function zoomButtons(zoom, fit) {
  const named = (text, label, act) => button(text, act, { title: label, "aria-label": label });
  return make("div", { className: "zooms" }, named("+", "zoom in", () => zoom(1.25)),
    named("−", "zoom out", () => zoom(0.8)), named("⤢", "show all", fit));
}
