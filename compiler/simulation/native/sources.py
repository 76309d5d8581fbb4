"""C sources that are put together of the files of this folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = os.path.dirname(__file__)
INCLUDES = "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n"


def engine_source(cell: str) -> str:
    """The library that runs all tables with cells of one size."""
    return world_source(cell) + part("machine.c") + "\n" + part("macro.c") + "\n" + part("engine.c")


def world_source(cell: str) -> str:
    """What all libraries share, so that a world can go from one to another."""
    return f"{INCLUDES}typedef {cell} cell;\n\n" + part("outcomes.c") + part("world.c") + "\n"


def part(name: str) -> str:
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def source_on_worlds(*paths: Path, cell: str = "uint16_t") -> str:
    """C files of another package behind the world that they work on."""
    return world_source(cell) + "".join(path.read_text(encoding="utf-8") for path in paths)
