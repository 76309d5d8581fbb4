"""Why a model is refused, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.compiler.automata.acts import STUCK
from gridlang.compiler.extraction.exploration import INPUTS, TRACES, Exploration
from gridlang.compiler.extraction.states import LEAST_MARGIN
from gridlang.compiler.tensors.model import symbols_of

SHOWN_ALONE = "; extract what it does on its traces alone with --traces FILE"
CURE = "train longer, or on more inputs and worlds; the loss alone does not tell"


class Refusal(NamedTuple):
    """Why there is no table, and what to do."""

    code: str
    reason: str
    hint: str


def refusal_of(exploration: Exploration, scope: str) -> Refusal:
    """What stands in the way: doubts, an overlap, or vectors that are always new."""
    code, reason = _reason(exploration, scope)
    good = exploration.quiet_length
    short = f"; on inputs of up to {good} it follows one graph: extract that with --longest {good}"
    has_expert = exploration.expert is not None or "source" in exploration.model.metadata
    unknown = "" if has_expert or scope == TRACES else SHOWN_ALONE
    return Refusal(code, reason, CURE + (short if good and scope == INPUTS else unknown))


def _reason(exploration: Exploration, scope: str) -> tuple[str, str]:
    explained, last = exploration.explained, exploration.history[-1]
    where = {INPUTS: f"inputs of up to {last.length}", TRACES: "these traces"}.get(scope, "worlds")
    if explained.walk is not None and not explained.size[1]:
        return "G153", "it is never sure what to do: its outputs are never near one-hot"
    if explained.unsure < LEAST_MARGIN:
        lead = f"{explained.unsure:.1%} of it"
        return "G153", f"it is not sure what to do: an output leads the next by only {lead}"
    if explained.walk is None and explained.overlap is not None:
        return "G152", f"its clusters overlap: on {where} {_overlap(exploration)}"
    runs = f"no few states explain {len(explained.runs):,} runs of {exploration.steps:,} steps on {where}"
    return "G151", f"its hidden vectors do not settle: {runs}"


def _overlap(exploration: Exploration) -> str:
    """`one cluster does two things on +: write 0, move L, and write 1, move R (tolerance 0.03)`."""
    assert exploration.explained.overlap is not None
    model, (overlap, tolerance) = exploration.model, exploration.explained.overlap
    symbols, moves = symbols_of(model), model.moves
    actions = [
        "is stuck" if act == STUCK else f"write {symbols[act // len(moves)]}, move {moves[act % len(moves)]}"
        for act in (overlap.first, overlap.second)
    ]
    does = f"one cluster does two things on `{symbols[overlap.symbol]}`: {' and '.join(actions)}"
    return f"{does} (tolerance {tolerance:g})"
