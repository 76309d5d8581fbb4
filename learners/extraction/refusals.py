"""Why a model is refused, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

from compiler.dfst import symbols_of
from learners.extraction.clusters import SEPARATE, Overlap
from learners.extraction.saturation import INPUTS, Search

LEAST_MARGIN = 0.25  # of what a model that has converged decides
CURE = "train longer, or on more inputs and worlds; the loss alone does not tell"


class Refusal(NamedTuple):
    """Why there is no table, and what to do."""

    code: str
    reason: str
    hint: str


def is_sure(search: Search) -> bool:
    """Whether the model decides anything, and nothing by a hair's breadth."""
    found = search.found
    return found is not None and found.graph.edges > 0 and found.margin >= LEAST_MARGIN


def refusal_of(search: Search, scope: str) -> Refusal:
    """What stands in the way: an overlap, clusters that are too near, or vectors that are always new."""
    code, reason = _reason(search, scope)
    short = (
        f"; on inputs of up to {search.good} it follows one graph: extract that with --longest {search.good}"
    )
    return Refusal(code, reason, CURE + (short if search.good and scope == INPUTS else ""))


def _reason(search: Search, scope: str) -> tuple[str, str]:
    found, last = search.found, search.history[-1]
    where = f"inputs of up to {last.length}" if scope == INPUTS else "worlds"
    if found is None and search.close is not None:
        near = f"{search.close.gap:.2g} apart, less than {SEPARATE:g} x {search.close.book.tolerance:g}"
        return "G152", f"its clusters are too near: on {where} vectors that do different things are {near}"
    if found is None and search.overlap is not None:
        return "G152", f"its clusters overlap: on {where} {_overlap(search, *search.overlap)}"
    if found is not None and found.graph.edges == 0:
        return "G153", "it is never sure what to do: its outputs are never near one-hot"
    if found is not None and found.margin < LEAST_MARGIN:
        return "G153", f"it is not sure what to do: an output leads the next by only {found.margin:.1%} of it"
    grown = f"{last.points} distinct ones after {last.steps:,} steps, and {where} still show something new"
    return "G151", f"its hidden vectors do not settle: {grown}"


def _overlap(search: Search, tolerance: float, overlap: Overlap) -> str:
    """`one cluster does two things on +: write 0, move L, and write 1, move R (tolerance 0.02)`."""
    symbols, moves = symbols_of(search.dfst), search.dfst.moves
    actions = [f"write {symbols[w]}, move {moves[m]}" for w, m in (overlap.first, overlap.second)]
    does = f"one cluster does two things on `{symbols[overlap.symbol]}`: {' and '.join(actions)}"
    return f"{does} (tolerance {tolerance:g})"
