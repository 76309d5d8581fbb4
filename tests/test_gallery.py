"""The gallery: its pictures are there, small, and made by the commands that stand above them."""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks.gallery import COMMANDS, ant_pixels, careless
from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.loading import load, load_source
from gridlang.source import Source
from tests.programs import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "guide" / "gallery.md").read_text(encoding="utf-8")
PICTURES = ROOT / "docs" / "gallery"


def test_every_picture_of_the_page_is_there_and_none_is_left_over() -> None:
    linked = set(re.findall(r'(?:\]\(|src=")([^)"]+\.(?:svg|png))', PAGE))
    assert all((ROOT / "docs" / "guide" / path).exists() for path in linked)
    assert {Path(path).name for path in linked if path.startswith("../gallery/")} == {
        p.name for p in PICTURES.iterdir()
    }


def test_the_commands_of_the_page_are_those_that_make_the_pictures() -> None:
    shown = re.findall(r"^gridlang view .*", PAGE, re.MULTILINE)
    assert sorted(shown) == sorted(COMMANDS)


@pytest.mark.long
def test_the_commands_make_the_pictures_that_are_there(tmp_path: Path) -> None:
    script = ROOT / "benchmarks" / "gallery.py"
    subprocess.run([sys.executable, str(script), "--to", str(tmp_path)], check=True, capture_output=True)
    for made in tmp_path.glob("*.svg"):
        assert made.read_bytes() == (PICTURES / made.name).read_bytes(), made.name


def test_the_pictures_are_small_and_name_every_state() -> None:
    assert sum(path.stat().st_size for path in PICTURES.iterdir()) < 400_000
    for name in ("add2", "ant"):
        nodes = ElementTree.parse(PICTURES / f"{name}.svg").iter("{http://www.w3.org/2000/svg}text")
        names = {node.text for node in nodes if node.attrib["class"] == "name"}
        assert names == set(load(str(EXAMPLES / f"{name}.grid")).table.states)


def test_the_ant_and_the_careless_adder_are_what_the_page_says() -> None:
    drawn = (PICTURES / "ant.png").read_bytes()
    lines = np.frombuffer(zlib.decompress(drawn[drawn.index(b"IDAT") + 4 : -16]), np.uint8)
    pixels = ant_pixels()
    assert (lines.reshape(len(pixels), -1)[:, 1:].reshape(pixels.shape) == pixels).all()
    other = load_source(Source("careless", careless()))
    assert compare_tables(load(str(EXAMPLES / "add2.grid")).table, other.table).equivalent is False
