"""The page as a panel of an editor: states and lines lead to each other, and colours are the editor's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gridlang.compiler.drawing.page import page as shown
from tests.support.browser import Opened, written
from tests.support.drawable import example
from tests.support.replay_page import NAMES, scene_of

# what an editor gives to its panel
EDITOR = """
window.told = [];
window.kept = null;
window.acquireVsCodeApi = () => ({
  postMessage: (message) => told.push(message), setState: (state) => { kept = state; }, getState: () => kept,
});
addEventListener("DOMContentLoaded", () => document.body.classList.add("vscode-dark"));
"""
SIZES = ((1024, 700), (480, 800), (360, 740))


def test_states_and_lines_lead_to_each_other(browser: Any, tmp_path: Path) -> None:
    address = written(tmp_path / "panel.html", shown(scene_of(example("mult10"), "12*34")).decode())
    opened = Opened(browser, "about:blank")
    page = opened.page
    page.add_init_script(EDITOR)
    page.goto(address)
    page.evaluate(f"() => {{ {NAMES} }}")
    opened.wait("told.some(({ kind }) => kind === 'ready') && replay.run.done")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark" and page.is_hidden("#theme")
    page.evaluate("told.length = 0; pick([table.states.indexOf('fence')])")
    assert page.evaluate("told.filter(({ kind }) => kind === 'state')") == [
        {"kind": "state", "file": 0, "line": 72}
    ]
    page.evaluate("told.length = 0; replay.seek(30)")
    assert page.evaluate("told.at(-1)") == {"kind": "step", "file": 0, "line": 66}
    page.evaluate("told.length = 0; postMessage({ kind: 'cursor', file: 0, line: 45 }, '*')")
    opened.wait("page.picked.length === 1 && table.states[page.picked[0]] === 'back'")
    assert page.evaluate("told") == []  # the editor is not told what it asked for
    page.evaluate("postMessage({ kind: 'play', input: '9*9' }, '*')")
    opened.wait("replay.text === '9*9' && replay.playing")
    page.evaluate("postMessage({ kind: 'problem', text: 'line 3: no' }, '*')")
    opened.wait("!document.getElementById('problem').hidden")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        opened.check_accessible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()
