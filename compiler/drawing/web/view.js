// A page of its own: it shows what stands in it as data. In VS Code's panel, the editor leads it.

import { $ } from "./dom.js";
import { isDark, Page } from "./page.js";
import { follow } from "./panel.js";

const nameTheme = () => { $("theme").textContent = isDark() ? "light" : "dark"; };
function theme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
  page.replay.refresh();
}

export const page = new Page(theme);
document.documentElement.classList.toggle("framed", window.parent !== window);
$("theme").addEventListener("click", theme);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  nameTheme();
  page.replay.refresh();
});
nameTheme();
page.load(JSON.parse($("data").textContent));
if (typeof acquireVsCodeApi === "function") follow(page, acquireVsCodeApi());
