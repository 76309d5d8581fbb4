"""Refits a model to the machine that its hidden vectors show on its own traces.

The model is walked along its traces. States that never disagree are merged, and of each the mean is the
centre. The weights are then set so that every centre does exactly what the traces show, and steps exactly to
the centre of the next state: linear equations for A[x], B[x] and C[x], which have a solution if there are no
more states than dimensions.

Only the model and its traces are used: no expert, none of its states, and not their number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.acts import NOWHERE, STUCK
from gridlang.compiler.automata.merging import NONE, RuleGraph, merge_near
from gridlang.compiler.extraction.limits import LIMITS as EXTRACTION
from gridlang.compiler.extraction.states import KnownSteps, States, Walk
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.learners.evaluation.quick_measures import MarginMeasure
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.train.limits import LIMITS
from gridlang.table import MOVES

Doubles = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


class Refitted(NamedTuple):
    """A model, the states that its traces show, and its loss at their centres, as often as these are met."""

    model: Dfst
    states: int
    loss: float


class Refitting:
    """Refits models to the traces that they learn from."""

    def __init__(self, traces: Traces) -> None:
        self.steps, self.measure = shown_by(traces), MarginMeasure(traces, traces.steps)

    def sure(self, dfst: Dfst) -> Refitted | None:
        """The refitted model if it is sure of all traces; CannotBuild without a C compiler."""
        fit = refitted(dfst, self.steps)
        lead = self.measure.of(fit.model) if fit is not None else None
        return fit if lead is not None and lead >= LIMITS.sure else None


def shown_by(traces: Traces) -> KnownSteps:
    act = np.where(traces.s < 0, STUCK, traces.s.astype(np.int32) * len(MOVES) + traces.m)
    return KnownSteps(traces.x.T, act.T)


def refitted(dfst: Dfst, steps: KnownSteps) -> Refitted | None:
    """The model refitted to all steps of its traces; None if its vectors show no small machine."""
    for tolerance in EXTRACTION.state_tolerances:
        walk = Walk(dfst, tolerance)
        if walk.follows(steps):
            machine = _machine(walk.found())
            if len(machine.centres) <= len(dfst.h0):
                return _solved(dfst, machine)
        elif walk.overlap is None:
            break  # There were too many centres, and a finer tolerance makes more.
    return None


class _Machine(NamedTuple):
    """The states that points are merged to: centres (states, d), what they do, and how often."""

    centres: Doubles
    graph: RuleGraph
    visits: Numbers  # (states, symbols)


def _machine(found: States) -> _Machine:
    """States that never disagree merged, near ones first; the centre of one is amid what leads to it."""
    apart = np.stack([np.linalg.norm(found.centres - centre, axis=1) for centre in found.centres])
    smaller = merge_near(found.graph(len(MOVES)), apart)
    home = np.array(smaller.home)
    at, x = np.nonzero(found.after != NOWHERE)
    led, often = home[found.after[at, x]], found.visits[at, x].astype(np.float64)
    # The start counts as much as all that leads back to it.
    led, often = np.append(led, 0), np.append(often, max(1.0, often[led == 0].sum()))
    vectors = np.concatenate([found.led[at, x], found.centres[:1]])
    centres, total = np.zeros((smaller.graph.size, vectors.shape[1])), np.zeros(smaller.graph.size)
    np.add.at(centres, led, vectors * often[:, None])
    np.add.at(total, led, often)
    visits = np.zeros((smaller.graph.size, found.visits.shape[1]), np.int64)
    np.add.at(visits, home, found.visits)
    return _Machine(centres / total[:, None], smaller.graph, visits)


def _solved(dfst: Dfst, machine: _Machine) -> Refitted:
    """The model whose centres do what the machine does.

    What traces do not show of outputs stays as the model has it. Where they show no step, A forgets: so each
    A[x] leads a centre to one centre or to zero, and rounding errors do not grow, whatever is read.
    """
    symbols, graph, squares = len(dfst.symbols), machine.graph, 0.0
    A, outputs = np.zeros_like(dfst.A), np.concatenate([dfst.B, dfst.C], 1)
    solving = np.linalg.pinv(machine.centres, LIMITS.refit_rank)  # (d, states)
    for x in range(symbols):
        goes, known = graph.next[:, x] != NONE, graph.write[:, x] != NONE
        A[x] = (solving @ np.where(goes[:, None], machine.centres[graph.next[:, x]], 0.0)).T
        centres, write, move = machine.centres[known], graph.write[known, x], graph.move[known, x]
        acts = np.concatenate([np.eye(symbols + 1)[write, :symbols], np.eye(len(MOVES))[move]], 1)
        acts = np.where((write == symbols)[:, None], -1, acts)
        lacks = acts - centres @ outputs[x].T
        outputs[x] += (np.linalg.pinv(centres, LIMITS.refit_rank) @ lacks).T.astype(np.float32)
        squares += float(np.square(centres @ outputs[x].T - acts).sum(1) @ machine.visits[known, x])
    loss = squares / 2 / float(machine.visits.sum())
    B, C = np.split(outputs, [symbols], 1)
    h0 = machine.centres[0].astype(np.float32)
    return Refitted(replace(dfst, A=A, B=B, C=C, h0=h0), len(machine.centres), loss)
