"""Colouring nodes of a prefix tree with k states, as clauses (Heule and Verwer, 2010), some nodes at a time.

A solution says for each node which state it is (x), for each state and symbol what is done (z) and which
state is next (y). The nodes of a clique are states 0, 1, … by name. The other states are named in the order
in which nodes come to them first (u), so that no renaming of them is tried twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gridlang.compiler.automata.state_merger import UNSEEN
from gridlang.compiler.traces.dataset import Traces
from gridlang.diagnostics import fail
from gridlang.learners.methods.prefix_tree import Numbers, PrefixTree
from gridlang.learners.methods.smallest.clique import Comparison
from gridlang.learners.methods.smallest.limits import LIMITS, Work, propagations
from gridlang.learners.methods.table_rows import rows_to_table
from gridlang.table import Table, canonical

SOLVER = "glucose4"  # It refutes colourings twice as fast as CaDiCaL, and takes more clauses on its way.
Clauses: TypeAlias = list[list[int]]


def new_solver(*, with_proof: bool = False) -> Any:
    """A solver without clauses, to be used in a `with`; GridError where python-sat is missing."""
    if find_spec("pysat") is None:
        hint = "install it with `pip install python-sat`"
        raise fail("G205", "the smallest machine is found with python-sat, which is not here", hint)
    from pysat.solvers import Solver

    return Solver(name=SOLVER, with_proof=with_proof)


def can_be_met(solver: Any, work: Work, until: float, most_conflicts: int) -> bool | None:
    """Whether the clauses can be met; None after `most_conflicts`, OutOfWork once `until` is spent."""
    for _ in range(0, most_conflicts, LIMITS.conflicts_per_look):
        before = propagations(solver)
        solver.conf_budget(LIMITS.conflicts_per_look)
        answer: bool | None = solver.solve_limited()
        work.spend(propagations(solver) - before, until)
        if answer is not None:
            return answer
    return None


class Machine(NamedTuple):
    """What each state does on each symbol, and where it goes; the start is any state."""

    start: int
    act: Numbers  # (k, symbols) acts as in a tree; `UNSEEN` where nothing is known
    next: Numbers  # (k, symbols)


class Coloring:
    """The clauses for the edges of a tree that were added so far; a solver is given each clause once.

    Variables come in blocks of one for each state, ("x", node, 0), ("z", symbol, act) and ("y", symbol,
    state), or for each state that the clique does not name, ("u", node, 0); `blocks` says where each begins.
    """

    def __init__(
        self,
        comparison: Comparison,
        states: int,
        clique: Sequence[int],
        solver: Any,
        work: Work,
        until: float,
    ) -> None:
        self.tree, self.states, self.clique, self.solver = comparison.tree, states, clique, solver
        self._comparison, self._work, self._until = comparison, work, until
        self.apart: list[tuple[int, int]] = []  # a node, and a state of the clique that it cannot be
        self.blocks: dict[tuple[str, int, int], int] = {}
        self.edges: set[int] = set()
        self._possible: dict[int, list[int]] = {}  # the states that a node with an edge can be
        self._last_inner: int | None = None
        self._acts: dict[int, list[int]] = {}  # on each symbol
        self._variables = 0

    def add(self, edges: Iterable[int]) -> None:
        """Adds edges, and all that lead to them from the start; OutOfWork once `until` is spent."""
        added: list[int] = []
        for edge in edges:
            path = []
            while edge >= 0 and edge not in self.edges:
                self.edges.add(edge)
                path.append(edge)
                edge = int(self.tree.entry[self.tree.parent[edge]])
            added += path[::-1]
        parents = dict.fromkeys(int(self.tree.parent[edge]) for edge in added)
        fresh = [node for node in parents if node not in self._possible]
        clauses: Clauses = []
        self._find_possible(fresh)
        for node in fresh:
            clauses += self._state_of(node)
        for edge in added:
            clauses += self._does(edge)
        for node in fresh:
            before = len(clauses)
            clauses += self._follows(node)
            self._work.spend((len(clauses) - before) * LIMITS.clause_work, self._until)
        self.solver.append_formula(clauses)

    def _block(self, kind: str, what: int, which: int, size: int) -> int:
        self.blocks[kind, what, which] = first = self._variables + 1
        self._variables += size
        return first

    def _find_possible(self, nodes: Sequence[int]) -> None:
        """A node is not a state of the clique that some trace shows it to differ from."""
        differs = self._comparison.differ(np.array(nodes, np.int64), np.array(self.clique, np.int64))
        named = {node: state for state, node in enumerate(self.clique)}
        for node, row in zip(nodes, differs.tolist(), strict=True):
            self.apart += [(node, state) for state, is_apart in enumerate(row) if is_apart]
            free = [state for state in range(self.states) if state >= len(row) or not row[state]]
            self._possible[node] = [named[node]] if node in named else free

    def _state_of(self, node: int) -> Iterator[list[int]]:
        """A node is one state; unnamed states are used in order."""
        x, named = self._block("x", node, 0, size=self.states), len(self.clique)
        possible = self._possible[node]
        yield from ([-(x + state)] for state in set(range(self.states)).difference(possible))
        yield from _exactly_one([x + state for state in possible])
        u, before = self._block("u", node, 0, size=self.states - named), self._last_inner
        self._last_inner = node
        earlier = None if before is None else self.blocks["u", before, 0]
        for state in range(self.states - named):
            is_it = x + named + state
            yield [-is_it, u + state]
            if earlier is None:
                yield from [[-(u + state), is_it], *([[-is_it]] if state else [])]
                continue
            yield [-(u + state), is_it, earlier + state]
            yield [-(earlier + state), u + state]
            if state:
                yield [-is_it, earlier + state - 1]

    def _does(self, edge: int) -> Iterator[list[int]]:
        """The state of a node does what was seen there; no state does two things on one symbol."""
        node, read, act = (int(part[edge]) for part in (self.tree.parent, self.tree.read, self.tree.act))
        if ("z", read, act) not in self.blocks:
            z = self._block("z", read, act, size=self.states)
            for other in self._acts.setdefault(read, []):
                there = self.blocks["z", read, other]
                yield from ([-(z + state), -(there + state)] for state in range(self.states))
            self._acts[read].append(act)
        x, z = self.blocks["x", node, 0], self.blocks["z", read, act]
        yield from ([-(x + state), z + state] for state in self._possible[node])

    def _follows(self, node: int) -> Iterator[list[int]]:
        """The state of a node is the next one of the state before it."""
        entry = int(self.tree.entry[node])
        if entry < 0:
            return
        parent, read, here = (
            int(self.tree.parent[entry]),
            int(self.tree.read[entry]),
            self.blocks["x", node, 0],
        )
        before, possible = self.blocks["x", parent, 0], self._possible[node]
        impossible = set(range(self.states)).difference(possible)
        for state in range(self.states):
            if ("y", read, state) not in self.blocks:
                y = self._block("y", read, state, size=self.states)
                yield from _exactly_one(range(y, y + self.states))
        for state in self._possible[parent]:
            y, is_before = self.blocks["y", read, state], -(before + state)
            for after in possible:
                yield [is_before, -(here + after), y + after]
                yield [is_before, -(y + after), here + after]
            yield from ([is_before, -(y + after)] for after in impossible)

    def machine(self) -> Machine:
        """The machine of the solver's last solution."""
        true = np.zeros(self._variables + 1, bool)
        model = np.array(self.solver.get_model(), np.int64)
        true[model[model > 0]] = True

        def chosen(kind: str, what: int, which: int = 0) -> int:
            first = self.blocks[kind, what, which]
            return int(true[first : first + self.states].argmax())

        act = np.full((self.states, self.tree.symbols), UNSEEN, np.int64)
        after = np.zeros_like(act)
        state_of = {node: chosen("x", node) for node in self._possible}
        for edge in self.edges:
            act[state_of[int(self.tree.parent[edge])], self.tree.read[edge]] = self.tree.act[edge]
        for kind, what, state in self.blocks:
            if kind == "y":
                after[state, what] = chosen(kind, what, state)
        return Machine(state_of[0], act, after)


def _exactly_one(variables: Sequence[int]) -> Clauses:
    return [list(variables), *([-one, -other] for one, other in combinations(variables, 2))]


def contradicted(machine: Machine, tree: PrefixTree) -> Numbers:
    """The edges at which the machine first does something else than the traces, nearest the start first."""
    state = np.full(tree.nodes, -1, np.int64)
    state[0] = machine.start
    wrong: list[Numbers] = []
    for level in tree.levels:
        parent, read, child = tree.parent[level], tree.read[level], tree.child[level]
        at = state[parent]
        same = machine.act[at, read] == tree.act[level]
        wrong.append(level.start + np.flatnonzero(~same & (at >= 0)))
        onward = same & (at >= 0) & (child >= 0)
        state[child[onward]] = machine.next[at[onward], read[onward]]
    return np.concatenate(wrong)


def table_of(machine: Machine, tree: PrefixTree, traces: Traces) -> Table:
    """The machine as a table with the rules that the traces use, its states breadth first."""
    used, state = np.zeros(machine.act.shape, bool), np.full(tree.nodes, -1, np.int64)
    state[0] = machine.start
    for level in tree.levels:
        at, read, child = state[tree.parent[level]], tree.read[level], tree.child[level]
        used[at, read] = True
        state[child[child >= 0]] = machine.next[at, read][child >= 0]
    order = np.argsort(np.arange(len(machine.act)) != machine.start, kind="stable")
    act = np.where(used, machine.act, UNSEEN)[order]
    table = canonical(rows_to_table(traces, act, np.argsort(order)[machine.next][order]))
    return replace(table, states=tuple(f"q{number}" for number in range(len(table.states))))
