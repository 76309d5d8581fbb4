"""The part of `verify` that knows what an output clause wants in each column of a declared input.

Three forms are known, and no others:

(R1) k * a + c, or a div k, a being the first part: the digits stand in the columns of a, those that are more
     to the left of it, the last one where the last one of a was;
(R2) a part that is no number: as it is, in its own columns;
(R3) verdicts: `verdicts`.

What is wanted in a column is a symbol, LEADING for a column to the left of a number, or NOTHING. It is said
by a reading: a machine that reads the input from the left, guesses, and comes to the end only if it has
guessed right. For (R1) a state is what comes into the column at its left: B * state + wanted = k * digit +
next state; or the rest of a division.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from compiler.verifier.input_clauses import InputClause
from compiler.verifier.limits import LIMITS
from compiler.verifier.output_clauses import Node, OutputClause, Word, is_number, linear
from compiler.verifier.tables import Rules, check
from compiler.verifier.verdicts import NOTHING, Told

LEADING = -1
ORDERED = {"ZZ", "ZD", "DD", "DB", "BB"}  # columns of a number beside each other, by (V9) (b)


class Reading(NamedTuple):
    """What is wanted, as the input is read from the left; see (R1) to (R3)."""

    starts: list[tuple[Any, Word]]  # with what is wanted to the left of the input, nearest first
    left: int  # what is wanted further left
    zero: int | None  # of a number: zeros may stand before it
    form: Any

    def step(self, state: Any, part: int, symbol: str) -> list[tuple[Any, int]]:
        """States after a symbol of a part, each with what is wanted in its column."""
        return list(self.form.step(state, part, symbol))

    def ended(self, state: Any) -> Word | None:
        """What is wanted after the input; None where it cannot have ended."""
        after: Word | None = self.form.ended(state)
        return after


def held(cell: int, wanted: int, zero: int | None) -> str:
    """B, D or Z of (V9) (b) for a cell in the row of the result; Wrong if it does not hold what is wanted."""
    if wanted == NOTHING and cell == 0:
        return "B"
    if (wanted == LEADING and cell == zero) or (wanted >= 0 and cell == wanted):
        return "D"
    check(cell == 0 and wanted in (LEADING, zero), "evidence", "LEFT may halt where a result is wrong")
    return "Z"


def reading_of(left: Rules, inputs: InputClause, anchor: tuple[str, int] | None) -> Reading:
    """The reading of LEFT's output clause; Wrong if it is of none of the forms."""
    clause = OutputClause(left, inputs)
    form = _number(clause.node)
    if form is not None:
        check(clause.members[0] == clause.digits, "left", "its output clause has digits of another class")
        check(max(form) <= LIMITS.constant, "left", "its output clause has too large numbers")
        (factor, addend, divisor), digits = form, clause.digits
        numbers = [left.symbols.index(digit) for digit in digits]
        if divisor > 1:
            return Reading([(0, ())], LEADING, numbers[0], _Quotient(digits, numbers, divisor))
        line = _Line(digits, numbers, factor, addend)
        return Reading([(c, line.outwards(c)) for c in sorted(line.carries)], LEADING, numbers[0], line)
    if clause.node[0] == "part":
        return Reading([(None, ())], NOTHING, None, _Copy(left.symbols, clause.node[1]))
    check(anchor is not None, "evidence, result", "it does not say where the text stands")
    assert anchor is not None
    told = Told(clause, *anchor)
    return Reading(told.starts(), NOTHING, None, told)


def _number(node: Node) -> tuple[int, int, int] | None:
    """(R1): factor, what is added, and divisor; None for another form."""
    if node[0] == "div":
        known = node[1] == ("number", 0) and is_number(node[2]) and node[2][1] > 1
        return (1, 0, node[2][1]) if known else None
    factor, other, addend = linear(node) or (0, 0, 0)
    return (factor, addend, 1) if factor and not other else None


class _Line:
    """(R1), k * a + c: a state is what comes in at the left of a column; "over" is after the part."""

    def __init__(self, digits: str, numbers: list[int], factor: int, addend: int) -> None:
        self.digits, self.numbers, self.factor, self.addend = digits, numbers, factor, addend
        self.carries = {addend}
        while True:
            more = {(factor * d + c) // len(digits) for c in self.carries for d in range(len(digits))}
            if more <= self.carries:
                break
            self.carries |= more

    def outwards(self, number: int) -> Word:
        word = []
        while number:
            word.append(self.numbers[number % len(self.digits)])
            number //= len(self.digits)
        return tuple(word)

    def step(self, state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        if part:
            if self.ended(state) is not None:
                yield "over", NOTHING
            return
        for after in self.carries:
            digit = self.factor * self.digits.index(symbol) + after - len(self.digits) * state
            if 0 <= digit < len(self.digits):
                yield after, self.numbers[digit]

    def ended(self, state: Any) -> Word | None:
        return () if state in (self.addend, "over") else None


class _Quotient:
    """(R1), a div k: a state is the rest so far."""

    def __init__(self, digits: str, numbers: list[int], divisor: int) -> None:
        self.digits, self.numbers, self.divisor = digits, numbers, divisor

    def step(self, state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        if part:
            yield "over", NOTHING
        else:
            number = state * len(self.digits) + self.digits.index(symbol)
            yield number % self.divisor, self.numbers[number // self.divisor]

    def ended(self, _: Any) -> Word | None:
        return ()


class _Copy:
    """(R2): there is one state."""

    def __init__(self, symbols: tuple[str, ...], part: int) -> None:
        self.symbols, self.part = symbols, part

    def step(self, state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        yield state, self.symbols.index(symbol) if part == self.part else NOTHING

    def ended(self, _: Any) -> Word | None:
        return ()
