"""Panes of the playground in a real browser: the graph fits into its own, and a proof can be stopped and taken along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gridlang.compiler.local_pages import LocalServer
from gridlang.compiler.playground.build import BUILT
from gridlang.compiler.verifier.verify import verify
from tests.support.playground import Playground

pytestmark = pytest.mark.skipif(not (BUILT / "index.html").exists(), reason="the playground is not built")

# Whether the states are all in their pane, and about its middle; the pane's width.
FITTED = """() => {
  const pane = document.querySelector("#graph").getBoundingClientRect();
  const nodes = [...document.querySelectorAll("#graph svg:not(.hidden) .node")].map((each) => each.getBoundingClientRect());
  const top = Math.min(...nodes.map((each) => each.top)), bottom = Math.max(...nodes.map((each) => each.bottom));
  const left = Math.min(...nodes.map((each) => each.left)), right = Math.max(...nodes.map((each) => each.right));
  const amid = Math.abs(top + bottom - pane.top - pane.bottom) < 2 && Math.abs(left + right - pane.left - pane.right) < 60; // labels stand beside
  const inside = nodes.every((each) => each.left >= pane.left && each.right <= pane.right && each.top >= pane.top && each.bottom <= pane.bottom);
  return [amid && inside, pane.width];
}"""


def fitted_width(play: Playground, wanted: Callable[[float], bool] = lambda _: True) -> float:
    """The width of the graph's pane, once it is a wanted one and the graph is fitted into it."""
    (inner,) = [each for each in play.page.frames if each is not play.page.main_frame]
    for _ in range(600):
        fits, width = inner.evaluate(FITTED)
        if fits and wanted(float(width)):
            return float(width)
        play.page.wait_for_timeout(50)
    raise AssertionError(inner.evaluate(FITTED))


def drag_border(play: Playground, to: int) -> None:
    box = play.page.locator("#split").bounding_box()
    play.page.mouse.move(box["x"] + 3, 300)
    play.page.mouse.down()
    play.page.mouse.move(to, 300, steps=4)
    play.page.mouse.up()


def test_the_graph_is_fitted_whenever_its_pane_has_another_size(browser: Any, server: LocalServer) -> None:
    play = Playground(browser, server.url)
    play.frame.locator("#graph svg").first.wait_for()
    before = fitted_width(play)
    drag_border(play, 400)
    fitted_width(play, lambda width: width > before)
    drag_border(play, 800)
    fitted_width(play, lambda width: width < before)
    play.page.set_viewport_size({"width": 1700, "height": 1000})
    fitted_width(play, lambda width: width > before)
    play.page.set_viewport_size({"width": 600, "height": 900})  # behind the code
    play.page.click("#sides button[data-side=replay]")
    fitted_width(play, lambda width: width == 600)
    play.check_quiet()
    play.context.close()


def test_a_proof_is_stopped_and_a_certificate_is_taken_along(browser: Any, server: LocalServer) -> None:
    play = Playground(browser, f"{server.url}#mult")
    page = play.page
    play.wait_for_python()
    page.click("#tab-prove")
    page.click("#run-prove")
    page.click("#stop-prove")
    page.locator("#prove", has_text="Not decided: you stopped it").wait_for()
    assert page.locator("#stop-prove").is_hidden()
    assert page.evaluate("document.activeElement.id") == "run-prove"
    play.open("increment")
    page.focus("#run-prove")
    page.keyboard.press("Enter")
    page.locator("#prove", has_text="All is proven").wait_for()
    assert page.evaluate("document.activeElement.id") == "run-prove"
    with page.expect_download() as download:
        page.locator("#prove button", has_text="Certificate").click()
    assert download.value.suggested_filename == "increment.proof.json"
    assert verify(download.value.path().read_text(encoding="utf-8")).valid
    assert play.said == []
    play.context.close()
