// States that keys reach: one of them is a tab stop, arrows go to the nearest in their direction, Enter picks it.

const AXES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ASIDE = 2.5; // weight of a distance aside, compared with one straight on

export class Roving {
  constructor(host, { pick, reveal }) {
    this.host = host;
    // A state that a pointer picks does not get the focus: arrows go on to step the run.
    host.addEventListener("mousedown", (event) => {
      if (!event.target.closest("[data-node]")) return;
      event.preventDefault();
      document.activeElement?.blur();
    });
    host.addEventListener("focusin", ({ target }) => {
      if (!target.matches("[data-node]")) return;
      this.stop(target);
      reveal(target);
    });
    host.addEventListener("keydown", (event) => {
      const node = event.target.closest("[data-node]"), axis = AXES[event.key];
      if (!node || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Enter" || event.key === " ") pick(node);
      else if (axis) this.nearest(node, axis)?.focus({ preventScroll: true });
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
  get nodes() { return [...this.host.querySelectorAll("svg:not(.hidden) [data-node]")]; }
  // To be called when other states are shown; each is named by its title.
  refresh() {
    for (const node of this.nodes) {
      node.setAttribute("role", "button");
      node.setAttribute("tabindex", "-1");
    }
    this.nodes[0]?.setAttribute("tabindex", "0");
  }
  // Makes a state the tab stop.
  stop(node) {
    for (const other of this.host.querySelectorAll("[data-node][tabindex='0']")) other.setAttribute("tabindex", "-1");
    node.setAttribute("tabindex", "0");
  }
  nearest(from, [dx, dy]) {
    const middle = (node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return [(left + right) / 2, (top + bottom) / 2];
    };
    const [x, y] = middle(from);
    let best = null, least = Infinity;
    for (const node of this.nodes) {
      const [p, q] = middle(node), along = (p - x) * dx + (q - y) * dy;
      const aside = Math.abs((p - x) * dy) + Math.abs((q - y) * dx);
      if (node === from || along <= 1) continue;
      if (along + ASIDE * aside < least) [best, least] = [node, along + ASIDE * aside];
    }
    return best;
  }
}
