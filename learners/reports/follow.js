/* A page that follows its run takes what is new into its place, and keeps what its reader has opened. */
"use strict";
(() => {
  const news = new EventSource("/events");
  news.onmessage = async () => {
    const page = new DOMParser().parseFromString(await (await fetch("/", { cache: "no-store" })).text(), "text/html");
    const open = [...document.querySelectorAll("details[open] > summary")].map((each) => each.textContent);
    const top = window.scrollY;
    document.title = page.title;
    document.querySelector("main").replaceWith(document.adoptNode(page.querySelector("main")));
    for (const each of document.querySelectorAll("details > summary")) each.parentNode.open ||= open.includes(each.textContent);
    window.scrollTo(0, top);
  };
  news.onerror = () => {
    const state = document.getElementById("state");
    if (!state || news.readyState === EventSource.CLOSED) return;
    news.close();
    const rests = !state.classList.contains("live");
    state.classList.remove("live");
    state.textContent = `${rests ? `${state.textContent}; the page` : "this page"} is no longer followed: \`gridlang report --follow\` has ended`;
  };
})();
