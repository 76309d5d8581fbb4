"""The page, in a real browser: quiet, self-contained, equal to the reference, and safe with hostile names."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from gridlang.compiler.drawing.differences import compare, in_words
from gridlang.compiler.drawing.page import Comparison, Scene, page, page_data, start_of_world
from gridlang.compiler.drawing.source_pane import coloured
from gridlang.compiler.drawing.views import drawings_of
from gridlang.compiler.simulation.simulate import run
from gridlang.source import Source
from gridlang.world import string_world
from tests.programs import PROGRAMS, Example
from tests.support.drawable import HOSTILE, WORLDS, bare, example, mutated
from tests.support.replay_page import scene_of


def test_the_page_of_mult10_is_small_and_asks_for_nothing() -> None:
    text = page(scene_of(example("mult10"))).decode()
    assert len(text.encode()) < 800_000
    assert re.findall(r'(?:src|href)="([^"]*)', re.sub(r"<script.*?</script>", "", text, flags=re.S)) == [
        "data:,"
    ]
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "") and "https://" not in text
    assert "{{" not in text and "{%" not in text


def test_data_in_the_page_cannot_end_its_script() -> None:
    text = page(scene_of(bare(HOSTILE))).decode()
    inside = text.split('id="data">')[1].split("</script>")[0]
    assert "<" not in inside
    assert json.loads(inside)["table"]["states"] == list(HOSTILE.states)
    assert text.count("<script") == 2 and "<img" not in text


def test_data_tells_where_every_rule_is_drawn() -> None:
    program = example("add10")
    scene = scene_of(program)
    data = page_data(scene)
    for view, drawing in zip(data["views"], scene.drawings, strict=True):
        lines = drawing.graph.all_lines()
        for number, (state, symbol, entry) in enumerate(program.table.entries()):
            assert (state, symbol) in lines[view["line"][number]].pairs
            edge = view["edge"][view["line"][number]]
            assert (edge < 0) == (view["home"][state] == view["home"][entry.next])
    source = data["source"]
    assert source[data["headers"][program.table.states.index("carry(3)")] - 1].startswith(
        "state carry(v in digit)"
    )
    assert [view["folded"] for view in data["views"]] == [True, False]


def test_words_of_a_source_have_the_colours_of_the_language() -> None:
    text = 'agent a  # one\ninput "x"\nstart go\nstate go\n  _ : write \'+\', R -> halt\ntest """\n[x]\n"""\n'
    words = [
        [(line[from_:to], kind) for from_, to, kind in zip(*[iter(marks)] * 3, strict=True)]
        for line, marks in zip(text.split("\n"), coloured(Source("a.grid", text)), strict=False)
    ]
    assert words == [
        [("agent", "h"), ("# one", "c")],
        [("input", "h"), ('"x"', "t")],
        [("start", "h"), ("go", "s")],
        [("state", "h"), ("go", "s")],
        [("_", "v"), ("write", "k"), ("'+'", "t"), ("R", "m"), ("halt", "k")],
        [("test", "h"), ('"""', "t")],
        [("[x]", "t")],
        [('"""', "t")],
    ]


# In the browser.


TYPED = ("add10", "brackets", "palindrome", "beaver")  # a sum, marks left behind, a verdict, and no input


@pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in PROGRAMS if p.name in TYPED])
def test_a_typed_input_runs_to_the_result_of_the_reference(program: Example, show: Any) -> None:
    shown = show(scene_of(program.load()))
    for text, result in program.cases:
        done = run(program.load().table, string_world(text))
        shown.type(text)
        shown.press("End")
        assert shown.text("result") == result == done.result
        assert shown.step == done.steps and shown.text("state") == done.state
        assert shown.text("outcome") == done.outcome
    shown.check_quiet()


def test_it_plays_pauses_steps_and_steps_back(show: Any) -> None:
    shown = show(scene_of(example("add10"), "47+85"))
    assert shown.step == 0 and shown.text("state") == "seek"
    shown.page.click("#replay .forth")
    shown.page.click("#replay .forth")
    shown.page.click("#replay .back")
    assert shown.step == 1
    shown.page.fill("#replay .step", "30")
    shown.page.press("#replay .step", "Enter")
    assert shown.step == 30 and shown.text("state") == "ripple(1)"
    assert shown.page.text_content("#source .current").startswith("46")
    assert "lit" in shown.page.get_attribute('.node:has-text("ripple(c)")', "class")
    assert shown.page.locator("#graph svg:not(.hidden) .edge.lit").count() == 1
    assert shown.page.text_content(".chip.lit") == "1"
    shown.page.evaluate("replay.faster(16)")
    shown.page.click("#replay .play")
    shown.wait("replay.atEnd && !replay.playing")
    assert shown.step == 39 and shown.text("result") == "132"
    shown.check_quiet()


def test_a_line_of_another_file_names_it(show: Any) -> None:
    shown = show(scene_of(example("mult10"), "12*34"))
    assert shown.text("where").endswith(" of mult.grid")
    assert shown.page.get_attribute("#source .file", "data-file") == "mult.grid"
    own = show(scene_of(example("add"), "47+85"))
    assert re.fullmatch(r"line \d+", own.text("where"))


def test_the_keyboard_does_it_all(show: Any) -> None:
    shown = show(scene_of(example("add10"), "47+85"))
    for key, step in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 39),
        ("PageUp", 0),
        ("End", 39),
        ("Home", 0),
    ):
        shown.press(key)
        assert shown.step == step
    shown.press(" ")
    assert shown.page.evaluate("replay.playing")
    shown.press(" ")
    assert not shown.page.evaluate("replay.playing")
    shown.press("i")
    shown.page.fill("#replay .input", "9+9")
    shown.press("Enter")
    shown.wait()
    shown.press("End")
    assert shown.text("result") == "18"
    shown.press("/")
    shown.page.keyboard.type("carry(4")
    assert shown.page.text_content("#hits") == "1 found" and shown.page.locator(".chip.hit").count() == 1
    shown.press("Enter")
    assert shown.page.text_content("#details h2") == "carry(4)"
    shown.press("Escape")
    before = shown.page.evaluate("graph.view.folded")
    shown.press("z")
    assert shown.page.evaluate("graph.view.folded") is not before
    shown.press("?")
    assert shown.page.is_visible("#keys")
    shown.check_quiet()


def test_a_click_on_a_state_shows_its_rules_and_its_line(show: Any) -> None:
    shown = show(scene_of(example("add10"), "47+85"))
    shown.page.click('.node:has-text("finish") .name')
    assert shown.page.text_content("#details h2") == "finish"
    rows = shown.page.locator("#details tr").all_text_contents()
    assert len(rows) == 1 + 12 and rows[1].startswith("_keepRfinishline ")
    shown.page.click("#details .link >> nth=0")
    assert "state finish" in shown.page.text_content("#source .picked")
    shown.press("f")
    shown.page.click('.chip[data-state] >> text="7"')
    assert shown.page.text_content("#details h2") == "carry(7)"
    shown.check_quiet()


def test_what_is_no_input_is_refused_with_a_reason(show: Any) -> None:
    shown = show(scene_of(example("add10"), "47+85"))
    for text, reason in (
        ("1x", "not in the alphabet"),
        ("1+", "ends too early"),
        ("1++2", "does not fit"),
        ("1\n2", "start cell"),
    ):
        shown.page.fill("#replay .input", text)
        shown.page.click("#replay .go")
        assert reason in shown.text("complaint")
    shown.page.fill("#replay .input", "_[1]+2_\n____")
    shown.page.click("#replay .go")
    shown.wait()
    assert shown.text("complaint") == "" and shown.page.evaluate("replay.run.world.start") == [1, 0]
    shown.check_quiet()


def test_dark_and_light_follow_the_system_and_the_reader(show: Any) -> None:
    look = "getComputedStyle(document.body).backgroundColor"
    light, dark = (show(scene_of(example("ant")), color_scheme=scheme) for scheme in ("light", "dark"))
    assert light.page.evaluate(look) != dark.page.evaluate(look)
    wanted = dark.page.evaluate(look)
    light.press("t")
    assert light.page.evaluate(look) == wanted
    dark.press("t")
    assert dark.page.evaluate(look) != wanted
    light.check_quiet()
    dark.check_quiet()


def test_hostile_names_are_text_everywhere(show: Any) -> None:
    shown = show(scene_of(bare(HOSTILE)))
    shown.page.evaluate("for (let s = 0; s < table.states.length; s++) { pick([s]); replay.seek(s); }")
    shown.page.evaluate("pick([0])")
    assert shown.page.text_content("#details h2") == "<script>alert(1)</script>"
    assert shown.page.locator("img").count() == 0 and shown.page.locator("script").count() == 2
    assert shown.page.locator('.name:has-text("<script>")').count() >= 1
    shown.check_accessible()
    shown.check_quiet()


def test_a_difference_is_replayed_side_by_side(show: Any) -> None:
    left, right = example("add2"), mutated()
    found = compare(left.table, right.table, WORLDS)
    assert found.world
    words = in_words(found, None, "mutant", "add2")
    drawings = drawings_of(right)
    start = start_of_world(found.world)
    scene = Scene(right, "mutant", drawings, start, comparison=Comparison(left, "add2", found, words))
    shown = show(scene)
    shown.wait("replay.differs >= 0")
    assert shown.step == found.step - 1
    assert f"differs at step {found.step}" in shown.text("ending")
    assert "ripple(1) on _ does 0, L, where ripple(1) does 1, L" in shown.page.text_content("#difference")
    assert shown.page.is_visible("#replay .otherworld")
    shown.check_accessible()
    shown.type("1+0")
    assert "differs" not in shown.text("ending")
    shown.check_quiet()
