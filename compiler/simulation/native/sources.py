"""C sources that are put together of the files of this folder."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def runner_source(cell: str) -> str:
    """The library that runs all tables of one size of cells."""
    runner = part("runner.c")
    for name in ("predict", "macro", "modes"):
        runner = runner.replace(f"/* {name.upper()} */\n", part(f"{name}.c") + "\n")
    return world_source(cell, 0) + part("library.c") + "\n" + runner + part("texts.c")


def world_source(cell: str, symbols: int) -> str:
    """What all libraries share, so that a world can go from one to another."""
    includes = "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
    count = f"#define SYMBOLS {symbols}\n" if symbols else ""
    return f"{includes}typedef {cell} cell;\n{count}#define EDGE ((cell)-1)\n\n" + part("world.c") + "\n"


def part(name: str) -> str:
    """One of the C files that come with the package."""
    return (FOLDER / name).read_text(encoding="utf-8")


def source_on_worlds(path: Path) -> str:
    """A C file of another package behind the world that it works on, whose cells take two bytes."""
    types = "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
    types += "typedef uint16_t cell;\n#define EDGE UINT16_MAX\n\n"
    return types + part("world.c") + part("library.c") + path.read_text(encoding="utf-8")
