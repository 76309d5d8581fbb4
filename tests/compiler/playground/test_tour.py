"""The tour of the playground: each step's source is as its words say, and all of it can be walked by keyboard."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gridlang.compiler.local_pages import LocalServer
from gridlang.compiler.playground.build import BUILT, tour
from gridlang.compiler.playground.sources import documentation
from tests.programs import EXAMPLES
from tests.support.browser import DESK, PHONE, axe_findings
from tests.support.playground import Playground, ask, errors

STEPS = tour()
KEPT = "JSON.parse(localStorage.getItem('gridlang.playground/1')).documents.tour"
built = pytest.mark.skipif(not (BUILT / "index.html").exists(), reason="the playground is not built")


def by_tab(tab: str) -> list[str]:
    return [step["source"] for step in STEPS if step.get("tab") == tab]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["title"])
def test_a_step_has_a_source_that_is_right_unless_it_is_wrong_on_purpose(step: dict[str, Any]) -> None:
    assert bool(errors(step["source"], "tour.grid")) == step.get("wrong", False)
    assert step.get("show", "") in step["source"]
    pages = {path.with_suffix(".html").as_posix() for _, path in documentation()}
    assert {href.removeprefix("docs/") for _, href in step.get("links", ())} <= pages


def test_what_the_steps_promise_of_tests_comparisons_proofs_and_learning_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(EXAMPLES)
    assert [ask("gridlang/test", source)["failed"] > 0 for source in by_tab("tests")] == [True]
    for source, same in zip(by_tab("compare"), (False, True), strict=True):
        verdict = ask("gridlang/compare", source, other="plus_one.grid", scope="worlds")
        assert verdict["equivalent"] is same
    told: list[Any] = []
    (source,) = by_tab("prove")
    ask("gridlang/prove", source, told=told)
    assert {each["claim"]["answer"] for each in told if "claim" in each} == {"proven"}
    (source,) = by_tab("learn")
    assert ask("gridlang/learn", source)["equivalent"] is True


@built
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_newcomer_walks_all_steps_by_keyboard(
    browser: Any, server: LocalServer, size: dict[str, int]
) -> None:
    play = Playground(browser, server.url, size)
    page = play.page
    play.wait_for_python()
    assert axe_findings(page) == []  # with the offer
    page.focus("#tour-start")
    page.keyboard.press("Enter")
    for number, step in enumerate(STEPS, start=1):
        page.locator("#tour-title", has_text=f"{step['title']} {number} of {len(STEPS)}").wait_for()
        play.wait(f"{KEPT}?.source === {json.dumps(step['source'])}")
        play.wait("document.querySelector('#stage').ariaBusy === 'false'")
        assert page.locator("#problems .error").count() == int(step.get("wrong", False))
        assert page.evaluate("document.activeElement.id") == "tour-next"
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
        page.keyboard.press("Enter")
    assert page.locator("#tour").is_hidden()
    assert page.evaluate("document.activeElement.id") == "tour-open"
    page.keyboard.press("Enter")
    assert axe_findings(page) == []  # with the card
    page.keyboard.press("Escape")
    assert page.locator("#tour").is_hidden()
    play.check_quiet()
    play.context.close()


@built
def test_the_tour_keeps_its_place_and_leaves_what_a_visitor_wrote(browser: Any, server: LocalServer) -> None:
    play = Playground(browser, server.url)
    page = play.page
    page.click("#tour-start")
    page.click("#tour-next")
    page.reload()
    page.locator("#tour-title", has_text=STEPS[1]["title"]).wait_for()
    play.holds(STEPS[1]["source"])
    page.click("#tour-close")
    mine = f"# mine\n{STEPS[1]['source']}"
    play.write(mine)
    page.click("#tour-open")
    play.wait("document.querySelector('#name').textContent === 'tour-2'")
    play.holds(STEPS[1]["source"])
    play.open("tour")
    play.holds(mine)
    page.click("#tour-close")
    page.reload()
    play.holds(mine)
    assert page.locator("#tour").is_hidden() and page.locator("#offer").is_hidden()
    play.check_quiet()
    play.context.close()


@built
def test_the_tour_can_be_taken_from_a_linked_page(browser: Any, server: LocalServer) -> None:
    play = Playground(browser, server.url)
    play.page.goto(f"{server.url}#add10")
    play.page.reload()
    play.page.click("#tour-open")
    play.page.locator("#tour-title", has_text=STEPS[0]["title"]).wait_for()
    play.context.close()
