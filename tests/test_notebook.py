"""Things that show themselves in a notebook, and the example notebook itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gridlang as gl
from gridlang.compiler.notebooks import png
from tests.programs import EXAMPLES, ROOT

TOUR = EXAMPLES / "tour.ipynb"


def test_a_graph_has_the_colours_of_the_notebook_and_changes_nothing_around_it() -> None:
    style = re.findall(r"<style>(.*?)</style>", gl.load(EXAMPLES / "add2.grid")._repr_html_())[0]
    assert "prefers-color-scheme" not in style and "var(--jp-layout-color0" in style
    selectors = [each for rule in re.findall(r"([^{}]+)\{", style) for each in rule.split(",")]
    assert len(selectors) > 30 and all(each.startswith(".gridlang-graph ") for each in selectors)


def test_the_language_alone_shows_nothing_and_loads_nothing() -> None:
    code = (
        "import sys; import gridlang; from gridlang import display\n"
        "assert not {'numpy', 'gridlang.compiler', 'gridlang.learners'} & set(sys.modules)\n"
        f"program = gridlang.load({str(EXAMPLES / 'add2.grid')!r})\n"
        "display.ABOVE = ('no_such_house.notebooks',)\n"
        "assert program._repr_html_() is None and program.table._repr_html_() is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5)])
def test_a_picture_of_weights_is_a_png_that_others_can_read(shape: tuple[int, int]) -> None:
    import struct
    import zlib

    pixels = np.arange(shape[0] * shape[1] * 3, dtype=np.uint8).reshape(*shape, 3)
    data = png(pixels)
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", data[16:24]) == (shape[1], shape[0])
    place, parts = 8, {}
    while place < len(data):
        size, kind = struct.unpack(">I", data[place : place + 4])[0], data[place + 4 : place + 8]
        parts[kind] = data[place + 8 : place + 8 + size]
        assert struct.unpack(">I", data[place + 8 + size : place + 12 + size])[0] == zlib.crc32(
            kind + parts[kind]
        )
        place += 12 + size
    lines = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(shape[0], -1)
    assert (lines[:, 0] == 0).all() and (lines[:, 1:].reshape(pixels.shape) == pixels).all()


def kinds(notebook: dict[str, Any], of: Callable[[str], str]) -> list[list[str]]:
    """What each code cell shows, in brief."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [[of(output["data"].get("text/html", "")) for output in cell["outputs"]] for cell in cells]


def words(text: str) -> str:
    """Without pictures and numbers, which may differ in their last digits from machine to machine."""
    bare = re.sub(r"<svg.*?</svg>|<[^>]*>", " ", text, flags=re.DOTALL)
    return re.sub(r"\d[\d.,]*(e[-+]\d+)?", "…", unescape(bare))


def test_the_notebook_runs_and_shows_what_it_holds(tmp_path: Path) -> None:
    pytest.importorskip("IPython")
    output = tmp_path / "tour.ipynb"
    command = [sys.executable, "-m", "tests.notebooks", str(TOUR), str(output)]
    subprocess.run(command, check=True, cwd=ROOT)
    before, after = (
        json.loads(TOUR.read_text(encoding="utf-8")),
        json.loads(output.read_text(encoding="utf-8")),
    )
    assert kinds(after, words) == kinds(before, words)
    assert all(len(cell) == 1 and cell[0] for cell in kinds(after, str))
    assert "proven" in str(kinds(after, words)) and "different" in str(kinds(after, words))
