"""Replay pages, open in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gridlang.compiler.drawing.page import Scene, page, start_of_input
from gridlang.compiler.drawing.views import first_scene
from gridlang.compiler.local_pages import LocalServer, folder_pages
from gridlang.compiler.playground.build import PAGE_SCRIPTS
from gridlang.program import Program
from tests.support.browser import Opened, written

NAMES = """const { page } = gridlang;
Object.assign(window, { page, ...page, pick: (states) => page.pick(states) });"""


def scene_of(program: Program, text: str | None = None) -> Scene:
    return first_scene(program, None if text is None else start_of_input(text))


class Shown(Opened):
    """A replay page that is open; its parts have names for `evaluate`."""

    def __init__(self, browser: Any, path: Path, scene: Scene, **options: Any) -> None:
        super().__init__(browser, written(path, page(scene).decode()), **options)
        self.page.evaluate(f"() => {{ {NAMES} }}")
        self.wait()

    def wait(self, condition: str = "replay.run.done && replay.second?.done !== false") -> None:
        super().wait(condition)

    def text(self, name: str) -> str:
        shown: str = self.page.text_content(f"#replay .{name}")
        return shown

    @property
    def step(self) -> int:
        return int(self.page.input_value("#replay .step"))

    def type(self, text: str) -> None:
        self.page.fill("#replay .input", text)
        self.page.press("#replay .input", "Enter")
        self.wait()


@contextmanager
def modules(browser: Any, *names: str) -> Iterator[Any]:
    """A page that has what some of the page's modules export as globals."""
    with LocalServer(folder_pages(PAGE_SCRIPTS)) as server:
        tab = browser.new_page()
        tab.goto(f"{server.url}page.css")
        for name in names:
            tab.evaluate(f"import('/{name}.js').then((module) => {{ Object.assign(window, module); }})")
        yield tab
        tab.close()
