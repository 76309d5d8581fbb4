"""A codebook that is closed under snapped inference, found by following the expert.

Snapped inference holds the centre of a state after each step, so it cannot drift, and centres can be had
without running float weights that do. The expert runs, and the snapped model follows it. Where a step leads
beyond the reach of the nearest centre, or to one that stands for another state of the expert, its direction
becomes a new centre. A centre reaches as far as its decisions hold on the symbols that the expert's state has
rules for.

The expert only chooses the centres. What is claimed of them follows from the weights alone, and is checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import numpy as np

from gridlang.compiler.automata.equivalence import equivalent_states
from gridlang.compiler.automata.merging import table_to_graph
from gridlang.compiler.extraction.clusters import FARTHEST, Clusters, gap_of, graph_to_table
from gridlang.compiler.extraction.explorer import EDGE, Codebook
from gridlang.compiler.extraction.limits import LIMITS as EXTRACTION
from gridlang.compiler.extraction.model_metadata import declared
from gridlang.compiler.extraction.snapped_graph import REACH, decision_radii, reachable_part, steps_of
from gridlang.compiler.judging.limits import LIMITS
from gridlang.compiler.judging.model_mistakes import questions
from gridlang.compiler.judging.trials import trial_cases
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.simulation.simulate import Machine
from gridlang.compiler.tensors.dfst import Dfst, Floats
from gridlang.compiler.tensors.model import symbols_of
from gridlang.table import DELTAS, MOVES, Entry, Table
from gridlang.world import string_world


def closed_clusters(dfst: Dfst, expert: Table, scope: str, seed: int) -> Clusters | None:
    """Centres closed on the expert's runs, as far as tried; None if the model errs there.

    They take a second or two, also of a model whose float vectors never settle.
    """
    if dfst.strict:
        return None  # where the model is stuck, no missing centre would show
    closure, random = SnappedClosure(dfst, expert), Random(f"{seed} closure")
    cases = list(trial_cases(expert, scope, random))
    closure.follow(cases)
    closure.recentre()
    for _ in range(LIMITS.closure_rounds):
        closure.follow(cases)
        if closure.lost:
            return None
        clusters = closure.clusters()
        cases = questions(expert, cluster_table(clusters, dfst, expert), scope, random, ())
        if not cases:
            return clusters
    return None


def cluster_table(clusters: Clusters, dfst: Dfst, expert: Table) -> Table:
    """The graph of clusters as a table; its states are called after their numbers."""
    return graph_to_table(clusters.graph, dfst, declared(dfst, expert))


class SnappedClosure:
    """The centres so far; `lost` where a centre errs, or where there are too many."""

    def __init__(self, dfst: Dfst, expert: Table) -> None:
        self.dfst, self.expert, self.lost = dfst, expert, False
        graph = table_to_graph(expert)
        self._class = equivalent_states(graph.write, graph.move, graph.next)
        symbols = symbols_of(dfst)
        self._order = [symbols.index(symbol) for symbol in expert.symbols]
        self._most = EXTRACTION.centres_a_state * max(len(expert.states), EXTRACTION.few_states)
        self._centres = np.zeros((self._most, len(dfst.h0)), np.float32)
        self._reach = np.zeros(self._most)
        self._states: list[int] = []  # of each centre, the first of the expert's equivalent states
        self._steps: dict[
            tuple[int, int], tuple[Floats, int]
        ] = {}  # direction and state, by centre and symbol
        self._after: dict[tuple[int, int], int] = {}  # the centre of each, where it is known
        length = np.linalg.norm(dfst.h0)
        self.lost = not 0 < length < np.inf
        if not self.lost:
            self._add(dfst.h0 / length, self._class[0])

    def follow(self, cases: Iterable[Case]) -> None:
        """Runs the expert on each case, and the snapped model beside it."""
        for case in cases:
            if not self.lost:
                self._follow(Machine(self.expert, string_world(case) if isinstance(case, str) else case))

    def _follow(self, machine: Machine) -> None:
        rows, cells, (x, y), state, at = self.expert.rows, machine.cells, machine.head, machine.state, 0
        for _ in range(LIMITS.closure_steps):
            symbol = cells.get((x, y), 0)
            entry = rows[state][symbol]
            if entry is None or entry.is_idle(symbol):
                return
            after = self._after.get((at, symbol))
            at = self._step(at, symbol, entry) if after is None else after
            if self.lost:
                return
            cells[x, y], move, state = entry
            dx, dy = DELTAS[move]
            x, y = x + dx, y + dy

    def recentre(self) -> None:
        """Moves each centre amid the directions that lead to it; the runs are to be followed again."""
        if self.lost or not self._after:
            return
        centres = self._centres[: len(self._states)]
        at, symbol = np.array(list(self._after)).T
        after, first = np.array(list(self._after.values())), centres[0].copy()
        for _ in range(EXTRACTION.recentrings):
            sums = np.zeros(centres.shape)
            vectors = np.einsum("eij,ej->ei", self.dfst.A[np.array(self._order)[symbol]], centres[at])
            np.add.at(sums, after, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
            sums[0] += first
            lengths = np.linalg.norm(sums, axis=1, keepdims=True)
            centres = np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1), centres)
        states, self._states = self._states, []
        self._steps.clear()
        self._after.clear()
        for centre, state in zip(centres, states, strict=True):
            self._add(centre, state)

    def clusters(self) -> Clusters:
        """Each centre as a state, with what snapped inference does there."""
        points, states = self._centres[: len(self._states)], self._states
        ruled = np.zeros((len(points), len(self._order)), np.bool_)
        ruled[:, self._order] = np.array(
            [[entry is not None for entry in self.expert.rows[q]] for q in states]
        )
        steps, reach = steps_of(self.dfst, points), self._reach[: len(points)]
        graph = steps.graph(steps.sure & ruled, reach)
        home, radius = np.arange(len(points)), np.zeros(len(points), np.float32)
        led = graph.next >= 0
        np.maximum.at(radius, steps.nearest[led], steps.near[led].astype(np.float32))
        at, symbol = np.nonzero(graph.write >= 0)
        edges = np.zeros(len(at), EDGE)
        for name in ("write", "move", "next"):
            edges[name] = getattr(graph, name)[at, symbol]
        edges["point"], edges["symbol"], edges["margin"] = at, symbol, steps.margin[at, symbol]
        book = Codebook(float(reach.max()) / REACH, points, radius, edges, False)
        undecided = np.zeros(graph.write.shape, np.bool_)
        return reachable_part(Clusters(book, graph, home, gap_of(book, graph, home), undecided), graph)

    def _step(self, at: int, symbol: int, entry: Entry) -> int:
        """The centre that a step leads to, a new one where none is near."""
        x, centre = self._order[symbol], self._centres[at]
        with np.errstate(all="ignore"):
            vector, write, move = (tensor[x] @ centre for tensor in (self.dfst.A, self.dfst.B, self.dfst.C))
        wanted = self._order[entry.write], MOVES[entry.move]
        self.lost |= (int(write.argmax()), self.dfst.moves[int(move.argmax())]) != wanted
        length = np.linalg.norm(vector)
        self.lost |= not 0 < length < np.inf
        if self.lost:
            return 0
        self._steps[at, symbol] = vector / length, self._class[entry.next]
        return self._landed(at, symbol)

    def _landed(self, at: int, symbol: int) -> int:
        """The nearest centre, if it stands for the state and reaches so far; else a new one."""
        vector, state = self._steps[at, symbol]
        distances = np.linalg.norm(self._centres[: len(self._states)] - vector, axis=1)
        nearest = int(distances.argmin())
        reached = distances[nearest] <= EXTRACTION.inside * self._reach[nearest]
        if not reached or self._states[nearest] != state:
            nearest = self._add(vector, state)
        self._after[at, symbol] = nearest
        return nearest

    def _add(self, vector: Floats, state: int) -> int:
        """A new centre; steps that lead nearer to it than to another one are done again."""
        number = len(self._states)
        if number == self._most:
            self.lost = True
            return 0
        self._centres[number] = vector
        radii = decision_radii(self.dfst, self._centres[number : number + 1])[0]
        ruled = [x for x, entry in zip(self._order, self.expert.rows[state], strict=True) if entry]
        self._reach[number] = radii[ruled].min(initial=FARTHEST)
        self._states.append(state)
        for step, after in list(self._after.items()):
            direction = self._steps[step][0]
            away = np.linalg.norm(direction - self._centres[after])
            if np.linalg.norm(direction - vector) < away:
                del self._after[step]
        return number
