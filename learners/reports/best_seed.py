"""The best seed of a run, looked into: the graph that is extracted from it, and its hidden vectors."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from statistics import fmean
from typing import NamedTuple

from compiler.drawing.graphs import state_graph
from compiler.drawing.layout.lay_out import lay_out
from compiler.drawing.page import Vectors
from compiler.drawing.svg import EDGE_OF_PAGE, elements
from gridlang.diagnostics import GridError
from gridlang.program import Program
from learners.learning.judging.seed_verdicts import PROVEN
from learners.reports.limits import LIMITS
from learners.reports.line_charts import COLOURS
from learners.reports.run_records import RunRecord, SeedRecord
from learners.reports.viewed import viewed
from learners.runtime.processes import in_processes
from learners.sweeps.jobs import in_words

SIDE, EDGE = 400, 26  # of the plane of vectors: its width, and the room around it for names
LEAST_SCALE = 0.82  # keeps words of 11 pixels at 9; a graph that does not fit then is scrolled


class BestSeed(NamedTuple):
    """What a page shows of the best seed: drawings of ours, and words; a note where there is no graph."""

    seed: int
    graph: str = ""
    plane: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    note: str = ""


def best_of(record: RunRecord) -> SeedRecord | None:
    """One that is proven and follows its graph furthest; else the one that goes furthest, or loses least."""

    def rank(outcome: SeedRecord) -> tuple[float, ...]:
        loss = float("inf") if outcome.loss is None else outcome.loss
        proven = outcome.verdict == PROVEN
        return (-proven, -(outcome.follows or 0), -(outcome.length or 0), loss, outcome.seed)

    return min((o for o in record.outcomes if o.model), key=rank, default=None)


def best_seed(record: RunRecord, seconds: float) -> BestSeed | None:
    """The best model of a run, extracted and drawn within the time; None where there is no model yet."""
    best = best_of(record)
    if best is None:
        return None
    (done,) = in_processes(_looked_into, [(best.seed, best.model)], 1, seconds)
    return done.answer or BestSeed(best.seed, note=f"it could not be looked into: {done.problem}")


def _looked_into(task: tuple[int, str]) -> BestSeed:
    seed, model = task
    try:
        shown = viewed(model, None, None, lambda _: lambda __: None)
    except GridError as error:
        return BestSeed(seed, note=in_words(error))
    facts = tuple(fact for fact in shown.facts if fact[0] != "extracted from")
    assert shown.vectors is not None
    plane = vector_plane(shown.vectors, shown.program.table.states)
    try:
        graph = _graph(shown.program)
    except GridError as error:
        return BestSeed(seed, "", plane, facts, in_words(error))
    return BestSeed(seed, graph, plane, (*facts, ("vectors", shown.vectors.about)))


def _graph(program: Program) -> str:
    drawing = lay_out(state_graph(program, None))
    width, height = (side + 2 * EDGE_OF_PAGE for side in drawing.layout.size)
    fitting = f"width:max({LEAST_SCALE * width:.0f}px,min(100%,{width:.0f}px))"
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" style="{fitting}" role="img">'
        f"<title>the state graph</title>"
        f'<g transform="translate({EDGE_OF_PAGE:.0f} {EDGE_OF_PAGE:.0f})">{elements(drawing)}</g></svg>'
    )


def vector_plane(vectors: Vectors, states: Sequence[str]) -> str:
    """Hidden vectors by their two main directions, coloured by state, each state named at its middle."""
    parts: list[str] = []
    points: dict[int, list[tuple[float, float]]] = {}
    for x, y, state in vectors.points:
        points.setdefault(state, []).append((x, y))
        colour, name = COLOURS[state % len(COLOURS)], escape(states[state])
        place = f'cx="{_place(x)}" cy="{_place(1 - y)}" r="4"'
        parts.append(f'<circle {place} fill="{colour}"><title>{name}</title></circle>')
    for state, each in sorted(points.items()) if len(points) <= LIMITS.named_states else ():
        x, y = fmean(x for x, _ in each), fmean(y for _, y in each)
        # Words at the right end before their point, so that they stay within the picture.
        anchor, shift = ("end", -7) if x > 0.75 else ("start", 7)
        parts.append(
            f'<text x="{_place(x) + shift}" y="{_place(1 - y) + 4}" text-anchor="{anchor}">'
            f"{escape(states[state])}</text>"
        )
    side = SIDE + 2 * EDGE
    return (
        f'<svg class="plane" viewBox="0 0 {side} {side}" role="img"><title>hidden vectors</title>'
        f"{''.join(parts)}</svg>"
    )


def _place(share: float) -> float:
    return round(EDGE + share * SIDE, 1)
