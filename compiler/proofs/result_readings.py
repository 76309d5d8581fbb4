"""Result readings: transducers that read an input from the left and say what an `output` clause wants where.

What can be said column by column:

* a number `k * a + c`, or `a div k`, in the columns of the first part, new digits to the left of it;
* a part that is text, as it was written, in its own columns;
* one of finitely many texts, by conditions on `q mod k`, and on q against numbers, where q is the number or
  the length of a part, or the count of a symbol in it; also `q mod k` itself. Such a text stands at a fixed
  distance from the first column of the input, or from the first one after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from math import lcm
from typing import Any, NamedTuple

from gridlang.clauses.output_kinds import NUMBER, ORDER, TEXT, counts
from gridlang.clauses.outputs import OutputRule, in_base
from gridlang.source import Source
from gridlang.syntax import tree as s
from gridlang.syntax.scanner import scan
from gridlang.table import BLANK

LEADING, NOTHING = -1, -2  # A column to the left of a number, where a 0 may stand, and one with no symbol.
LARGEST = 1_000  # of the numbers in a clause; a carry or a remainder is a state each
MOST_TOKENS = 99  # of a clause; the language may refuse longer ones as too deep, so checkers do
State = Any


class Unsaid(Exception):
    """The clause cannot be said column by column, and why."""


class Anchor(NamedTuple):
    """Where a text stands: so many columns from the first of the input, or from the first one after it."""

    end: bool
    offset: int


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


def reading_of(rule: OutputRule, symbols: tuple[str, ...], anchor: Anchor) -> Reading:
    """The transducer of a clause; Unsaid if it is of none of the forms above."""
    _check_text(rule.clause)
    _check_classes(rule)
    names = [part.name for part in rule.language.parts]
    form = _linear_form(rule.node) if rule.kind == NUMBER else None
    if form is not None:
        name, factor, divisor, addend = form
        if names[0] != name or rule.language.parts[0].members != rule.digits:
            raise Unsaid(f"`{name}` does not begin the input, so that a longer result may have no room")
        if max(factor, divisor, addend) > LARGEST:
            raise Unsaid(f"it has a number above {LARGEST:,}")
        numbers = tuple(symbols.index(digit) for digit in rule.digits)
        if divisor > 1:
            return _quotient(rule.digits, numbers, divisor)
        return _linear(rule.digits, numbers, factor, addend)
    if isinstance(rule.node, s.Name) and rule.kind == TEXT:
        return _copy(names.index(rule.node.name), symbols)
    return _verdict(rule, symbols, anchor)


def _check_text(clause: str) -> None:
    """Unsaid for a clause that checkers do not read: they know no comments, no line breaks and no depth."""
    lines, _ = scan(Source("<output clause>", clause))
    if "\n" in clause or any(line.comments for line in lines):
        raise Unsaid("it has a comment or a line break")
    if sum(len(line.tokens) for line in lines) > MOST_TOKENS:
        raise Unsaid(f"it has more than {MOST_TOKENS} words and marks")


def _check_classes(rule: OutputRule) -> None:
    """Unsaid where a number could be read in two ways, or where its digits cannot be seen."""
    for members in (*(part.members for part in rule.language.parts), rule.digits):
        if len(set(members)) != len(members):
            raise Unsaid(f"the class of `{members}` has a symbol twice")
        if members[:10] == "0123456789" and not members.isascii():
            raise Unsaid(f"the class of `{members}` counts on with letters that are not ASCII")
    if BLANK in rule.digits:
        raise Unsaid("a blank is a digit")


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


def _verdict(rule: OutputRule, symbols: tuple[str, ...], anchor: Anchor) -> Reading:
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
