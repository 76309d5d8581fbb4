"""Cycles of steps, and heights: numbers of states that fall by at least what each step wants."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Edge = tuple[int, int]  # from a node to another, both by number


class Heights(NamedTuple):
    """Of each node; or cycles, by the numbers of their edges, around which no height can fall so."""

    of: list[int]
    cycles: list[list[int]]


def heights(nodes: int, edges: Sequence[Edge], falls: Sequence[int]) -> Heights:
    """The least natural heights that fall by at least `falls` along each edge, or why there are none."""
    of, through = [0] * nodes, [-1] * nodes  # the edge that asks for a node's height
    into: list[list[int]] = [[] for _ in range(nodes)]
    for number, (_, after) in enumerate(edges):
        into[after].append(number)
    waiting = deque(dict.fromkeys(edges[number][1] for number, by in enumerate(falls) if by > 0))
    waits, raised = set(waiting), 0
    while waiting:
        after = waiting.popleft()
        waits.discard(after)
        for number in into[after]:
            before, wanted = edges[number][0], of[after] + falls[number]
            if wanted > of[before]:
                of[before], through[before] = wanted, number
                raised += 1
                if before not in waits:
                    waits.add(before)
                    waiting.append(before)
        if raised > nodes:  # as often as it takes to look for them
            raised = 0
            cycles = list(_circles(edges, through))
            if cycles:
                return Heights(of, cycles)
    return Heights(of, [])


def _circles(edges: Sequence[Edge], through: Sequence[int]) -> Iterator[list[int]]:
    """Cycles of a graph in which at most one edge leaves a node."""
    round_of: dict[int, int] = {}
    for start in range(len(through)):
        node = start
        while node not in round_of and through[node] >= 0:
            round_of[node] = start
            node = edges[through[node]][1]
        if round_of.get(node) == start and through[node] >= 0:
            cycle, at = [through[node]], edges[through[node]][1]
            while at != node:
                cycle.append(through[at])
                at = edges[through[at]][1]
            yield cycle
        round_of.setdefault(node, start)


def strong_components(nodes: int, edges: Sequence[Edge]) -> list[int]:
    """The number of each node's strongly connected component; edges between two lead to the lesser one."""
    onward: list[list[int]] = [[] for _ in range(nodes)]
    for before, after in edges:
        onward[before].append(after)
    found, low, component = [-1] * nodes, [0] * nodes, [-1] * nodes
    open_nodes: list[int] = []
    count = components = 0
    for root in range(nodes):
        if found[root] >= 0:
            continue
        path = [(root, iter(onward[root]))]
        found[root] = low[root] = count
        count += 1
        open_nodes.append(root)
        while path:
            node, rest = path[-1]
            for after in rest:
                if found[after] < 0:
                    found[after] = low[after] = count
                    count += 1
                    open_nodes.append(after)
                    path.append((after, iter(onward[after])))
                    break
                if component[after] < 0:
                    low[node] = min(low[node], found[after])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == found[node]:
                    while component[node] < 0:
                        component[open_nodes.pop()] = components
                    components += 1
    return component


def closed_walks(nodes: int, edges: Sequence[Edge]) -> Iterator[list[int]]:
    """For each edge of a strongly connected graph on some of the nodes, a closed walk over it, by edges.

    All of its cycles are sums and differences of these.
    """
    to = _tree(nodes, edges, edges[0][0])
    back = _tree(nodes, [(after, before) for before, after in edges], edges[0][0])
    for number, (before, after) in enumerate(edges):
        yield [*_path(to, edges, before, 0), number, *_path(back, edges, after, 1)]


def _tree(nodes: int, edges: Sequence[Edge], root: int) -> list[int]:
    """The edge by which each node is come to from the root, breadth first; -1 at the root."""
    onward: dict[int, list[int]] = {}
    for number, (before, _) in enumerate(edges):
        onward.setdefault(before, []).append(number)
    into, reached, seen = [-1] * nodes, [root], {root}
    for node in reached:
        for number in onward.get(node, ()):
            after = edges[number][1]
            if after not in seen:
                seen.add(after)
                into[after] = number
                reached.append(after)
    return into


def _path(tree: Sequence[int], edges: Sequence[Edge], node: int, end: int) -> Iterator[int]:
    """The edges between a node and the root of a tree; `end` is that of an edge where it goes on."""
    while tree[node] >= 0:
        yield tree[node]
        node = edges[tree[node]][end]
