"""Verdict readings: one of finitely many texts at a fixed place, by what is counted along the input."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import lcm
from typing import Any, NamedTuple

from compiler.proofs.abstractions.initial_worlds import Anchor
from compiler.proofs.results.readings import LARGEST, NOTHING, Reading, Unsaid
from gridlang.clauses.clause_values import in_base
from gridlang.clauses.output_kinds import ORDER, TEXT, counts
from gridlang.clauses.outputs import OutputRule
from gridlang.syntax import tree as s
from gridlang.table import BLANK


class _Quantity(NamedTuple):
    """What is counted along the input: the number or the length of a part, or a symbol in it."""

    part: int
    counted: str  # the digits of a number, or the symbols that count, or "" for all
    is_number: bool

    def after(self, value: int, symbol: str) -> int:
        if self.is_number:
            return value * len(self.counted) + self.counted.index(symbol)
        return value + (not self.counted or symbol in self.counted)


class _Monitor:
    """A clause as a function of finitely many facts about quantities: what they leave, and small values.

    A quantity is kept below `bound`, which is above all numbers in the clause and a multiple of all that it
    is divided by; above, it is kept up to that multiple.
    """

    def __init__(self, rule: OutputRule) -> None:
        self.rule = rule
        self.parts = {part.name: (index, part.members) for index, part in enumerate(rule.language.parts)}
        self.quantities: list[_Quantity] = []
        self.divisors, self.limits = {1}, {0}
        self._check_value(rule.node)
        self.period = lcm(*self.divisors)
        self.bound = max(self.limits) + 1
        if self.period > LARGEST or self.bound > LARGEST:
            raise Unsaid(f"it has a number above {LARGEST:,}")

    def after(self, values: tuple[int, ...], part: int, symbol: str) -> tuple[int, ...]:
        return tuple(
            self._kept(quantity.after(value, symbol)) if quantity.part == part else value
            for quantity, value in zip(self.quantities, values, strict=True)
        )

    def _kept(self, value: int) -> int:
        """The least number that no condition of the clause can tell from this one."""
        return value if value < self.bound else self.bound + (value - self.bound) % self.period

    def _quantity(self, node: s.Expr) -> _Quantity:
        if isinstance(node, s.Name) and node.name in self.parts and counts(self.parts[node.name][1]):
            part, members = self.parts[node.name]
            return _Quantity(part, members, True)
        if isinstance(node, s.Call) and isinstance(node.args[0], s.Name):
            part, members = self.parts[node.args[0].name]
            if node.name.name == "length":
                return _Quantity(part, "", False)
            if node.name.name == "number" and len(members) > 1 and "-" not in members:
                return _Quantity(part, members, True)
            if node.name.name == "count":
                counted = _constant(node.args[1])
                if counted is not None and len(counted) == 1:
                    return _Quantity(part, counted, False)
        raise Unsaid("it speaks of more than numbers, lengths and counts of parts")

    def _note(self, node: s.Expr) -> None:
        """Puts a quantity down that is compared, or `quantity mod number`."""
        if isinstance(node, s.Binary) and node.op == "mod" and isinstance(node.right, s.Number):
            if node.right.value == 0:
                raise Unsaid("it divides by 0")
            self.divisors.add(node.right.value)
            node = node.left
        quantity = self._quantity(node)
        if quantity not in self.quantities:
            self.quantities.append(quantity)

    def _check_value(self, node: s.Expr) -> None:
        if isinstance(node, s.Conditional):
            self._check_truth(node.condition)
            self._check_value(node.then)
            self._check_value(node.otherwise)
        elif _constant(node) is None:
            if not (isinstance(node, s.Binary) and node.op == "mod"):
                raise Unsaid("its results are more than finitely many texts")
            self._note(node)

    def _check_truth(self, node: s.Expr) -> None:
        if isinstance(node, s.Unary):
            self._check_truth(node.operand)
        elif isinstance(node, s.Binary) and node.op in ("and", "or"):
            self._check_truth(node.left)
            self._check_truth(node.right)
        elif isinstance(node, s.Binary) and node.op in ("==", "!=", *ORDER):
            sides = [side for side in (node.left, node.right) if not isinstance(side, s.Number)]
            self.limits |= {side.value for side in (node.left, node.right) if isinstance(side, s.Number)}
            if len(sides) != 1:
                raise Unsaid("it compares what changes with what changes")
            self._note(sides[0])
        else:
            raise Unsaid("it has a condition of another form")

    def text(self, values: tuple[int, ...], node: s.Expr | None = None) -> str:
        """What the clause wants where the quantities are so."""
        node = self.rule.node if node is None else node
        if isinstance(node, s.Conditional):
            return self.text(values, node.then if self._truth(values, node.condition) else node.otherwise)
        if isinstance(node, s.Symbol | s.Text) or (isinstance(node, s.Number) and self.rule.kind == TEXT):
            return (_constant(node) or "").strip(BLANK)
        return in_base(self._number(values, node), self.rule.digits)

    def _number(self, values: tuple[int, ...], node: s.Expr) -> int:
        if isinstance(node, s.Number):
            return node.value
        if isinstance(node, s.Binary):
            assert isinstance(node.right, s.Number)
            return self._number(values, node.left) % node.right.value
        return values[self.quantities.index(self._quantity(node))]

    def _truth(self, values: tuple[int, ...], node: s.Expr) -> bool:
        if isinstance(node, s.Unary):
            return not self._truth(values, node.operand)
        assert isinstance(node, s.Binary)
        if node.op in ("and", "or"):
            sides = (self._truth(values, side) for side in (node.left, node.right))
            return all(sides) if node.op == "and" else any(sides)
        a, b = self._number(values, node.left), self._number(values, node.right)
        return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[node.op]


def _constant(node: s.Expr) -> str | None:
    """The text of a constant; None for what is none."""
    if isinstance(node, s.Symbol):
        return node.char
    if isinstance(node, s.Text):
        return node.value
    return str(node.value) if isinstance(node, s.Number) else None


class _Told(NamedTuple):
    """The state of a verdict's transducer: the text guessed, the quantities, and where in the input it is.

    `at` counts the columns from the start, or those that remain up to the end; None where that is far.
    """

    text: tuple[int, ...]
    values: tuple[int, ...]
    at: int | None


def verdict_reading(rule: OutputRule, symbols: tuple[str, ...], anchor: Anchor) -> Reading:
    """A text at a fixed place: it is guessed at the start, and must be right at the end."""
    monitor = _Monitor(rule)
    texts = {_numbers(text, symbols) for text in _texts(monitor)}
    zeros = (0,) * len(monitor.quantities)
    if anchor.end:
        far = max(-anchor.offset, 0)  # So many columns before the end, the text may begin.
        lengths = (None, *range(far + 1)) if far else (None,)
        starts = tuple(
            (_Told(text, zeros, length), () if length is None else _outwards(text, length + anchor.offset))
            for text in texts
            for length in lengths
        )
        step: Any = partial(_step_to_end, monitor, anchor.offset)
        ended: Any = partial(_ended_at_end, monitor, anchor.offset, symbols)
    else:
        starts = tuple((_Told(text, zeros, 0), _outwards(text, anchor.offset)) for text in texts)
        step = partial(_step_from_start, monitor, anchor.offset)
        ended = partial(_ended_from_start, monitor, anchor.offset, symbols)
    return Reading(starts, step, ended, NOTHING, False)


def _texts(monitor: _Monitor) -> set[str]:
    """All constants of the clause, and all remainders."""
    texts: set[str] = set()
    stack: list[s.Expr] = [monitor.rule.node]
    while stack:
        node = stack.pop()
        if isinstance(node, s.Conditional):
            stack += [node.then, node.otherwise]
        elif isinstance(node, s.Binary):
            assert isinstance(node.right, s.Number)
            texts |= {in_base(value, monitor.rule.digits) for value in range(node.right.value)}
        else:
            texts.add(monitor.text((), node))
    return texts


def _numbers(text: str, symbols: tuple[str, ...]) -> tuple[int, ...]:
    unknown = [symbol for symbol in text if symbol not in symbols]
    if unknown:
        raise Unsaid(f"its result `{text}` has a symbol that the agent does not know")
    return tuple(symbols.index(symbol) for symbol in text)


def _wanted(text: tuple[int, ...], index: int) -> int:
    """What is wanted where a text has this index."""
    return text[index] if 0 <= index < len(text) else NOTHING


def _outwards(text: tuple[int, ...], column: int) -> tuple[int, ...]:
    """What is wanted to the left of the input, the nearest column first, of a text from a column on."""
    return tuple(_wanted(text, at - column) for at in range(-1, column - 1, -1))


def _step_from_start(
    monitor: _Monitor, offset: int, told: _Told, part: int, symbol: str
) -> Iterator[tuple[_Told, int]]:
    last = offset + len(told.text)
    later = None if told.at is None or told.at + 1 >= last else told.at + 1
    wanted = NOTHING if told.at is None else _wanted(told.text, told.at - offset)
    yield told._replace(values=monitor.after(told.values, part, symbol), at=later), wanted


def _ended_from_start(
    monitor: _Monitor, offset: int, symbols: tuple[str, ...], told: _Told
) -> tuple[int, ...] | None:
    if _numbers(monitor.text(told.values), symbols) != told.text:
        return None
    if told.at is None:
        return ()
    return tuple(_wanted(told.text, at - offset) for at in range(told.at, offset + len(told.text)))


def _step_to_end(
    monitor: _Monitor, offset: int, told: _Told, part: int, symbol: str
) -> Iterator[tuple[_Told, int]]:
    later = told._replace(values=monitor.after(told.values, part, symbol))
    if told.at is None:
        yield later, NOTHING
        if offset < 0:
            yield later._replace(at=-offset), NOTHING
    elif told.at > 0:
        yield later._replace(at=told.at - 1), _wanted(told.text, -told.at - offset)


def _ended_at_end(
    monitor: _Monitor, offset: int, symbols: tuple[str, ...], told: _Told
) -> tuple[int, ...] | None:
    if _numbers(monitor.text(told.values), symbols) != told.text or (offset < 0 and told.at != 0):
        return None
    return (NOTHING,) * offset + told.text if offset >= 0 else told.text[-offset:]
