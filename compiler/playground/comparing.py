"""Two agents beside each other, as a page that replays where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from compiler.drawing.differences import cause_in_words, compare, difference_graph, in_words
from compiler.drawing.page import Comparison, Scene, scene_to_html
from compiler.drawing.replay_start import first_start, start_of_counterexample
from compiler.drawing.views import drawings_of
from compiler.playground.pictures import FRAME
from compiler.proofs.equivalence import Verdict
from gridlang.clauses.cases import test_world
from gridlang.clauses.inputs import language_of
from gridlang.program import Program
from gridlang.world import World, string_world

SHORT_INPUTS = 300  # on which two agents are compared for their marks


def comparison_page(known: Program, other: str, own: Program, label: str, verdict: Verdict) -> str:
    """The page of one's own agent, called `label`, beside a known one, called `other`."""
    special = [verdict.world] if verdict.world else []
    difference = compare(known.table, own.table, [*special, *_worlds(known)])
    world = verdict.world or difference.world
    start = start_of_counterexample(world, known.table) if world else first_start(known)
    drawings = drawings_of(
        own, lambda fold, unfold=(): difference_graph(known, own, difference, fold, unfold), None
    )
    cause = cause_in_words(known, own, difference)
    words = in_words(difference, verdict, label, other)
    comparison = Comparison(known, other, difference, words, cause)
    return scene_to_html(Scene(own, label, drawings, start, comparison=comparison), more=FRAME)


def _worlds(expert: Program) -> Iterator[World]:
    """Worlds of the file's own tests, then the shortest inputs that it declares."""
    yield from (test_world(each, expert.table.symbols) for each in expert.tests)
    language = language_of(expert.table)
    if language is None:
        yield World({})
    else:
        yield from map(string_world, islice(language.shortest_texts(), SHORT_INPUTS))
