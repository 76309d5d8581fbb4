"""Expected columns: what an `output` clause wants in each column, as the input is read from the left.

Of `a + 1`, the digit wanted in a column depends on its own digit and on the carry from its right. So a
column's place holds the carry, guessed from the left, and no guess but the right one reaches the end of the
input. Then every input has exactly one path of places, and each place knows what is wanted there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gridlang.compiler.automata.explore import TooLarge, explore, steps_ahead
from gridlang.compiler.proofs.abstractions.columns import Anchor, Columns, ExpectedColumns
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.verifier.clauses.conditions import declared
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.readings import Reading, reading_of
from gridlang.compiler.verifier.clauses.verdicts import NOTHING
from gridlang.compiler.verifier.tables import Rules, Wrong
from gridlang.table import BLANK


def expected_columns(left: Rules, anchor: Anchor) -> ExpectedColumns:
    """The places of a clause, on inputs that meet their condition if LEFT has one; Unsaid if it has none."""
    try:
        clause = declared(left)
        reading = reading_of(left, clause, ("end" if anchor.end else "start", anchor.offset))
        return places_of(clause, left.symbols, reading, anchor)
    except Wrong as wrong:
        raise Unsaid(str(wrong).replace("its output clause", "the clause")) from None


class _Place(NamedTuple):
    """A column of the input: the clause before it, the reading before and after it, and what is wanted. That
    the state after it is told makes neighbours agree, whatever symbol stands there.
    """

    here: int
    state: Any
    later: Any
    wanted: int


class _Beyond(NamedTuple):
    """A column after the input: what is wanted there and in the next ones."""

    rest: tuple[int, ...]

    @property
    def wanted(self) -> int:
        return self.rest[0] if self.rest else NOTHING


def places_of(
    clause: InputClause, symbols: tuple[str, ...], reading: Reading, anchor: Anchor
) -> ExpectedColumns:
    """The product of the clause and the reading, without what leads to no end."""
    if BLANK in clause.reading:
        raise Unsaid("a blank may stand in an input, so its end cannot be seen")

    def entered(here: int, state: Any) -> Iterator[_Place | _Beyond]:
        rest = reading.ended(state) if clause.may_end(here) else None
        if rest is not None:
            yield _Beyond(rest)
        told = [_Place(here, state, later, wanted) for _, _, later, wanted in read(here, state)]
        yield from dict.fromkeys(told)

    def read(here: int, state: Any) -> Iterator[tuple[str, int, Any, int]]:
        for symbol in symbols:
            there = clause.step(here, symbol)
            if there:
                for later, wanted in reading.step(state, clause.part_read(here, symbol), symbol):
                    yield symbol, there, later, wanted

    def successors(place: _Place | _Beyond) -> Iterator[tuple[str, _Place | _Beyond]]:
        if isinstance(place, _Beyond):
            yield BLANK, _Beyond(place.rest[1:])
            return
        for symbol, after, later, wanted in read(place.here, place.state):
            if (later, wanted) == (place.later, place.wanted):
                yield from ((symbol, next_place) for next_place in entered(after, later))

    starts = [(place, left) for state, left in reading.starts for place in entered(clause.start(), state)]
    try:
        reached = explore([place for place, _ in starts], successors, LIMITS.most_input_states).nodes
    except TooLarge:
        raise Unsaid("too many columns would have to be told apart") from None
    ends = [place for place in reached if isinstance(place, _Beyond)]
    live = steps_ahead(ends, reached, lambda place: [after for _, after in successors(place)])
    kept = [place for place in reached if place in live]
    number = {place: index for index, place in enumerate(kept)}
    steps = []
    for place in kept:
        row: list[set[int]] = [set() for _ in symbols]
        for symbol, after in successors(place):
            if after in number:
                row[symbols.index(symbol)].add(number[after])
        steps.append(tuple(tuple(sorted(afters)) for afters in row))
    lefts = list(dict.fromkeys(left[at:] for _, left in starts for at in range(len(left) + 1)))
    beside: dict[int, set[int]] = {}
    for place, left in starts:
        if place in number:
            beside.setdefault(number[place], set()).add(lefts.index(left))
    return ExpectedColumns(
        Columns(tuple(beside), tuple(steps)),
        tuple(tuple(sorted(near)) for near in beside.values()),
        tuple((lefts.index(left[1:]),) for left in lefts),
        tuple(place.wanted for place in kept),
        tuple(left[0] if left else reading.left for left in lefts),
        reading.zero,
        anchor,
    )
