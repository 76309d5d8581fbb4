"""A text that a command line names: that of a file, or what is piped in."""

from __future__ import annotations

import os
from collections.abc import Iterable

from gridlang.diagnostics import fail
from gridlang.file_kinds import refuse_other_kinds
from gridlang.files import read_bytes, read_source
from gridlang.source import MAX_BYTES, Source
from gridlang.terminal.console import read_stdin


def read_source_or_stdin(path: str, wanted: str = "") -> Source:
    """The text of a file, of the wanted kind; `-` is stdin."""
    if path == "-":
        return stdin_source()
    if wanted:
        refuse_other_kinds(path, read_bytes(path, MAX_BYTES, path), wanted)
    return read_source(path)


def source_files(paths: Iterable[str]) -> tuple[str, ...]:
    """The files that are named; a folder stands for all `.grid` files in it and below."""
    return tuple(file for path in paths for file in (_in_folder(path) if os.path.isdir(path) else [path]))


def _in_folder(folder: str) -> list[str]:
    found = []
    for place, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        found += [os.path.join(place, name) for name in sorted(names) if name.endswith(".grid")]
    if not found:
        raise fail("G001", "there is no `.grid` file in this folder", "name another", folder)
    return found


def stdin_source() -> Source:
    """What is piped in, without the mark that some editors put before all text."""
    return Source("<stdin>", read_stdin().removeprefix("\ufeff"))
