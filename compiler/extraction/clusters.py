"""Centres as a graph: what is seen of each, how clearly they are told apart, and the tables made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.acts import UNSEEN
from gridlang.compiler.automata.merging import NONE, Folded, RuleGraph, fold, incompatible, table_to_graph
from gridlang.compiler.extraction.model_metadata import Declared
from gridlang.compiler.extraction.states import States, decided_at
from gridlang.compiler.tensors.dfst import Floats
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.compiler.weights.families.readable import Pairs
from gridlang.table import BLANK, MOVES, Entry, Table, canonical

MAX_COMPARED = 1_500  # Their pairs take a second.
FARTHEST = 2.0  # Opposite unit vectors are this far apart; for centres of which none must be told apart.
UNDECIDED = -2  # is written where the model was asked and decided nothing


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Clusters of hidden vectors around centres, as the states of a graph; the start is state 0."""

    tolerance: float
    centres: Floats  # (states, d)
    graph: RuleGraph
    doubted: npt.NDArray[np.bool_]  # (states, symbols): the model was asked, and never sure what to do
    spread: float  # Vectors of a cluster are at most so far from its centre.
    margin: float  # the least lead of an output over the second largest, as a part of it

    @property
    def gap(self) -> float:
        """The least distance of centres that do different things, now or later; 0 if there are too many."""
        if self.graph.size > MAX_COMPARED:
            return 0.0
        return float(
            distances_between(self.centres, self.centres)[incompatible(self.graph)].min(initial=FARTHEST)
        )

    def same(self, other: Clusters) -> bool:
        graphs = ((g.write, g.move, g.next) for g in (self.graph, other.graph))
        return np.array_equal(self.doubted, other.doubted) and all(map(np.array_equal, *graphs))

    def only(self, kept: Sequence[int]) -> Clusters:
        """Those states alone, which lead to no others."""
        graph, place = self.graph, np.full(self.graph.size + 1, NONE, np.int32)  # the last is that of NONE
        place[kept] = np.arange(len(kept))
        part = RuleGraph(graph.write[kept], graph.move[kept], place[graph.next[kept]])
        return replace(self, centres=self.centres[kept], graph=part, doubted=self.doubted[kept])

    def folded(self, seed: int) -> Folded:
        """States that never disagree merged, near ones first; what was left undecided is done nowhere."""
        graph = self.graph
        write, move = graph.write.copy(), graph.move.copy()
        write[self.doubted], move[self.doubted] = UNDECIDED, 0
        smaller = fold(
            RuleGraph(write, move, graph.next), distances_between(self.centres, self.centres), seed
        )
        nowhere = smaller.graph.write < 0
        write, move = (np.where(nowhere, NONE, part) for part in (smaller.graph.write, smaller.graph.move))
        return replace(smaller, graph=RuleGraph(write, move, smaller.graph.next))


def distances_between(some: Floats, others: Floats) -> npt.NDArray[np.float64]:
    """Of unit vectors, or of vectors within the unit ball."""
    one, other = some.astype(np.float64), others.astype(np.float64)
    squares = np.square(one).sum(1)[:, None] + np.square(other).sum(1) - 2 * one @ other.T
    return np.asarray(np.sqrt(np.maximum(squares, 0)))


def clusters_of(model: Model, found: States, tolerance: float) -> Clusters:
    """The states that runs lead through, with the steps that were seen."""
    graph = found.graph(len(model.moves))
    margin = float(decided_at(model, found).margin.min(initial=np.inf))
    doubted = found.doubted & (found.act == UNSEEN)
    clusters = Clusters(
        tolerance, found.centres, graph, doubted, float(found.radius.max(initial=0.0)), margin
    )
    return clusters.only(reached(graph))


def reached(graph: RuleGraph) -> list[int]:
    """The states that the start leads to, in order."""
    known, work = {0}, [0]
    while work:
        fresh = {after for after in graph.next[work.pop()].tolist() if after >= 0} - known
        known |= fresh
        work += fresh
    return sorted(known)


def expert_graph(model: Model, table: Table) -> RuleGraph:
    """A table by the model's numbers; a move that the model does not have is past its last."""
    symbols, graph = symbols_of(model), table_to_graph(table)
    place = np.array([symbols.index(symbol) for symbol in table.symbols])
    moves = [model.moves.index(move) if move in model.moves else len(model.moves) for move in MOVES]
    at = np.argsort(place)
    write, move = np.append(place, NONE)[graph.write], np.array([*moves, NONE])[graph.move]
    return RuleGraph(*(part[:, at].astype(np.int32) for part in (write, move, graph.next)))


def undecided(table: Table, model: Model, graph: RuleGraph, doubted: npt.NDArray[np.bool_]) -> Pairs:
    """The pairs of the graph's table at which the model was asked, and is stuck or not sure what to do."""
    symbols, order = symbols_of(model), list(map(int, table.states))
    nowhere = np.argwhere((doubted | np.equal(graph.write, len(symbols)))[order])
    return frozenset((q, table.symbols.index(symbols[x])) for q, x in nowhere.tolist())


def graph_to_table(graph: RuleGraph, dfst: Model, metadata: Declared, names: Sequence[str] = ()) -> Table:
    """The graph with the model's symbols and moves; the blank comes first, and states in canonical order.

    States are called after their numbers if no names are given.
    """
    symbols = symbols_of(dfst)
    order = [symbols.index(BLANK), *(x for x, symbol in enumerate(symbols) if symbol != BLANK)]
    place = {x: number for number, x in enumerate(order)}

    def entry(node: int, x: int) -> Entry | None:
        write = int(graph.write[node, x])
        if write not in place:  # Nothing is known, or a strict model is stuck.
            return None
        after = int(graph.next[node, x])
        move = MOVES.index(dfst.moves[graph.move[node, x]])
        return Entry(place[write], move, node if after == NONE else after)

    rows = tuple(tuple(entry(node, x) for x in order) for node in range(graph.size))
    chars = tuple(symbols[x] for x in order)
    told = metadata.classes, metadata.input, metadata.output
    called = tuple(names or map(str, range(graph.size)))
    return canonical(Table(metadata.name, chars, called, rows, *told))
