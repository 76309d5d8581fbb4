"""The playground in a real browser: live, shareable, kept, safe with hostile sources, and quiet towards the network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from gridlang.compiler.local_pages import LocalServer
from gridlang.compiler.playground.build import BUILT
from gridlang.compiler.verifier.verify import verify
from tests.compiler.playground.solutions import SOLUTIONS, solved
from tests.programs import ROOT
from tests.support.browser import PHONE, axe_findings
from tests.support.playground import INCREMENT, Playground

pytestmark = pytest.mark.skipif(not (BUILT / "index.html").exists(), reason="the playground is not built")

ENDLESS = """agent endless

alphabet
  bit = 0..1

input a = bit+
output a

start go

state go
  0 : R -> come
  1 : R -> come
  _ : write 1, R

state come
  any : R -> go
"""
HOSTILE = """agent hostile

alphabet
  '<' | '&'

start "<img src=x onerror=alert(1)>"

state "<img src=x onerror=alert(1)>"
  '<'  : R -> "</script><script>alert(2)</script>"
  else : halt

state "</script><script>alert(2)</script>"
  any : halt

test "<<" = "<<"
"""


@pytest.fixture(scope="module")
def started(browser: Any, server: LocalServer) -> Iterator[Playground]:
    """One tab with Python in it for all tests: it takes some seconds to start."""
    play = Playground(browser, server.url)
    play.wait_for_python()
    yield play
    play.context.close()


@pytest.fixture
def play(started: Playground) -> Iterator[Playground]:
    yield started
    started.check_quiet()


def never(route: Any) -> None:
    """No answer."""


def test_an_example_is_ready_before_python_has_started(browser: Any, server: LocalServer) -> None:
    context = browser.new_context()
    context.route("**/*.wasm", never)
    page = context.new_page()
    page.goto(server.url)
    page.locator("#scene .forth").click()
    assert page.locator("#scene .step").input_value() == "1"
    assert page.locator("body").get_attribute("data-python") == "starting"
    assert page.locator(".cm-line.running").count() == 1
    context.close()


def test_an_error_is_shown_where_it_is_and_its_fix_makes_it_run(play: Playground) -> None:
    play.open("increment")
    play.write(INCREMENT.replace("L -> carry", "L -> cary"))
    play.page.wait_for_selector(".cm-lintRange-error")
    assert play.page.locator(".cm-lintRange-error").inner_text() == "cary"
    assert "did you mean" in play.page.locator("#problems .hint").inner_text()
    play.page.locator("#problems .fix").first.click()
    play.page.wait_for_selector(".cm-lintRange-error", state="detached")
    play.frame.locator(".last").click()
    play.frame.locator(".result", has_text="1100").wait_for()
    play.holds(INCREMENT)


def test_an_edit_that_keeps_the_table_leaves_the_picture_where_it_is(play: Playground) -> None:
    play.open("increment")
    play.write(f"{INCREMENT}# first\n")
    play.shows("# first")
    play.frame.locator("#graph button", has_text="+").first.click()
    place = play.frame.locator("#graph svg g.all").first.get_attribute("transform")
    play.write(f"# one line more\n{INCREMENT}")
    play.shows("# one line more")
    assert play.frame.locator("#graph svg g.all").first.get_attribute("transform") == place


def test_new_gives_an_agent_that_runs_and_a_verdict_that_is_old_says_so(play: Playground) -> None:
    play.page.click("#menu-open")
    play.page.click("#new")
    play.frame.locator("#graph svg", has_text="carry").first.wait_for()
    play.page.click("#tab-tests")
    play.page.click("#run-tests")
    play.page.locator("#tests", has_text="all is well").wait_for()
    assert play.page.locator("#tests .old").count() == 0
    play.page.click(".cm-content")
    play.page.keyboard.press("Control+End")
    play.page.keyboard.type("# more")
    play.page.locator("#tests .old").wait_for()
    play.page.keyboard.press("Control+z")
    play.page.locator("#tests .old").wait_for(state="detached")


def test_what_is_being_typed_and_drawn_goes_on_in_the_next_replay(play: Playground) -> None:
    play.open("increment")
    play.write(f"{INCREMENT}# before\n")
    play.shows("# before")
    play.page.clock.pause_at(
        play.page.evaluate("Date.now()") / 1000 + 1
    )  # Nothing is checked until it goes on.
    field = play.frame.locator(".input")
    play.write(f"{INCREMENT}# typed\n")
    field.fill("10")
    play.page.clock.resume()
    while play.busy:
        play.page.keyboard.type("1")
    play.shows("# typed")
    typed = play.frame.locator(".input").input_value()
    play.page.keyboard.press("Enter")  # The field has the focus still.
    play.wait(f"localStorage.getItem('gridlang.playground/1').includes('\"given\":\"{typed}\"')")
    assert re.fullmatch("101+", typed)
    play.frame.locator(".draw").click()
    play.write(f"{INCREMENT}# drawn\n")
    play.shows("# drawn")
    assert play.frame.locator(".input").input_value() == typed
    assert play.frame.locator(".draw").get_attribute("aria-pressed") == "true"
    assert play.page.evaluate("document.activeElement.className").startswith("cm-content")


def test_hostile_names_are_text(play: Playground) -> None:
    play.open("increment")
    play.write(HOSTILE)
    play.frame.locator("#graph svg", has_text="<img src=x").first.wait_for()
    play.page.click("#tab-tests")
    play.page.click("#run-tests")
    play.page.locator("#tests .test").first.wait_for()
    play.write(HOSTILE.replace("start ", "start x"))
    play.page.wait_for_selector("#problems .problem")
    assert play.page.locator("img").count() == 0


def test_what_takes_too_long_is_stopped_and_python_starts_again(play: Playground) -> None:
    play.open("increment")
    play.write(ENDLESS)
    play.frame.locator("#graph svg", has_text="come").first.wait_for()
    play.frame.locator(".last").click()  # The run goes on for ever, and the page answers.
    play.page.click("#tab-tests")
    play.page.click("#run-tests")
    play.page.wait_for_selector("body[data-python=busy]")
    play.page.clock.fast_forward(60_000)
    play.page.locator("#tests", has_text="was stopped").wait_for()
    play.wait_for_python()
    play.write(INCREMENT)
    play.frame.locator("#graph svg", has_text="carry").first.wait_for()


def test_a_huge_input_does_not_freeze_the_page(play: Playground) -> None:
    play.open("increment")
    play.write(f"{INCREMENT}# huge\n")
    play.shows("# huge")
    play.frame.locator(".input").fill("1" * 100_000)
    play.frame.locator(".go").click()
    play.page.click("#tab-compare")
    play.frame.locator(".input").fill("11")
    play.frame.locator(".go").click()


def test_a_difference_from_an_example_is_replayed(play: Playground) -> None:
    play.open("increment")
    play.write(INCREMENT.replace("write d + 1, R -> halt", "write d, R -> halt"))
    play.page.click("#tab-compare")
    play.page.click("#run-compare")
    play.page.locator("#compare", has_text="different").wait_for()
    play.page.wait_for_selector("#banner:not([hidden])")
    play.frame.locator(".beside:not([hidden]) canvas >> nth=0").wait_for()
    play.page.click("#banner-back")
    play.frame.locator(".beside[hidden]").wait_for(state="attached")


def test_claims_are_proven_beside_the_editor_and_look_old_beside_another_text(play: Playground) -> None:
    play.open("increment")
    play.write(f"{INCREMENT}# proven\n")
    play.page.click("#tab-prove")
    play.page.click("#run-prove")
    play.page.locator("#prove", has_text="All is proven").wait_for()
    assert play.page.locator("#proven .good").count() == 3
    play.write(INCREMENT.replace("write d + 1, R -> halt", "write d, R -> halt"))
    play.page.wait_for_selector("#proven.old")
    play.page.click("#run-prove")
    play.page.locator("#proven .bad").first.wait_for()
    play.page.locator("#proven button", has_text="watch").first.wait_for()


def test_an_agent_is_learned_from_questions_and_proven(play: Playground) -> None:
    play.open("increment")
    play.write(f"{INCREMENT}# learned\n")
    play.page.click("#tab-learn")
    play.page.click("#run-learn")
    play.page.locator("#learn .good", has_text="proven").wait_for()
    play.page.click("#learn button:has-text('Show both')")
    play.page.wait_for_selector("#banner:not([hidden])")
    assert play.page.locator(".cm-line.running").count() == 0
    play.page.click("#banner-back")
    assert axe_findings(play.page) == []
    play.write(f"{INCREMENT}# another\n")
    play.page.wait_for_selector("#learned.old")
    play.page.click("#open-learned")
    play.frame.locator(".slider").wait_for(state="attached")
    assert play.page.locator("#name").inner_text() == "increment_learned"
    assert "state walk_R" in play.source


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
    page.locator("#prove button", has_text="Certificate").wait_for()
    assert page.evaluate("document.activeElement.id") == "run-prove"
    with page.expect_download() as download:
        page.locator("#prove button", has_text="Certificate").click()
    assert download.value.suggested_filename == "increment.proof.json"
    assert verify(download.value.path().read_text(encoding="utf-8")).valid
    assert play.said == []
    play.context.close()


def test_exercises_are_checked_and_remembered(play: Playground) -> None:
    play.open("sort")
    play.page.click("#tab-exercises")
    check = play.page.locator(".exercise").first.locator("button", has_text="Check")
    check.click()
    play.page.locator(".exercise", has_text="Not yet").wait_for()
    source = (ROOT / "examples" / "sort.grid").read_text(encoding="utf-8")
    play.write(solved(source, SOLUTIONS["sort"][0]))
    play.page.click("#tab-exercises")
    check.click()
    play.page.locator(".exercise", has_text="Well done").wait_for()
    assert play.page.locator("#tab-exercises").inner_text() == "Exercises 1/2"


def test_files_are_opened_and_downloaded(play: Playground) -> None:
    play.page.click("#menu-open")
    play.page.set_input_files(
        "#file", {"name": "some agent.grid", "mimeType": "text/plain", "buffer": INCREMENT.encode()}
    )
    play.wait("document.querySelector('#name').textContent === 'some_agent'")
    play.page.click("#menu-open")
    with play.page.expect_download() as download:
        play.page.click("#download")
    assert download.value.suggested_filename == "some_agent.grid"
    assert download.value.path().read_text(encoding="utf-8") == INCREMENT
    play.page.click("#menu-close")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_keeps_nobody_out(browser: Any, server: LocalServer, scheme: str) -> None:
    play = Playground(browser, server.url, PHONE, color_scheme=scheme)
    play.frame.locator(".slider").wait_for(state="attached")
    play.page.wait_for_timeout(300)
    assert play.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert axe_findings(play.page) == []
    play.page.evaluate("document.querySelector('#undo-all').hidden = false")
    play.page.evaluate("document.querySelector('#name').textContent = 'long'.repeat(20)")
    assert (
        play.page.evaluate("document.querySelector('#theme').getBoundingClientRect().right") < PHONE["width"]
    )
    play.page.click("#sides button[data-side=replay]")
    play.frame.locator(".forth").click()
    assert play.frame.locator(".step").input_value() == "1"
    assert play.page.evaluate("document.querySelector('#stage').scrollWidth") <= PHONE["width"]
    assert axe_findings(play.page) == []
    play.page.click("#menu-open")
    assert axe_findings(play.page) == []
    play.context.close()
