// On paper: all of the graph and of the grid, in light colours; the style sheet leaves out what can only be pressed.

const ROOM = 24; // pixels around the graph

export function printing({ graph, replay }) {
  const { dataset } = document.documentElement, grids = [replay.grid, replay.otherGrid];
  let theme, places;
  window.addEventListener("beforeprint", () => {
    const { svg, view } = graph;
    theme = dataset.theme;
    dataset.theme = "light";
    places = graph.places;
    svg.setAttribute("viewBox", `${-ROOM} ${-ROOM} ${view.width + 2 * ROOM} ${view.height + 2 * ROOM}`);
    graph.group.removeAttribute("transform");
    for (const grid of grids) if (grid.run) grid.showAll();
  });
  window.addEventListener("afterprint", () => {
    if (theme) dataset.theme = theme; else delete dataset.theme;
    graph.svg.removeAttribute("viewBox");
    graph.places = places;
    graph.apply();
    for (const grid of grids) if (grid.run) grid.follow();
  });
}
