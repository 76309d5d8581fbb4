"""What a bound claims, in words and as data: of the float32 weights, on the observed language."""

from __future__ import annotations

from typing import Any

from gridlang.diagnostics import counted
from learners.extraction.float_bounds.error_propagation import ALL, SCALE
from learners.extraction.float_bounds.float_bounds import FloatBound

SUBJECT, LANGUAGE = "raw float32 weights", "on the observed language"


def bound_claim(bound: FloatBound) -> str:
    """What is proven of the weights as they are; not of the extracted table, and not of snapped vectors."""
    if bound.steps is None:
        return f"{SUBJECT}: nothing is proven; the bound on their errors is too wide from the first step on"
    length = "at every length" if bound.steps == ALL else f"for {counted(int(bound.steps), 'step')}"
    later = "; later its length may leave float32, no argmax changes before" if bound.ended == SCALE else ""
    return f"{SUBJECT}: argmax proven {length} {LANGUAGE}, least margin {bound.margin:.2g}{later}"


def bound_data(bound: FloatBound | None) -> dict[str, Any]:
    """The bound as JSON: `certified_steps` is null if nothing is proven, "all" for every length."""
    return {
        "certified_steps": bound.steps if bound else None,
        "certified_margin": bound.margin if bound else None,
        "certified_closed": bound.closed if bound else False,
        "certified_subject": f"{SUBJECT}, {LANGUAGE}",
    }
