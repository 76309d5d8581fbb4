"""A standalone C program that reads an input and prints the result: a table, and a loop over it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gridlang.compiler.simulation.native.agents import WIDE_CELLS
from gridlang.compiler.simulation.native.sources import world_source
from gridlang.table import NO_RULE, Table


def render(table: Table) -> bytes:
    """The program of a table, in UTF-8."""
    main = Path(__file__).with_suffix(".c").read_text(encoding="utf-8")
    k = len(table.symbols)
    rules = (entry or NO_RULE for row in table.rows for entry in row)
    lines = (
        f"enum {{ SYMBOLS = {k} }};",
        "typedef struct rule {\n  int32_t write, move, next; /* -1 where there is none */\n} rule;",
        f"static const char *const symbols[SYMBOLS] = {{{', '.join(map(_c_string, table.symbols))}}};",
        f"static const char *const states[] = {{{_list(map(_c_string, table.states))}}};",
        "/* By state times SYMBOLS plus symbol. */",
        f"static const rule rules[] = {{{_list(f'{{{w}, {m}, {n}}}' for w, m, n in rules)}}};",
    )
    world = world_source("uint8_t" if k < WIDE_CELLS else "uint16_t")
    return "\n".join(("#include <stdio.h>", world, *lines, main)).encode()


def _list(items: Iterable[str]) -> str:
    return "".join(f"\n  {item}," for item in items) + "\n"


def _c_string(text: str) -> str:
    """A C literal in plain ASCII, with octal escapes."""
    plain = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _+-*/=<>()[]{}.,:;#|&^!'@$")
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'
