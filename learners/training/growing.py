"""Learning without an expert: traces are held out, and a model is grown from few states until they suffice.

Models of 4, 8, 16, … states are trained for a short while. The first that is consistent with all traces,
and whose loss is next to none, is wide enough: states to spare do no harm, for extraction merges what does
the same. Where there is none, as on a noisy log, it is the one that predicts most steps that were held out.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from random import Random
from typing import Any, NamedTuple

import numpy as np

from gridlang.compiler.lockstep.prediction import Prediction, prediction_of
from gridlang.compiler.traces.dataset import Traces
from gridlang.compiler.traces.one_trace import chosen
from gridlang.learners.training.limits import LIMITS
from gridlang.learners.training.method_choice import DFST
from gridlang.learners.training.recipes import changed
from gridlang.learners.training.train import TrainingPlan, train

KEPT = "held-out.npz"  # their file in the folder of a run


def has_expert(traces: Traces) -> bool:
    """Whether the traces carry their agent, so that a model can be compared with it."""
    return bool(traces.source) or traces.states is not None


def default_share(traces: Traces) -> float:
    """The share held out by default."""
    return 0.0 if has_expert(traces) else LIMITS.held_out


def split(traces: Traces, share: float, seed: int) -> tuple[Traces, Traces | None]:
    """The traces to learn from, and a share of them held out; None if that is none.

    Equal traces stay together, so that nothing that is held out has been shown. The empty word, which was
    added to the log of a Mealy machine, is never held out.
    """
    rows = np.concatenate([traces.x, traces.s, traces.m], 1)
    _, group = np.unique(rows, axis=0, return_inverse=True)
    kinds = sorted(set(group[traces.length > 1].tolist()))
    if len(kinds) < LIMITS.fewest_held_from or not share:
        return traces, None
    count = min(max(1, round(share * len(kinds))), len(kinds) - 1)
    held = np.isin(group, Random(f"{seed} held out").sample(kinds, count))
    return chosen(traces, np.flatnonzero(~held)), chosen(traces, np.flatnonzero(held))


class Width(NamedTuple):
    """A number of states that was tried, and how its model did."""

    states: int
    loss: float
    learned_from: Prediction
    held_out: Prediction | None

    @property
    def suffices(self) -> bool:
        return self.learned_from.consistent and self.loss < LIMITS.converged

    @property
    def errors(self) -> int:
        judged = self.held_out or self.learned_from
        return judged.steps - judged.steps_predicted

    def as_json(self) -> dict[str, Any]:
        seen, held = self.learned_from, self.held_out
        return {
            "states": self.states,
            "loss": float(f"{self.loss:.1e}") if isfinite(self.loss) else None,
            "learned_from": [seen.steps_predicted, seen.steps],
            "held_out": [held.steps_predicted, held.steps] if held else None,
        }


def without_expert(
    plan: TrainingPlan, share: float | None, tell: Callable[[str], object] | None = None
) -> tuple[TrainingPlan, Traces | None]:
    """The plan for traces without an expert, and their held-out part; any other plan stays.

    If no share is given, a tenth is held out where there is no expert. The states of a DFST are grown unless
    the recipe says how many.
    """
    traces = plan.traces
    kept, held = split(traces, default_share(traces) if share is None else share, plan.seeds[0])
    made = dict(traces.data)
    if held is not None:
        plan = replace(plan, traces=kept)
        made["held_out"] = {"traces": len(held), "steps": held.steps, "seed": plan.seeds[0]}
    if plan.method.architecture == DFST and not plan.recipe.dim and not traces.states:
        widths = grown(plan, held, tell)
        made["grown"] = [width.as_json() for width in widths]
        plan = replace(plan, recipe=changed(plan.recipe, dim=chosen_width(widths).states))
    return (replace(plan, traces=replace(kept, data=made)) if made != traces.data else plan), held


def grown(plan: TrainingPlan, held: Traces | None, tell: Callable[[str], object] | None) -> list[Width]:
    """Models of more and more states, until one is wide enough."""
    widths: list[Width] = []
    iterations = min(LIMITS.trial_iterations, plan.recipe.iterations or LIMITS.trial_iterations)
    for states in LIMITS.widths:
        if tell:
            tell(f"trying {states} states")
        recipe = changed(plan.recipe, iterations=iterations, dim=states)
        model = train(replace(plan, recipe=recipe, seeds=plan.seeds[:1]))[0]
        seen = prediction_of(model.dfst, plan.traces)
        unseen = prediction_of(model.dfst, held) if held is not None else None
        widths.append(Width(states, model.loss, seen, unseen))
        if widths[-1].suffices or _is_enough(widths):
            break
    return widths


def _is_enough(widths: list[Width]) -> bool:
    """Whether the last widths were not worth their time."""
    before, last = widths[: -LIMITS.patience], widths[-LIMITS.patience :]
    least = min((width.errors for width in before), default=None)
    return least is not None and all(width.errors > LIMITS.fewer_errors * least for width in last)


def chosen_width(widths: list[Width]) -> Width:
    """The one that suffices, else the one with the fewest errors; the narrower one of equals."""
    return min(widths, key=lambda width: (not width.suffices, width.errors))


def growth_line(made: Any) -> str:
    """`4: 81.0 %, 8: 99.9 %, 16: all of the held-out steps predicted`; empty if no widths were tried."""
    with suppress(KeyError, TypeError, AttributeError, IndexError):  # A file may have been changed.
        tried = made["grown"]
        on = "held-out steps" if tried[0]["held_out"] else "steps"
        said = [f"{each['states']}: {_share(*(each['held_out'] or each['learned_from']))}" for each in tried]
        return f"{', '.join(said)} of the {on} predicted"
    return ""


def _share(right: int, steps: int) -> str:
    """Rounded down, so that only all is all."""
    return "all" if right == steps else f"{int(1000 * right / steps) / 10} %"
