"""C sources that are put together of the files of this folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = os.path.dirname(__file__)
INCLUDES = "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n"


def runner_source(cell: str) -> str:
    """The library that runs all tables of one size of cells."""
    runner = part("runner.c")
    for name in ("predict", "macro", "blocks", "modes"):
        runner = runner.replace(f"/* {name.upper()} */\n", part(f"{name}.c") + "\n")
    return world_source(cell, 0) + part("library.c") + "\n" + runner + part("texts.c")


def world_source(cell: str, symbols: int) -> str:
    """What all libraries share, so that a world can go from one to another."""
    count = f"#define SYMBOLS {symbols}\n" if symbols else ""
    types = f"{INCLUDES}typedef {cell} cell;\n{count}#define EDGE ((cell)-1)\n\n"
    return types + part("outcomes.c") + part("world.c") + "\n"


def part(name: str) -> str:
    """One of the files of this folder."""
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def source_on_worlds(path: Path, cell: str = "uint16_t", edge: str = "UINT16_MAX") -> str:
    """A C file of another package behind the world that it works on, and vectors to calculate with."""
    types = f"{INCLUDES}typedef {cell} cell;\n#define EDGE {edge}\n\n"
    return (
        types
        + part("outcomes.c")
        + part("world.c")
        + part("library.c")
        + part("vectors.c")
        + path.read_text(encoding="utf-8")
    )
