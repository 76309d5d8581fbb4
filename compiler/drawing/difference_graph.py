"""Two agents as one graph: RIGHT's with marks, and what only LEFT has."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from compiler.automata.state_graph import Pair
from compiler.drawing.differences import Difference
from compiler.drawing.graphs import (
    DIFFERS,
    EXTRA,
    MISSING,
    SAME,
    SHOWS,
    Edge,
    Node,
    StateGraph,
    role_of,
    state_graph,
)
from compiler.drawing.labels import Line, instance_lines
from gridlang.program import Program
from gridlang.table import Table


def difference_graph(
    left: Program,
    right: Program,
    difference: Difference,
    fold: bool | None = None,
    unfold: Collection[str] = (),
) -> StateGraph:
    """RIGHT's graph with marks, and what only LEFT has; where a rule leads astray, also where it should."""
    graph = state_graph(right, fold, difference.marks, unfold)
    home = {state: number for number, node in enumerate(graph.nodes) for state in node.members}
    nodes = [replace(node, mark=_node_mark(node, difference)) for node in graph.nodes]
    edges = list(graph.edges)
    place = {p: home[q] for q, matching in reversed(list(enumerate(difference.matches))) for p in matching}
    for members, node in _lost_nodes(left.table, difference.lost, graph.folded):
        place |= dict.fromkeys(members, len(nodes))
        nodes.append(node)
    wanted: dict[tuple[int, int], list[Pair]] = {}
    for departure in difference.departures.values():
        (q, x), (p, y) = departure.pair, departure.other
        entry, mine = left.table.rows[p][y], right.table.rows[q][x]
        assert entry is not None
        target = place.get(entry.next, home[q])
        if mine is None or home[mine.next] != target:
            wanted.setdefault((home[q], target), []).append((p, y))
    for p in difference.lost:
        for x, entry in enumerate(left.table.rows[p]):
            if entry is not None and entry.next != p:
                wanted.setdefault((place[p], place.get(entry.next, place[p])), []).append((p, x))
    for (source, target), pairs in wanted.items():
        lines = _missing_lines(left.table, pairs)
        if source == target:
            nodes[source] = replace(nodes[source], loops=nodes[source].loops + lines)
        else:
            edges.append(Edge(source, target, lines, MISSING))
    return replace(graph, nodes=tuple(nodes), edges=tuple(edges))


def _missing_lines(left: Table, pairs: list[Pair]) -> tuple[Line, ...]:
    """LEFT's lines; they stand for no rule of RIGHT."""
    by_state: dict[int, list[Pair]] = {}
    for pair in dict.fromkeys(pairs):
        by_state.setdefault(pair[0], []).append(pair)
    lines = [line for same in by_state.values() for line in instance_lines(left, same)]
    texts = dict.fromkeys((line.reads, line.action) for line in lines)
    return tuple(Line(reads, action, (), mark=MISSING) for reads, action in texts)


def _node_mark(node: Node, difference: Difference) -> str:
    within = set(node.members)
    if all(not difference.matches[q] for q in node.members):
        return EXTRA
    if any(q in within for q, _ in difference.departures):
        return DIFFERS
    return SHOWS if any(q in within for q, _ in difference.symptoms) else SAME


def _lost_nodes(left: Table, lost: Iterable[int], folded: bool) -> Iterable[tuple[list[int], Node]]:
    """The states that only LEFT has, with the nodes that show them."""
    home = left.family_by_state()
    groups: dict[str, list[int]] = {}
    for state in lost:
        title = home[state].title if folded and state in home else left.states[state]
        groups.setdefault(title, []).append(state)
    for title, members in groups.items():
        note = f"{len(members)} states" if len(members) > 1 else ""
        name = title if note else left.states[members[0]]
        yield members, Node(name, (), role_of(left, members), note=note, mark=MISSING)
