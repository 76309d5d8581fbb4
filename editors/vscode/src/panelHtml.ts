// The page of the side panel. It runs its own script alone, loads nothing, and takes a drawing as data.

// A drawing is parsed as XML, and all but shapes, text and style is dropped; scripts could not run in any case.
const SCRIPT = String.raw`
const host = document.getElementById("graph"), note = document.getElementById("note");
const KEPT = new Set(["svg", "g", "path", "rect", "text", "tspan", "polygon", "polyline", "line", "circle", "ellipse", "title", "desc", "style", "defs", "marker", "use", "clippath"]);
let file = "", place = null, natural = [1, 1], svg = null, source = "";
const isDark = () => document.body.classList.contains("vscode-dark") || (document.body.classList.contains("vscode-high-contrast") && !document.body.classList.contains("vscode-high-contrast-light"));
function clean(element) {
  for (const child of [...element.children]) if (KEPT.has(child.localName.toLowerCase())) clean(child); else child.remove();
  for (const { name, value } of [...element.attributes])
    if (/^on/i.test(name) || (/href$/i.test(name) && !value.startsWith("#"))) element.removeAttribute(name);
  if (element.localName === "style") {
    const wanted = isDark() ? "all" : "not all";
    element.textContent = element.textContent.replace(/\(prefers-color-scheme:\s*dark\)/g, wanted).replace(/@import|url\(/gi, "");
    element.setAttribute("nonce", NONCE);
  }
}
function show(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.localName !== "svg") return;
  clean(parsed);
  svg = document.importNode(parsed, true);
  for (const style of svg.querySelectorAll("style")) style.nonce = NONCE;
  natural = [svg.viewBox.baseVal.width || 400, svg.viewBox.baseVal.height || 300];
  host.replaceChildren(svg);
  if (!place) fit(); else apply();
}
function fit() {
  const { width, height } = host.getBoundingClientRect();
  const scale = Math.min(1.4, width / natural[0], height / natural[1]);
  place = { scale, x: Math.max(0, (width - natural[0] * scale) / 2), y: Math.max(0, (height - natural[1] * scale) / 2), fitted: true };
  apply();
}
function apply() {
  if (!svg) return;
  svg.setAttribute("width", natural[0] * place.scale);
  svg.setAttribute("height", natural[1] * place.scale);
  svg.style.transform = "translate(" + place.x + "px," + place.y + "px)";
}
function zoom(factor, x, y) {
  if (!place) return;
  const { width, height } = host.getBoundingClientRect(), scale = Math.max(0.05, Math.min(8, place.scale * factor));
  x ??= width / 2;
  y ??= height / 2;
  place = { scale, x: x - (x - place.x) * scale / place.scale, y: y - (y - place.y) * scale / place.scale };
  apply();
}
host.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX, event.offsetY);
  else if (place) { place = { ...place, fitted: false, x: place.x - event.deltaX, y: place.y - event.deltaY }; apply(); }
}, { passive: false });
host.addEventListener("pointerdown", (event) => {
  let last = [event.clientX, event.clientY];
  host.setPointerCapture(event.pointerId);
  const drag = (move) => {
    if (!place) return;
    place = { ...place, fitted: false, x: place.x + move.clientX - last[0], y: place.y + move.clientY - last[1] };
    last = [move.clientX, move.clientY];
    apply();
  };
  host.addEventListener("pointermove", drag);
  host.addEventListener("pointerup", () => host.removeEventListener("pointermove", drag), { once: true });
});
document.getElementById("in").addEventListener("click", () => zoom(1.25));
document.getElementById("out").addEventListener("click", () => zoom(0.8));
document.getElementById("fit").addEventListener("click", fit);
window.addEventListener("resize", () => { if (place?.fitted) fit(); });
new MutationObserver(() => { if (source) show(source); }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
window.addEventListener("message", ({ data }) => {
  if (data.file !== file) { file = data.file; place = null; svg = null; source = ""; host.replaceChildren(); }
  if (data.svg) { if (place?.fitted) place = null; source = data.svg; show(source); }
  host.classList.toggle("old", !data.svg);
  note.textContent = data.svg ? "" : data.message || "";
  note.hidden = !note.textContent;
});
`;

const STYLE = `
html, body { height: 100%; margin: 0; padding: 0; overflow: hidden; }
body { display: flex; flex-direction: column; }
#note { margin: 0; padding: 8px 12px; font: var(--vscode-editor-font-size) var(--vscode-editor-font-family); white-space: pre-wrap;
  color: var(--vscode-errorForeground); border-bottom: 1px solid var(--vscode-panel-border); max-height: 40%; overflow: auto; }
#graph { flex: 1; position: relative; overflow: hidden; cursor: grab; touch-action: none; }
#graph svg { position: absolute; left: 0; top: 0; transform-origin: 0 0; }
#graph .paper { fill: none; }
#graph .words rect { fill: var(--vscode-editor-background, transparent); }
#graph.old { opacity: .45; }
#tools { position: absolute; right: 10px; bottom: 10px; display: flex; gap: 4px; }
button { min-width: 28px; height: 26px; border: 0; border-radius: 3px; cursor: pointer;
  color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); }
button:hover { background: var(--vscode-button-secondaryHoverBackground); }
button:focus-visible { outline: 1px solid var(--vscode-focusBorder); }
`;

export function panelHtml(nonce: string): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>State Graph</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<pre id="note" role="status">reading …</pre>
<div id="graph" aria-label="state graph"></div>
<div id="tools"><button id="in" title="zoom in">+</button><button id="out" title="zoom out">−</button><button id="fit" title="show all">fit</button></div>
<script nonce="${nonce}">const NONCE = "${nonce}";${SCRIPT}</script>
</body>
</html>`;
}
