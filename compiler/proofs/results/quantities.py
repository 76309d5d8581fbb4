"""Quantities of a clause as finite machines: numbers, lengths, counts and values of parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from compiler.proofs.results.readings import Node, Unsaid, operator_of
from gridlang.clauses.outputs import OutputRule
from gridlang.clauses.position_automaton import members as members_of

Fact = Any
Facts = tuple[Fact, ...]


class Quantity(NamedTuple):
    """A machine over the symbols of one part; `value` is the number that its fact stands for at the end."""

    part: int
    start: Fact
    step: Callable[[Fact, str], Fact]
    value: Callable[[Fact], int] = int


def quantity(node: Node, rule: OutputRule, small: Callable[[int], int], period: int) -> Quantity:
    """The machine of a quantity, whose naturals are kept `small`; Unsaid for one that has none."""
    kind = operator_of(node)
    if kind not in ("number", "length", "count", "value") or operator_of(node[1]) != "part":
        raise Unsaid("it speaks of more than numbers, lengths, counts and values of parts")
    part = node[1][1]
    members = rule.language.parts[part].members
    if kind == "length":
        return Quantity(part, 0, lambda fact, _: small(fact + 1))
    if kind == "number":
        if len(members) < 2 or "-" in members:
            raise Unsaid("it reads a number whose symbols are no digits")
        return Quantity(part, 0, lambda fact, symbol: small(fact * len(members) + members.index(symbol)))
    if kind == "value":
        return _expression(part, rule, period)
    if not isinstance(node[2], str) or not node[2]:
        raise Unsaid("it counts something other than a fixed text")
    return _count(part, node[2], small)


def _count(part: int, text: str, small: Callable[[int], int]) -> Quantity:
    """How often a text stands there, from the left: the fact is the count, and how much of it has begun."""

    def step(fact: tuple[int, int], symbol: str) -> tuple[int, int]:
        count, begun = fact
        read = text[:begun] + symbol
        while not text.startswith(read):
            read = read[1:]
        return (small(count + 1), 0) if read == text else (count, len(read))

    return Quantity(part, (0, 0), step, lambda fact: int(fact[0]))


class _Sum(NamedTuple):
    """An expression so far, modulo the period: finished terms, the factors of the next, and that term."""

    total: int = 0
    factors: int = 1
    term: int | None = None


def _expression(part: int, rule: OutputRule, period: int) -> Quantity:
    """The value of an expression with + - * and numbers, products first; Unsaid where one may have none."""
    digits, long = rule.digits, _has_long_numbers(rule)

    def step(fact: _Sum, symbol: str) -> _Sum:
        total, factors, term = fact
        if symbol in digits:
            longer = ((term or 0) * len(digits) + factors * digits.index(symbol)) % period
            return _Sum(total, factors if long else 0, longer)
        if symbol == "-" and term is None:
            return fact._replace(factors=-factors % period)
        if symbol not in ("+", "-", "*") or term is None:
            raise Unsaid(
                "it is the value of an input that may be no expression, or have brackets within brackets"
            )
        if symbol == "*":
            return _Sum(total, term)
        return _Sum((total + term) % period, 1 if symbol == "+" else -1 % period)

    def value(fact: _Sum) -> int:
        if fact.term is None:
            raise Unsaid("it is the value of an input that may be no expression")
        return fact.total + fact.term

    return Quantity(part, _Sum(), step, value)


def _has_long_numbers(rule: OutputRule) -> bool:
    """Whether a digit may follow a digit: else the factors before a number are forgotten at once."""
    cells, follow = rule.language.cells, rule.language.whole.follow
    with_digits = {at for at, cell in enumerate(cells) if set(cell) & set(rule.digits)}
    return any(after in with_digits for at in with_digits for after in members_of(follow[at]))
