"""`--to c`: a standalone program that reads an input and prints the result."""

from __future__ import annotations

from compiler.simulation.native.codegen import machine_source, part
from gridlang.program import Program


def render(program: Program) -> bytes:
    table = program.table
    symbols = ", ".join(_c_string(symbol) for symbol in table.symbols)
    states = ",\n  ".join(_c_string(state) for state in table.states)
    names = (
        f"static const char *const symbols[SYMBOLS] = {{{symbols}}};\n"
        f"static const char *const states[] = {{\n  {states}\n}};\n"
    )
    library = part("library.c").replace("/* What the library offers to its caller. */\n\n", "")
    main = part("program.c").replace("/* NAMES */\n", names)
    machine = machine_source(table).replace(
        "#include <stdint.h>\n", "#include <stdint.h>\n#include <stdio.h>\n"
    )
    return "\n".join((machine, _private(library), main)).encode()


def _private(library: str) -> str:
    """The interface of the library, as functions of this file alone."""
    for start in ("world *grid_", "void grid_", "int grid_", "int64_t grid_"):
        library = library.replace(f"\n{start}", f"\nMAYBE {start}")
    return "MAYBE " + library


def _c_string(text: str) -> str:
    """A C literal in plain ASCII, with octal escapes."""
    plain = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _+-*/=<>()[]{}.,:;#|&^!'@$")
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'
