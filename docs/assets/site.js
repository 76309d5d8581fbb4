// Pages in frames follow the theme that the reader has chosen for the site, not that of the system alone.
const isDark = () => document.body.dataset.mdColorScheme === "slate";

function follow(frame) {
  // Opened from a disk, a page may not reach into another: the frame then follows the system.
  let page;
  try { page = frame.contentDocument; } catch { return; }
  // The page's own button turns its theme around, and paints its canvases anew.
  const button = page?.getElementById("theme");
  if (!button) return;
  page.documentElement.dataset.theme = isDark() ? "light" : "dark";
  button.click();
}

const frames = () => document.querySelectorAll("iframe[src^='replays/']");
new MutationObserver(() => frames().forEach(follow)).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
frames().forEach((frame) => { follow(frame); frame.addEventListener("load", () => follow(frame)); });

// What the theme leaves without a name, and lists that have the name of another: each is to be told apart.
const names = new Map();
function mend() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  for (const list of document.querySelectorAll("nav:not([data-named])")) {
    const label = document.getElementById(list.getAttribute("aria-labelledby")), name = list.ariaLabel ?? label?.textContent.trim() ?? "Code";
    const count = (names.get(name) ?? 0) + 1;
    names.set(name, count);
    list.dataset.named = "";
    if (count === 1 && name !== "Code") continue;
    list.removeAttribute("aria-labelledby");
    list.ariaLabel = `${name} ${count}`;
  }
}
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
mend();
