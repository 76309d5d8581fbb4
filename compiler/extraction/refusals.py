"""Why a model is refused, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.compiler.extraction.clusters import SEPARATE, Overlap
from gridlang.compiler.extraction.saturation import INPUTS, TRACES, Exploration
from gridlang.compiler.tensors.model import symbols_of

LEAST_MARGIN = 0.25  # An output leads by this part of itself; converged models lead by more than 0.8.
LOGGED = "; extract what it does on the traces of a log alone with --traces FILE"
CURE = "train longer, or on more inputs and worlds; the loss alone does not tell"


class Refusal(NamedTuple):
    """Why there is no table, and what to do."""

    code: str
    reason: str
    hint: str


def is_sure(exploration: Exploration) -> bool:
    """Whether the model decides anything, and nothing by a hair's breadth."""
    clusters = exploration.clusters
    return clusters is not None and clusters.graph.edges > 0 and clusters.margin >= LEAST_MARGIN


def refusal_of(exploration: Exploration, scope: str) -> Refusal:
    """What stands in the way: an overlap, clusters that are too near, or vectors that are always new."""
    code, reason = _reason(exploration, scope)
    good = exploration.settled_length
    short = f"; on inputs of up to {good} it follows one graph: extract that with --longest {good}"
    has_expert = exploration.expert is not None or "source" in exploration.dfst.metadata
    unknown = "" if has_expert or scope == TRACES else LOGGED
    return Refusal(code, reason, CURE + (short if good and scope == INPUTS else unknown))


def _reason(exploration: Exploration, scope: str) -> tuple[str, str]:
    clusters, close, last = exploration.clusters, exploration.too_near, exploration.history[-1]
    where = {INPUTS: f"inputs of up to {last.length}", TRACES: "these traces"}.get(scope, "worlds")
    if clusters is None and close is not None:
        near = f"{close.gap:.2g} apart, less than {SEPARATE:g} x {close.codebook.tolerance:g}"
        return "G152", f"its clusters are too near: on {where} vectors that do different things are {near}"
    if clusters is None and exploration.overlap is not None:
        return "G152", f"its clusters overlap: on {where} {_overlap(exploration, *exploration.overlap)}"
    if clusters is not None and clusters.graph.edges == 0:
        return "G153", "it is never sure what to do: its outputs are never near one-hot"
    if clusters is not None and clusters.margin < LEAST_MARGIN:
        lead = f"{clusters.margin:.1%} of it"
        return "G153", f"it is not sure what to do: an output leads the next by only {lead}"
    grown = f"{last.points} distinct ones after {last.steps:,} steps, and {where} still show something new"
    return "G151", f"its hidden vectors do not settle: {grown}"


def _overlap(exploration: Exploration, tolerance: float, overlap: Overlap) -> str:
    """`one cluster does two things on +: write 0, move L, and write 1, move R (tolerance 0.02)`."""
    symbols, moves = symbols_of(exploration.dfst), exploration.dfst.moves
    actions = [
        "is stuck" if w < 0 else f"write {symbols[w]}, move {moves[m]}"
        for w, m in (overlap.first, overlap.second)
    ]
    does = f"one cluster does two things on `{symbols[overlap.symbol]}`: {' and '.join(actions)}"
    return f"{does} (tolerance {tolerance:g})"
