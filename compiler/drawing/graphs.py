"""From a program to its state graph: parallel edges merged, families grouped or folded into one node each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING

from compiler.drawing.families import Rules, families, family_headers, family_rules
from compiler.drawing.labels import HALT, KEEP, Line, family_lines, in_words, instance_lines
from compiler.state_graph import Pair, to_networkx
from gridlang.program import Program
from gridlang.table import MOVES, STAY, Table

if TYPE_CHECKING:
    import networkx as nx

HALTS, WALKS, WRITES, MOVES_ON, DEAD = "halts", "walks", "writes", "moves", "stuck"
ROLES = {
    HALTS: "may halt",
    WALKS: "walks",
    WRITES: "writes",
    MOVES_ON: "only moves",
    DEAD: "has no rules",
}
GLANCE = 32  # So many edges can still be followed one by one.
MOST_CHIPS = 120  # A box that lists more members of a family would be the largest of the drawing.
NO_MARKS: Mapping[Pair, str] = MappingProxyType({})
# The marks of a rule, from good to bad.
SAME, AWAY, EXTRA, MISSING, DIFFERS = "same", "away", "extra", "missing", "differs"


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
    is_halt: bool = False  # It is the target `halt`, which nobody has declared.

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
    known = families(table)
    folded = folds(table) if fold is None else fold and bool(known)
    headers = family_headers(program)
    graph = to_networkx(table, program.rules)
    titles = {family.name: family.title for family in table.families}
    view = _View(table, graph, family_rules(program, headers), titles, marks)
    clusters = _clusters(graph, known if folded else {})
    home = {state: node for node, members in enumerate(clusters) for state in members}
    nodes = [view.node(members) for members in clusters]
    groups = () if folded else tuple(_groups(known, titles | headers, home))
    nodes, groups = _hoisted(nodes, groups)
    return StateGraph(table.name, tuple(nodes), tuple(view.edges(clusters, home)), groups, folded)


def _clusters(graph: nx.MultiDiGraph, folded: Mapping[str, tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The states of each node, in the order of their first."""
    member = {state: states for states in folded.values() for state in states}
    return list(dict.fromkeys(member.get(state, (state,)) for state in graph))


@dataclass(frozen=True, slots=True)
class _View:
    """A table as its graph, and what its nodes and edges are called in a drawing."""

    table: Table
    graph: nx.MultiDiGraph
    rules: Rules
    titles: Mapping[str, str]  # They are those of families: `times(m, c)`.
    marks: Mapping[Pair, str]

    def node(self, members: tuple[int, ...]) -> Node:
        halts, inside, within = [], [], set(members)
        for state in members:
            steps = self.graph.out_edges(state, keys=True, data="halts")
            for _, after, symbol, halting in sorted(steps, key=itemgetter(2)):
                if halting:
                    halts.append((state, symbol))
                elif after in within:
                    inside.append((state, symbol))
        name, note, chips = self.names(members)
        return Node(
            name=name,
            members=members,
            role=role_of(self.graph, members),
            start=0 in within,
            note=note,
            loops=tuple(map(self.quieted, self.lines(members, inside))),
            halts=tuple(
                Line(in_words(self.table, sorted({x for _, x in same})), HALT, tuple(same), mark=mark)
                for mark, same in self.by_mark(halts)
            ),
            chips=chips,
            is_halt=len(members) == 1 and self.table.is_halt_target(members[0]),
        )

    def names(self, members: tuple[int, ...]) -> tuple[str, str, tuple[str, ...]]:
        """The name of a node, a note and its chips; both are empty for a state that stands alone."""
        first = self.graph.nodes[members[0]]
        if len(members) == 1:
            return first["name"], "", ()
        listed = members if len(members) <= MOST_CHIPS else ()
        chips = tuple(",".join(map(str, self.graph.nodes[state]["parameters"])) for state in listed)
        return self.titles[first["family"]], f"{len(members)} states", chips

    def edges(self, clusters: Sequence[tuple[int, ...]], home: Mapping[int, int]) -> Iterable[Edge]:
        """One edge for all steps from node to node.

        `nx.quotient_graph` looks at all pairs of nodes for that: 190 times as long for 400 states.
        """
        joined: dict[tuple[int, int], list[Pair]] = {}
        for state, after, symbol in self.graph.edges(keys=True):
            if home[state] != home[after]:
                joined.setdefault((home[state], home[after]), []).append((state, symbol))
        for (source, target), pairs in joined.items():
            lines = self.lines(clusters[source], sorted(pairs))
            yield Edge(source, target, tuple(lines), worst(line.mark for line in lines))

    def lines(self, members: Sequence[int], pairs: Iterable[Pair]) -> list[Line]:
        """Lines for pairs of one node; pairs that are marked otherwise stand on other lines."""
        lines: list[Line] = []
        for mark, same in self.by_mark(pairs):
            alone = len(members) == 1
            plain = instance_lines(self.table, same) if alone else family_lines(self.table, self.rules, same)
            lines += [replace(line, mark=mark) for line in plain]
        return lines

    def by_mark(self, pairs: Iterable[Pair]) -> Iterable[tuple[str, list[Pair]]]:
        apart: dict[str, list[Pair]] = {}
        for pair in pairs:
            apart.setdefault(self.marks.get(pair, ""), []).append(pair)
        return apart.items()

    def quieted(self, line: Line) -> Line:
        """Marks a line that only walks: symbols are kept, and the state too."""
        stays = all(self.graph.has_edge(state, state, symbol) for state, symbol in line.pairs)
        return replace(line, quiet=line.action.startswith(f"{KEEP},") and stays)


def role_of(graph: nx.MultiDiGraph, members: Sequence[int]) -> str:
    """What a state is there for, by what it does."""
    steps = list(graph.out_edges(members, data=True))
    if not steps:
        return DEAD
    if any(graph.nodes[state]["halts"] for state in members):
        return HALTS
    writing = [step["write"] != step["read"] for _, _, step in steps]
    if any(
        state == after and step["move"] != MOVES[STAY] and not writes
        for (state, after, step), writes in zip(steps, writing, strict=True)
    ):
        return WALKS
    return WRITES if any(writing) else MOVES_ON


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
    nodes, framed = list(nodes), []
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
        framed.append(replace(group, loops=tuple(lines.values())))
    return nodes, tuple(framed)


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
