"""From a program to its state graph: parallel edges merged, families grouped or folded into one node each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from gridlang.compiler.automata.state_graph import Pair
from gridlang.compiler.drawing.labels import HALT, KEEP, Line, family_lines, in_words, instance_lines
from gridlang.program import Program
from gridlang.syntax import tree as s
from gridlang.table import STAY, Member, Table

GLANCE = 32  # edges that can be followed one by one: larger graphs are folded
MOST_CHIPS = 120  # with more members listed, a family's box would be the largest of the drawing

HALTS, WALKS, WRITES, MOVES_ON, DEAD = "halts", "walks", "writes", "moves", "stuck"
ROLES = {
    HALTS: "may halt",
    WALKS: "walks",
    WRITES: "writes",
    MOVES_ON: "only moves",
    DEAD: "has no rules",
}
Rules = Mapping[Pair, s.Rule]
NO_MARKS: Mapping[Pair, str] = MappingProxyType({})
# marks of a rule, from good to bad
GUESSED, SAME, AWAY, EXTRA, MISSING = "guessed", "same", "away", "extra", "missing"
SHOWS, DIFFERS = "shows", "differs"


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
    is_halt: bool = False  # the target `halt`, which nobody declares

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
class StateGraph:
    """What is drawn. The start is node 0."""

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    folded: bool = False

    def all_lines(self) -> list[Line]:
        """Every line, as drawings number them."""
        inner = [line for node in self.nodes for line in node.lines]
        return inner + [line for edge in self.edges for line in edge.lines]


def families(table: Table) -> dict[str, tuple[int, ...]]:
    """The states of each family of two or more, in the order of their values."""
    return {
        family.name: tuple(member.state for member in sorted(family.members, key=_by_values))
        for family in table.families
        if len(family.members) > 1
    }


def _by_values(member: Member) -> list[list[tuple[int, int, str]]]:
    return [in_order(str(value)) for value in member.values]


def in_order(text: str) -> list[tuple[int, int, str]]:
    """A sort key: numbers within a text by size, the rest by letters."""
    words = re.split(r"(\d{1,9})", text)
    return [(0, int(word), "") if word.isdecimal() else (1, 0, word) for word in words]


def _family_rules(program: Program) -> Rules:
    """The rules of declared families; states of other families have their own labels."""
    agent = program.definition.agent if program.definition else None
    headers = [declared.header for declared in (agent.states if agent else ())]
    declared = {name.name for header in headers if header.params for name in header.names}
    states = {state for state, home in program.table.family_by_state().items() if home.name in declared}
    return {pair: rule for pair, rule in program.rules.items() if pair[0] in states}


def folds(table: Table) -> bool:
    """Whether a graph is folded by default: if it is large and has families."""
    edges = {(state, entry.next) for state, _, entry in table.entries() if entry.next != state}
    return len(edges) > GLANCE and bool(families(table))


def state_graph(
    program: Program, fold: bool | None = None, marks: Mapping[Pair, str] = NO_MARKS
) -> StateGraph:
    """The graph of a program, its families folded into one node each or not; `marks` mark its rules."""
    table = program.table
    known = families(table)
    folded = folds(table) if fold is None else fold and bool(known)
    view = _View(table, _family_rules(program), marks, program.guesses)
    member = {state: states for states in known.values() for state in states} if folded else {}
    clusters = list(dict.fromkeys(member.get(state, (state,)) for state in range(len(table.states))))
    home = {state: node for node, states in enumerate(clusters) for state in states}
    nodes = [view.node(states) for states in clusters]
    return StateGraph(table.name, tuple(nodes), tuple(view.edges(clusters, home)), folded)


@dataclass(frozen=True, slots=True)
class _View:
    """A table, and what its nodes and edges are called in a drawing."""

    table: Table
    rules: Rules
    marks: Mapping[Pair, str]
    guesses: frozenset[Pair]

    def node(self, states: tuple[int, ...]) -> Node:
        halts, inside, within = [], [], set(states)
        for state in states:
            for symbol, entry in enumerate(self.table.rows[state]):
                if entry is not None and entry.is_idle(symbol):
                    halts.append((state, symbol))
                elif entry is not None and entry.next in within:
                    inside.append((state, symbol))
        name, note, chips = self.names(states)
        return Node(
            name=name,
            members=states,
            role=role_of(self.table, states),
            start=0 in within,
            note=note,
            loops=tuple(map(self.quieted, self.lines(states, inside))),
            halts=tuple(
                Line(in_words(self.table, sorted({x for _, x in same})), HALT, tuple(same), mark=mark)
                for mark, same in self.by_mark(halts)
            ),
            chips=chips,
            is_halt=len(states) == 1 and self.table.is_halt_target(states[0]),
        )

    def names(self, states: tuple[int, ...]) -> tuple[str, str, tuple[str, ...]]:
        """The name of a node, a note and its chips; a state that stands alone has a name only."""
        if len(states) == 1:
            return self.table.states[states[0]], "", ()
        family = self.table.family_by_state()[states[0]]
        values = {member.state: ",".join(map(str, member.values)) for member in family.members}
        chips = tuple(values[state] for state in states) if len(states) <= MOST_CHIPS else ()
        return family.title, f"{len(states)} states", chips

    def edges(self, clusters: Sequence[tuple[int, ...]], home: Mapping[int, int]) -> Iterable[Edge]:
        """One edge for all steps from node to node."""
        joined: dict[tuple[int, int], list[Pair]] = {}
        for state, symbol, entry in self.table.entries():
            if home[state] != home[entry.next]:
                joined.setdefault((home[state], home[entry.next]), []).append((state, symbol))
        for (source, target), pairs in joined.items():
            lines = self.lines(clusters[source], sorted(pairs))
            yield Edge(source, target, tuple(lines), worst(line.mark for line in lines))

    def lines(self, members: Sequence[int], pairs: Iterable[Pair]) -> list[Line]:
        """Lines for pairs of one node; each mark has its own lines."""
        lines: list[Line] = []
        for mark, same in self.by_mark(pairs):
            alone = len(members) == 1
            plain = instance_lines(self.table, same) if alone else family_lines(self.table, self.rules, same)
            lines += [replace(line, mark=mark or self.guessed(line)) for line in plain]
        return lines

    def guessed(self, line: Line) -> str:
        return GUESSED if self.guesses.issuperset(line.pairs) else ""

    def by_mark(self, pairs: Iterable[Pair]) -> Iterable[tuple[str, list[Pair]]]:
        apart: dict[str, list[Pair]] = {}
        for pair in pairs:
            apart.setdefault(self.marks.get(pair, ""), []).append(pair)
        return apart.items()

    def quieted(self, line: Line) -> Line:
        """Marks a line that only walks: symbols are kept, and the state too."""
        after = [(state, self.table.rows[state][symbol]) for state, symbol in line.pairs]
        stays = all(entry is not None and entry.next == state for state, entry in after)
        return replace(line, quiet=line.action.startswith(f"{KEEP},") and stays)


def role_of(table: Table, states: Sequence[int]) -> str:
    steps = [
        (state, symbol, entry)
        for state in states
        for symbol, entry in enumerate(table.rows[state])
        if entry is not None
    ]
    if not steps:
        return DEAD
    if any(entry.is_idle(symbol) for _, symbol, entry in steps):
        return HALTS
    if any(
        state == entry.next and entry.move != STAY and entry.write == symbol for state, symbol, entry in steps
    ):
        return WALKS
    return WRITES if any(entry.write != symbol for _, symbol, entry in steps) else MOVES_ON


def worst(marks: Iterable[str]) -> str:
    order = (GUESSED, "", SAME, AWAY, EXTRA, MISSING, SHOWS, DIFFERS)
    return max(marks, key=order.index, default="")
