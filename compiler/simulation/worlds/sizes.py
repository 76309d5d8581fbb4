"""How large a box may be that is written cell by cell."""

from __future__ import annotations

from compiler.simulation.limits import LIMITS
from gridlang.diagnostics import fail
from gridlang.tiles import Box


def checked_area(box: Box, ending: str) -> None:
    """GridError if a box has more cells than a file of this kind takes."""
    if box.area > LIMITS.area:
        size = f"{box.width:,} x {box.height:,} cells"
        hint = "an .rle file takes any world: what is blank costs nothing there"
        raise fail("G074", f"a box of {size} is too large for a {ending} file", hint)
