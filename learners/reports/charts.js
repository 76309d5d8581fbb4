/* Draws the charts of a report anew, with axes of one's choice, and tells what one points at.
 *
 * Without this script the page shows the same charts as still pictures. Names from files are only ever set as text.
 */
"use strict";
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const ROOM = { left: 60, right: 18, top: 10, bottom: 42 }; // for the words around the axes
  const NAMED = 4; // lines that lie on each other and are named where one points at them
  const choice = { time: false, xLog: null, yLog: new Map(), hidden: new Set() };
  let panels = [];
  let figures = [];

  const part = (name, attributes, parent) => {
    const node = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (parent) parent.append(node);
    return node;
  };
  const html = (name, className, text) => {
    const node = document.createElement(name);
    node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };

  function shown(value) {
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e9)) return value.toExponential(2).replace("-", "−");
    return value.toLocaleString("en", { maximumSignificantDigits: size < 1 ? 4 : 6 }).replace("-", "−");
  }
  function tickText(value) {
    const size = Math.abs(value), sign = value < 0 ? "−" : "";
    if (size >= 1e9 || (size > 0 && size < 1e-3)) return sign + size.toExponential(1).replace(".0e", "e").replace(/[+]/, "").replace("-", "−");
    if (size >= 1e6) return sign + +(size / 1e6).toPrecision(4) + "M";
    if (size >= 1e4) return sign + +(size / 1e3).toPrecision(4) + "k";
    return sign + +size.toPrecision(6);
  }
  function clock(seconds) {
    if (seconds < 120) return shown(seconds) + " s";
    const minutes = Math.floor(seconds / 60);
    return minutes < 120 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }

  /* Values to places; a logarithmic axis has only what is above zero. */
  function axis(values, log, start, end) {
    const kept = values.filter((v) => v !== null && Number.isFinite(v) && (!log || v > 0));
    const least = (a, b) => Math.min(a, b), most = (a, b) => Math.max(a, b); // Not `Math.min(...kept)`: a call holds few arguments.
    let low = kept.length ? kept.reduce(least) : 1, high = kept.length ? kept.reduce(most) : 1;
    if (log) {
      low = 10 ** Math.floor(Math.log10(low) + 1e-9);
      high = 10 ** Math.ceil(Math.log10(high) - 1e-9);
      if (high <= low) high = low * 10;
    } else {
      low = Math.min(low, 0);
      if (high <= low) high = low + 1;
    }
    const share = log ? (v) => Math.log(v / low) / Math.log(high / low) : (v) => (v - low) / (high - low);
    const ticks = [];
    if (log) {
      const decades = Math.round(Math.log10(high / low)), every = Math.ceil(decades / 6);
      for (let i = 0; i <= decades; i += every) ticks.push(low * 10 ** i);
    } else {
      const rough = 10 ** Math.floor(Math.log10(high - low));
      const least = kept.every(Number.isInteger) ? 1 : 0; // There is no half length, and no half seed.
      const step = Math.max(least, [0.1, 0.2, 0.5, 1, 2].map((m) => m * rough).find((s) => (high - low) / s <= 6));
      for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i * step);
    }
    return { fits: (v) => v !== null && (!log || v > 0), at: (v) => start + share(v) * (end - start), ticks };
  }

  const nameIn = (line) => line.of || line.label; // in the legend
  const timed = (panel) => panel.across === "iterations" && panel.lines.some((line) => line.t);
  const byTime = (panel) => choice.time && timed(panel);
  const xLog = (panel) => (panel.across === "iterations" && choice.xLog !== null ? choice.xLog : panel.xLog);
  const yLog = (panel) => choice.yLog.get(panel.title) ?? panel.yLog;

  const linesOf = (panel) => panel.lines.filter((line) => !choice.hidden.has(nameIn(line)) && (!byTime(panel) || line.t));

  function draw(figure, panel) {
    const width = Math.max(260, Math.floor(figure.box.clientWidth)), height = Math.round(Math.min(330, Math.max(230, width * 0.6)));
    const time = byTime(panel), lines = linesOf(panel);
    const xs = (line) => (time ? line.t : line.x);
    const across = axis(lines.flatMap(xs), xLog(panel), ROOM.left, width - ROOM.right);
    const all = lines.flatMap((line) => [...line.y, ...(line.low ?? []), ...(line.high ?? [])]);
    const down = axis(all, yLog(panel), height - ROOM.bottom, ROOM.top);
    const svg = part("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", tabindex: 0 });
    part("title", {}, svg).textContent = `${panel.title}; arrow keys go along a line, and from line to line`;
    for (const tick of down.ticks) {
      const y = down.at(tick);
      part("line", { class: "grid", x1: ROOM.left, x2: width - ROOM.right, y1: y, y2: y }, svg);
      part("text", { x: ROOM.left - 6, y: y + 4, "text-anchor": "end" }, svg).textContent = tickText(tick);
    }
    for (const tick of across.ticks)
      part("text", { x: across.at(tick), y: height - ROOM.bottom + 17, "text-anchor": "middle" }, svg).textContent = tickText(tick);
    part("line", { class: "axis", x1: ROOM.left, x2: width - ROOM.right, y1: height - ROOM.bottom, y2: height - ROOM.bottom }, svg);
    const below = { x: (ROOM.left + width - ROOM.right) / 2, y: height - 6, "text-anchor": "middle" };
    part("text", below, svg).textContent = time ? "seconds of training" : panel.across;
    for (const line of lines.filter((each) => each.low)) band(line, xs(line), across, down, svg);
    figure.lines = lines.map((line) => {
      const places = [];
      let path = "", pen = "M";
      line.y.forEach((y, i) => {
        const x = xs(line)[i];
        if (y === null || !down.fits(y) || !across.fits(x)) return void (pen = "M");
        const place = { i, x: across.at(x), y: down.at(y) };
        places.push(place);
        path += `${pen}${place.x.toFixed(1)} ${place.y.toFixed(1)}`;
        pen = "L";
      });
      const kind = line.of ? "line thin" : "line";
      return { ...line, places, node: part("path", { class: kind, d: path, stroke: line.colour }, svg) };
    });
    figure.mark = part("circle", { class: "mark", r: 4.5, visibility: "hidden" }, svg);
    figure.svg?.remove();
    figure.svg = svg;
    figure.box.prepend(svg);
    svg.addEventListener("pointermove", (event) => point(figure, event));
    svg.addEventListener("pointerdown", (event) => point(figure, event));
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && light(null));
    svg.addEventListener("keydown", (event) => walk(figure, event));
    svg.addEventListener("blur", () => light(null));
  }

  function band(line, xs, across, down, svg) {
    const corners = (values) => values.map((y, i) => (down.fits(y) && across.fits(xs[i]) ? `${across.at(xs[i]).toFixed(1)},${down.at(y).toFixed(1)}` : ""));
    const points = [...corners(line.high), ...corners(line.low).reverse()].filter(Boolean).join(" ");
    part("polygon", { class: "band", points, fill: line.colour }, svg);
  }

  function point(figure, event) {
    const box = figure.svg.getBoundingClientRect(), scale = figure.svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    let best = null, least = Infinity;
    for (const line of figure.lines)
      for (let i = 0; i < line.places.length; i++) {
        const a = line.places[i], b = line.places[Math.min(i + 1, line.places.length - 1)];
        const t = b.x > a.x ? Math.min(1, Math.max(0, (x - a.x) / (b.x - a.x))) : 0;
        const far = Math.hypot(a.x + t * (b.x - a.x) - x, a.y + t * (b.y - a.y) - y) + (line.of ? 0 : 1);
        if (far < least) [best, least] = [{ line, place: t < 0.5 ? i : Math.min(i + 1, line.places.length - 1) }, far];
      }
    light(figure, best);
  }

  function walk(figure, event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1 }, rows = { ArrowUp: -1, ArrowDown: 1 };
    const lines = figure.lines.filter((line) => line.places.length);
    if (event.key === "Escape") return light(null);
    if (!lines.length || !(event.key in steps || event.key in rows)) return;
    event.preventDefault();
    const was = figure.at ?? { line: lines[0], place: lines[0].places.length };
    const row = lines.indexOf(was.line), line = lines[(row + (rows[event.key] ?? 0) + lines.length) % lines.length];
    const place = Math.min(line.places.length - 1, Math.max(0, was.place + (steps[event.key] ?? 0)));
    light(figure, { line, place });
  }

  /* Shows a point of a line, and the line in every chart that has it. */
  function light(figure, at = null) {
    const isLit = (line) => at !== null && line.of === at.line.of && line.label === at.line.label;
    for (const each of figures) {
      each.svg.classList.toggle("dim", each.lines.some(isLit));
      for (const line of each.lines) line.node.classList.toggle("lit", isLit(line));
      if (each !== figure) hide(each);
    }
    if (figure === null) return;
    figure.at = at;
    if (at === null) return hide(figure);
    const { line } = at, place = line.places[at.place], i = place.i;
    figure.mark.setAttribute("cx", place.x);
    figure.mark.setAttribute("cy", place.y);
    figure.mark.setAttribute("fill", line.colour);
    figure.mark.setAttribute("visibility", "visible");
    const names = figure.lines.filter((each) => each === line || meets(each, place)).map(nameOf);
    const others = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
    const name = names.slice(0, NAMED).join(", ") + others;
    const least = line.beyond?.[i] ? "≥ " : "";
    const when = figure.panel.across === "iterations" ? `iteration ${shown(line.x[i])}` : `${figure.panel.across.split(",")[0]} ${shown(line.x[i])}`;
    figure.tip.replaceChildren(html("b", "", name), html("span", "", `${least}${shown(line.y[i])}`), html("span", "why", line.t ? `${when}, ${clock(line.t[i])}` : when));
    figure.tip.hidden = false;
    const scale = figure.svg.getBoundingClientRect().width / figure.svg.viewBox.baseVal.width;
    const room = figure.box.clientWidth - figure.tip.offsetWidth - 4;
    figure.tip.style.left = `${Math.max(0, Math.min(room, place.x * scale + 14))}px`;
    const above = place.y * scale - figure.tip.offsetHeight - 12;
    figure.tip.style.top = `${above < 0 ? place.y * scale + 16 : above}px`;
  }
  const nameOf = (line) => (line.low ? `${line.label}, median` : line.of ? `${line.label} of ${line.of}` : line.label);
  const meets = (line, at) => line.places.some((place) => Math.abs(place.x - at.x) < 0.5 && Math.abs(place.y - at.y) < 0.5);
  function hide(figure) {
    figure.at = null;
    figure.tip.hidden = true;
    figure.mark.setAttribute("visibility", "hidden");
  }

  function button(text, pressed, act) {
    const node = html("button", "", text);
    node.type = "button";
    node.setAttribute("aria-pressed", String(pressed));
    node.addEventListener("click", () => {
      act();
      redraw();
    });
    return node;
  }

  /* A row of buttons, one of which holds. */
  function choose(name, options, chosen, act) {
    const row = html("span", "choice");
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", name);
    row.append(html("span", "why", name));
    row.append(...options.map(([text, value]) => button(text, value === chosen, () => act(value))));
    return row;
  }

  function controls() {
    const bar = document.getElementById("controls"), along = panels.filter((panel) => panel.across === "iterations");
    bar.replaceChildren();
    if (!along.length) return;
    if (along.some(timed)) bar.append(choose("across", [["iterations", false], ["time", true]], choice.time, (v) => (choice.time = v)));
    bar.append(choose("scale", [["linear", false], ["logarithmic", true]], xLog(along[0]), (v) => (choice.xLog = v)));
  }

  function legend(figure, panel) {
    figure.legend.replaceChildren();
    figure.legend.append(choose("", [["linear", false], ["log", true]], yLog(panel), (v) => choice.yLog.set(panel.title, v)));
    const names = new Map(panel.lines.map((line) => [nameIn(line), line.colour]));
    for (const [name, colour] of names.size > 1 ? names : []) {
      const turn = () => choice.hidden.delete(name) || choice.hidden.add(name);
      const which = button(name, !choice.hidden.has(name), turn);
      which.className = "which";
      which.style.setProperty("--colour", colour);
      figure.legend.append(which);
    }
  }

  function redraw() {
    const focused = document.activeElement?.textContent, where = document.activeElement?.closest("figure, #controls");
    controls();
    for (const figure of figures) {
      legend(figure, figure.panel);
      draw(figure, figure.panel);
    }
    // The button that was pressed has been made anew.
    [...(where?.querySelectorAll("button") ?? [])].find((each) => each.textContent === focused)?.focus();
  }

  function begin() {
    panels = JSON.parse(document.getElementById("curves").textContent);
    figures = [...document.querySelectorAll(".charts figure")].map((node, i) => {
      const box = html("div", "plot"), tip = html("div", "tip"), names = html("div", "names");
      tip.hidden = true;
      tip.setAttribute("role", "status");
      box.append(tip);
      node.replaceChildren(html("figcaption", "", panels[i].title), box, names);
      return { node, box, tip, legend: names, panel: panels[i], lines: [] };
    });
    if (figures.length) redraw();
  }

  /* A page that follows its run takes what is new into its place, and keeps what its reader has chosen. */
  function follow() {
    const news = new EventSource("/events");
    news.onmessage = async () => {
      const page = new DOMParser().parseFromString(await (await fetch("/", { cache: "no-store" })).text(), "text/html");
      const open = [...document.querySelectorAll("details[open] > summary")].map((each) => each.textContent);
      const top = window.scrollY;
      document.title = page.title;
      document.querySelector("main").replaceWith(document.adoptNode(page.querySelector("main")));
      document.getElementById("curves").textContent = page.getElementById("curves").textContent;
      for (const each of document.querySelectorAll("details > summary")) each.parentNode.open ||= open.includes(each.textContent);
      begin();
      window.scrollTo(0, top);
    };
    news.onerror = () => {
      const state = document.getElementById("state");
      if (!state || news.readyState === EventSource.CLOSED) return;
      news.close();
      const rests = !state.classList.contains("live");
      state.classList.remove("live");
      state.textContent = `${rests ? `${state.textContent}; the page` : "this page"} is no longer followed: \`gridlang report --follow\` has ended`;
    };
  }

  begin();
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== width) redraw();
    width = window.innerWidth;
  });
  if (document.body.hasAttribute("data-follow")) follow();
})();
