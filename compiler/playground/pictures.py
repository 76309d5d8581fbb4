"""The page of one's own agent beside another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from gridlang.clauses.cases import test_world
from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.drawing.page import Scene, comparison_of, page_data, start_of_difference
from gridlang.compiler.drawing.views import drawings_of
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.program import Program
from gridlang.world import World, string_world

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
