/* A page that follows its run takes what is new into its place, and keeps what its reader has opened. */
"use strict";
(() => {
  const EVERY = 1000; // milliseconds
  let shown = "";
  async function read(path) { return (await fetch(path, { cache: "no-store" })).text(); }
  async function renew() {
    const page = new DOMParser().parseFromString(await read("/"), "text/html");
    const open = [...document.querySelectorAll("details[open] > summary")].map((each) => each.textContent);
    const top = window.scrollY;
    document.title = page.title;
    document.querySelector("main").replaceWith(document.adoptNode(page.querySelector("main")));
    for (const each of document.querySelectorAll("details > summary")) each.parentNode.open ||= open.includes(each.textContent);
    window.scrollTo(0, top);
  }
  function end() {
    const state = document.getElementById("state");
    if (!state) return;
    const rests = !state.classList.contains("live");
    state.classList.remove("live");
    state.textContent = `${rests ? `${state.textContent}; the page` : "this page"} is no longer followed: \`gridlang report --follow\` has ended`;
  }
  async function look() {
    try {
      const made = await read("/made");
      if (made !== shown) await renew();
      shown = made;
    } catch { return end(); }
    setTimeout(look, EVERY);
  }
  look();
})();
