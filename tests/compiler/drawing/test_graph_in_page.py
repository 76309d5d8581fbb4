"""The graph in a page, in a real browser: legible, picked by keys, dimmed around a choice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.drawable import example
from tests.support.replay_page import scene_of

SHOWN = "#graph svg:not(.hidden)"
SMALLEST = f"""Math.min(...[...document.querySelectorAll("{SHOWN} text")]
  .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""


@pytest.fixture
def page(show: Any) -> Any:
    return show(scene_of(example("mult10"))).page


def test_words_have_nine_pixels_and_the_start_is_seen(page: Any) -> None:
    assert page.evaluate(SMALLEST) >= 8.999
    start, graph = page.locator(f"{SHOWN} .node.start").bounding_box(), page.locator("#graph").bounding_box()
    assert graph["x"] <= start["x"] and start["x"] + start["width"] <= graph["x"] + graph["width"]


def test_show_all_shows_every_state_and_still_does_when_the_page_changes_size(page: Any) -> None:
    page.keyboard.press("f")
    for width in (1280, 800):
        page.set_viewport_size({"width": width, "height": 700})
        page.wait_for_function(f"""() => {{
          const pane = document.querySelector("#graph").getBoundingClientRect();
          return [...document.querySelectorAll("{SHOWN} .node")].map((node) => node.getBoundingClientRect()).every((node) =>
            node.left >= pane.left && node.right <= pane.right && node.top >= pane.top && node.bottom <= pane.bottom);
        }}""")


def test_enter_picks_a_state_and_dims_what_is_not_near_it(page: Any) -> None:
    seek = page.locator(f"{SHOWN} .node.start")
    assert seek.get_attribute("role") == "button"
    seek.focus()
    page.keyboard.press("Enter")
    page.evaluate("Promise.allSettled(document.getAnimations().map((fading) => fading.finished))")
    assert seek.get_attribute("aria-pressed") == "true"
    near = page.locator(f"{SHOWN} .node.near .name").all_text_contents()
    assert near == ["seek", "copy(c)"]
    assert float(seek.evaluate("node => getComputedStyle(node).opacity")) == 1
    far = page.locator(f"{SHOWN} .node:not(.near)").first
    assert float(far.evaluate("node => getComputedStyle(node).opacity")) < 0.5
