"""What a file is, by its first bytes and its ending, and what to type where another kind is wanted."""

from __future__ import annotations

import os
import re
import shlex
from typing import NamedTuple

from gridlang.diagnostics import fail


class FileKind(NamedTuple):
    """A kind of file: description, endings, the function that reads it, the command for it."""

    about: str
    endings: tuple[str, ...]
    reader: str
    use: str  # what to type, `{}` being the file


KINDS = {
    "source": FileKind("source", (".grid",), "load", "run it with `gridlang run {}`"),
    "table": FileKind("a table", (".json",), "load", "run it with `gridlang run {}`"),
    "model": FileKind(
        "a model", (".safetensors",), "load_model", "turn it into source with `gridlang extract {}`"
    ),
    "traces": FileKind(
        "a file of traces", (".npz", ".jsonl"), "load_traces", "learn from it with `gridlang train {}`"
    ),
    "machine": FileKind(
        "a machine of another tool",
        (".yaml", ".yml", ".bb"),
        "import_file",
        "turn it into source with `gridlang import {}`",
    ),
    "certificate": FileKind("a certificate", (), "verify", "check it with `gridlang verify {}`"),
    "picture": FileKind(
        "a picture or a page", (".html", ".svg", ".png", ".pdf", ".gif", ".dot", ".gv"), "view", ""
    ),
}
AGENTS = ("source", "table", "machine")
# what to type to make one kind of file from another; without an entry, the use of the other
MADE = {
    **{(agent, "model"): "make one with `gridlang compile {}`" for agent in AGENTS},
    **{(agent, "traces"): "record some with `gridlang trace {}`" for agent in AGENTS},
    **{
        (proven, "certificate"): "write one with `gridlang prove {} --certificate proof.json`"
        for proven in ("source", "model")
    },
}
MARKS = ((b"PK\x03\x04", "traces"), (b"\x89PNG", "picture"), (b"%PDF", "picture"), (b"GIF8", "picture"))
FORMATS = {"gridlang-table": "table", "gridlang-traces": "traces", "gridlang-certificate": "certificate"}
DECLARING = re.compile(r"^(agent|library|alphabet|state|start)\b", re.MULTILINE)
HEAD = 2_000  # first bytes of a kind
BEGINS = "a `.grid` file begins with `agent NAME`; `gridlang new NAME` writes one"


def kind_of(path: str, data: bytes) -> str:
    """The kind of a file, a key of KINDS; empty if unknown."""
    mark = next((kind for mark, kind in MARKS if data.startswith(mark)), "")
    if mark or (data[8:10] == b'{"' and data[2:8] == bytes(6)):  # the size of the head, then the head
        return mark or "model"
    head = data[:HEAD].decode("utf-8-sig", "replace").lstrip()
    if head.startswith("{"):
        named = re.search(r'"format": "(gridlang-[a-z]+)', head)
        if named:
            return FORMATS.get(named[1], "")
    ending = os.path.splitext(path)[1].lower()
    known = next((kind for kind, each in KINDS.items() if ending in each.endings), "")
    return known or ("source" if re.search(r"^(agent|library) ", head, re.MULTILINE) else "")


def refuse_other_kinds(path: str, data: bytes, *wanted: str) -> None:
    """GridError for a file of a known but unwanted kind; it names the first wanted one."""
    kind = kind_of(path, data)
    if not data and (kind not in wanted or kind == "model"):
        raise fail("G001", "this file is empty", BEGINS if "source" in wanted else "name another", path)
    if kind and kind not in wanted:
        name = "an agent" if "table" in wanted else KINDS[wanted[0]].about
        typed = "-" if path.startswith("<") else shlex.quote(path)
        hint = (MADE.get((kind, wanted[0])) or KINDS[kind].use).format(typed)
        raise fail("G001", f"this is {KINDS[kind].about}, not {name}", hint, path)
    if not kind and "source" in wanted:
        _refuse_other_text(path, data)


def _refuse_other_text(path: str, data: bytes) -> None:
    """GridError for a text of no known kind that declares nothing."""
    text = data.decode("utf-8", "replace")
    if "\0" in text or "\N{REPLACEMENT CHARACTER}" in text or DECLARING.search(text):
        return
    if text.lstrip().startswith("{"):  # a table, or not built like one
        return
    raise fail("G001", "this is not an agent", BEGINS, path)
