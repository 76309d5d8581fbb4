"""Result readings: transducers that read an input from the left and say what an `output` clause wants where.

What can be said column by column:

* a number `k * a + c`, or `a div k`, in the columns of the first part, new digits to the left of it;
* a part that is text, as it was written, in its own columns;
* one of finitely many texts, by conditions on `q mod k`, and on q against numbers, where q is the number or
  the length of a part, or the count of a symbol in it; also `q mod k` itself. Such a text stands at a fixed
  distance from the first column of the input, or from the first one after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.proofs.abstractions.columns import Anchor
from compiler.proofs.results.readings import (
    LEADING,
    NOTHING,
    Reading,
    State,
    Unsaid,
    check_clause,
    check_number,
)
from compiler.proofs.results.verdict_readings import verdict_reading
from gridlang.clauses.clause_values import in_base
from gridlang.clauses.output_kinds import NUMBER, TEXT
from gridlang.clauses.outputs import OutputRule
from gridlang.syntax import tree as s


def reading_of(rule: OutputRule, symbols: tuple[str, ...], anchor: Anchor) -> Reading:
    """The transducer of a clause; Unsaid if it is of none of the forms above."""
    check_clause(rule)
    names = [part.name for part in rule.language.parts]
    form = _linear_form(rule.node) if rule.kind == NUMBER else None
    if form is not None:
        name, factor, divisor, addend = form
        if names[0] != name or rule.language.parts[0].members != rule.digits:
            raise Unsaid(f"`{name}` does not begin the input, so that a longer result may have no room")
        check_number(factor, divisor, addend)
        numbers = tuple(symbols.index(digit) for digit in rule.digits)
        if divisor > 1:
            return _quotient(rule.digits, numbers, divisor)
        return _linear(rule.digits, numbers, factor, addend)
    if isinstance(rule.node, s.Name) and rule.kind == TEXT:
        return _copy(names.index(rule.node.name), symbols)
    return verdict_reading(rule, symbols, anchor)


def _linear_form(node: s.Expr) -> tuple[str, int, int, int] | None:
    """The part, what it is multiplied with, what it is divided by, and what is added; None for another."""
    if isinstance(node, s.Name):
        return node.name, 1, 1, 0
    if not isinstance(node, s.Binary):
        return None
    left, right = node.left, node.right
    if node.op in ("+", "*") and isinstance(left, s.Number):
        left, right = right, left
    inner = _linear_form(left) if isinstance(right, s.Number) else None
    if inner is None or not isinstance(right, s.Number):
        return None
    name, factor, divisor, addend = inner
    if node.op == "+" and divisor == 1:
        return name, factor, 1, addend + right.value
    if node.op == "*" and divisor == 1 and right.value > 0:
        return name, factor * right.value, 1, addend * right.value
    if node.op == "div" and (factor, divisor, addend) == (1, 1, 0) and right.value > 1:
        return name, 1, right.value, 0
    return None


_OVER = "over"  # The part has ended, and other parts follow.


def _linear(chars: str, numbers: tuple[int, ...], factor: int, addend: int) -> Reading:
    """factor * a + addend: the state is the carry out of a column, which is guessed from the left."""
    base = len(chars)
    carries = {addend}
    while new := {(factor * digit + carry) // base for carry in carries for digit in range(base)} - carries:
        carries |= new

    def step(state: State, part: int, symbol: str) -> Iterator[tuple[State, int]]:
        if part > 0:
            if state in (addend, _OVER):
                yield _OVER, NOTHING
            return
        for carry in sorted(carries):
            quotient, digit = divmod(factor * chars.index(symbol) + carry, base)
            if quotient == state:
                yield carry, numbers[digit]

    def ended(state: State) -> tuple[int, ...] | None:
        return () if state in (addend, _OVER) else None

    def outwards(carry: int) -> tuple[int, ...]:
        return (
            tuple(numbers[chars.index(digit)] for digit in reversed(in_base(carry, chars))) if carry else ()
        )

    return Reading(tuple((carry, outwards(carry)) for carry in sorted(carries)), step, ended, LEADING, True)


def _quotient(chars: str, numbers: tuple[int, ...], divisor: int) -> Reading:
    """a div divisor: the state is the remainder so far."""

    def step(state: State, part: int, symbol: str) -> Iterator[tuple[State, int]]:
        if part > 0:
            yield _OVER, NOTHING
        else:
            quotient, rest = divmod(state * len(chars) + chars.index(symbol), divisor)
            yield rest, numbers[quotient]

    return Reading(((0, ()),), step, lambda _: (), LEADING, True)


def _copy(part: int, symbols: tuple[str, ...]) -> Reading:
    """A part as it was written."""

    def step(state: State, at: int, symbol: str) -> Iterator[tuple[State, int]]:
        yield state, symbols.index(symbol) if at == part else NOTHING

    return Reading(((None, ()),), step, lambda _: (), NOTHING, False)
