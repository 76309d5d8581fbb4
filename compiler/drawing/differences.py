"""Two agents as one graph: what RIGHT has in common with LEFT, what it lacks, and where it differs.

Both run side by side on the same worlds, as long as they do the same. States that are reached together match;
what was never reached is told apart from what was seen to differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from compiler.drawing.graphs import (
    AWAY,
    DIFFERS,
    EXTRA,
    MISSING,
    SAME,
    Edge,
    Node,
    StateGraph,
    role_of,
    state_graph,
    worst,
)
from compiler.drawing.labels import Line, instance_lines
from compiler.proofs.equivalence import EVERYWHERE, Verdict, aligned
from compiler.proofs.joint_step import LEFT_STUCK, RIGHT_DIFFERS, joint_run, joint_step
from compiler.state_graph import Pair, to_networkx
from gridlang.printable import quoted_input
from gridlang.program import Program
from gridlang.table import Row, Table
from gridlang.world import World

if TYPE_CHECKING:
    import networkx as nx

STEPS = 3_000  # A run is left after so many: some agents, as the ant, never halt.


@dataclass(frozen=True, slots=True)
class Difference:
    """How RIGHT fares against LEFT, on so many worlds.

    `marks` are for RIGHT's rules; `missing` tells for pairs that RIGHT has no rule for which pair of LEFT has
    one. `matches` has, for each state of RIGHT, those of LEFT that it was reached with. `world` is one on
    which they differ, in the fewest steps that were seen.
    """

    marks: Mapping[Pair, str]
    missing: Mapping[Pair, Pair]
    matches: tuple[tuple[int, ...], ...]
    lost: tuple[int, ...]  # These states of LEFT were never reached together with one of RIGHT.
    worlds: int
    world: World | None = None
    step: int = 0

    @property
    def more(self) -> tuple[int, ...]:
        """States of RIGHT that match none."""
        return tuple(state for state, matching in enumerate(self.matches) if not matching)


def compare(left: Table, right: Table, worlds: Iterable[World], steps: int = STEPS) -> Difference:
    """Runs both on each world; GridError where the alphabets differ."""
    rows = aligned(left, right)
    together: dict[tuple[int, int, int], None] = {}
    first, shown = steps + 1, None
    cases = list(worlds)
    for world in cases:
        for at, moment in enumerate(joint_run(left, rows, world, steps), 1):
            together[moment.left, moment.right, moment.symbol] = None
            if moment.step is RIGHT_DIFFERS and at < first:
                first, shown = at, world
    marks, missing = _marks(left, right, rows, together)
    matches: list[dict[int, None]] = [{} for _ in right.states]
    for p, q, _ in together:
        matches[q][p] = None
    known = {p for matching in matches for p in matching}
    return Difference(
        marks,
        missing,
        tuple(tuple(sorted(matching)) for matching in matches),
        tuple(p for p in range(len(left.states)) if p not in known),
        len(cases),
        shown,
        first if shown else 0,
    )


def _marks(
    left: Table, right: Table, rows: tuple[Row, ...], together: Iterable[tuple[int, int, int]]
) -> tuple[dict[Pair, str], dict[Pair, Pair]]:
    here = [right.symbols.index(symbol) for symbol in left.symbols]
    seen: dict[Pair, list[str]] = {}
    missing: dict[Pair, Pair] = {}
    for p, q, symbol in together:
        entry, other = left.rows[p][symbol], rows[q][symbol]
        pair = (q, here[symbol])
        if entry is not None and other is None:
            missing.setdefault(pair, (p, symbol))
        elif other is not None:
            step = joint_step(entry, other, symbol)
            mark = EXTRA if step is LEFT_STUCK else DIFFERS if step is RIGHT_DIFFERS else SAME
            seen.setdefault(pair, []).append(mark)
    return {(q, x): worst(seen.get((q, x), [AWAY])) for q, x, _ in right.entries()}, missing


def difference_graph(
    left: Program, right: Program, difference: Difference, fold: bool | None = None
) -> StateGraph:
    """RIGHT's graph with marks, and what only LEFT has."""
    graph = state_graph(right, fold, difference.marks)
    home = {state: number for number, node in enumerate(graph.nodes) for state in node.members}
    nodes = [replace(node, mark=_node_mark(node, difference)) for node in graph.nodes]
    edges = list(graph.edges)
    place = {p: home[q] for q, matching in reversed(list(enumerate(difference.matches))) for p in matching}
    other = to_networkx(left.table, left.rules)
    titles = {family.name: family.title for family in left.table.families}
    for members in _lost_nodes(other, difference.lost, graph.folded):
        place |= dict.fromkeys(members, len(nodes))
        nodes.append(_lost_node(other, members, titles))
    wanted: dict[tuple[int, int], list[Pair]] = {}
    for (q, _), (p, x) in difference.missing.items():
        entry = left.table.rows[p][x]
        assert entry is not None
        wanted.setdefault((home[q], place.get(entry.next, home[q])), []).append((p, x))
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
    rules = [mark for (q, _), mark in difference.marks.items() if q in node.members]
    lacking = [MISSING for q, _ in difference.missing if q in node.members]
    if all(not difference.matches[q] for q in node.members):
        return EXTRA
    return DIFFERS if worst(rules) == DIFFERS or lacking else SAME


def _lost_nodes(graph: nx.MultiDiGraph, lost: Iterable[int], folded: bool) -> Iterable[tuple[int, ...]]:
    groups: dict[str, list[int]] = {}
    for state in lost:
        node = graph.nodes[state]
        groups.setdefault((node["family"] if folded else "") or node["name"], []).append(state)
    return map(tuple, groups.values())


def _lost_node(graph: nx.MultiDiGraph, members: tuple[int, ...], titles: Mapping[str, str]) -> Node:
    first, role = graph.nodes[members[0]], role_of(graph, members)
    if len(members) > 1:
        return Node(titles[first["family"]], (), role, note=f"{len(members)} states", mark=MISSING)
    return Node(first["name"], (), role, mark=MISSING)


def in_words(difference: Difference, verdict: Verdict | None, right: str, left: str) -> str:
    """One sentence for people."""
    if verdict is None:
        runs = f"on {difference.worlds:,} worlds, tested, not proven"
        if difference.world is None:
            return f"{right} does what {left} does {runs}"
        return f"different: {right} does not do what {left} does, at step {difference.step}"
    if verdict.equivalent:
        return f"proven: {right} does what {left} does, {EVERYWHERE.get(verdict.scope, 'as far as was seen')}"
    if verdict.equivalent is None:
        return f"unknown whether {right} does what {left} does: {verdict.reason}"
    steps = len(verdict.counterexample or ())
    where = f" on the input {quoted_input(verdict.input)}" if verdict.input is not None else ""
    return f"different: {right} does not do what {left} does, at step {steps}{where}"


def differing_rules(left: Table, right: Table, difference: Difference) -> list[tuple[int, str]]:
    """For people: a state of RIGHT, and what it does otherwise than LEFT."""
    sentences = []
    for (q, x), mark in difference.marks.items():
        if mark == DIFFERS:
            others = [left.states[p] for p in difference.matches[q]]
            sentences.append((q, f"on {right.symbols[x]} does otherwise than {' or '.join(others[:3])}"))
    for (q, x), (p, _) in difference.missing.items():
        sentences.append((q, f"has no rule for {right.symbols[x]}; {left.states[p]} has one"))
    return sorted(sentences)
