// Follows the file: what is wrong with it is shown above the last good drawing, and a new drawing takes its place.
"use strict";

(() => {
  const KEY = "gridlang-watch", version = Number(document.documentElement.dataset.version), title = document.title;
  const drawn = typeof run !== "undefined", first = drawn ? JSON.stringify(graph.places) : "";
  const by = (id) => document.getElementById(id);
  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const live = element("span", { id: "live", role: "status" }, "live"), problems = element("section", { id: "problems", hidden: true });
  by("about").after(live);
  document.querySelector("main").before(problems);

  // ---- what the reader has chosen goes on in the next drawing

  function keep() {
    if (!drawn) return null;
    const { steps } = run.view, atDifference = second !== null && steps === differs;
    return {
      input: by("input").value === data.start.text ? null : by("input").value,
      step: atDifference ? 0 : steps,
      playing,
      speed: by("speed").value,
      picked: picked.map((state) => table.states[state]),
      folded: graph.view.folded,
      places: JSON.stringify(graph.places) === first ? [] : graph.places.map((place, index) => [data.views[index].folded, place]),
      grids: [grid, otherGrid].map(({ free, size, corner }) => ({ free, size, corner })),
      tab: Object.keys(TABS).find((id) => by(id).classList.contains("shown")),
      scrolled: Object.keys(TABS).map((id) => by(id).scrollTop),
      search: by("search").value,
      theme: document.documentElement.dataset.theme || "",
      width: document.querySelector("aside").style.width,
      limit: data.limit,
      focus: document.activeElement.id,
      page: [window.scrollX, window.scrollY],
    };
  }
  function restore(kept) {
    if (kept.theme) { document.documentElement.dataset.theme = kept.theme; nameTheme(); }
    document.querySelector("aside").style.width = kept.width;
    by("speed").value = kept.speed;
    showRate();
    data.limit = Math.max(data.limit, kept.limit);
    if (data.views.length > 1 && graph.view.folded !== kept.folded) nextView();
    if (kept.input !== null) { by("input").value = kept.input; grow(); submit(); } else if (data.limit > run.limit) begin(data.start);
    [grid, otherGrid].forEach((each, index) => { if (kept.grids[index].free) Object.assign(each, kept.grids[index]); });
    pick(kept.picked.map((name) => table.states.indexOf(name)).filter((state) => state >= 0));
    if (by(`tab-${kept.tab}`)) show(kept.tab);
    Object.keys(TABS).forEach((id, index) => { by(id).scrollTop = kept.scrolled[index]; });
    if (kept.search) { by("search").value = kept.search; search(); }
    by(kept.focus)?.focus();
    window.scrollTo(...kept.page);
    seekOnceThere(run, kept);
  }
  function seekOnceThere(mine, kept) {
    if (mine !== run) return;
    if (run.total < kept.step && !run.done) { setTimeout(seekOnceThere, 20, mine, kept); return; }
    if (kept.step) seek(kept.step);
    for (const [folded, place] of kept.places) {
      const index = data.views.findIndex((view) => view.folded === folded);
      if (index >= 0 && place) graph.places[index] = place;
    }
    graph.apply(); // Last, because a step that leaves the view moves it.
    if (kept.playing && run.view.steps < run.total) play(true);
  }

  // ---- what the server tells

  function showProblems({ problems: list, more, failed }) {
    document.body.classList.toggle("failed", failed);
    document.title = failed ? `✗ ${title}` : title;
    problems.hidden = !list.length;
    problems.setAttribute("role", failed ? "alert" : "region");
    problems.setAttribute("aria-label", failed ? "errors" : "warnings");
    const texts = list.map(({ severity, text }) => element("pre", { className: severity, tabIndex: 0 }, ...inParts(text)));
    if (more) texts.push(element("p", { className: "dim" }, `… and ${more} more`));
    const last = drawn ? " Below is the last version that worked." : "";
    if (failed) problems.replaceChildren(element("p", {}, element("b", {}, "This file cannot be drawn."), last), ...texts);
    else problems.replaceChildren(element("details", {}, element("summary", {}, list.length === 1 ? "1 warning" : `${list.length + more} warnings`), ...texts));
  }
  // The first line says what is wrong, one with carets where, the hint what to type.
  function inParts(text) {
    return text.split("\n").flatMap((line, index) => {
      const caret = /^\s*\|\s*\^/.test(line), hint = /^\s*= hint: /.test(line);
      const part = index === 0 || caret ? element("b", {}, line) : hint ? element("span", { className: "hint" }, line) : line;
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
