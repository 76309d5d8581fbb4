"""A function that acts, learned by questions to it alone; what is learned is tested, not proven."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple, TypeAlias

from gridlang.compiler.extraction.asking import (
    STUCK,
    Contradiction,
    Learner,
    Reads,
    State,
    Teacher,
    asked,
    state_of,
)
from gridlang.compiler.weights.families.known import table_to_families
from gridlang.compiler.weights.families.readable import named
from gridlang.diagnostics import counted, fail
from gridlang.table import BLANK, MOVES, Table

Step: TypeAlias = Callable[[Any, str], tuple[str, str, Any] | None]

LENGTHS = (2, 4, 8, 16, 32, 64, 128, 256)  # of random tests
EACH = 50  # random tests of a length


class LearnedBlackBox(NamedTuple):
    """The table of a function, and how far it was tested; nothing about it is proven.

    >>> import gridlang as gl
    >>> def flip(state, symbol):
    ...     return None if symbol == "_" else ("1" if symbol == "0" else "0", "R", state)
    >>> gl.learn(flip, symbols="01")
    LearnedBlackBox(1 state, 350 queries; tested, not proven: equal if the function has at most 3 states)
    """

    table: Table
    queries: int
    steps: int  # calls of the function
    extra: int  # states that the function may have beyond those of the table

    @property
    def claim(self) -> str:
        most = len(self.table.states) + self.extra
        return f"tested, not proven: equal if the function has at most {counted(most, 'state')}"

    def to_source(self) -> str:
        """The table as a `.grid` file; `gridlang.loads` reads it back."""
        return table_to_families(self.table).text

    def __repr__(self) -> str:
        states = counted(len(self.table.states), "state")
        return f"LearnedBlackBox({states}, {self.queries:,} queries; {self.claim})"


def learn_black_box(
    step: Step,
    start: Any,
    symbols: str | None,
    extra: int,
    steps: int,
    seed: int,
    tell: Callable[[str], None],
) -> LearnedBlackBox:
    """The smallest table that no test tells from the function."""
    function = BlackBox(step, symbols, steps)
    teacher, random = Teacher(len(function.table.symbols), function.act, start), Random(seed)
    try:
        found = asked(
            teacher,
            function.table,
            lambda learner, _: failed_test(learner, extra, random),
            lambda states, queries: tell(f"asking: {states:,} states, {queries:,} queries"),
        )
    except Contradiction as contradiction:
        word = "".join(function.table.symbols[read] for read in contradiction.reads)
        hint = "it must depend on its arguments alone, and change neither"
        raise ValueError(f"on {word!r} the function acts otherwise than before; {hint}") from None
    return LearnedBlackBox(named(found.table), found.queries, found.steps, extra)


class BlackBox:
    """A function with numbers for symbols and acts; a call too many is refused."""

    def __init__(self, step: Step, symbols: str | None, steps: int) -> None:
        if not symbols or any(len(symbol) != 1 for symbol in symbols):
            raise ValueError(f"say which symbols the function reads, as in symbols='01', not {symbols!r}")
        names = (BLANK, *dict.fromkeys(symbol for symbol in symbols if symbol != BLANK))
        called = getattr(step, "__name__", "")
        name = called if called.isidentifier() else "learned"
        self.table = Table(name, names, ("q0",), ((None,) * len(names),))
        self.step, self.left, self.steps = step, steps, steps
        self.writes = {symbol: number * len(MOVES) for number, symbol in enumerate(names)}
        self.moves = {move: number for number, move in enumerate(MOVES)}

    def act(self, state: Any, read: int) -> tuple[int, Any]:
        self.left -= 1
        if self.left < 0:
            hint = "one that counts without bound has no table; else give more `steps`, or less `extra`"
            raise fail("G083", f"{self.steps:,} steps do not suffice to learn `{self.table.name}`", hint)
        symbol = self.table.symbols[read]
        answer = self.step(state, symbol)
        if answer is None:
            return STUCK, state
        try:
            write, move, after = answer
            return self.writes[write] + self.moves[move], after
        except (TypeError, ValueError, KeyError):
            call = f"{self.table.name}({state!r:.40}, {symbol!r})"
            wanted = (
                f"(symbol, move, state), of {' '.join(self.writes)} and {' '.join(MOVES)}, or None if stuck"
            )
            raise TypeError(f"{call} returns {answer!r:.60}, not {wanted}") from None


def failed_test(learner: Learner, extra: int, random: Random) -> Reads | None:
    """Reads on which the table so far and its teacher differ; None if it passes all tests."""
    for reads in tests(learner, extra, random):
        if learner.run(reads) != learner.teacher.ask(reads):
            return reads
    return None


def tests(learner: Learner, extra: int, random: Random) -> Iterator[Reads]:
    """Random reads, then those that any agent fails that differs and has up to `extra` states more.

    The reads to each state, all up to one more than `extra` from there, and those that tell the reached state
    from all others (Chow 1978; with the latter of each state, Luo, Petrenko and Bochmann 1995).
    """
    for length in LENGTHS:
        for _ in range(EACH):
            yield random_reads(learner, length, random)
    for state in learner.states:
        ways: list[tuple[Reads, State]] = [(state.access, state)]
        for left in reversed(range(extra + 2)):
            longer = []
            for reads, at in ways:
                yield from (reads + telling for telling in telling_apart(at))
                for read, node in enumerate(at.next if left else ()):
                    if node is None:
                        yield (*reads, read)
                    else:
                        longer.append(((*reads, read), state_of(node)))
            ways = longer


def telling_apart(state: State) -> list[Reads]:
    """Reads that tell this state from each other one; none where it is the only one."""
    found, node = [], state.leaf.parent
    while node is not None:
        found.append(node.reads)
        node = node.parent
    return found or [()]


def random_reads(learner: Learner, length: int, random: Random) -> Reads:
    """Reads after which the table so far goes on, as far as there are any, and one more."""
    reads: list[int] = []
    state = learner.states[0]
    symbols = range(len(state.next))
    while len(reads) < length and (going := [read for read in symbols if state.next[read] is not None]):
        reads.append(random.choice(going))
        node = state.next[reads[-1]]
        assert node is not None
        state = state_of(node)
    return (*reads, random.choice(symbols))
