"""Noise-tolerant merging in plain Python: the definition that `tolerant.c` is held against."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from gridlang.learners.methods.noise.cleaning import NOWHERE, Records, Rows, Tolerance

FEWEST = 4  # visits of a node from which on it may be a state
LOOKED_AT = 16  # blue nodes that are looked at before one is chosen
COST = 10  # records in common that one lost record outweighs


@dataclass(slots=True)
class _Edge:
    counts: Counter[int] = field(default_factory=Counter)
    child: int = NOWHERE

    @property
    def visits(self) -> int:
        return sum(self.counts.values())


class PlainMerger:
    """The tree, and what became of it."""

    def __init__(self, records: Records, tolerance: Tolerance, most: int) -> None:
        self.symbols, self.tolerance, self.most = records.symbols, tolerance, most
        self.edges: list[dict[int, _Edge]] = [{}]
        self.red = [0]
        for read, action, length in zip(records.read, records.action, records.length, strict=True):
            self._add(read[:length].tolist(), action[:length].tolist())

    def _add(self, read: list[int], action: list[int]) -> None:
        node = 0
        for at, (symbol, acted) in enumerate(zip(read, action, strict=True)):
            edge = self.edges[node].setdefault(symbol, _Edge())
            edge.counts[acted] += 1
            if at + 1 < len(read):
                if edge.child == NOWHERE:
                    edge.child = len(self.edges)
                    self.edges.append({})
                node = edge.child

    def run(self) -> Rows:
        while blue := self._blue():
            unfit, best = None, None
            for edge in blue:
                fits = [(self._score(red, edge.child), red) for red in self.red]
                good = [(score, red) for score, red in fits if score is not None]
                if not good and unfit is None:
                    unfit = edge
                elif good:
                    score, red = max(good, key=lambda each: each[0])
                    if best is None or score > best[0]:
                        best = (score, edge, red)
            if unfit is not None:
                self._promote(unfit)
            elif best is not None:
                _, edge, red = best
                node, edge.child = edge.child, red
                self._fold(red, node)
        return self._rows()

    def _blue(self) -> list[_Edge]:
        """The edges from red nodes to the busiest blue ones."""
        edges = [self.edges[node][symbol] for node in self.red for symbol in sorted(self.edges[node])]
        blue = [each for each in edges if each.child != NOWHERE and each.child not in self.red]
        return sorted((each for each in blue if each.visits >= FEWEST), key=lambda each: -each.visits)[
            :LOOKED_AT
        ]

    def _promote(self, edge: _Edge) -> None:
        """A blue node becomes red; where there are enough, it is left out."""
        if len(self.red) < self.most:
            self.red.append(edge.child)
        else:
            edge.child = NOWHERE

    def _score(self, red: int, blue: int) -> float | None:
        """What a fold has in common, less what it loses; None where it does not fit."""
        met: dict[int, tuple[_Edge, Counter[int]]] = {}
        waiting = [(red, blue, 1)]
        while waiting:
            one, other, depth = waiting.pop()
            for symbol, edge in self.edges[other].items():
                known = self.edges[one].get(symbol)
                if known is None:
                    continue
                met.setdefault(id(known), (known, Counter()))[1].update(edge.counts)
                if depth < self.tolerance.depth and NOWHERE not in (known.child, edge.child):
                    waiting.append((known.child, edge.child, depth + 1))
        common, lost = 0, 0
        for known, counts in met.values():
            common += min(known.visits, counts.total())
            together = known.counts + counts
            lost += max(known.counts.values()) + max(counts.values()) - max(together.values())
        room = self.tolerance.share * common + self.tolerance.spare * len(self.edges[blue])
        return float(common - COST * lost) if lost <= room else None

    def _fold(self, red: int, blue: int) -> None:
        """All that was seen of a blue node and of its tree was seen of a red one."""
        waiting = [(red, blue)]
        while waiting:
            one, other = waiting.pop()
            for symbol, edge in self.edges[other].items():
                known = self.edges[one].get(symbol)
                if known is None:
                    self.edges[one][symbol] = edge
                    continue
                known.counts.update(edge.counts)
                if edge.child == NOWHERE:
                    continue
                if known.child == NOWHERE:
                    known.child = edge.child
                else:
                    waiting.append((known.child, edge.child))

    def _rows(self) -> Rows:
        number = {node: state for state, node in enumerate(self.red)}
        action, after, visits = (np.full((len(self.red), self.symbols), NOWHERE, np.int32) for _ in range(3))
        visits[:] = 0
        for node, state in number.items():
            for symbol, edge in self.edges[node].items():
                most = max(edge.counts.values())
                action[state, symbol] = min(acted for acted, count in edge.counts.items() if count == most)
                after[state, symbol] = number.get(edge.child, NOWHERE)
                visits[state, symbol] = edge.visits
        return Rows(action, after, visits)
