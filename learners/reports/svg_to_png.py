"""SVG to PNG by whatever this machine has for it."""

from __future__ import annotations

import shutil
import subprocess
from importlib import import_module
from importlib.util import find_spec

from gridlang.diagnostics import fail

SCALE = 2  # A unit of the drawing has so many pixels.
SECONDS = 30.0  # A picture takes less than one second.
HINT = "install one with `pip install gridlang[png]`, or use the SVG charts in the page, which need nothing"


def svg_to_png(svg: str) -> bytes:
    """The picture, twice as large; by the library cairosvg, or by the program rsvg-convert."""
    if find_spec("cairosvg"):
        return _by_cairosvg(svg)
    if shutil.which("rsvg-convert"):
        return _by_rsvg(svg)
    raise fail("G174", "nothing on this machine turns an SVG into a PNG", HINT)


def _by_cairosvg(svg: str) -> bytes:
    try:
        data: bytes = import_module("cairosvg").svg2png(bytestring=svg.encode(), scale=SCALE)
    except OSError:
        raise fail("G174", "cairosvg is here, but not the system's library libcairo", HINT) from None
    return data


def _by_rsvg(svg: str) -> bytes:
    command = ["rsvg-convert", "--zoom", str(SCALE), "--format", "png"]
    try:
        done = subprocess.run(command, input=svg.encode(), capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise fail("G174", f"rsvg-convert drew no PNG within {SECONDS:.0f} seconds", HINT) from None
    if done.returncode or not done.stdout:
        raise fail("G174", "rsvg-convert drew no PNG", done.stderr.decode(errors="replace")[:200])
    return done.stdout
