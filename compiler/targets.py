"""The targets of `gridlang compile`, files of other tools too; each imports what it needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gridlang.compiler.foreign import FORMATS
from gridlang.compiler.given import read_file
from gridlang.diagnostics import GridError, fail
from gridlang.file_kinds import kind_of
from gridlang.loading import try_load
from gridlang.printer import table_to_source
from gridlang.program import Program
from gridlang.table import NO_RULE
from gridlang.table_json import table_to_json

MADE = "made by gridlang compile"
HEAD = 200  # bytes in which the mark stands


class Target(NamedTuple):
    """How a program becomes the content of a file."""

    extension: str
    about: str
    render: Callable[[Program], bytes]
    comment: str = ""  # a line of this format that says who made it, `{}` being where
    is_view: bool = False  # `view` writes it too

    def content(self, program: Program) -> bytes:
        """What `compile` writes: the rendered program, marked as made where the format has comments."""
        data = self.render(program)
        if not self.comment:
            return data
        head = data.index(b"\n") + 1 if data.startswith((b"<?xml", b"<!doctype")) else 0
        return data[:head] + self.comment.format(MADE).encode() + b"\n" + data[head:]


def _tensors(program: Program) -> bytes:
    from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst

    return dfst_to_bytes(table_to_dfst(program.table, program.to_source()))


def _picture(kind: str, program: Program) -> bytes:
    from gridlang.compiler.drawing.graphs import state_graph
    from gridlang.compiler.drawing.views import picture

    return picture(kind, state_graph(program))


def _pixels(program: Program) -> bytes:
    """A PNG that says who made it."""
    from gridlang.compiler.simulation.worlds.png import chunk

    data = _picture("png", program)
    head = 33  # bytes of the signature and the first chunk, of a fixed size
    return data[:head] + chunk(b"tEXt", b"Comment\0" + MADE.encode()) + data[head:]


def _html_page(program: Program) -> bytes:
    from gridlang.compiler.drawing.page import page
    from gridlang.compiler.drawing.views import first_scene, with_source

    return page(first_scene(with_source(program)))


def _c_program(program: Program) -> bytes:
    """A program that reads an input and prints the result: a table, and a loop over it."""
    from gridlang.compiler.simulation.native.agents import WIDE_CELLS
    from gridlang.compiler.simulation.native.sources import world_source

    table = program.table
    main = Path(__file__).with_name("c_program.c").read_text(encoding="utf-8")
    k = len(table.symbols)
    rules = (entry or NO_RULE for row in table.rows for entry in row)
    lines = (
        f"enum {{ SYMBOLS = {k} }};",
        "typedef struct rule {\n  int32_t write, move, next; /* -1 where there is none */\n} rule;",
        f"static const char *const symbols[SYMBOLS] = {{{', '.join(map(_c_string, table.symbols))}}};",
        f"static const char *const states[] = {{{_c_list(map(_c_string, table.states))}}};",
        "/* By state times SYMBOLS plus symbol. */",
        f"static const rule rules[] = {{{_c_list(f'{{{w}, {m}, {n}}}' for w, m, n in rules)}}};",
    )
    world = world_source("uint8_t" if k < WIDE_CELLS else "uint16_t")
    return "\n".join(("#include <stdio.h>", world, *lines, main)).encode()


def _c_list(items: Iterable[str]) -> str:
    return "".join(f"\n  {item}," for item in items) + "\n"


def _c_string(text: str) -> str:
    """A C literal in plain ASCII, with octal escapes."""
    plain = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _+-*/=<>()[]{}.,:;#|&^!'@$")
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'


def refuse_what_others_made(path: str, content: bytes) -> None:
    """GridError where the content would replace a file that is not marked, or built, as one of `compile`."""
    if not os.path.isfile(path):
        return
    data = read_file(path)
    if data in (b"", content) or MADE.encode() in data[:HEAD]:
        return
    is_table = kind_of(path, data) == "table" and b'"gridlang-table' in data[:HEAD]
    if not (is_table or _is_compiled(data) or _is_printed(path, data)):
        what = "this file was not written by `compile`"
        raise fail("G009", what, "name another with -o, or overwrite it with --force", path)


def refuse_compiled(path: str) -> None:
    """GridError where a learned model would replace exact tensors of `compile`."""
    if os.path.isfile(path) and _is_compiled(read_file(path)):
        raise fail("G009", "this file was written by `compile`", "name another with -o", path)


def _is_compiled(data: bytes) -> bool:
    """Whether a model was compiled: its tensors have the names of states, and nothing of a training."""
    from gridlang.compiler.tensors.dfst import dfst_from_bytes

    try:
        metadata = dfst_from_bytes(data, "").metadata
    except GridError:
        return False
    return "states" in metadata and "training" not in metadata


def _is_printed(path: str, data: bytes) -> bool:
    """Whether a source is what its own table is printed as."""
    if not path.endswith(".grid"):
        return False
    loaded = try_load(path)
    return loaded.program is not None and table_to_source(loaded.program.table).encode() == data


TARGETS = {
    "dfst": Target("safetensors", "exact DFST tensors", _tensors),
    "table": Target(
        "json", "the transition table as JSON", lambda program: table_to_json(program.table).encode()
    ),
    "c": Target("c", "a standalone C program", _c_program, "/* {} */"),
    "dot": Target("dot", "the state graph for graphviz", partial(_picture, "dot"), "// {}", True),
    "svg": Target("svg", "the state graph as a picture", partial(_picture, "svg"), "<!-- {} -->", True),
    "png": Target("png", "the state graph in pixels", _pixels, "", True),
    "html": Target("html", "a page with the state graph and a replay", _html_page, "<!-- {} -->", True),
    "grid": Target(
        "flat.grid",
        "the table as source, a state at a time",
        lambda program: table_to_source(program.table).encode(),
    ),
    **{
        name: Target(each.endings[0].removeprefix("."), each.about, each.render, each.comment)
        for name, each in FORMATS.items()
    },
}
VIEWS = tuple(name for name, target in TARGETS.items() if target.is_view)
