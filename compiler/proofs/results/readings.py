"""Readings: transducers that read an input from the left and say what an `output` clause wants where.

What can be said column by column: (R1) to (R3) in `compiler/verifier/clauses/readings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from gridlang.clauses.clause_tree import Constant, Node, Operation, Part, branches_of, nodes_in
from gridlang.clauses.clause_values import COMPARISONS, in_base
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule
from gridlang.clauses.position_automaton import cells_in
from gridlang.clauses.position_automaton import members as members_of
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.table import BLANK

NOTHING = -2  # a column where no symbol is wanted
LEADING = -1  # a column to the left of a number, where a 0 may stand
State = Any


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
    """The tree of a clause; Unsaid for one that checkers do not read."""
    if rule.acceptances:
        raise Unsaid("`accept` and `stuck` say how a run ends, not what it leaves")
    check_readable(rule, rule.node)
    return rule.node


def check_readable(rule: OutputRule, node: Node) -> None:
    """Unsaid for an expression that checkers find too long, or symbols that they count otherwise or not."""
    if sum(not isinstance(inner, Part) for inner in nodes_in(node)) > LIMITS.most_clause_nodes:
        raise Unsaid("it is too long")
    if not rule.has_plain_digits(node):
        raise Unsaid("it has numbers in digits that are not those of its parts")
    for members in (*(part.members for part in rule.language.parts), rule.digits):
        if len(set(members)) != len(members):
            raise Unsaid(f"the class of `{members}` has a symbol twice")
        if members[:10] == "0123456789" and not members.isascii():
            raise Unsaid(f"the class of `{members}` counts on with letters that are not ASCII")
    if BLANK in rule.digits:
        raise Unsaid("a blank is a digit")


def check_number(*numbers: int) -> None:
    """Unsaid for numbers that would take too many states."""
    if max(numbers) > LIMITS.largest_number:
        raise Unsaid(f"it has a number above {LIMITS.largest_number:,}")


def conjuncts(condition: Node) -> list[Node]:
    """The conditions whose conjunction is this one."""
    if isinstance(condition, Operation) and condition.operator == "and":
        return [inner for side in condition.operands for inner in conjuncts(side)]
    return [condition]


def conditions_of(rule: OutputRule) -> list[Node]:
    condition = rule.language.condition
    return conjuncts(condition.node) if condition else []


def linear(node: Node, differences: bool = False) -> dict[int | None, int] | None:
    """A number as a sum of numbers of parts, each times a factor, and of a constant (None).

    Factors are below 0 only where `differences` are allowed.
    """
    match node:
        case Constant(int(number)):
            return {None: number}
        case Operation("number", (Part(index),)):
            return {index: 1}
        case Operation("+" | "*" | "-" as kind, (left, right)) if kind != "-" or differences:
            one, other = linear(left, differences), linear(right, differences)
        case _:
            return None
    if one is None or other is None:
        return None
    if kind != "*":
        sign = 1 if kind == "+" else -1
        return {part: one.get(part, 0) + sign * other.get(part, 0) for part in one | other}
    if set(one) != {None}:
        one, other = other, one
    return {part: one[None] * factor for part, factor in other.items()} if set(one) == {None} else None


def comparisons(node: Node) -> Iterator[Operation]:
    """The comparisons in all conditions between which a clause chooses; Unsaid for one of another form."""
    if isinstance(node, Operation) and node.operator == "if":
        condition, then, otherwise = node.operands
        yield from _compared(condition)
        yield from comparisons(then)
        yield from comparisons(otherwise)


def _compared(condition: Node) -> Iterator[Operation]:
    if isinstance(condition, Operation) and condition.operator in COMPARISONS:
        yield condition
    elif isinstance(condition, Operation) and condition.operator in ("and", "or", "not"):
        for inner in condition.operands:
            yield from _compared(inner)
    else:
        raise Unsaid("it has a condition of another form")


def results_of(node: Node) -> list[Node]:
    """All that a clause chooses from; a number written as text is that number."""
    return [_number_of(branch) for branch in branches_of(node)]


def _number_of(node: Node) -> Node:
    return node.operands[0] if isinstance(node, Operation) and node.operator == "text" else node


def chosen(node: Node, value: Callable[[Node], int]) -> Node:
    """What a clause chooses where numbers have these values."""

    def holds(condition: Node) -> bool:
        assert isinstance(condition, Operation)
        kind, sides = condition.operator, condition.operands
        if kind == "not":
            return not holds(sides[0])
        if kind in COMPARISONS:
            return COMPARISONS[kind](*map(value, sides))
        return (all if kind == "and" else any)(map(holds, sides))

    while isinstance(node, Operation) and node.operator == "if":
        condition, then, otherwise = node.operands
        node = then if holds(condition) else otherwise
    return _number_of(node)


def constant_text(rule: OutputRule, constant: int | str) -> str:
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
    divisor = 1
    match node:
        case Operation("div", (divided, Constant(int(number)))) if number > 1:
            node, divisor = divided, number
    form = {part: factor for part, factor in (linear(node) or {}).items() if factor}
    addend = form.pop(None, 0)
    if len(form) != 1 or (divisor > 1 and (addend or set(form.values()) != {1})):
        return None
    [(part, factor)] = form.items()
    parts = rule.language.parts
    if part != 0 or parts[0].members != rule.digits:
        name = parts[part or 0].name
        raise Unsaid(f"`{name}` does not begin the input, so that a longer result may have no room")
    check_number(factor, divisor, addend)
    numbers = tuple(rule.symbols.index(digit) for digit in rule.digits)
    if divisor > 1:
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

    def step(state: State, at: int, symbol: str) -> Iterator[tuple[State, int]]:
        yield state, symbols.index(symbol) if at == part else NOTHING

    return Reading(((None, ()),), step, lambda _: (), NOTHING, False)
