"""A link holds a document whole: its source, input, step and panel are there again, also after a reload."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gridlang.compiler.local_pages import LocalServer
from gridlang.compiler.playground.build import BUILT, fragment
from tests.support.playground import INCREMENT, Playground

pytestmark = pytest.mark.skipif(not (BUILT / "index.html").exists(), reason="the playground is not built")

CHANGED = INCREMENT.replace("# to the right end", "# é 𝄞 to the right end")


@pytest.fixture(scope="module")
def link(browser: Any, server: LocalServer) -> str:
    """A changed example with an input of its own, at step 3, with the panel of comparisons open."""
    play = Playground(browser, f"{server.url}#increment")
    play.holds(INCREMENT)
    play.write(CHANGED)
    play.shows("é 𝄞")
    play.frame.locator(".input").fill("10011")
    play.frame.locator(".input").press("Enter")
    for _ in range(3):
        play.frame.locator(".forth").click()
    play.page.click("#tab-compare")
    play.wait("localStorage.getItem('gridlang.playground/1').includes('10011')")
    play.wait("document.querySelector('.cm-line.running') !== null")
    play.page.click("#share")
    play.wait("location.hash.startsWith('#s=')")
    address: str = play.page.url
    play.context.close()
    return address


@pytest.fixture
def linked(browser: Any, link: str) -> Iterator[Playground]:
    play = Playground(browser, link)
    yield play
    assert play.said == []
    play.context.close()


def name(play: Playground) -> str:
    return str(play.page.locator("#name").inner_text())


def check_whole(play: Playground) -> None:
    play.holds(CHANGED)
    assert play.frame.locator(".input").input_value() == "10011"
    assert play.frame.locator(".step").input_value() == "3"
    assert play.page.locator("#tab-compare").get_attribute("aria-selected") == "true"
    assert "#s=" in play.page.url
    assert name(play) == "increment"


def test_all_that_a_link_holds_is_there_again_and_a_reload_makes_no_copy(linked: Playground) -> None:
    check_whole(linked)
    linked.page.reload()
    check_whole(linked)
    stored = linked.page.evaluate("Object.keys(JSON.parse(localStorage['gridlang.playground/1']).documents)")
    assert stored == ["increment"]


def test_an_edit_leaves_the_link_and_is_what_a_reload_shows(linked: Playground) -> None:
    linked.holds(CHANGED)
    linked.write(f"{CHANGED}# edited\n")
    linked.shows("# edited")
    assert "#" not in linked.page.url
    linked.page.reload()
    linked.holds(f"{CHANGED}# edited\n")
    assert linked.frame.locator(".input").input_value() == "10011"


def test_a_link_to_an_example_opens_it_by_name(browser: Any, server: LocalServer) -> None:
    play = Playground(browser, f"{server.url}#sort")
    play.frame.locator(".slider").wait_for(state="attached")
    assert name(play) == "sort" and play.page.url.endswith("#sort")
    play.page.evaluate("location.hash = '#beaver'")
    play.wait("document.querySelector('#name').textContent === 'beaver'")
    play.context.close()


def test_a_link_that_the_documentation_makes_is_read(browser: Any, server: LocalServer) -> None:
    source = "# 𝄞 é\nagent one\n\nalphabet\n  bit = 0..1\n\nstart go\n\nstate go\n  any : halt\n"
    play = Playground(browser, f"{server.url}{fragment('one', source, '01')}")
    play.holds(source)
    assert play.frame.locator(".input").input_value() == "01"
    assert name(play) == "one" and play.said == []
    play.context.close()
