"""Verdict readings: one of finitely many texts at a fixed place, by what is counted along the input.

Which texts and conditions there are: (R3) in `compiler/verifier/clauses/verdicts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import lcm
from typing import Any, NamedTuple

from gridlang.clauses.clause_tree import Constant, Node, Operation, Part, operation, operator_of
from gridlang.clauses.clause_values import in_base
from gridlang.clauses.functions import ARITHMETIC
from gridlang.clauses.outputs import OutputRule
from gridlang.clauses.position_automaton import members as members_of
from gridlang.compiler.proofs.abstractions.columns import Anchor
from gridlang.compiler.proofs.abstractions.input_automaton import InputRows, row_automaton
from gridlang.compiler.proofs.results.readings import (
    NOTHING,
    Reading,
    State,
    Unsaid,
    check_number,
    check_readable,
    chosen,
    comparisons,
    conditions_of,
    constant_text,
    part_read,
    parts_of,
    results_of,
)
from gridlang.table import Table

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
    match node:
        case Operation("length", (Part(part),)):
            return Quantity(part, 0, lambda fact, _: small(fact + 1))
        case Operation("number", (Part(part),)):
            members = rule.language.parts[part].members
            if len(members) < 2 or "-" in members:
                raise Unsaid("it reads a number whose symbols are no digits")
            return Quantity(part, 0, lambda fact, symbol: small(fact * len(members) + members.index(symbol)))
        case Operation("value", (Part(part),)):
            return _expression(part, rule, period)
        case Operation("count", (Part(part), Constant(str(text)))) if text:
            return _count(part, text, small)
        case Operation("count", (Part(), _)):
            raise Unsaid("it counts something other than a fixed text")
    raise Unsaid("it speaks of more than numbers, lengths, counts and values of parts")


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


class Monitor:
    """A clause as a function of finitely many facts about quantities: what they leave, and small values.

    A natural quantity is kept below `bound`, which is above all numbers that something is compared with;
    above, it is kept up to multiples of `period`, which all divisors divide. Sums and products respect that.
    """

    def __init__(self, rule: OutputRule, node: Node) -> None:
        self.rule, self.node = rule, node
        self.quantities: list[Quantity] = []
        self.nodes: list[Node] = []
        self.texts: dict[str, None] = {}  # in the order of the clause
        divisors, limits = {1}, {0}
        for comparison in comparisons(node):
            constants = [side.value for side in comparison.operands if isinstance(side, Constant)]
            numbers = [constant for constant in constants if isinstance(constant, int)]
            if len(numbers) < len(constants):
                raise Unsaid("it compares texts")
            exact = all(operator_of(side) in ("", "mod") for side in comparison.operands)
            if not exact and not (numbers and all(map(_is_natural, comparison.operands))):
                raise Unsaid("it compares two things that may both be of any size")
            limits.update(numbers)
            divisors.update(*map(_divisors, comparison.operands))
        for branch in results_of(node):
            match branch:
                case Constant(constant):
                    self.texts[constant_text(rule, constant)] = None
                case Operation("mod", (_, divisor)):
                    divisors |= _divisors(branch)
                    rests = divisor.value if isinstance(divisor, Constant) else 0
                    self.texts |= dict.fromkeys(in_base(n, rule.digits) for n in range(int(rests)))
                case _:
                    raise Unsaid("what it chooses may be of any length")
        self.period, self.bound = lcm(*divisors), max(limits) + 1
        check_number(self.period, self.bound)
        for leaf in dict.fromkeys(leaf for side in _sides(node) for leaf in _leaves(side)):
            self.nodes.append(leaf)
            self.quantities.append(quantity(leaf, rule, self._small, self.period))

    def _small(self, value: int) -> int:
        """The least number that no condition of the clause can tell from a natural one."""
        return value if value < self.bound else self.bound + (value - self.bound) % self.period

    def starts(self) -> Facts:
        return tuple(each.start for each in self.quantities)

    def after(self, facts: Facts, part: int, symbol: str) -> Facts:
        known = zip(self.quantities, facts, strict=True)
        return tuple(each.step(fact, symbol) if each.part == part else fact for each, fact in known)

    def text(self, facts: Facts) -> str:

        def value(node: Node) -> int:
            if node in self.nodes:
                at = self.nodes.index(node)
                return self.quantities[at].value(facts[at])
            if isinstance(node, Operation):
                return ARITHMETIC[node.operator](*map(value, node.operands))
            assert isinstance(node, Constant)
            return int(node.value)

        branch = chosen(self.node, value)
        constant = branch.value if isinstance(branch, Constant) else value(branch)
        return constant_text(self.rule, constant)


def _sides(node: Node) -> Iterator[Node]:
    """The numbers that a clause compares, and those that it leaves."""
    for comparison in comparisons(node):
        yield from comparison.operands
    yield from results_of(node)


def _is_natural(node: Node) -> bool:
    """Whether a number is a sum of products of quantities that are never below 0."""
    if isinstance(node, Operation) and node.operator in ("+", "*"):
        return all(map(_is_natural, node.operands))
    return operator_of(node) in ("", "mod", "number", "length", "count")


def _divisors(node: Node) -> set[int]:
    match node:
        case Operation("mod", (divided, Constant(int(divisor)))) if divisor:
            return {divisor} | _divisors(divided)
        case Operation("mod"):
            raise Unsaid("it divides by 0, or by something other than a number")
        case Operation("+" | "-" | "*", sides):
            return set().union(*map(_divisors, sides))
    return set()


def _leaves(node: Node) -> Iterator[Node]:
    """The quantities of a number; Unsaid for one that is more than their sums, products and remainders."""
    match node:
        case Operation("+" | "-" | "*" | "mod", (left, right)):
            yield from _leaves(left)
            yield from _leaves(right)
        case Operation() | Part():
            yield node


class _Told(NamedTuple):
    """The state of a verdict's transducer: the text guessed, the quantities, and where in the input it is.

    `at` counts the columns from the start, or those that remain up to the end; None where that is far.
    """

    text: tuple[int, ...]
    values: Facts
    at: int | None


def verdict_reading(rule: OutputRule, node: Node, anchor: Anchor) -> Reading:
    """A text at a fixed place: it is guessed at the start, and must be right at the end."""
    monitor, offset = Monitor(rule, node), anchor.offset
    zeros = monitor.starts()
    texts = dict.fromkeys(_numbers(text, rule.symbols) for text in monitor.texts)
    # at the end: columns before it where the text may begin
    lengths = [0] if not anchor.end else [None, *range(1 - offset)] if offset < 0 else [None]

    def outwards(text: tuple[int, ...], at: int | None) -> tuple[int, ...]:
        """What is wanted to the left of the input, the nearest column first."""
        column = offset + (at or 0)
        return () if at is None else tuple(_wanted(text, x - column) for x in range(-1, column - 1, -1))

    def step(told: _Told, part: int, symbol: str) -> Iterator[tuple[_Told, int]]:
        text, _, at = told
        later = told._replace(values=monitor.after(told.values, part, symbol))
        if not anchor.end:
            past = at is None or at + 1 >= offset + len(text)
            wanted = NOTHING if at is None else _wanted(text, at - offset)
            yield later._replace(at=None if past or at is None else at + 1), wanted
        elif at is None:
            yield later, NOTHING
            if offset < 0:
                yield later._replace(at=-offset), NOTHING
        elif at > 0:
            yield later._replace(at=at - 1), _wanted(text, -at - offset)

    def ended(told: _Told) -> tuple[int, ...] | None:
        text, values, at = told
        if _numbers(monitor.text(values), rule.symbols) != text or (anchor.end and offset < 0 and at != 0):
            return None
        if anchor.end:
            return (NOTHING,) * offset + text if offset >= 0 else text[-offset:]
        return () if at is None else tuple(_wanted(text, x - offset) for x in range(at, offset + len(text)))

    starts = tuple((_Told(text, zeros, at), outwards(text, at)) for text in texts for at in lengths)
    return Reading(starts, step, ended, NOTHING, False)


def _numbers(text: str, symbols: tuple[str, ...]) -> tuple[int, ...]:
    unknown = [symbol for symbol in text if symbol not in symbols]
    if unknown:
        raise Unsaid(f"its result `{text}` has a symbol that the agent does not know")
    return tuple(symbols.index(symbol) for symbol in text)


def _wanted(text: tuple[int, ...], index: int) -> int:
    return text[index] if 0 <= index < len(text) else NOTHING


class ConditionMachine:
    """All parts of a condition that can be counted along an input; others are left out."""

    def __init__(self, rule: OutputRule, conditions: list[Node]) -> None:
        self.conditions = conditions
        self.monitors = [_monitor(rule, condition) for condition in conditions]
        self.start: tuple[Facts, ...] = tuple(monitor.starts() for monitor in self.monitors)
        self._part_of = parts_of(rule.language)

    def after(self, facts: tuple[Facts, ...], positions: int, symbol: str) -> tuple[Facts, ...]:
        """What is known after a symbol that leads to these positions of the clause."""
        return self.read(facts, part_read(self._part_of, positions, symbol), symbol)

    def read(self, facts: tuple[Facts, ...], part: int, symbol: str) -> tuple[Facts, ...]:
        return tuple(
            monitor.after(known, part, symbol) for monitor, known in zip(self.monitors, facts, strict=True)
        )

    def met(self, facts: tuple[Facts, ...]) -> bool:
        return all(monitor.text(known) == "1" for monitor, known in zip(self.monitors, facts, strict=True))

    def restricted(self, reading: Reading) -> Reading:
        """A transducer that ends only where the conditions are met."""

        def step(state: State, part: int, symbol: str) -> Iterator[tuple[State, int]]:
            inner, facts = state
            later = self.read(facts, part, symbol)
            return (((after, later), wanted) for after, wanted in reading.step(inner, part, symbol))

        def ended(state: State) -> tuple[int, ...] | None:
            return reading.ended(state[0]) if self.met(state[1]) else None

        starts = tuple(((state, self.start), left) for state, left in reading.starts)
        return Reading(starts, step, ended, reading.left, reading.numeric)


def condition_machine(rule: OutputRule | None, *others: Node) -> ConditionMachine | None:
    """The machine of the condition of a clause's inputs; None if nothing of it can be counted.

    Inputs may have to meet `others` as well; Unsaid for one that cannot be counted.
    """
    if rule is None or (rule.language.condition is None and not others):
        return None
    known = [condition for condition in conditions_of(rule) if _is_known(rule, condition)]
    known += others
    return ConditionMachine(rule, known) if known else None


def _is_known(rule: OutputRule, condition: Node) -> bool:
    try:
        _monitor(rule, condition)
    except Unsaid:
        return False
    return True


def _monitor(rule: OutputRule, condition: Node) -> Monitor:
    check_readable(rule, condition)
    monitor = Monitor(rule, operation("if", condition, Constant("1"), Constant("0")))
    if any(operator_of(node) == "value" for node in monitor.nodes):
        raise Unsaid("it is the value of an input that may be no expression")
    return monitor


def conditioned_rows(
    table: Table, rule: OutputRule | None, machine: ConditionMachine | None
) -> InputRows | None:
    """The inputs that meet their condition, as worlds; None if there is none, or too many to tell apart."""
    if rule is None or machine is None:
        return None
    try:
        automaton = row_automaton(rule.language, table.symbols, machine)
    except Unsaid:
        return None
    return automaton and InputRows(rule.language, table.symbols, automaton)
