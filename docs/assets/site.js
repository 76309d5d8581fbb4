// Pages in frames follow the theme that the reader has chosen for the site, not that of the system alone.
const theme = () => (document.body.dataset.mdColorScheme === "slate" ? "dark" : "light");

function follow(frame) {
  // Opened from a disk, a page may not reach into another: the frame then follows the system.
  try { frame.contentDocument.documentElement.dataset.theme = theme(); } catch { /* as the system */ }
}

const frames = () => document.querySelectorAll(".replay iframe");
new MutationObserver(() => frames().forEach(follow)).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
frames().forEach((frame) => { follow(frame); frame.addEventListener("load", () => follow(frame)); });
