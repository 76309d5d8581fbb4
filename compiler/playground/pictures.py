"""The picture beside the editor, of one agent or two."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from gridlang.clauses.cases import test_world
from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.drawing.page import Scene, comparison_of, page_data, start_of_difference
from gridlang.compiler.drawing.views import drawings_of, first_scene
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.diagnostics import GridError
from gridlang.files import unsaved
from gridlang.loading import Loaded, try_load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.world import World, string_world

RECENT = 8  # sources that are not read again


def read(source: str, name: str) -> Loaded:
    """A source as it was read before, unless a file beside it, which it may use, has changed since."""
    files = ((each.name, each.stat()) for each in os.scandir(".") if each.name.endswith(".grid"))
    beside = tuple(sorted((file, status.st_mtime_ns, status.st_size) for file, status in files))
    return _read(source, name, beside, tuple(sorted(unsaved.get().items())))


@lru_cache(RECENT)
def _read(source: str, name: str, _beside: object, _texts: object) -> Loaded:
    return try_load_source(Source(name, source), library=True)


def by_path(files: Mapping[str, str]) -> dict[str, str]:
    """Texts of files by their real paths, which is how they are read before what is there."""
    return {os.path.realpath(name): text for name, text in files.items()}


def draw(source: str, name: str) -> dict[str, Any]:
    """What the page of a source shows."""
    program, found = read(source, name)
    if program is None:
        raise GridError(found)
    return {"page": page_data(first_scene(program))}


SHORT_INPUTS = 300  # on which two agents are compared for their marks


def comparison_page(known: Program, other: str, own: Program, label: str, verdict: Verdict) -> dict[str, Any]:
    """What the page of one's own agent, called `label`, shows beside a known one, called `other`."""
    worlds = [*([verdict.world] if verdict.world else []), *_worlds(known)]
    comparison = comparison_of(known, other, own, label, worlds, verdict)
    drawings = drawings_of(own, comparison=comparison)
    start = start_of_difference(comparison, verdict)
    return page_data(Scene(own, label, drawings, start, comparison=comparison))


def _worlds(expert: Program) -> Iterator[World]:
    """Worlds of the file's own tests, then the shortest inputs that it declares."""
    yield from (test_world(each, expert.table.symbols) for each in expert.tests)
    language = language_of(expert.table)
    if language is None:
        yield World({})
    else:
        yield from map(string_world, islice(language.shortest_texts(), SHORT_INPUTS))
