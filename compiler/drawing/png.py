"""SVG to PNG, by resvg, with fonts of our own: the same picture also on a machine that has none."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from compiler.drawing.limits import LIMITS
from gridlang.diagnostics import fail

SCALE = 2  # pixels per unit of the drawing, for screens with small ones


def svg_to_png(svg: str) -> bytes:
    """The picture, twice as large as the drawing unless that is huge; GridError where it cannot be made."""
    try:
        import resvg_py
    except ImportError:
        hint = "install it with `pip install resvg-py`, or use the SVG, which needs nothing"
        raise fail("G174", "the library that turns an SVG into a PNG is not installed", hint) from None
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    area = float(box[1]) * float(box[2]) if box else 1.0
    zoom = min(float(SCALE), (LIMITS.most_pixels / max(1.0, area)) ** 0.5)
    try:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=svg,
                zoom=zoom,
                font_files=_fonts(),
                sans_serif_family="DejaVu Sans",
                monospace_family="DejaVu Sans Mono",
            )
        )
    except ValueError as error:
        reason = str(error)[:200]
        raise fail("G174", f"this SVG could not be turned into a PNG: {reason}", "use the SVG") from None


@cache
def _fonts() -> list[str]:
    """Four faces of DejaVu, cut down to letters and signs; others come from the system if they are there."""
    with as_file(files("compiler.drawing") / "fonts") as folder:
        return sorted(str(path) for path in Path(folder).glob("*.ttf"))
