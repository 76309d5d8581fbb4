"""One agent against another: what RIGHT shares with LEFT, what it lacks, where it departs.

Both run side by side on the same worlds, as long as they do the same. States that stand for each other match;
the first rule that departs from that is the cause, and told apart from where it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from gridlang.compiler.automata.state_graph import Pair
from gridlang.compiler.drawing.graphs import (
    AWAY,
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
    worst,
)
from gridlang.compiler.drawing.labels import HALT, KEEP, Line, instance_lines
from gridlang.compiler.proofs.equivalence import EVERYWHERE, Verdict, aligned
from gridlang.compiler.proofs.joint_step import (
    LEFT_STUCK,
    RIGHT_DIFFERS,
    Ending,
    Together,
    joint_run,
    joint_step,
)
from gridlang.printable import quoted_input
from gridlang.program import Program
from gridlang.table import MOVES, Row, Table
from gridlang.world import World

COMPARED_STEPS = 3_000  # steps per world of a comparison: some agents, as the ant, never halt
StatePair = tuple[int, int]  # a state of LEFT, one of RIGHT


class Departure(NamedTuple):
    """A rule of RIGHT or a missing one, the rule of LEFT that it should follow, and the step."""

    pair: Pair
    other: Pair
    step: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """How RIGHT fares against LEFT on some worlds.

    `marks` are for RIGHT's rules. `departures` are the rules that act otherwise than LEFT's or lead to the
    wrong state, and those that are missing; `symptoms` are rules that do right in themselves, but were
    reached by mistake and so do otherwise. `matches` has, for each state of RIGHT, those of LEFT that it
    stands for. `world` is one on which they differ, in the fewest steps that were seen; `cause` is the first
    departure there.
    """

    marks: Mapping[Pair, str]
    departures: Mapping[Pair, Departure]
    symptoms: Mapping[Pair, Departure]
    matches: tuple[tuple[int, ...], ...]
    lost: tuple[int, ...]  # states of LEFT without a match
    worlds: int
    world: World | None = None
    step: int = 0
    cause: Departure | None = None

    @property
    def more(self) -> tuple[int, ...]:
        """States of RIGHT that match none."""
        return tuple(state for state, matching in enumerate(self.matches) if not matching)

    @property
    def differing(self) -> frozenset[int]:
        """States of RIGHT with a rule that departs, is missing, or shows a mistake."""
        return frozenset(q for q, _ in (*self.departures, *self.symptoms))

    def missing(self, right: Table) -> dict[Pair, Pair]:
        """Pairs that RIGHT has no rule for, with LEFT's."""
        return {
            (q, x): departure.other
            for (q, x), departure in self.departures.items()
            if right.rows[q][x] is None
        }


@dataclass(slots=True)
class _Sightings:
    """What two agents did together: the symbols that a pair of states has read, and on how many worlds.

    A state of RIGHT that was reached by a mistake is seen together with a state of LEFT that it does not
    stand for; told apart, the rule that led there is the cause, and what that state does is where it shows.
    """

    left: Table
    right: Table
    rows: Sequence[Row]  # RIGHT's, in LEFT's symbols
    symbols: dict[StatePair, dict[int, None]] = field(default_factory=dict)
    worlds: dict[StatePair, int] = field(default_factory=dict)

    def add(self, run: Iterable[Together]) -> tuple[Together, ...]:
        moments = tuple(run)
        for moment in moments:
            self.symbols.setdefault((moment.left, moment.right), {})[moment.symbol] = None
        for pair in {(moment.left, moment.right) for moment in moments}:
            self.worlds[pair] = self.worlds.get(pair, 0) + 1
        return moments

    def departs(self, pair: StatePair, symbol: int, related: Mapping[StatePair, object]) -> bool:
        """Whether RIGHT acts otherwise here, or goes where it should not."""
        p, q = pair
        step = joint_step(self.left.rows[p][symbol], self.rows[q][symbol], symbol)
        if isinstance(step, Ending):
            return step is RIGHT_DIFFERS
        return (step[0].next, step[1]) not in related and (step[0].next, step[1]) in self.symbols

    def pair(self, state: int, symbol: int) -> Pair:
        """A pair of RIGHT, for a symbol of LEFT."""
        return state, self.right.symbols.index(self.left.symbols[symbol])

    def _likeness(self, pair: StatePair) -> tuple[bool, int]:
        return self.left.states[pair[0]] == self.right.states[pair[1]], self.worlds[pair]

    def related(self) -> dict[StatePair, None]:
        """The pairs that stand for each other: counterparts, and all that depart no more often than they do.

        So a state of RIGHT may stand for several of LEFT, as in a smaller agent that does the same.
        """
        # the counterpart of a state of RIGHT has the same name, or was seen with it most often
        chosen: dict[int, int] = {}
        for p, q in sorted(self.worlds, key=self._likeness, reverse=True):
            chosen.setdefault(q, p)
        related = dict.fromkeys(self.symbols)
        while True:
            departures = {
                pair: sum(self.departs(pair, symbol, related) for symbol in self.symbols[pair])
                for pair in related
            }
            worse = [
                (p, q) for p, q in related if chosen[q] != p and departures[p, q] > departures[chosen[q], q]
            ]
            if not worse:
                return related
            for pair in worse:
                del related[pair]


def compare(left: Table, right: Table, worlds: Iterable[World], steps: int = COMPARED_STEPS) -> Difference:
    """Runs both on each world; GridError where the alphabets differ."""
    seen = _Sightings(left, right, aligned(left, right).rows)
    shortest: tuple[Together, ...] = ()
    shown, count = None, 0
    for count, world in enumerate(worlds, 1):  # noqa: B007
        moments = seen.add(joint_run(left, seen.rows, world, steps))
        if moments and moments[-1].step is RIGHT_DIFFERS and (not shown or len(moments) < len(shortest)):
            shortest, shown = moments, world
    related = seen.related()
    marks, departures, symptoms = _marks(seen, related)
    mine, theirs = range(len(right.states)), range(len(left.states))
    matches = tuple(tuple(p for p in theirs if (p, q) in related) for q in mine)
    lost = tuple(p for p in theirs if not any((p, q) in related for q in mine))
    causes = (
        Departure(seen.pair(m.right, m.symbol), (m.left, m.symbol), step)
        for step, m in enumerate(shortest, 1)
        if seen.departs((m.left, m.right), m.symbol, related)
    )
    cause = next(causes, None)
    return Difference(marks, departures, symptoms, matches, lost, count, shown, len(shortest), cause)


def _marks(
    seen: _Sightings, related: Mapping[StatePair, None]
) -> tuple[dict[Pair, str], dict[Pair, Departure], dict[Pair, Departure]]:
    """Marks each rule of RIGHT that departs, or only shows a departure."""
    found: dict[Pair, list[str]] = {}
    departures: dict[Pair, Departure] = {}
    symptoms: dict[Pair, Departure] = {}
    for (p, q), symbols in seen.symbols.items():
        for symbol in symbols:
            pair = seen.pair(q, symbol)
            step = joint_step(seen.left.rows[p][symbol], seen.rows[q][symbol], symbol)
            mark = EXTRA if step is LEFT_STUCK else SAME
            if (p, q) in related and seen.departs((p, q), symbol, related):
                mark = DIFFERS
                departures.setdefault(pair, Departure(pair, (p, symbol)))
            elif step is RIGHT_DIFFERS:
                mark = SHOWS
                symptoms.setdefault(pair, Departure(pair, (p, symbol)))
            found.setdefault(pair, []).append(mark)
    symptoms = {pair: each for pair, each in symptoms.items() if pair not in departures}
    marks = {(q, x): worst(found.get((q, x), [AWAY])) for q, x, _ in seen.right.entries()}
    return marks, departures, symptoms


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


def _act(table: Table, pair: Pair) -> str:
    entry = table.rows[pair[0]][pair[1]]
    if entry is None:
        return "is stuck"
    if entry.is_idle(pair[1]):
        return f"does {HALT}"
    write = KEEP if entry.write == pair[1] else table.symbols[entry.write]
    return f"does {write}, {MOVES[entry.move]}"


def departure_in_words(left: Table, right: Table, departure: Departure) -> str:
    """What RIGHT's state does, and LEFT's: `on 1 goes to shift(0), where carry(1) goes to shift(1)`."""
    (q, x), (p, y) = departure.pair, departure.other
    entry, other = left.rows[p][y], right.rows[q][x]
    on = f"on {right.symbols[x]}"
    if entry is None or other is None:
        return f"has no rule for {right.symbols[x]}, where {left.states[p]} {_act(left, (p, y))}"
    mine, theirs = _act(right, (q, x)), _act(left, (p, y))
    if (right.symbols[other.write], other.move) == (left.symbols[entry.write], entry.move):
        mine, theirs = f"goes to {right.states[other.next]}", f"goes to {left.states[entry.next]}"
    return f"{on} {mine}, where {left.states[p]} {theirs}"


def cause_in_words(left: Program, right: Program, difference: Difference) -> str:
    """The first rule that departs, with its line if it has a file; else empty."""
    if difference.cause is None:
        return ""
    (q, _), rule = difference.cause.pair, right.rules.get(difference.cause.pair)
    words = departure_in_words(left.table, right.table, difference.cause)
    known = rule is not None and not rule.span.source.path.startswith("<")
    place = f"line {rule.span.line}, " if rule is not None and known else ""
    return f"the cause, at step {difference.cause.step}: {place}{right.table.states[q]} {words}"


def differing_rules(left: Table, right: Table, difference: Difference) -> list[tuple[Pair, str]]:
    """In words: the cause, other rules that depart, and what those do that show it."""
    first = {difference.cause.pair: difference.cause} if difference.cause else {}
    departing = first | dict(sorted(difference.departures.items())) | first
    sentences = [(pair, departure_in_words(left, right, each)) for pair, each in departing.items()]
    for pair, each in sorted(difference.symptoms.items()):
        words = departure_in_words(left, right, each)
        sentences.append((pair, f"{words}: right in itself, it is reached by mistake"))
    return sentences


def difference_graph(
    left: Program, right: Program, difference: Difference, fold: bool | None = None
) -> StateGraph:
    """RIGHT's graph with marks, and what only LEFT has; where a rule leads astray, also where it should."""
    graph = state_graph(right, fold, difference.marks)
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
    """LEFT's lines, without rules of RIGHT."""
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
