"""Snapped inference on clusters: what each centre does, and where its step leads.

After each step a vector is replaced by the centre of its cluster, so what follows is one product at a centre:
a table, which needs no expert and does not drift. The equations (23) to (26) are in `snapped_inference`. A
model whose float vectors leave their graph on long inputs is judged by that table, of which the rules are
extracted that runs on inputs take. It is not what the model does if a run finds no rule, or if the float
weights do not follow it on short inputs.

A vector h that is off a centre b by r has (Mᵢ - Mⱼ) h ≥ (Mᵢ - Mⱼ) b - r |Mᵢ - Mⱼ|: the output i leads j as
long as r is below their lead at b over |Mᵢ - Mⱼ|.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.automata.merging import RuleGraph
from gridlang.compiler.extraction.clusters import SEPARATE, Clusters
from gridlang.compiler.extraction.explorer import FAINT, NONE
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.extraction.model_exploration import ModelExploration, input_lengths
from gridlang.compiler.extraction.refusals import LEAST_MARGIN
from gridlang.compiler.extraction.saturation import FOLLOWS, INPUTS, GraphFollower
from gridlang.compiler.proofs.differences.joint_runs import JointRuns
from gridlang.compiler.proofs.joint_step import LEFT_STUCK
from gridlang.compiler.simulation.random_inputs import input_drawer, lengths_up_to, repeated_input
from gridlang.compiler.tensors.dfst import Dfst, Floats
from gridlang.compiler.tensors.model import symbols_of

Doubles = npt.NDArray[np.float64]
SAID = 0.99  # the part that is relied on: a checker bounds it by other means, and must find no less
ENGINE = 2.0**-23  # twice what a product of float32 is off by, for each dimension and unit of length
LEAST_NORM = 1e-30  # in place of zero where it would divide


def decision_radii(dfst: Dfst, centres: Floats) -> Doubles:
    """For each centre and symbol, the distance within which all vectors decide alike: (centres, symbols).

    Within it some output stays positive too, so that none of them is stuck.
    """
    columns = [_radii(dfst, symbol, centres.astype(np.float64)) for symbol in range(len(dfst.symbols))]
    return SAID * np.stack(columns, axis=1)


def _radii(dfst: Dfst, symbol: int, centres: Doubles) -> Doubles:
    leading, positive = np.full(len(centres), np.inf), np.full(len(centres), -np.inf)
    error = ENGINE * len(dfst.h0)
    for tensor in (dfst.B, dfst.C):
        rows = tensor[symbol].astype(np.float64)  # (outputs, d)
        lengths = np.linalg.norm(rows, axis=1)
        apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
        outputs = centres @ rows.T
        top = outputs.argmax(1)
        first = outputs.max(1)
        leads = first[:, None] - outputs - error * (lengths[top][:, None] + lengths[None])
        within = leads / np.maximum(apart[top], LEAST_NORM)
        within[np.arange(len(centres)), top] = np.inf
        leading = np.minimum(leading, within.min(1))
        positive = np.maximum(positive, first / np.maximum(lengths[top], LEAST_NORM) - error)
    radii: Doubles = np.minimum(leading, positive)
    return radii


# The reach of a centre, in tolerances, is half of how far clusters are apart: two never reach a vector, (23).
REACH = SEPARATE / 2
# Engines round distances of unit vectors by some 1e-5: what is nearer than this to a border is left out.
ENGINES = 2e-5


def snapped_clusters(dfst: Dfst, clusters: Clusters) -> Clusters:
    """The clusters with the graph of snapped inference, also where no run has shown it.

    Each point is a state of its own, and each rule the product that (24) checks. A point gets none where it
    is not sure, where its step leads out of the codebook or between two states, or where its decision does
    not hold as far as steps that were seen lead beside it. States out of reach are left out.
    """
    points, seen = clusters.codebook.centres, (clusters.graph.write >= 0)[clusters.home]
    steps, farthest = steps_of(dfst, points), REACH * clusters.codebook.tolerance
    sure = steps.sure & (steps.top > FAINT * steps.top.max(initial=0.0, where=seen))
    radii, needed = decision_radii(dfst, points), np.zeros(len(points))
    taken = seen & sure & ~steps.idle & (steps.near <= farthest)
    np.maximum.at(needed, steps.nearest[taken], steps.near[taken])
    sure &= radii >= needed[:, None]
    reach = np.minimum(farthest, radii.min(1, initial=np.inf, where=sure))
    apart = replace(clusters, home=np.arange(len(points)), undecided=clusters.undecided[clusters.home])
    return reachable_part(apart, steps.graph(sure, reach))


class PointSteps(NamedTuple):
    """What snapped inference does at each point on each symbol: arrays (points, symbols)."""

    write: npt.NDArray[Any]
    move: npt.NDArray[Any]
    top: npt.NDArray[Any]  # the smaller of both outputs that decide
    margin: npt.NDArray[Any]  # their least lead, as a part of them
    sure: npt.NDArray[np.bool_]
    idle: npt.NDArray[np.bool_]
    nearest: npt.NDArray[Any]  # the point that the step leads to
    near: npt.NDArray[Any]  # how near, at most; infinity where engines may take another

    def graph(self, sure: npt.NDArray[np.bool_], reach: Doubles) -> RuleGraph:
        """The steps that are sure, and lead within the reach of a point."""
        known = sure & (self.idle | (self.near <= reach[self.nearest]))
        return RuleGraph(
            *(
                np.where(there, numbers, NONE).astype(np.int32)
                for numbers, there in (
                    (self.write, known),
                    (self.move, known),
                    (self.nearest, known & ~self.idle),
                )
            )
        )


def steps_of(dfst: Dfst, points: Floats) -> PointSteps:
    """The products of all points, each done once."""
    symbols = range(len(dfst.symbols))
    actions = [_actions(dfst, points, symbol) for symbol in symbols]
    landings = [_landing(dfst, points, symbol) for symbol in symbols]
    write, move, top, margin = (np.array(each).T for each in zip(*actions, strict=True))
    nearest, near = (np.array(each).T for each in zip(*landings, strict=True))
    stay = dfst.moves.index("S") if "S" in dfst.moves else NONE
    idle = (write == np.array(symbols)) & (move == stay)
    return PointSteps(write, move, top, margin, (top > 0) & (margin >= LEAST_MARGIN), idle, nearest, near)


def _actions(dfst: Dfst, centres: Floats, symbol: int) -> tuple[npt.NDArray[Any], ...]:
    """What each centre does on a symbol: write, move, the smaller of both outputs, and their lead."""
    with np.errstate(all="ignore"):
        outputs = [centres @ tensor[symbol].T for tensor in (dfst.B, dfst.C)]  # (states, writes or moves)
        top = np.minimum(*(part.max(1) for part in outputs))
        margin = np.ones(len(centres), np.float32)
        for part in outputs:
            if part.shape[1] > 1:
                second, first = np.partition(part, -2, axis=1)[:, -2:].T
                margin = np.minimum(margin, (first - second) / np.abs(first))
    return outputs[0].argmax(1), outputs[1].argmax(1), top, margin


def _landing(dfst: Dfst, points: Floats, symbol: int) -> tuple[npt.NDArray[np.int64], Doubles]:
    """The point nearest to each step, and how near at most; infinity where engines may take another."""
    with np.errstate(all="ignore"):  # an overflow has no direction, and leads nowhere
        vectors = points @ dfst.A[symbol].T
        lengths = np.linalg.norm(vectors, axis=1)
    finite = (lengths > 0) & np.isfinite(lengths)
    directions = (
        np.where(finite[:, None], vectors, 0).astype(np.float64) / np.where(finite, lengths, 1)[:, None]
    )
    distances = np.sqrt(np.maximum(2 - 2 * directions @ points.T.astype(np.float64), 0))
    nearest, each = distances.argmin(1), np.arange(len(points))
    near = distances[each, nearest]
    distances[each, nearest] = np.inf
    clear = finite & (distances.min(1) - near >= ENGINES)
    return nearest, np.where(clear, near + ENGINES, np.inf)


def reachable_part(clusters: Clusters, graph: RuleGraph) -> Clusters:
    """The part of a graph that its start reaches, with its points."""
    order, known = [0], {0}
    for state in order:
        fresh = sorted({after for after in graph.next[state].tolist() if after >= 0} - known)
        order += fresh
        known |= set(fresh)
    kept = np.array(sorted(known))
    place = np.full(graph.size + 1, NONE)  # The last place is that of -1.
    place[kept] = np.arange(len(kept))
    book, mine = clusters.codebook, np.isin(clusters.home, kept)
    number = np.append(np.where(mine, np.cumsum(mine) - 1, NONE), NONE)
    edges = book.edges[mine[book.edges["point"]]].copy()
    edges["point"], edges["next"] = number[edges["point"]], number[edges["next"]]
    return replace(
        clusters,
        codebook=replace(book, centres=book.centres[mine], radius=book.radius[mine], edges=edges),
        graph=RuleGraph(graph.write[kept], graph.move[kept], place[graph.next[kept]].astype(np.int32)),
        home=place[clusters.home[mine]],
        undecided=clusters.undecided[kept] & (graph.write[kept] < 0),
    )


def steady_when_snapped(explored: ModelExploration, longest: int) -> tuple[Clusters, int] | None:
    """What a model that did not settle on its inputs does with snapped inference; None if that ends.

    The number is the length of inputs up to which it needs none.
    """
    exploration, language = explored.exploration, explored.metadata.language
    dfst = exploration.dfst
    if explored.scope != INPUTS or language is None or not isinstance(dfst, Dfst) or dfst.strict:
        return None  # Where a strict model is stuck no rule is missing, so nothing would show that one is.
    for clusters in exploration.settling():
        snapped = snapped_clusters(dfst, clusters)
        taken = _rules_taken(explored, snapped, _inputs(explored, language, longest))
        length = _followed_length(explored, snapped, language, longest) if taken is not None else 0
        if taken is not None and length >= LIMITS.least_followed:
            return taken, length
    return None


def _inputs(explored: ModelExploration, language: InputLanguage, longest: int) -> Iterator[list[str]]:
    """Inputs of each length; one in three repeats a symbol."""
    random = Random(f"{explored.seed} drift")
    draw = input_drawer(language, random)
    for length in input_lengths(language, longest):
        yield [
            repeated_input(language, length, random) if number % 3 == 0 else draw(lengths_up_to(length))
            for number in range(LIMITS.snapped_inputs)
        ]


def _rules_taken(
    explored: ModelExploration, clusters: Clusters, inputs: Iterator[list[str]]
) -> Clusters | None:
    """The clusters with those rules alone that runs on inputs take; None if a run finds none."""
    table, symbols = explored.table_of(clusters.graph), symbols_of(explored.exploration.dfst)
    runs, taken = JointRuns(table, table), np.zeros(clusters.graph.write.shape, np.bool_)
    for texts in inputs:
        steps = 0
        for text in texts:
            done = runs.run(text, LIMITS.snapped_run_steps)
            if done.ending is LEFT_STUCK:
                return None
            for state, _, symbol, _ in done.fresh:
                taken[int(table.states[state]), symbols.index(table.symbols[symbol])] = True
            steps += done.steps
            if steps > LIMITS.snapped_steps:
                break
    write, move, after = (
        np.where(taken, numbers, NONE).astype(np.int32)
        for numbers in (clusters.graph.write, clusters.graph.move, clusters.graph.next)
    )
    return reachable_part(clusters, RuleGraph(write, move, after))


def _followed_length(
    explored: ModelExploration, clusters: Clusters, language: InputLanguage, longest: int
) -> int:
    """The length of inputs up to which the float weights do what snapped inference does."""
    follower, random = GraphFollower(explored.exploration.dfst, clusters.graph), Random("following")
    draw, followed = input_drawer(language, random), 0
    for length in input_lengths(language, longest):
        begun = follower.steps
        for number in range(LIMITS.more_drift_inputs):
            if number >= LIMITS.drift_inputs and follower.steps - begun > LIMITS.more_drift_steps:
                break
            repeats = number % 10 == 0
            text = repeated_input(language, length, random) if repeats else draw(lengths_up_to(length))
            if follower.run(text, LIMITS.snapped_run_steps) not in FOLLOWS:
                return followed
        followed = length
    return followed
