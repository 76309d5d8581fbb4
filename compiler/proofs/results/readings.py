"""Readings: transducers that read an input from the left and say what an `output` clause wants where.

What can be said column by column: (R1) to (R3) in `compiler/verifier/clauses/readings`. Clauses are read as
checkers read them, as trees (`clause_trees`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from gridlang.clauses.clause_values import in_base
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule
from gridlang.clauses.position_automaton import cells_in
from gridlang.clauses.position_automaton import members as members_of
from gridlang.compiler.proofs.clause_trees import value_tree
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.table import BLANK

NOTHING = -2  # a column where no symbol is wanted
LEADING = -1  # a column to the left of a number, where a 0 may stand
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
State = Any
Node = Any  # a number, a text, or (operator, node, …)


class Unsaid(Exception):
    """The clause cannot be said column by column, and why."""


class Reading(NamedTuple):
    """A transducer over the columns of an input; what is wanted is a symbol, LEADING or NOTHING.

    `starts` has states, each with what is wanted to the left of the input, the nearest column first; `left`
    is what is wanted beyond that.
    """

    starts: tuple[tuple[State, tuple[int, ...]], ...]
    step: Callable[[State, int, str], Iterable[tuple[State, int]]]  # state, part, symbol: next, wanted
    ended: Callable[[State], tuple[int, ...] | None]  # what is wanted after the end; None if it cannot end
    left: int
    numeric: bool


def clause_node(rule: OutputRule) -> Node:
    """The expression of a clause; Unsaid for one that checkers do not read, or read otherwise."""
    if rule.acceptances:
        raise Unsaid("`accept` and `stuck` say how a run ends, not what it leaves")
    node = frozen(value_tree(rule))
    check_readable(rule, node)
    return node


def check_readable(rule: OutputRule, node: Node) -> None:
    """Unsaid for an expression that checkers find too long, or symbols that they count otherwise or not."""
    if _size(node) > LIMITS.most_clause_nodes:
        raise Unsaid("it is too long")
    for members in (*(part.members for part in rule.language.parts), rule.digits):
        if len(set(members)) != len(members):
            raise Unsaid(f"the class of `{members}` has a symbol twice")
        if members[:10] == "0123456789" and not members.isascii():
            raise Unsaid(f"the class of `{members}` counts on with letters that are not ASCII")
    if BLANK in rule.digits:
        raise Unsaid("a blank is a digit")


def frozen(tree: Any) -> Node:
    """A tree that can be looked up."""
    return tuple(map(frozen, tree)) if isinstance(tree, list) else tree


def _size(node: Node) -> int:
    """The nodes of a clause as checkers count them."""
    return 1 + sum(map(_size, node[1:])) if isinstance(node, tuple) and node[0] != "part" else 1


def operator_of(node: Node) -> str:
    """What a node is first; empty for a constant."""
    return str(node[0]) if isinstance(node, tuple) else ""


def check_number(*numbers: int) -> None:
    """Unsaid for numbers that would take too many states."""
    if max(numbers) > LIMITS.largest_number:
        raise Unsaid(f"it has a number above {LIMITS.largest_number:,}")


def conjuncts(condition: Node) -> list[Node]:
    """The conditions whose conjunction is this one."""
    if operator_of(condition) == "and":
        return [inner for side in condition[1:] for inner in conjuncts(side)]
    return [condition]


def linear(node: Node, differences: bool = False) -> dict[int | None, int] | None:
    """A number as a sum of numbers of parts, each times a factor, and of a constant (None).

    Factors are below 0 only where `differences` are allowed.
    """
    kind = operator_of(node)
    if isinstance(node, int):
        return {None: node}
    if kind == "number" and operator_of(node[1]) == "part":
        return {node[1][1]: 1}
    known = kind in ("+", "*") or (kind == "-" and differences and len(node) == 3)
    sums = [linear(side, differences) for side in node[1:]] if known else [None]
    if None in sums:
        return None
    one, other = (some or {} for some in sums)
    if kind != "*":
        sign = 1 if kind == "+" else -1
        return {part: one.get(part, 0) + sign * other.get(part, 0) for part in one | other}
    if set(one) != {None}:
        one, other = other, one
    return {part: one[None] * factor for part, factor in other.items()} if set(one) == {None} else None


def comparisons(node: Node) -> Iterator[Node]:
    """The comparisons in all conditions between which a clause chooses; Unsaid for one of another form."""
    if operator_of(node) == "if":
        yield from _compared(node[1])
        yield from comparisons(node[2])
        yield from comparisons(node[3])


def _compared(condition: Node) -> Iterator[Node]:
    kind = operator_of(condition)
    if kind in COMPARISONS:
        yield condition
    elif kind in ("and", "or", "not"):
        for inner in condition[1:]:
            yield from _compared(inner)
    else:
        raise Unsaid("it has a condition of another form")


def branches(node: Node) -> list[Node]:
    """All that a clause chooses from; a number written as text is that number."""
    if operator_of(node) == "if":
        return [*branches(node[2]), *branches(node[3])]
    return [node[1] if operator_of(node) == "text" else node]


def chosen(node: Node, value: Callable[[Node], int]) -> Node:
    """What a clause chooses where numbers have these values."""

    def holds(condition: Node) -> bool:
        kind, *sides = condition
        if kind == "not":
            return not holds(sides[0])
        if kind in COMPARISONS:
            return COMPARISONS[kind](*map(value, sides))
        return (all if kind == "and" else any)(map(holds, sides))

    while operator_of(node) == "if":
        node = node[2] if holds(node[1]) else node[3]
    return branches(node)[0]


def constant_text(rule: OutputRule, constant: int | str) -> str:
    """What a constant of a clause leaves."""
    return constant.strip(BLANK) if isinstance(constant, str) else in_base(constant, rule.digits)


def parts_of(language: InputLanguage) -> list[int]:
    """The part of each position of the clause."""
    return [index for index, part in enumerate(language.parts) for _ in range(cells_in(part.piece))]


def part_read(part_of: list[int], positions: int, symbol: str) -> int:
    """The part of a symbol that leads to these positions of the clause."""
    parts = {part_of[position] for position in members_of(positions)}
    if len(parts) > 1:
        raise Unsaid(f"it cannot be told which part a `{symbol}` belongs to before the input has ended")
    return parts.pop()


_OVER = "over"  # The part has ended, and other parts follow.


def number_reading(rule: OutputRule, node: Node) -> Reading | None:
    """The transducer of a number by the first part; None for a clause of another form."""
    divides = operator_of(node) == "div" and isinstance(node[2], int) and node[2] > 1
    form = {part: factor for part, factor in (linear(node[1] if divides else node) or {}).items() if factor}
    addend = form.pop(None, 0)
    if len(form) != 1 or (divides and (addend or set(form.values()) != {1})):
        return None
    [(part, factor)] = form.items()
    parts, divisor = rule.language.parts, node[2] if divides else 1
    if part != 0 or parts[0].members != rule.digits:
        name = parts[part or 0].name
        raise Unsaid(f"`{name}` does not begin the input, so that a longer result may have no room")
    check_number(factor, divisor, addend)
    numbers = tuple(rule.symbols.index(digit) for digit in rule.digits)
    if divides:
        return _quotient(rule.digits, numbers, divisor)
    return _line(rule.digits, numbers, factor, addend)


def _line(chars: str, numbers: tuple[int, ...], factor: int, addend: int) -> Reading:
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
        digits = reversed(in_base(carry, chars)) if carry else ()
        return tuple(numbers[chars.index(digit)] for digit in digits)

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


def copy_reading(part: int, symbols: tuple[str, ...]) -> Reading:
    """A part as it was written."""

    def step(state: State, at: int, symbol: str) -> Iterator[tuple[State, int]]:
        yield state, symbols.index(symbol) if at == part else NOTHING

    return Reading(((None, ()),), step, lambda _: (), NOTHING, False)
