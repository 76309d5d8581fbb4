"""The part of `verify` that knows what an output clause wants in each column of a declared input.

Three forms are known, and no others:

(R1) k * a + c, or a div k, a being the first part: the digits stand in the columns of a, those that are more
     to the left of it, the last one where the last one of a was;
(R2) a part that is not a number: as it is, in its own columns;
(R3) verdicts: `verdicts`.

What is wanted in a column is a symbol, LEADING for a column to the left of a number, or NOTHING. It is said
by a reading: a machine that reads the input from the left, guesses, and comes to the end only if it has
guessed right. For (R1) a state is what comes into the column at its left: B * state + wanted = k * digit +
next state; or the rest of a division.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import Node, OutputClause, Word, is_number, linear
from gridlang.compiler.verifier.clauses.verdicts import NOTHING, Told
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.places import Reading
from gridlang.compiler.verifier.tables import Rules, check

LEADING = -1
ORDERED = {"ZZ", "ZD", "DD", "DB", "BB"}  # columns of a number beside each other, by (V9) (b)


def held(cell: int, wanted: int, zero: int | None) -> str:
    """B, D or Z of (V9) (b) for a cell in the row of the result; Wrong if it does not hold what is wanted."""
    if wanted == NOTHING and cell == 0:
        return "B"
    if (wanted == LEADING and cell == zero) or (wanted >= 0 and cell == wanted):
        return "D"
    check(cell == 0 and wanted in (LEADING, zero), "evidence", "LEFT may halt where a result is wrong")
    return "Z"


def check_chains(
    ends: Iterable[tuple[Any, int, Iterable[tuple[int, Hashable]]]],
    column: Callable[[Any, int], str],
    beyond: Callable[[Any, int, Any], Iterable[tuple[int, Hashable]]],
    zero: int | None,
) -> None:
    """Wrong if columns may stand otherwise than is wanted where LEFT halts: (b) of (V9).

    Ends have a control, the label of the head's column, and on sides what is known of the chains that begin
    there; `column` is B, D or Z, `beyond` the labels that may be next, each with what is known behind it.
    """
    seen: set[tuple[Any, int, Hashable, str]] = set()
    for control, label, chains in ends:
        here = column(control, label)
        work = [(control, side, near, here) for side, near in chains]
        while work:
            chain = work.pop()
            if chain in seen:
                continue
            seen.add(chain)
            _, side, near, before = chain
            for x, further in beyond(control, side, near):
                there = column(control, x)
                pair = before + there if side > 0 else there + before
                check(zero is None or pair in ORDERED, "evidence", "LEFT may halt where a result has a gap")
                work.append((control, side, further, there))


def reading_of(left: Rules, inputs: InputClause, anchor: tuple[str, int] | None) -> Reading:
    """The reading of LEFT's output clause; Wrong if it is of none of the forms."""
    clause = OutputClause(left, inputs)
    form = _number(clause.node)
    if form is not None:
        check(clause.members[0] == clause.digits, "left", "its output clause has digits of another class")
        check(
            max(form) <= LIMITS.constant, "left", f"its output clause has a number above {LIMITS.constant:,}"
        )
        (factor, addend, divisor), digits = form, clause.digits
        numbers = [left.symbols.index(digit) for digit in digits]
        return _quotient(digits, numbers, divisor) if divisor > 1 else _line(digits, numbers, factor, addend)
    if clause.node[0] == "part":
        return _copy(left.symbols, clause.node[1])
    check(anchor is not None, "evidence, result", "it does not say where the text stands")
    assert anchor is not None
    told = Told(clause, *anchor)
    return Reading(told.starts(), told.step, told.ended, NOTHING, NOTHING)


def _number(node: Node) -> tuple[int, int, int] | None:
    """(R1): factor, what is added, and divisor; None for another form."""
    if node[0] == "div":
        known = node[1] == ("number", 0) and is_number(node[2]) and node[2][1] > 1
        return (1, 0, node[2][1]) if known else None
    factor, other, addend = linear(node) or (0, 0, 0)
    return (factor, addend, 1) if factor and not other else None


def _line(digits: str, numbers: list[int], factor: int, addend: int) -> Reading:
    """(R1), k * a + c: a state is what comes in at the left of a column; "over" is after the part."""
    base, carries = len(digits), {addend}
    while not (more := {(factor * d + c) // base for c in carries for d in range(base)}) <= carries:
        carries |= more

    def outwards(number: int) -> Word:
        return (numbers[number % base], *outwards(number // base)) if number else ()

    def ended(state: Any) -> Word | None:
        return () if state in (addend, "over") else None

    def step(state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        if part:
            if ended(state) is not None:
                yield "over", NOTHING
            return
        for after in carries:
            digit = factor * digits.index(symbol) + after - base * state
            if 0 <= digit < base:
                yield after, numbers[digit]

    starts = [(c, outwards(c)) for c in sorted(carries)]
    return Reading(starts, step, ended, LEADING, NOTHING, numbers[0])


def _quotient(digits: str, numbers: list[int], divisor: int) -> Reading:
    """(R1), a div k: a state is the rest so far."""

    def step(state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        if part:
            yield "over", NOTHING
        else:
            number = state * len(digits) + digits.index(symbol)
            yield number % divisor, numbers[number // divisor]

    return Reading([(0, ())], step, lambda _: (), LEADING, NOTHING, numbers[0])


def _copy(symbols: tuple[str, ...], copied: int) -> Reading:
    """(R2): there is one state."""

    def step(state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        yield state, symbols.index(symbol) if part == copied else NOTHING

    return Reading([(None, ())], step, lambda _: (), NOTHING, NOTHING)
