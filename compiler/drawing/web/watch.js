// Follows the file: what is wrong with it is shown above the last good drawing, and a new drawing takes its place.

import { $, make } from "./dom.js";

(() => {
  const KEY = "gridlang-watch", version = Number(document.documentElement.dataset.version), title = document.title;
  const drawn = typeof replay !== "undefined", first = drawn ? JSON.stringify(graph.places) : "";
  const live = make("span", { id: "live", role: "status" }, "live"), problems = make("section", { id: "problems", hidden: true });
  $("about").after(live);
  document.querySelector("main").before(problems);

  // ---- what the reader has chosen stays in the next drawing

  const grids = () => [replay.grid, replay.otherGrid], panels = () => tabs.tabs.map(([, panel]) => panel);
  const nameOf = ({ folded, unfolded }) => `${folded} ${unfolded ?? ""}`; // of one way to draw the graph

  function keep() {
    if (!drawn) return null;
    const { part, step } = replay, atDifference = replay.second !== null && step === replay.differs;
    return {
      input: replay.text === data.start.text ? null : replay.text,
      step: atDifference ? 0 : step,
      playing: replay.playing,
      speed: part.speed.value,
      picked: picked.map((state) => table.states[state]),
      view: nameOf(graph.view),
      places: JSON.stringify(graph.places) === first ? [] : graph.places.map((place, index) => [nameOf(graph.views[index]), place]),
      moved: graph.moved,
      grids: grids().map(({ mode, chosen, size, corner }) => ({ mode, chosen, size, corner })),
      tab: panels().find((panel) => tabs.isShown(panel))?.id,
      scrolled: panels().map((panel) => [panel.id, panel.scrollTop]),
      search: $("search").value,
      theme: document.documentElement.dataset.theme || "",
      width: $("side").style.width,
      limit: replay.limit,
      focus: document.activeElement.id,
      part: Object.keys(part).find((name) => part[name] === document.activeElement),
      page: [window.scrollX, window.scrollY],
    };
  }
  function restore(kept) {
    if (kept.theme) { document.documentElement.dataset.theme = kept.theme; nameTheme(); }
    $("side").style.width = kept.width;
    replay.part.speed.value = kept.speed;
    replay.showRate();
    const view = graph.views.findIndex((each) => nameOf(each) === kept.view);
    if (view >= 0 && view !== graph.current) { graph.use(view); nameFold(); }
    replay.limit = Math.max(replay.limit, kept.limit);
    if (kept.input !== null) { replay.part.input.value = kept.input; replay.grow(); replay.submit(); } else if (replay.limit > replay.run.limit) replay.begin(data.start);
    grids().forEach((grid, index) => Object.assign(grid, kept.grids[index]));
    pick(kept.picked.map((name) => table.states.indexOf(name)).filter((state) => state >= 0));
    if ($(`tab-${kept.tab}`)) tabs.show($(kept.tab));
    for (const [id, top] of kept.scrolled) $(id).scrollTop = top;
    if (kept.search) { $("search").value = kept.search; search(); }
    (kept.part ? replay.part[kept.part] : $(kept.focus))?.focus({ preventScroll: true });
    window.scrollTo(...kept.page);
    seekOnceThere(replay.run, kept);
  }
  function seekOnceThere(mine, kept) {
    if (mine !== replay.run) return;
    if (mine.total < kept.step && !mine.done) { setTimeout(seekOnceThere, 20, mine, kept); return; }
    if (kept.step) replay.seek(kept.step);
    for (const [name, place] of kept.places) {
      const index = graph.views.findIndex((view) => nameOf(view) === name);
      if (index >= 0 && place) graph.places[index] = place;
    }
    graph.moved = kept.moved;
    graph.apply(); // Last, because a step that leaves the view moves it.
    if (kept.playing && replay.step < mine.total) replay.play(true);
  }

  // ---- what the server tells

  function showProblems({ problems: list, more, failed }) {
    document.body.classList.toggle("failed", failed);
    document.title = failed ? `✗ ${title}` : title;
    problems.hidden = !list.length;
    problems.setAttribute("role", failed ? "alert" : "region");
    problems.setAttribute("aria-label", failed ? "errors" : "warnings");
    const texts = list.map(({ severity, text }) => make("pre", { className: severity, tabIndex: 0 }, ...inParts(text)));
    if (more) texts.push(make("p", { className: "dim" }, `… and ${more} more`));
    const last = drawn ? " Below is the last version that worked." : "";
    if (failed) problems.replaceChildren(make("p", {}, make("b", {}, "This file cannot be drawn."), last), ...texts);
    else problems.replaceChildren(make("details", {}, make("summary", {}, list.length === 1 ? "1 warning" : `${list.length + more} warnings`), ...texts));
  }
  // The first line says what is wrong, one with carets where, the hint what to type.
  function inParts(text) {
    return text.split("\n").flatMap((line, index) => {
      const caret = /^\s*\|\s*\^/.test(line), hint = /^\s*= hint: /.test(line);
      const part = index === 0 || caret ? make("b", {}, line) : hint ? make("span", { className: "hint" }, line) : line;
      return index ? ["\n", part] : [part];
    });
  }
  function say(kind, text) {
    live.className = kind;
    live.textContent = text;
  }
  const events = new EventSource("/events");
  events.onmessage = ({ data: text }) => {
    const now = JSON.parse(text);
    if (now.page !== version) {
      try { sessionStorage.setItem(KEY, JSON.stringify(keep() ?? JSON.parse(sessionStorage.getItem(KEY)))); } catch { /* then it begins anew */ }
      events.close();
      location.reload();
      return;
    }
    showProblems(now);
    if (now.busy) say("busy", "reading …"); else if (now.failed) say("failed", "errors"); else say("", "live");
  };
  events.onerror = () => say("ended", "gridlang view has ended");

  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY));
    if (kept && drawn) { sessionStorage.removeItem(KEY); restore(kept); }
  } catch (error) { console.error(error); }
})();
