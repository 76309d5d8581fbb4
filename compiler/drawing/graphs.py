"""From a program to its state graph: parallel edges merged, families grouped or folded into one node each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any

from compiler.drawing.families import (
    Rules,
    families,
    family_headers,
    family_rules,
)
from compiler.drawing.labels import HALT, KEEP, Line, Pair, family_lines, in_words, instance_lines
from gridlang.loading import Program
from gridlang.table import STAY, Table

HALTS, WALKS, WRITES, MOVES_ON, DEAD = "halts", "walks", "writes", "moves", "stuck"
ROLES = {
    HALTS: "may halt",
    WALKS: "walks",
    WRITES: "writes",
    MOVES_ON: "only moves",
    DEAD: "has no rules",
}
GLANCE = 32  # edges that are still readable one by one
MOST_CHIPS = 120
NO_MARKS: Mapping[Pair, str] = MappingProxyType({})
SAME, AWAY, EXTRA, MISSING, DIFFERS = "same", "away", "extra", "missing", "differs"  # worse and worse


@dataclass(frozen=True, slots=True)
class Node:
    """A state, or a family of states that is folded; loops are lines within its box.

    `chips` are the members of a family in short: their arguments.
    """

    name: str
    members: tuple[int, ...]
    role: str
    start: bool = False
    note: str = ""
    loops: tuple[Line, ...] = ()
    halts: tuple[Line, ...] = ()
    chips: tuple[str, ...] = ()
    mark: str = ""

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.loops + self.halts


@dataclass(frozen=True, slots=True)
class Edge:
    """All rules that lead from one node to another."""

    source: int
    target: int
    lines: tuple[Line, ...]
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A family whose states are drawn one by one, in a frame; `loops` are those that all of them have."""

    title: str
    nodes: tuple[int, ...]
    loops: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class StateGraph:
    """What is drawn. The start is node 0."""

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...] = ()
    folded: bool = False

    def all_lines(self) -> list[Line]:
        """Every line, in the order in which drawings number them."""
        inner = [line for node in self.nodes for line in node.lines]
        framed = [line for group in self.groups for line in group.loops]
        return inner + framed + [line for edge in self.edges for line in edge.lines]


def folds(table: Table) -> bool:
    """Whether a graph is folded unless asked otherwise: where it is large, and has families."""
    edges = {(state, entry.next) for state, _, entry in table.entries() if entry.next != state}
    return len(edges) > GLANCE and bool(families(table))


def state_graph(
    program: Program, fold: bool | None = None, marks: Mapping[Pair, str] = NO_MARKS
) -> StateGraph:
    """The graph of a program, its families folded into one node each or framed; `marks` mark its rules."""
    table = program.table
    folded = folds(table) if fold is None else fold and bool(families(table))
    headers = family_headers(program)
    known = families(table)
    clusters = _clusters(table, known if folded else {})
    home = {state: node for node, members in enumerate(clusters) for state in members}
    rules = family_rules(program, headers)
    nodes = [_node(table, rules, members, marks) for members in clusters]
    edges = tuple(_edges(table, rules, home, clusters, marks))
    titles = {family.name: family.title for family in table.families} | headers
    groups = () if folded else tuple(_groups(known, titles, home))
    nodes, groups = _hoisted(nodes, groups)
    return StateGraph(table.name, tuple(nodes), edges, groups, folded)


def to_networkx(graph: StateGraph) -> Any:
    """A `networkx.MultiDiGraph`: nodes and edges with their labels and roles, to compute on."""
    found = import_module("networkx").MultiDiGraph(name=graph.name)
    for number, node in enumerate(graph.nodes):
        found.add_node(number, label=node.name, role=node.role, start=node.start, members=node.members)
    for edge in graph.edges:
        found.add_edge(edge.source, edge.target, label="\n".join(line.text for line in edge.lines))
    return found


def _clusters(table: Table, folded: Mapping[str, tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The states of each node, in the order of their first."""
    member = {state: states for states in folded.values() for state in states}
    return list(dict.fromkeys(member.get(state, (state,)) for state in range(len(table.states))))


def lines_of(
    table: Table,
    rules: Rules,
    members: Sequence[int],
    pairs: Iterable[Pair],
    marks: Mapping[Pair, str] = NO_MARKS,
) -> list[Line]:
    """Lines for pairs of one node; pairs that are marked otherwise stand on other lines."""
    apart: dict[str, list[Pair]] = {}
    for pair in pairs:
        apart.setdefault(marks.get(pair, ""), []).append(pair)
    lines = []
    for mark, same in apart.items():
        alone = len(members) == 1
        found = instance_lines(table, same) if alone else family_lines(table, rules, same)
        lines += [replace(line, mark=mark) for line in found]
    return lines


def _node(
    table: Table,
    rules: Rules,
    members: tuple[int, ...],
    marks: Mapping[Pair, str],
) -> Node:
    pairs = [(q, x) for q in members for x, entry in enumerate(table.rows[q]) if entry is not None]
    halts = [pair for pair in pairs if table.is_halt(*pair)]
    within = set(members)
    inside = [pair for pair in pairs if not table.is_halt(*pair) and _next(table, pair) in within]
    chips: tuple[str, ...] = ()
    family = table.family_of(members[0])
    if len(members) == 1 or family is None:
        name, note = table.states[members[0]], ""
    else:
        name, note = family.title, f"{len(members)} states"
        values = {member.state: ",".join(map(str, member.values)) for member in family.members}
        chips = tuple(values[state] for state in members) if len(members) <= MOST_CHIPS else ()
    return Node(
        name=name,
        members=members,
        role=role_of(table, members),
        start=0 in members,
        note=note,
        loops=tuple(_quieted(table, line) for line in lines_of(table, rules, members, inside, marks)),
        halts=_halting(table, halts, marks),
        chips=chips,
    )


def _halting(table: Table, pairs: list[Pair], marks: Mapping[Pair, str]) -> tuple[Line, ...]:
    apart: dict[str, list[Pair]] = {}
    for pair in pairs:
        apart.setdefault(marks.get(pair, ""), []).append(pair)
    return tuple(
        Line(in_words(table, sorted({x for _, x in same})), HALT, tuple(same), mark=mark)
        for mark, same in apart.items()
    )


def _next(table: Table, pair: Pair) -> int:
    entry = table.rows[pair[0]][pair[1]]
    assert entry is not None
    return entry.next


def _quieted(table: Table, line: Line) -> Line:
    """Marks a line that only walks: symbols are kept, and the state too."""
    walks = line.action.startswith(f"{KEEP},") and all(_next(table, pair) == pair[0] for pair in line.pairs)
    return replace(line, quiet=walks)


def role_of(table: Table, members: Sequence[int]) -> str:
    """What a state is there for, by what it does."""
    entries = [(q, x, e) for q in members for x, e in enumerate(table.rows[q]) if e is not None]
    if not entries:
        return DEAD
    if any(table.is_halt(q, x) for q, x, _ in entries):
        return HALTS
    if any(e.write == x and e.next == q and e.move != STAY for q, x, e in entries):
        return WALKS
    return WRITES if any(e.write != x for _, x, e in entries) else MOVES_ON


def _edges(
    table: Table,
    rules: Rules,
    home: Mapping[int, int],
    clusters: Sequence[tuple[int, ...]],
    marks: Mapping[Pair, str],
) -> Iterable[Edge]:
    found: dict[tuple[int, int], list[Pair]] = {}
    for state, symbol, entry in table.entries():
        ends = home[state], home[entry.next]
        if ends[0] != ends[1]:
            found.setdefault(ends, []).append((state, symbol))
    for (source, target), pairs in found.items():
        lines = lines_of(table, rules, clusters[source], pairs, marks)
        yield Edge(source, target, tuple(lines), worst(line.mark for line in lines))


def _groups(
    known: Mapping[str, tuple[int, ...]], titles: Mapping[str, str], home: Mapping[int, int]
) -> Iterable[Group]:
    for name, members in known.items():
        yield Group(titles[name], tuple(home[state] for state in members))


def worst(marks: Iterable[str]) -> str:
    """The mark that counts for all of them."""
    order = ("", SAME, AWAY, EXTRA, MISSING, DIFFERS)
    return max(marks, key=order.index, default="")


def _hoisted(nodes: list[Node], groups: tuple[Group, ...]) -> tuple[list[Node], tuple[Group, ...]]:
    """Loops that all states of a family have are said once, at its frame."""
    nodes, found = list(nodes), []
    for group in groups:
        texts = [{(line.text, line.mark) for line in nodes[node].loops} for node in group.nodes]
        shared = set.intersection(*texts)
        lines: dict[tuple[str, str], Line] = {}
        for node in group.nodes:
            for line in nodes[node].loops:
                key = (line.text, line.mark)
                if key in shared:
                    before = lines.get(key)
                    lines[key] = replace(line, pairs=before.pairs + line.pairs) if before else line
            rest = tuple(line for line in nodes[node].loops if (line.text, line.mark) not in shared)
            nodes[node] = replace(nodes[node], loops=rest)
        found.append(replace(group, loops=tuple(lines.values())))
    return nodes, tuple(found)


def unframed(graph: StateGraph) -> StateGraph:
    """The same graph without frames: each state has its own loops again."""
    nodes = list(graph.nodes)
    for group in graph.groups:
        for number in group.nodes:
            node = nodes[number]
            own = tuple(
                replace(line, pairs=tuple(pair for pair in line.pairs if pair[0] in node.members))
                for line in group.loops
            )
            nodes[number] = replace(node, loops=own + node.loops)
    return replace(graph, nodes=tuple(nodes), groups=())
