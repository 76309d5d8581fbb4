"""Families and single states as nodes, merged while no two steps differ, a family only member by member."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from gridlang.compiler.weights.families.families import Families, Kinds, Members, Values

Key = tuple[str, int]
Place = tuple[Key, Values]


class Act(NamedTuple):
    """A step of a member; `after` is None where it halts."""

    write: int
    move: int
    after: Place | None


Cells = dict[tuple[Values, int], Act]  # by member and symbol


class Node(NamedTuple):
    kinds: Kinds  # none of a single state
    cells: Cells


class Agent(NamedTuple):
    """All nodes, the place where it starts, and that of each state."""

    nodes: dict[Key, Node]
    start: Place
    home: dict[int, Place]


Links = Mapping[Key, Place]  # what nodes were merged into, and the values that their members got


class Attempt(NamedTuple):
    """What a merge changes, and how many pairs of steps speak for it."""

    links: Links
    cells: dict[Key, Cells]
    evidence: int


class _Merging:
    def __init__(self, families: Families) -> None:
        self.rows, self.home = families.rows, families.home
        nodes: list[tuple[Key, Members]] = [
            (("family", f), known) for f, known in enumerate(families.members)
        ]
        nodes += [(("state", q), {(): q}) for q in self.rows if q not in self.home]
        self.members = dict(sorted(nodes, key=lambda node: min(node[1].values())))
        self.rank = {key: i for i, key in enumerate(self.members)}
        self.kinds: dict[Key, Kinds] = {
            key: families.kinds[key[1]] if key[0] == "family" else () for key in self.members
        }
        self.links: dict[Key, Place] = {}
        self.cells: dict[Key, Cells] = {
            key: {
                (v, x): Act(step.write, step.move, None if step.after is None else self.at(step.after))
                for v, s in members.items()
                for x, step in self.rows[s].items()
            }
            for key, members in self.members.items()
        }

    def found(self, place: Place, more: Links = MappingProxyType({})) -> Place:
        """Where a place is after all merges, and those of an attempt."""
        key, values = place
        while (link := more.get(key) or self.links.get(key)) is not None:
            key, values = link[0], values + link[1]
        return key, values

    def at(self, state: int) -> Place:
        f, values = self.home.get(state, (None, ()))
        return (("state", state) if f is None else ("family", f)), values

    def attempt(self, kept: Key, gone: Key, more: Values) -> Attempt | None:
        """One node merged into another, with all that follows."""
        links: dict[Key, Place] = {}
        cells: dict[Key, Cells] = {}
        evidence = 0
        values = next(iter(self.members[gone]))
        todo: list[tuple[Place, Place]] = [((kept, values + more), (gone, values))]
        while todo:
            (a, v), (b, u) = (self.found(place, links) for place in todo.pop())
            if a == b and u == v:
                continue
            if len(v) < len(u) or (len(v) == len(u) and self.rank[a] > self.rank[b]):
                a, v, b, u = b, u, a, v
            if a == b or v[: len(u)] != u or len(u) == 0 < len(v):
                return None  # also where a single state would come into a family
            links[b] = a, v[len(u) :]
            if a not in cells:
                cells[a] = dict(self.cells[a])
            mine, theirs = cells[a], cells.pop(b, self.cells[b])
            for (w, x), act in theirs.items():
                known = mine.setdefault((w + v[len(u) :], x), act)
                if known is act:
                    continue
                if known[:2] != act[:2] or (known.after is None) != (act.after is None):
                    return None
                evidence += 1
                if known.after is not None and act.after is not None:
                    todo.append((known.after, act.after))
        return Attempt(links, cells, evidence)

    def leads(self, a: Key, b: Key) -> bool:
        """Whether one goes to the other; what halts at once has no role to share."""
        if any(all(act.after is None for act in self.cells[key].values()) for key in (a, b)):
            return False
        return any(act.after and self.found(act.after)[0] == b for act in self.cells[a].values())

    def merge(self) -> None:
        kept: list[Key] = []
        for key in self.members:
            if key in self.links:
                continue
            best = None
            for other in kept:
                if other in self.links:
                    continue
                k, j = len(self.kinds[key]), len(self.kinds[other])
                if k != j and not 1 <= k < j:
                    continue
                for more in sorted({v[k:] for v in self.members[other]}):
                    got = self.attempt(other, key, more)
                    # a number is rather one that is counted too
                    worth = got and (self.kinds[other][:k] == self.kinds[key], got.evidence)
                    if got is None or worth is None or (best and worth <= best[0]):
                        continue
                    if got.evidence or self.leads(other, key) or self.leads(key, other):
                        best = worth, got
            if best is None:
                kept.append(key)
            else:
                self.links |= best[1].links
                self.cells |= best[1].cells


def merged(families: Families) -> Agent:
    """The nodes that are left once all that agree are merged."""
    merging = _Merging(families)
    merging.merge()
    nodes = {
        key: Node(
            merging.kinds[key],
            {
                at: act._replace(after=None if act.after is None else merging.found(act.after))
                for at, act in merging.cells[key].items()
            },
        )
        for key in merging.members
        if key not in merging.links
    }
    home = {q: merging.found(merging.at(q)) for q in merging.rows}
    return Agent(nodes, home[0], home)
