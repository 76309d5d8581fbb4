"""The part of `verify` that knows what an output clause wants in each column of a declared input.

Two forms are known, and no others:

(R1) a div k, a being the first part: the digits stand in the columns of a;
(R2) verdicts: `verdicts`.

What is wanted in a column is a symbol, LEADING for a column to the left of a number, or NOTHING. It is said
by a reading: a machine that reads the input from the left, guesses, and comes to the end only if it has
guessed right. For (R1) a state is the rest of the division.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import OutputClause, is_number
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
    node = clause.node
    if node[0] == "div" and node[1] == ("number", 0) and is_number(node[2]) and node[2][1] > 1:
        check(clause.members[0] == clause.digits, "left", "its output clause has digits of another class")
        divides = node[2][1] <= LIMITS.constant
        check(divides, "left", f"its output clause has a number above {LIMITS.constant:,}")
        numbers = [left.symbols.index(digit) for digit in clause.digits]
        return _quotient(clause.digits, numbers, node[2][1])
    check(anchor is not None, "evidence, result", "it does not say where the text stands")
    assert anchor is not None
    told = Told(clause, *anchor)
    return Reading(told.starts(), told.step, told.ended, NOTHING, NOTHING)


def _quotient(digits: str, numbers: list[int], divisor: int) -> Reading:
    """(R1), a div k: a state is the rest so far."""

    def step(state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        if part:
            yield "over", NOTHING
        else:
            number = state * len(digits) + digits.index(symbol)
            yield number % divisor, numbers[number // divisor]

    return Reading([(0, ())], step, lambda _: (), LEADING, NOTHING, numbers[0])
