"""Questions to a model: worlds that lead where its raw graph has no rule, or differs from the expert.

A pair of a raw state and a symbol that was never seen is neither right nor wrong. The expert and the raw
graph walk together on a world that is made as they go: a cell gets its symbol when it is first read, one that
leads towards such a pair. The model is then asked what it does there. That a walk finds none proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from compiler.automata.explore import explore
from compiler.proofs.abstractions.input_automaton import InputRows, row_automaton
from compiler.proofs.equivalence import aligned
from compiler.proofs.joint_step import RIGHT_DIFFERS, joint_step
from gridlang.clauses.inputs import language_of
from gridlang.table import BLANK, DELTAS, Row, Table
from gridlang.world import Cell, World, string_world
from learners.evaluation.lockstep import Case
from learners.extraction.saturation import INPUTS
from learners.learning.limits import LIMITS

Pair = tuple[int, int]
Options = tuple[int, ...]  # symbols that a cell may hold


class JointGraph(NamedTuple):
    """The pairs of states that expert and raw graph reach together on any reads, and where they part.

    `parts` has, for a pair, the symbols on which the expert acts and the raw graph knows nothing, or does
    something else; `before` the pairs that lead to it.
    """

    left: Table
    rows: Sequence[Row]
    parts: dict[Pair, set[int]]
    before: dict[Pair, list[Pair]]

    def ahead(self, goal: Pair) -> dict[Pair, int]:
        """The fewest steps to a pair, from all that lead to it on some reads."""
        distance = {goal: 0}
        work = [goal]
        for pair in work:
            for earlier in self.before.get(pair, ()):
                if earlier not in distance:
                    distance[earlier] = distance[pair] + 1
                    work.append(earlier)
        return distance


class _Inputs:
    """What the cells of declared inputs may hold, read mostly from left to right, which is fast."""

    def __init__(self, rows: InputRows) -> None:
        self.rows = rows
        self.going_on = [
            tuple(symbol for symbol, after in enumerate(steps) if after is not None)
            for steps in rows.automaton.steps
        ]
        self.begin()

    def begin(self) -> None:
        self.first: dict[Cell, int] = {}
        self.state, self.read = 0, 0  # the automaton stands before column `read`; nothing beyond was read

    def options(self, cell: Cell) -> Options:
        if cell[1] != 0 or cell[0] < 0:
            return (0,)
        if cell[0] == self.read == len(self.first):
            return self.going_on[self.state]
        return tuple(self.rows.options(self.first, cell))

    def hold(self, cell: Cell, symbol: int) -> None:
        if cell[1] != 0 or cell[0] < 0:
            return
        if cell[0] == self.read == len(self.first):
            after = self.rows.automaton.steps[self.state][symbol]
            assert after is not None
            self.state, self.read = after, self.read + 1
        self.first[cell] = symbol

    def case(self, head: Cell, random: Random) -> Case | None:  # noqa: ARG002
        """An input that holds what was read, and some more; None if it does not meet the condition."""
        column = max((x for x, _ in self.first), default=-1) + 1
        for x in range(column, column + random.randint(0, LIMITS.symbols_beyond)):
            symbol = random.choice(self.options((x, 0)))
            self.hold((x, 0), symbol)
            if self.rows.symbols[symbol] == BLANK:
                break
        text = self.rows.complete(self.first)
        return text if self.rows.language.allows(text) else None


class _Worlds:
    """All worlds."""

    def __init__(self, symbols: tuple[str, ...]) -> None:
        self.symbols, self.any = symbols, tuple(range(len(symbols)))
        self.begin()

    def begin(self) -> None:
        self.first: dict[Cell, int] = {}

    def options(self, cell: Cell) -> Options:  # noqa: ARG002
        return self.any

    def hold(self, cell: Cell, symbol: int) -> None:
        self.first[cell] = symbol

    def case(self, head: Cell, random: Random) -> Case:
        """A world with what was read, and something beside the head."""
        cells = dict(self.first)
        if random.random() < 0.5:
            reach = range(-LIMITS.cells_beside, LIMITS.cells_beside + 1)
            near = [(head[0] + dx, head[1] + dy) for dx in reach for dy in reach]
            for cell in near:
                cells.setdefault(cell, random.randrange(len(self.symbols)))
        return World({cell: self.symbols[symbol] for cell, symbol in cells.items()})


def questions(expert: Table, raw: Table, scope: str, random: Random) -> list[Case]:
    """Worlds, or inputs, on which the raw graph parts from the expert; few of them for any one pair."""
    reader = _reader(expert, scope)
    graph = joint_graph(expert, raw) if reader else None
    if reader is None or graph is None or not graph.parts:
        return []
    goals = list(graph.parts)
    cases: list[Case] = []
    asked: dict[tuple[int, int, int], int] = {}
    for goal in random.sample(goals, min(len(goals), LIMITS.pairs_a_round)):
        ahead, nearest = graph.ahead(goal), dict[tuple[Pair, Options], Options]()
        for number in range(LIMITS.walks_a_pair):
            if all(asked.get((*goal, symbol), 0) >= LIMITS.walks_a_pair for symbol in graph.parts[goal]):
                break
            place = _walk(graph, reader, _Steering(ahead, nearest, asked, random, LIMITS.straying * number))
            case = None if place is None else reader.case(place, random)
            if case is not None:
                cases.append(case)
    return cases


def _reader(expert: Table, scope: str) -> _Inputs | _Worlds | None:
    if scope != INPUTS:
        return _Worlds(expert.symbols)
    language = language_of(expert)
    automaton = row_automaton(language, expert.symbols) if language else None
    return _Inputs(InputRows(language, expert.symbols, automaton)) if language and automaton else None


def joint_graph(expert: Table, raw: Table) -> JointGraph:
    """Both tables on one sequence of reads, whatever it is."""
    rows = aligned(expert, raw)
    parts: dict[Pair, set[int]] = {}
    before: dict[Pair, list[Pair]] = {}

    def successors(pair: Pair) -> Iterator[tuple[int, Pair]]:
        for symbol, entry in enumerate(expert.rows[pair[0]]):
            step = joint_step(entry, rows[pair[1]][symbol], symbol)
            if isinstance(step, tuple):
                after = (step[0].next, step[1])
                before.setdefault(after, []).append(pair)
                yield symbol, after
            elif step is RIGHT_DIFFERS:
                parts.setdefault(pair, set()).add(symbol)

    explore([(0, 0)], successors)
    return JointGraph(expert, rows, parts, before)


class _Steering(NamedTuple):
    """What a walk goes by: the steps to its goal, how often each place was asked about, and chance.

    `nearest` keeps, for the pairs where both go on whatever they read, the symbols after which the least is
    ahead: walks to one goal come back to these again and again.
    """

    ahead: Mapping[Pair, int]
    nearest: dict[tuple[Pair, Options], Options]
    asked: dict[tuple[int, int, int], int]
    random: Random
    straying: float


def _walk(
    graph: JointGraph,
    reader: _Inputs | _Worlds,
    steering: _Steering,
) -> Cell | None:
    """One walk; the cell where expert and raw graph part, None if they do not, or were asked about enough."""
    reader.begin()
    now: dict[Cell, int] = {}
    p = q = x = y = 0
    for _ in range(LIMITS.steps_a_walk):
        cell = (x, y)
        symbol = now.get(cell)
        if symbol is None:
            options = reader.options(cell)
            symbol = _chosen(graph, (p, q), options, steering)
            reader.hold(cell, symbol)
        step = joint_step(graph.left.rows[p][symbol], graph.rows[q][symbol], symbol)
        if not isinstance(step, tuple):
            times = steering.asked.get((p, q, symbol), 0)
            if step is not RIGHT_DIFFERS or times >= LIMITS.walks_a_pair:
                return None
            steering.asked[p, q, symbol] = times + 1
            return cell
        entry, q = step
        p = entry.next
        now[cell] = entry.write
        x, y = x + DELTAS[entry.move][0], y + DELTAS[entry.move][1]
    return None


def _chosen(graph: JointGraph, pair: Pair, options: Options, steering: _Steering) -> int:
    """The symbol after which the least is ahead, one of them by chance; sometimes any."""
    if len(options) == 1:
        return options[0]
    random = steering.random
    if random.random() < steering.straying:
        return random.choice(options)
    nearest = steering.nearest.get((pair, options))
    if nearest is None:
        nearest = _nearest(graph, pair, options, steering)
        if pair not in graph.parts:  # Where they part, what was asked about counts too.
            steering.nearest[pair, options] = nearest
    return nearest[0] if len(nearest) == 1 else random.choice(nearest)


def _nearest(graph: JointGraph, pair: Pair, options: Options, steering: _Steering) -> Options:
    """The symbols after which the least is ahead."""
    far = len(graph.before) + 1

    def cost(symbol: int) -> int:
        step = joint_step(graph.left.rows[pair[0]][symbol], graph.rows[pair[1]][symbol], symbol)
        if isinstance(step, tuple):
            return 1 + steering.ahead.get((step[0].next, step[1]), far)
        unasked = steering.asked.get((*pair, symbol), 0) < LIMITS.walks_a_pair
        return 0 if step is RIGHT_DIFFERS and unasked else 2 * far

    costs = [cost(symbol) for symbol in options]
    return tuple(symbol for symbol, least in zip(options, costs, strict=True) if least == min(costs))


def variants(expert: Table, case: Case) -> Iterator[Case]:
    """The case with one symbol changed: what one world shows, worlds like it show more of."""
    world = string_world(case) if isinstance(case, str) else case
    language = language_of(expert)
    for place, held in world.cells.items():
        for symbol in expert.symbols:
            changed = {**world.cells, place: symbol}
            if symbol == held:
                continue
            if not isinstance(case, str):
                yield World(changed, world.start)
            elif language is not None and language.declares(text := "".join(changed.values())):
                yield text
