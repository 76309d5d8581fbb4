"""The files that a command line names."""

from __future__ import annotations

import os
from collections.abc import Iterable

from gridlang.diagnostics import fail


def source_files(paths: Iterable[str]) -> tuple[str, ...]:
    """The files that are named; a folder stands for all `.grid` files in it and below."""
    return tuple(file for path in paths for file in (_in_folder(path) if os.path.isdir(path) else [path]))


def _in_folder(folder: str) -> list[str]:
    found = []
    for place, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        found += [os.path.join(place, name) for name in sorted(names) if name.endswith(".grid")]
    found = [path for path in found if os.path.isfile(path)]  # a pipe would wait for its writer
    if not found:
        raise fail("G001", "there is no `.grid` file in this folder", "name another", folder)
    return found
