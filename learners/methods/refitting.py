"""Refits a model to the machine that its hidden vectors show on its own traces.

Long before training has made one point of the vectors of a state, they lie nearer to each other than to those
of other states. So a model is followed along its traces, and after each step its vector is replaced by the
nearest point within a tolerance, or is a new point. What the traces show then makes a graph of the points,
unless one point is seen to do two things on a symbol: then the tolerance was too coarse. Points that never
disagree are merged; of each state the mean is the centre. The weights are then set so that every centre does
exactly what the traces show, and steps exactly to the centre of the next state: linear equations for A[x],
B[x] and C[x], which have a solution if there are no more states than dimensions.

Only the model and its traces are used: no expert, none of its states, and not their number.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.merging import NONE, RuleGraph, fold
from gridlang.compiler.automata.state_merger import NOWHERE, STUCK, UNSEEN
from gridlang.compiler.native.build import CannotBuild
from gridlang.compiler.tensors.dfst import Dfst, Floats
from gridlang.diagnostics import GridError
from gridlang.learners.evaluation.quick_measures import MarginMeasure
from gridlang.learners.methods.prefix_tree import PrefixTree, prefix_tree
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.training.limits import LIMITS
from gridlang.learners.training.train import Trained
from gridlang.table import MOVES

Doubles = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


class Refitted(NamedTuple):
    """A model, the states that its traces show, and its loss at their centres, as often as these are met."""

    model: Dfst
    states: int
    loss: float


def refit_all(models: Sequence[Trained], traces: Traces) -> list[Trained]:
    """The models, each refitted where that makes it sure of all traces; others stay as they are.

    Without a C compiler, or on traces that no agent can have made, all stay.
    """
    begun, measure = monotonic(), MarginMeasure(traces, traces.steps)
    try:
        tree = prefix_tree(traces)
        after = [_sure(model, tree, measure) for model in models]
    except (CannotBuild, GridError):
        return list(models)
    taken = monotonic() - begun
    return [replace(model, seconds=model.seconds + taken) for model in after]


def _sure(model: Trained, tree: PrefixTree, measure: MarginMeasure) -> Trained:
    fit = refitted(model.dfst, tree) if model.diverged < 0 else None
    lead = measure.of(fit.model) if fit is not None else None
    if fit is None or lead is None or lead < LIMITS.sure:
        return model
    return replace(model, model=fit.model, loss=fit.loss)


def refitted(dfst: Dfst, tree: PrefixTree) -> Refitted | None:
    """The model refitted to all traces of a tree; None if its vectors show no small machine."""
    for tolerance in LIMITS.refit_tolerances:
        points = _points(dfst, tree, tolerance)
        machine = _machine(dfst, points) if points else None
        if machine is not None and len(machine.centres) <= len(dfst.h0):
            return _solved(dfst, machine)
    return None


class _Points(NamedTuple):
    """Points (points, d), and for each and each symbol what the traces show there: (points, symbols)."""

    vectors: Floats
    act: Numbers
    after: Numbers
    visits: Numbers
    led: Floats  # (points, symbols, d): the vector after it


def _points(dfst: Dfst, tree: PrefixTree, tolerance: float) -> _Points | None:
    """The points that the traces lead to; None if there are too many, or one is seen to do two things."""
    dim, symbols = len(dfst.h0), len(dfst.symbols)
    most = LIMITS.points_a_dimension * dim
    vectors, led = (np.zeros((rows, dim), np.float32) for rows in (most, most * symbols))
    act, after = (np.full(most * symbols, value) for value in (UNSEEN, NOWHERE))  # by point and symbol
    vectors[0], count = dfst.h0, 1
    at = np.zeros(tree.nodes, np.int64)  # the point of each node
    for level in tree.levels:
        acts, child = tree.act[level], tree.child[level]
        pair = at[tree.parent[level]] * symbols + tree.read[level]
        fresh = act[pair] == UNSEEN
        act[pair[fresh]] = acts[fresh]
        if (act[pair] != acts).any():
            return None
        going = child != NOWHERE
        new = pair[going & (after[pair] == NOWHERE)]
        if len(new):
            count = _lead(dfst, np.unique(new), tolerance, vectors, led, after, count)
            if count < 0:
                return None
        at[child[going]] = after[pair[going]]
    visits = np.bincount(at[tree.parent] * symbols + tree.read, minlength=most * symbols)
    act, after, visits = (part.reshape(most, symbols)[:count] for part in (act, after, visits))
    return _Points(vectors[:count], act, after, visits, led.reshape(most, symbols, dim)[:count])


def _lead(
    dfst: Dfst, steps: Numbers, tolerance: float, vectors: Floats, led: Floats, after: Numbers, count: int
) -> int:
    """Leads steps to the nearest points, or to new ones; how many points there are then, -1 if too many."""
    symbols = len(dfst.symbols)
    with np.errstate(all="ignore"):
        led[steps] = np.matmul(dfst.A[steps % symbols], vectors[steps // symbols, :, None])[..., 0]
        reach = np.square(tolerance * np.linalg.norm(led[steps], axis=1))
        for step, farthest in zip(steps.tolist(), reach.tolist(), strict=True):
            gaps = vectors[:count] - led[step]
            away = np.einsum("pd,pd->p", gaps, gaps)
            nearest = int(away.argmin())
            after[step] = nearest if away[nearest] <= farthest else count
            if after[step] == count:
                if count == len(vectors) or not farthest < np.inf:
                    return -1
                vectors[count], count = led[step], count + 1
    return count


class _Machine(NamedTuple):
    """The states that points are merged to: centres (states, d), what they do, and how often."""

    centres: Doubles
    graph: RuleGraph
    visits: Numbers  # (states, symbols)


def _machine(dfst: Dfst, points: _Points) -> _Machine:
    """Points that never disagree merged, near ones first; a state's centre is amid the vectors led to it."""
    symbols, seen = len(dfst.symbols), points.act != UNSEEN
    # stuck: writes a symbol past the last
    write = np.where(points.act == STUCK, symbols, points.act // len(MOVES))
    rows = (np.where(seen, part, NONE) for part in (write, points.act % len(MOVES), points.after))
    apart = np.linalg.norm(points.vectors[:, None] - points.vectors[None], axis=2)
    smaller = fold(RuleGraph(*(part.astype(np.int32) for part in rows)), apart)
    home = np.array(smaller.home)
    at, x = np.nonzero(points.after != NOWHERE)
    led, often = home[points.after[at, x]], points.visits[at, x].astype(np.float64)
    # The start counts as much as all that leads back to it.
    led, often = np.append(led, 0), np.append(often, max(1.0, often[led == 0].sum()))
    vectors = np.concatenate([points.led[at, x], dfst.h0[None]])
    centres, total = np.zeros((smaller.graph.size, len(dfst.h0))), np.zeros(smaller.graph.size)
    np.add.at(centres, led, vectors * often[:, None])
    np.add.at(total, led, often)
    visits = np.zeros((smaller.graph.size, symbols), np.int64)
    np.add.at(visits, home, points.visits)
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
    training = json.loads(dfst.metadata.get("training", "{}"))
    training |= {"loss": loss, "refitted": {"states": len(machine.centres)}}
    metadata = {**dfst.metadata, "training": json.dumps(training, ensure_ascii=False)}
    h0 = machine.centres[0].astype(np.float32)
    return Refitted(replace(dfst, A=A, B=B, C=C, h0=h0, metadata=metadata), len(machine.centres), loss)
