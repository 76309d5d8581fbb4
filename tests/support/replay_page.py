"""Replay pages, open in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gridlang.compiler.drawing.page import Scene, scene_to_html, start_of_input
from gridlang.compiler.drawing.views import first_scene
from gridlang.program import Program
from tests.support.browser import Opened, written


def scene_of(program: Program, text: str | None = None) -> Scene:
    return first_scene(program, None if text is None else start_of_input(text))


class Shown(Opened):
    """A replay page that is open."""

    def __init__(self, browser: Any, path: Path, scene: Scene, **options: Any) -> None:
        super().__init__(browser, written(path, scene_to_html(scene)), **options)
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
