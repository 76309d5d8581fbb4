"""Verdict readings: one of finitely many texts at a fixed place, by what is counted along the input."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import lcm
from typing import Any, NamedTuple

from compiler.proofs.abstractions.columns import Anchor
from compiler.proofs.results.readings import (
    NOTHING,
    Reading,
    Unsaid,
    check_number,
    comparisons_in,
    conditions_of,
    result_text,
)
from gridlang.clauses.clause_values import Reader, in_base
from gridlang.clauses.output_kinds import counts
from gridlang.clauses.outputs import OutputRule, branches_of
from gridlang.syntax import tree as s

CONSTANT = s.Symbol | s.Text | s.Number


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
        for condition in conditions_of(rule.node):
            for comparison in comparisons_in(condition):
                self._note_comparison(comparison)
        for branch in branches_of(rule.node):
            if not isinstance(branch, CONSTANT):
                if not (isinstance(branch, s.Binary) and branch.op == "mod"):
                    raise Unsaid("its results are more than finitely many texts")
                self._note(branch)
        self.period = lcm(*self.divisors)
        self.bound = max(self.limits) + 1
        check_number(self.period, self.bound)

    def after(self, values: tuple[int, ...], part: int, symbol: str) -> tuple[int, ...]:
        return tuple(
            self._kept(quantity.after(value, symbol)) if quantity.part == part else value
            for quantity, value in zip(self.quantities, values, strict=True)
        )

    def _kept(self, value: int) -> int:
        """The least number that no condition of the clause can tell from this one."""
        return value if value < self.bound else self.bound + (value - self.bound) % self.period

    def quantity(self, node: s.Expr) -> _Quantity | None:
        """What an expression counts; None for another."""
        if isinstance(node, s.Name) and node.name in self.parts and counts(self.parts[node.name][1]):
            part, members = self.parts[node.name]
            return _Quantity(part, members, True)
        if isinstance(node, s.Call) and isinstance(node.args[0], s.Name):
            part, members = self.parts[node.args[0].name]
            if node.name.name == "length":
                return _Quantity(part, "", False)
            if node.name.name == "number" and len(members) > 1 and "-" not in members:
                return _Quantity(part, members, True)
            if node.name.name == "count" and isinstance(node.args[1], CONSTANT):
                counted = self._reader({}).text(node.args[1])
                if len(counted) == 1:
                    return _Quantity(part, counted, False)
        return None

    def _note(self, node: s.Expr) -> None:
        """Puts a quantity down that is compared, or `quantity mod number`."""
        if isinstance(node, s.Binary) and node.op == "mod" and isinstance(node.right, s.Number):
            if node.right.value == 0:
                raise Unsaid("it divides by 0")
            self.divisors.add(node.right.value)
            node = node.left
        quantity = self.quantity(node)
        if quantity is None:
            raise Unsaid("it speaks of more than numbers, lengths and counts of parts")
        if quantity not in self.quantities:
            self.quantities.append(quantity)

    def _note_comparison(self, node: s.Binary) -> None:
        sides = [side for side in (node.left, node.right) if not isinstance(side, s.Number)]
        self.limits |= {side.value for side in (node.left, node.right) if isinstance(side, s.Number)}
        if len(sides) != 1:
            raise Unsaid("it compares what changes with what changes")
        self._note(sides[0])

    def _reader(self, values: dict[_Quantity, int]) -> _CountedReader:
        return _CountedReader(self, values)

    def text(self, values: tuple[int, ...]) -> str:
        """What the clause wants where the quantities are so."""
        reader = self._reader(dict(zip(self.quantities, values, strict=True)))
        return result_text(self.rule, reader, reader.branch(self.rule.node))

    def texts(self) -> set[str]:
        """All constants of the clause, and all remainders."""
        texts: set[str] = set()
        for node in branches_of(self.rule.node):
            if isinstance(node, s.Binary):
                assert isinstance(node.right, s.Number)
                texts |= {in_base(value, self.rule.digits) for value in range(node.right.value)}
            else:
                texts.add(result_text(self.rule, self._reader({}), node))
        return texts


class _CountedReader(Reader):
    """Evaluates a clause where quantities are known, and the parts themselves are not."""

    def __init__(self, monitor: _Monitor, values: dict[_Quantity, int]) -> None:
        members = {name: chars for name, (_, chars) in monitor.parts.items()}
        super().__init__(members, monitor.rule.digits, monitor.rule.symbols, {})
        self.monitor, self.values = monitor, values

    def number(self, node: s.Expr) -> int:
        quantity = self.monitor.quantity(node)
        return super().number(node) if quantity is None else self.values[quantity]


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
    texts = {_numbers(text, symbols) for text in monitor.texts()}
    zeros = (0,) * len(monitor.quantities)
    if anchor.end:
        far = max(-anchor.offset, 0)  # columns before the end where the text may begin
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
