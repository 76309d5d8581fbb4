"""Decoding in plain Python: the definition that `decoder.c` is held against."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, inf, log, log1p
from typing import NamedTuple

from gridlang.compiler.traces.dataset import Traces
from gridlang.learners.methods.noise.decoding import Accounts, Costs
from gridlang.table import DELTAS, MOVES, STAY

Cell = tuple[int, int]
World = frozenset[tuple[Cell, int]]


class Edge(NamedTuple):
    """One step that a hypothesis may have taken."""

    start: Node
    cost: float
    x: int
    s: int
    m: int
    known: bool  # whether the cell was visited before


@dataclass(slots=True, eq=False)
class Node:
    """All hypotheses that are in one state on one world with the head on one cell, after this number of steps."""

    state: int
    place: Cell
    world: dict[Cell, int]
    best: float = inf
    by: Edge | None = None  # the last step of the likeliest of them
    forward: float = -inf
    backward: float = -inf
    jumped: bool = True  # whether all of them change the state against the table
    drawn: dict[int, int] = field(default_factory=dict)  # what unvisited cells held
    into: list[Edge] = field(default_factory=list)


def decode_rows(costs: Costs, traces: Traces, accounts: Accounts) -> None:
    """Fills in the accounts of all traces."""
    for row in range(len(traces)):
        _Decoding(costs, traces, row).tell(accounts)


class _Decoding:
    """One trace, from its first step to its last."""

    def __init__(self, costs: Costs, traces: Traces, row: int) -> None:
        self.costs, self.row = costs, row
        self.length, self.halted = int(traces.length[row]), traces.ending[row] == "halted"
        self.seen = [
            tuple(int(rows[row, t]) for rows in (traces.x, traces.s, traces.m)) for t in range(self.length)
        ]
        self.layers = [[Node(0, (0, 0), {}, 0.0, forward=0.0, jumped=False)]]
        for t in range(self.length):
            self.layers.append(self._kept(self._stepped(self.layers[-1], t)))

    def _stepped(self, layer: list[Node], t: int) -> list[Node]:
        """All that may follow a layer."""
        costs, (seen_x, seen_s, seen_m) = self.costs, self.seen[t]
        last, bound = t + 1 == self.length, inf
        nodes: dict[tuple[int, Cell, World], Node] = {}
        base: tuple[float, Edge, int] | None = None

        def reach(state: int, edge: Edge, jumps: bool) -> None:
            total = edge.start.best + edge.cost
            if total > bound:
                return
            place, (dx, dy) = edge.start.place, DELTAS[edge.m]
            world = {**edge.start.world, place: edge.s}
            goal = (place[0] + dx, place[1] + dy)
            node = nodes.setdefault((state, goal, frozenset(world.items())), Node(state, goal, world))
            if total < node.best:
                node.best, node.by = total, edge
            node.forward = _log_sum(node.forward, edge.start.forward - edge.cost)
            node.jumped &= jumps
            node.into.append(edge)

        for node in layer:
            old = node.world.get(node.place, -1)
            reading = costs.reading[_before(node.by, costs.write.shape[1])]
            for x in range(len(reading)) if old < 0 else (old,):
                if node.jumped and old < 0 and x != seen_x:
                    continue
                after = int(costs.next[node.state, x])
                rule = (int(costs.write[node.state, x]), int(costs.move[node.state, x]))
                read = self._fresh(node, reading[x], x) if old < 0 else 0.0
                acts = [(rule, 0.0)] if after >= 0 else []
                if after < 0 or rule != (seen_s, seen_m):
                    acts.append(((seen_s, seen_m), costs.deviate if after >= 0 else costs.unruled))
                for (s, m), against in acts:
                    idle = s == x and m == STAY
                    untimely = costs.untimely if (self.halted and not idle if last else idle) else 0.0
                    cost = (
                        read
                        + costs.lies[self._lied(node, t), _wrongs((x, s, m), self.seen[t])]
                        + untimely
                        + against
                    )
                    edge = Edge(node, cost, x, s, m, old >= 0)
                    total = node.best + cost + (costs.jump if after >= 0 else 0.0)
                    if base is None or total < base[0]:
                        base = (total, edge, after)
                    if after >= 0 or last:
                        reach(max(after, 0), edge, False)
                    bound = min(bound, node.best + cost + costs.dropped)
        if base is not None and not last and base[0] <= bound:
            jumping = base[1]._replace(cost=base[0] - base[1].start.best)
            for state in range(len(costs.next)):
                if state != base[2]:
                    reach(state, jumping, True)
        return list(nodes.values())

    def _lied(self, node: Node, t: int) -> int:
        """Whether the step that led to a node, the one before t, is not as it was recorded."""
        return int(node.by is not None and _wrongs(node.by[2:5], self.seen[t - 1]) > 0)

    def _fresh(self, node: Node, share: float, x: int) -> float:
        """Nats of a symbol in a cell that was not visited."""
        familiar = self.costs.familiar
        return -log((node.drawn.get(x, 0) + familiar * share) / (sum(node.drawn.values()) + familiar))

    def _kept(self, nodes: list[Node]) -> list[Node]:
        """The best of a layer, and those that have just jumped."""
        order = sorted(range(len(nodes)), key=lambda at: (nodes[at].best, at))
        bound, kept, ruled = nodes[order[0]].best + self.costs.dropped, [], 0
        for at in order:
            node = nodes[at]
            if node.best > bound:
                continue
            if node.jumped or ruled < self.costs.width:
                kept.append(at)
            ruled += not node.jumped
        for at in kept:
            by = nodes[at].by
            assert by is not None
            drawn = dict(by.start.drawn)
            if not by.known:
                drawn[by.x] = drawn.get(by.x, 0) + 1
            nodes[at].drawn = drawn
        return [nodes[at] for at in sorted(kept)]

    def tell(self, accounts: Accounts) -> None:
        """The likeliest account of the trace, and its part of all counts."""
        row, symbols, whole = self.row, self.costs.write.shape[1], -inf
        for node in self.layers[-1]:
            node.backward, whole = 0.0, _log_sum(whole, node.forward)
        accounts.mass[row] = -whole
        best = min(self.layers[-1], key=lambda node: node.best)
        for t in reversed(range(self.length)):
            by, (_, seen_s, seen_m), sure = best.by, self.seen[t], 0.0
            assert by is not None
            for node in self.layers[t + 1]:
                for edge in node.into:
                    start = edge.start
                    start.backward = _log_sum(start.backward, node.backward - edge.cost)
                    share = exp(start.forward - edge.cost + node.backward - whole)
                    sure += share if edge[2:5] == by[2:5] else 0.0
                    accounts.wrote[start.state, edge.x, seen_s] += share
                    accounts.moved[start.state, edge.x, seen_m] += share
                    if t + 1 < self.length:
                        accounts.went[start.state, edge.x, node.state] += share
                    if not edge.known:
                        accounts.read[_before(start.by, symbols), edge.x] += share
                    accounts.wrong[self._lied(start, t), _wrongs(edge[2:5], self.seen[t])] += share
            accounts.x[row, t], accounts.s[row, t], accounts.m[row, t] = by.x, by.s, by.m
            best = by.start
            accounts.state[row, t], accounts.sure[row, t] = best.state, min(sure, 1.0)


def _before(by: Edge | None, symbols: int) -> int:
    """What tells of an unvisited cell: what was read in the step before, and where it moved."""
    return symbols * len(MOVES) if by is None else by.x * len(MOVES) + by.m


def _wrongs(told: tuple[int, ...], seen: tuple[int, ...]) -> int:
    """What of a step is not as it was recorded: 1 the read, 2 the write, 4 the move, added."""
    return sum((one != other) << bit for bit, (one, other) in enumerate(zip(told, seen, strict=True)))


def _log_sum(one: float, other: float) -> float:
    high, low = max(one, other), min(one, other)
    return high if low == -inf else high + log1p(exp(low - high))
