"""From points to clusters: points that one symbol reaches from one cluster are one cluster.

The vectors of one state are not one point: they differ in directions that no future reads, and drift. So
points are not gathered by distance, but by what leads to them. A model is deterministic: where one point and
one symbol were seen to lead to two points, these stand for the same state, and are merged; then their
successors on each symbol are merged too, and so on. Two things can go wrong:

- Points of one cluster do different things on one symbol: the clusters overlap, and there is no graph.
- Points that must be told apart are too near: a vector could be taken for one that does something else.

Points must be told apart if their clusters disagree, now or later, on symbols that both were seen to read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.merging import RuleGraph, incompatible
from gridlang.compiler.extraction.explorer import NONE, RULE, UNDECIDED, Codebook, Rules
from gridlang.compiler.extraction.model_metadata import Declared
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.table import BLANK, MOVES, Entry, Table, canonical

# Least distance of points that must be told apart, in tolerances. A vector is within one tolerance of
# its point, so three from such others. None is within two of both, on which snapped inference relies.
SEPARATE = 4.0
MAX_COMPARED = 1_500  # Their pairs take a second a round; models that settle have hundreds.
AT_ONCE = 512  # points that are compared with all others
FARTHEST = 2.0  # Opposite unit vectors are this far apart; for points of which none must be told apart.


class Overlap(NamedTuple):
    """Two steps (symbol written, move) that one cluster does on one symbol, by the model's numbers."""

    symbol: int
    first: tuple[int, int]
    second: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """A codebook whose points are gathered into the states of a graph; the start is state 0."""

    codebook: Codebook
    graph: RuleGraph
    home: npt.NDArray[np.int64]  # (points,): the state of each point
    gap: float  # Points that do different things, now or later, are at least so far apart.
    undecided: npt.NDArray[np.bool_]  # (states, symbols): the model was asked, and never sure what to do

    @property
    def separate(self) -> bool:
        """Whether no vector could be taken for one with other actions."""
        return self.gap >= SEPARATE * self.codebook.tolerance

    @property
    def firsts(self) -> npt.NDArray[np.int64]:
        """The first point of each state: the centre that stands for it."""
        return np.unique(self.home, return_index=True)[1]

    @property
    def spread(self) -> float:
        """How far vectors of a cluster are from its first point, at most."""
        centres = self.codebook.centres
        away = np.sqrt(np.square(centres - centres[self.firsts[self.home]]).sum(1))
        return float((away + self.codebook.radius).max())

    @property
    def margin(self) -> float:
        """The least lead of an output over the second largest, as a part of it."""
        return float(self.codebook.edges["margin"].min(initial=np.inf))


def gathered(codebook: Codebook, symbols: int) -> Clusters | Overlap:
    """The clusters of a codebook, or the first overlap that its edges show."""
    merging = _Merging(len(codebook.centres))
    columns = (codebook.edges[name].tolist() for name in ("point", "symbol", "write", "move", "next"))
    doubts: list[tuple[int, int]] = []
    for point, symbol, write, move, after in zip(*columns, strict=True):
        if write == UNDECIDED:
            doubts.append((point, symbol))
            continue
        overlap = merging.add(point, symbol, Step((write, move), after))
        if overlap:
            return overlap
    firsts = [merging.first(point) for point in range(len(codebook.centres))]
    nodes = {first: number for number, first in enumerate(sorted(set(firsts)))}
    write, move, after = (np.full((len(nodes), symbols), NONE, np.int32) for _ in range(3))
    for first, node in nodes.items():
        for symbol, step in merging.rows[first].items():
            write[node, symbol], move[node, symbol] = step.action
            after[node, symbol] = NONE if step.next == NONE else nodes[firsts[step.next]]
    graph = RuleGraph(write, move, after)
    home = np.array([nodes[first] for first in firsts])
    undecided = np.zeros(write.shape, np.bool_)
    for point, symbol in doubts:
        undecided[home[point], symbol] = True
    return Clusters(codebook, graph, home, gap_of(codebook, graph, home), undecided & (write == NONE))


def gathered_again(codebook: Codebook, symbols: int, before: Clusters | None) -> Clusters | Overlap:
    """As `gathered`; at once if a codebook has not grown."""
    if before is not None and before.codebook.size == codebook.size:
        return replace(before, codebook=codebook)
    return gathered(codebook, symbols)


def nothing_new(before: Clusters | None, after: Clusters | None) -> bool:
    """Whether each state and each edge was there before; some may have been merged."""
    if before is None or after is None:
        return before is after
    home = after.home[: len(before.home)]
    known = np.zeros(after.graph.write.shape, np.bool_)
    np.logical_or.at(known, home, (before.graph.write != NONE)[before.home])
    return (
        before.codebook.tolerance == after.codebook.tolerance
        and len(set(home.tolist())) == after.graph.size
        and np.array_equal(known, after.graph.write != NONE)
    )


class Step(NamedTuple):
    """The act (symbol written, move), and the next point; -1 after the idle step."""

    action: tuple[int, int]
    next: int


class _Merging:
    """Clusters of points (union-find), each by its first point, and what a cluster does on each symbol.

    Unlike `state_merging`, it starts from edges that are not deterministic, and no merge is a guess: each
    follows from what was seen, so none is undone, and a disagreement ends it.
    """

    def __init__(self, points: int) -> None:
        self.home = list(range(points))
        self.rows: list[dict[int, Step]] = [{} for _ in range(points)]

    def first(self, point: int) -> int:
        while self.home[point] != point:
            self.home[point] = self.home[self.home[point]]
            point = self.home[point]
        return point

    def add(self, point: int, symbol: int, step: Step) -> Overlap | None:
        """Adds a step, and makes all merges that follow from it."""
        work = [(point, symbol, step)]
        while work:
            point, symbol, step = work.pop()
            known = self.rows[self.first(point)].setdefault(symbol, step)
            if known.action != step.action:
                return Overlap(symbol, known.action, step.action)
            if step.next != NONE:
                work += self.merge(known.next, step.next)
        return None

    def merge(self, one: int, other: int) -> list[tuple[int, int, Step]]:
        """Makes one cluster of two; the steps of the second, to be added again."""
        kept, gone = sorted((self.first(one), self.first(other)))
        if kept == gone:
            return []
        self.home[gone] = kept
        moved, self.rows[gone] = self.rows[gone], {}
        return [(kept, symbol, step) for symbol, step in moved.items()]


def gap_of(codebook: Codebook, graph: RuleGraph, home: npt.NDArray[np.int64]) -> float:
    """The least distance between points that must be told apart; 0 if there are too many clusters to tell."""
    if graph.size > MAX_COMPARED:
        return 0.0
    apart, centres = incompatible(graph), codebook.centres.astype(np.float64)
    lengths, least = np.square(centres).sum(1), FARTHEST**2
    for at in range(0, len(centres), AT_ONCE):
        some = slice(at, at + AT_ONCE)
        squares = lengths[some, None] + lengths - 2 * centres[some] @ centres.T
        least = min(least, float(squares[apart[home[some]][:, home]].min(initial=np.inf)))
    return math.sqrt(max(least, 0))


def rules_of(graph: RuleGraph) -> Rules:
    """The graph as rules that a model can be held against."""
    rules = np.full(graph.write.shape, NONE, RULE)
    for name in ("write", "move", "next"):
        rules[name] = getattr(graph, name)
    return rules


def graph_to_table(graph: RuleGraph, dfst: Model, metadata: Declared, names: Sequence[str] = ()) -> Table:
    """The graph with the model's symbols and moves; the blank comes first, and states in canonical order.

    States are called after their numbers if no names are given.
    """
    symbols = symbols_of(dfst)
    order = [symbols.index(BLANK), *(x for x, symbol in enumerate(symbols) if symbol != BLANK)]
    place = {x: number for number, x in enumerate(order)}

    def entry(node: int, x: int) -> Entry | None:
        if graph.write[node, x] < 0:  # Nothing is known, or a strict model is stuck.
            return None
        after = int(graph.next[node, x])
        move = MOVES.index(dfst.moves[graph.move[node, x]])
        return Entry(place[int(graph.write[node, x])], move, node if after == NONE else after)

    rows = tuple(tuple(entry(node, x) for x in order) for node in range(graph.size))
    chars = tuple(symbols[x] for x in order)
    told = metadata.classes, metadata.input, metadata.output
    called = tuple(names or map(str, range(graph.size)))
    return canonical(Table(metadata.name, chars, called, rows, *told))
