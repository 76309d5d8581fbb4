// Keys that work all over a page, except where what has the focus has a use of its own for them.

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
const UPRIGHT = ["ArrowUp", "ArrowDown", "PageUp", "PageDown"];
const USES = [
  ["textarea, select, [contenteditable], input:not([type=range], [type=radio])", null],
  ["input", [...ARROWS, "PageUp", "PageDown", "Home", "End", " "]],
  ["button, a[href], summary, [role=button]", [" ", "Enter"]],
  ["[role=tab], [role=separator]", [" ", "Enter", "Home", "End", ...ARROWS]],
  ["[role=tabpanel], pre", UPRIGHT],
];
const scrolls = () => document.scrollingElement.scrollHeight > document.scrollingElement.clientHeight + 1;

function isUsed(event) {
  const uses = ([where, keys]) => event.target.closest(where) && (keys === null || keys.includes(event.key));
  if (USES.some(uses)) return true;
  return UPRIGHT.includes(event.key) && scrolls();
}

// Bindings are [key, its name, what it does in words, act]; while `quiet()` holds none works.
export function onKeys(element, bindings, quiet = () => false) {
  element.addEventListener("keydown", (event) => {
    const field = event.target.closest("textarea, input:not([type=range], [type=radio])");
    if (field && event.key === "Escape") { field.blur(); return; }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || quiet() || isUsed(event)) return;
    const bound = bindings.find(([key]) => key === event.key);
    if (!bound) return;
    event.preventDefault();
    bound[3]();
  });
}
