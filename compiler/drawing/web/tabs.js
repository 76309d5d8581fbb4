// Tabs over panels, of which one is shown.

import { button, fill } from "./dom.js";

export class Tabs {
  // `panels` are [title, panel]; the list gets a tab for each; `shown(panel)` is told which one is shown.
  constructor(list, panels, shown = () => {}) {
    this.shown = shown;
    list.setAttribute("role", "tablist");
    this.tabs = panels.map(([title, panel]) => {
      const about = { role: "tab", id: `tab-${panel.id}`, "aria-controls": panel.id };
      const tab = button(title, () => this.show(panel), about);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      panel.tabIndex = 0;
      return [tab, panel];
    });
    fill(list, ...this.tabs.map(([tab]) => tab));
    list.addEventListener("keydown", (event) => this.key(event));
  }
  show(wanted) {
    for (const [tab, panel] of this.tabs) {
      panel.classList.toggle("shown", panel === wanted);
      tab.setAttribute("aria-selected", panel === wanted);
      tab.tabIndex = panel === wanted ? 0 : -1;
    }
    this.shown(wanted);
  }
  // Whether a panel has anything to show.
  offer(number, there) { this.tabs[number][0].hidden = !there; }
  isShown(panel) { return panel.classList.contains("shown"); }
  key(event) {
    const tabs = this.tabs.filter(([tab]) => !tab.hidden), last = tabs.length - 1;
    const at = tabs.findIndex(([tab]) => tab === event.target);
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at ? at - 1 : last, Home: 0, End: last }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.show(tabs[to][1]);
    tabs[to][0].focus();
  }
}
