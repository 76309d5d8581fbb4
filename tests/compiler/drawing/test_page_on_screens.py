"""The page on a desk, at twice its size and on a phone: by mouse, fingers and keys, light and dark."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.simulation.simulate import run
from gridlang.world import string_world
from tests.support.browser import DESK, PHONE
from tests.support.drawable import example
from tests.support.replay_page import Shown, modules, scene_of

ENLARGED = {"width": DESK["width"] // 2, "height": DESK["height"] // 2}  # what a zoom of 200 % leaves
LONG_SUM = "9876543210123456789012345678901234567890+123456789012345678901234567890"
SCREENS = [
    pytest.param({"viewport": DESK}, id="desk"),
    pytest.param({"viewport": ENLARGED, "device_scale_factor": 2, "color_scheme": "dark"}, id="enlarged"),
    pytest.param({"viewport": PHONE, "has_touch": True, "is_mobile": True}, id="phone"),
]
# Both layouts and both colour schemes; axe is dear.
LOOKS = [SCREENS[0], pytest.param({"viewport": PHONE, "color_scheme": "dark"}, id="narrow-and-dark")]
SCREEN_WIDE = "document.documentElement.scrollWidth <= innerWidth"


def fingers(shown: Shown, *moments: list[tuple[float, float]]) -> None:
    """Fingers that go from place to place; they are lifted at the end."""
    session = shown.page.context.new_cdp_session(shown.page)
    for number, places in enumerate([*moments, []]):
        kind = "touchStart" if not number else "touchMove" if places else "touchEnd"
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        shown.page.wait_for_timeout(10)
    shown.page.wait_for_timeout(50)


def middle(shown: Shown, selector: str) -> tuple[float, float]:
    place = shown.page.locator(selector).first
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("screen", LOOKS)
def test_axe_finds_nothing_and_nothing_sticks_out(screen: dict[str, Any], show: Any) -> None:
    shown = show(scene_of(example("add10"), LONG_SUM), **screen)
    for doing in (
        "replay.seek(1); replay.grid.pan(200, 20)",
        "replay.seek(1e9); pick([3])",
        "replay.draw(true)",
        "document.getElementById('keys').showModal()",
    ):
        shown.page.evaluate(doing)
        shown.check_accessible()
        assert shown.page.evaluate(SCREEN_WIDE), doing
    shown.check_quiet()


@pytest.mark.parametrize("screen", SCREENS)
def test_a_step_scrolls_the_source_and_never_the_page(screen: dict[str, Any], show: Any) -> None:
    shown = show(scene_of(example("add10"), "47+85"), **screen)
    shown.page.evaluate("scrollTo(0, 60)")
    before = shown.page.evaluate("[scrollX, scrollY]")
    tops = set()
    for _ in range(12):
        shown.page.evaluate("replay.stepBy(3)")
        assert shown.page.evaluate("[scrollX, scrollY]") == before
        tops.add(shown.page.evaluate("document.getElementById('source').scrollTop"))
        assert shown.page.evaluate(
            "(([line, panel]) => line.top >= panel.top && line.bottom <= panel.bottom)"
            "(['#source .current', '#source'].map((e) => document.querySelector(e).getBoundingClientRect()))"
        )
    assert len(tops) > 1


@pytest.mark.parametrize("screen", SCREENS)
def test_the_head_is_followed_in_legible_cells(screen: dict[str, Any], show: Any) -> None:
    shown = show(scene_of(example("add10"), LONG_SUM), **screen)
    in_view = """((grid) => {
      const [left, top] = grid.place(replay.run.view.x, replay.run.view.y);
      return left >= 0 && top >= 0 && left + grid.size <= grid.canvas.clientWidth + 1 && top + grid.size <= grid.canvas.clientHeight + 1;
    })(replay.grid)"""
    for step in (0, 40, 100, 101, 1500, 2822, 0):
        shown.page.evaluate(f"replay.seek({step})")
        assert shown.page.evaluate(in_view) and shown.page.evaluate("replay.grid.size") >= 18
    assert shown.page.is_visible("#replay .world .overview")
    shown.page.evaluate("replay.grid.zoom(1.5); replay.seek(2000)")
    assert shown.page.evaluate(in_view) and shown.page.is_hidden("#replay .world .follow")
    shown.page.evaluate("replay.grid.pan(3000, 0)")
    assert not shown.page.evaluate(in_view)
    shown.page.click("#replay .world .follow")
    assert shown.page.evaluate(in_view) and shown.page.is_hidden("#replay .world .follow")
    x, y = middle(shown, "#replay .world .overview")
    shown.page.mouse.click(x, y)
    assert shown.page.evaluate("replay.grid.mode") == "free"
    assert shown.page.evaluate("Math.abs(replay.grid.corner[0] + replay.grid.cells[0] / 2 - 35) < 4")
    for doing in (
        "replay.seek(1e9); pick([3])",
        "replay.draw(true)",
        "document.getElementById('keys').showModal()",
    ):
        shown.page.evaluate(doing)
        assert shown.page.evaluate(SCREEN_WIDE), doing


def test_the_state_of_the_run_is_seen_whole_and_the_legend_covers_none(show: Any) -> None:
    shown = show(scene_of(example("mult10"), "12*34"), viewport=PHONE)
    box = "((name) => document.querySelector(name).getBoundingClientRect().toJSON())"
    graph, legend = (shown.page.evaluate(f"{box}('{name}')") for name in ("#graph", "#legend"))
    assert legend["top"] >= graph["bottom"] and legend["height"] > 10
    for step in range(0, 100, 9):
        shown.page.evaluate(f"replay.seek({step})")
        lit = shown.page.evaluate(f"{box}('#graph svg:not(.hidden) .node.lit > .box')")
        assert lit["height"] > graph["height"] or (
            lit["top"] >= graph["top"] and lit["bottom"] <= graph["bottom"]
        )


def test_two_fingers_zoom_and_one_scrolls_the_page(show: Any) -> None:
    shown = show(scene_of(example("add10"), LONG_SUM), viewport=PHONE, has_touch=True, is_mobile=True)
    for place, size in (("#graph", "graph.places[0].scale"), ("#replay .cells", "replay.grid.size")):
        before = shown.page.evaluate(size)
        x, y = middle(shown, place)
        fingers(shown, *([(x - 10 - 6 * n, y), (x + 10 + 6 * n, y)] for n in range(10)))
        assert shown.page.evaluate(size) > 1.8 * before, place
    x, y = middle(shown, "#graph")
    corner = shown.page.evaluate("graph.places[0].y")
    fingers(shown, *([(x - 30, y - 9 * n), (x + 30, y - 9 * n)] for n in range(8)))
    assert shown.page.evaluate("graph.places[0].y") < corner - 30
    assert shown.page.evaluate("[scrollY, visualViewport.scale]") == [0, 1]
    fingers(shown, *([(x, y - 12 * n)] for n in range(12)))
    assert shown.page.evaluate("scrollY") > 100
    shown.page.evaluate("scrollTo(0, 0)")
    corner = shown.page.evaluate("graph.places[0].x")
    fingers(shown, *([(x + 9 * n, y)] for n in range(8)))
    assert shown.page.evaluate("graph.places[0].x") > corner + 30


def test_a_finger_draws_and_two_move_what_is_drawn_on(show: Any) -> None:
    shown = show(scene_of(example("add10"), "47+85"), viewport=PHONE, has_touch=True, is_mobile=True)
    shown.page.evaluate("replay.draw(true)")
    x, y = middle(shown, "#replay .cells")
    corner = shown.page.evaluate("replay.grid.corner[1]")
    fingers(shown, *([(x - 40, y - 5 * n), (x + 40, y - 5 * n)] for n in range(8)))
    assert shown.page.evaluate("replay.grid.corner[1]") > corner + 0.5
    assert shown.page.input_value("#replay .input") == "47+85"
    fingers(shown, [(x, y)])
    fingers(shown, *([(x, y - 40 + 8 * n)] for n in range(8)))
    assert shown.page.input_value("#replay .input").count("\n") > 1
    assert shown.page.evaluate("scrollY") == 0


def test_a_wheel_scrolls_a_page_that_scrolls_and_zooms_otherwise(show: Any) -> None:
    for viewport, zooms in ((DESK, True), (ENLARGED, False)):
        shown = show(scene_of(example("add10"), "47+85"), viewport=viewport)
        shown.page.mouse.move(*middle(shown, "#graph"))
        before = shown.page.evaluate("graph.places[0].scale")
        shown.page.mouse.wheel(0, -100 if zooms else 100)
        shown.wait(f"graph.places[0].scale > {before} || scrollY > 0")
        assert (shown.page.evaluate("graph.places[0].scale") > before) is zooms
        assert (shown.page.evaluate("scrollY") > 0) is not zooms
        shown.page.evaluate("scrollTo(0, 0)")
        before = shown.page.evaluate("graph.places[0].scale")
        shown.page.keyboard.down("Control")
        shown.page.mouse.wheel(0, -100)
        shown.page.keyboard.up("Control")
        shown.wait(f"graph.places[0].scale > {before}")
        shown.page.click("#graph .zooms button >> nth=1")
        shown.page.click("#graph .zooms button >> nth=2")
        assert shown.page.evaluate("graph.places[0].scale") == pytest.approx(
            shown.page.evaluate("graph.fit() || graph.places[0].scale")
        )


def test_a_focused_control_keeps_the_keys_that_it_uses(show: Any) -> None:
    shown = show(scene_of(example("add10"), "47+85"))
    shown.page.focus("#replay .forth")
    shown.press(" ")
    shown.press("Enter")
    assert shown.step == 2 and not shown.page.evaluate("replay.playing")
    shown.press("ArrowRight")
    assert shown.step == 3
    shown.page.focus("#replay .speed")
    rate = shown.text("rate")
    shown.press("ArrowRight")
    assert shown.step == 3 and shown.text("rate") != rate
    shown.page.focus("#replay .slider")
    shown.press("ArrowRight")
    assert shown.step == 4
    shown.page.focus("#tab-source")
    shown.press("ArrowLeft")
    assert shown.step == 4 and shown.page.is_visible("#details")
    shown.page.evaluate("document.activeElement.blur()")
    shown.press("g")
    assert shown.page.evaluate("document.activeElement.dataset.node") == "0"
    shown.press("ArrowDown")
    assert shown.page.evaluate("document.activeElement.textContent").startswith("aside")
    shown.press("Enter")
    assert shown.page.text_content("#details h2") == "aside" and shown.step == 4
    shown.page.click('.node:has-text("finish") .name')
    shown.press("ArrowRight")
    assert shown.page.text_content("#details h2") == "finish" and shown.step == 5


def test_what_is_drawn_on_the_grid_is_run(show: Any) -> None:
    program = example("add10")
    shown = show(scene_of(program, "47+85"))
    shown.press("d")
    for key in ("1", "ArrowRight", "ArrowRight", "ArrowRight", "9"):
        shown.press(key)
    shown.wait()
    assert shown.page.input_value("#replay .input") == "17+89"
    assert shown.page.evaluate("replay.grid.cursor") == [5, 0]
    x, y = shown.page.evaluate(
        "((box, [x, y]) => [box.left + x + 4, box.top + y + 4])(replay.grid.canvas.getBoundingClientRect(), replay.grid.place(5, 0))"
    )
    shown.page.click('#replay .pens input[data-pen="1"]')
    shown.page.mouse.click(x, y)
    shown.wait()
    drawn = shown.page.input_value("#replay .input")
    assert drawn == f"17+89{program.table.symbols[1]}"
    shown.page.mouse.click(x, y)
    assert shown.page.input_value("#replay .input") == "17+89"
    shown.page.click('#replay .pens input[data-pen="-1"]')
    shown.page.mouse.click(x, y)
    assert shown.page.input_value("#replay .input") == "17+89[_]\n"
    shown.page.click('#replay .pens input[data-pen="2"]')
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move(x + 100, y, steps=12)
    shown.page.mouse.up()
    assert shown.page.input_value("#replay .input").startswith(f"17+89[{program.table.symbols[2]}]1")
    assert shown.text("warning") == "" and shown.page.evaluate("replay.part.input.rows") == 1
    shown.press("Escape")
    assert shown.page.is_hidden("#replay .pens") and shown.page.evaluate("replay.part.input.rows") == 2
    shown.type("17+89")
    shown.press("End")
    assert shown.text("result") == run(program.table, string_world("17+89")).result == "106"
    assert shown.page.is_hidden("#replay .pens") and shown.page.evaluate("replay.grid.mode") == "follow"
    shown.check_quiet()


@pytest.fixture(scope="module")
def reader(browser: Any) -> Any:
    with modules(browser, "inputs") as page:
        yield page


@pytest.mark.long
@given(
    st.dictionaries(st.tuples(st.integers(-4, 4), st.integers(-3, 3)), st.integers(1, 4)),
    st.tuples(st.integers(-5, 5), st.integers(-4, 4)),
)
def test_a_drawn_world_reads_back_as_itself(
    reader: Any, cells: dict[tuple[int, int], int], start: tuple[int, int]
) -> None:
    symbols = ["_", "a", "[", "]", "b"]
    world = {"cells": [[x, y, symbol] for (x, y), symbol in cells.items()], "start": start}
    back = reader.evaluate(
        "([world, symbols]) => readInput(writeInput(world, { symbols }), { symbols }, null)", [world, symbols]
    )
    (x, y), (left, top) = back["start"], start
    assert {(a - x + left, b - y + top): symbol for a, b, symbol in back["cells"]} == cells
