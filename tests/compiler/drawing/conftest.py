"""Pages that a test opens are closed behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gridlang.compiler.drawing.page import Scene
from tests.support.replay_page import Shown


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens the page of a scene, in a window of the desk's size if no other is asked for."""
    opened: list[Shown] = []

    def open_page(scene: Scene, **options: Any) -> Shown:
        opened.append(Shown(browser, tmp_path / f"page{len(opened)}.html", scene, **options))
        return opened[-1]

    yield open_page
    for shown in opened:
        shown.page.close()
