"""Folded readings: what an `output` clause wants of two numbers, digits of equal weight beside each other.

What can be said so of an input `a = digit+, sign, b = digit+`:

* a number `k * a + m * b + c`: what is wanted in a column is a digit, and the state is the carry;
* one of three symbols, by how a compares with b: what is known in a column is how they compare so far, and
  the symbol is wanted where the sign was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from compiler.proofs.abstractions.folded_tape import FoldedColumn, FoldedTape
from compiler.proofs.abstractions.folds import Beside, FoldedInputs
from compiler.proofs.limits import LIMITS
from compiler.proofs.results.readings import (
    LEADING,
    NOTHING,
    Node,
    Unsaid,
    check_number,
    chosen,
    clause_node,
    comparisons,
    constant_text,
    linear,
    parts_of,
)
from gridlang.clauses.functions import counts
from gridlang.clauses.outputs import OutputRule
from gridlang.clauses.position_automaton import union
from gridlang.table import BLANK

RIGHT, LAST, INSIDE, LEFT = 0, 1, 2, 3  # right of both numbers, their last digits, others, left of both
LESS, EQUAL, GREATER = 0, 1, 2


class Sum(NamedTuple):
    """`first * a + second * b + addend`."""

    first: int
    second: int
    addend: int


class FoldedReading(NamedTuple):
    """A machine that reads the digits of both numbers from the right; 0 stands for one that is missing."""

    digits: tuple[int, ...]
    signs: tuple[int, ...]
    sum: Sum | None  # None for a verdict
    verdicts: tuple[int, ...]  # the symbols for less, equal and greater

    @property
    def start(self) -> int:
        return self.sum.addend if self.sum else EQUAL

    def step(self, state: int, a: int, b: int) -> tuple[int, int]:
        """The state after two digits, and what is wanted of them."""
        if self.sum is None:
            order = LESS if a < b else GREATER if a > b else state
            return order, order
        after, digit = divmod(self.sum.first * a + self.sum.second * b + state, len(self.digits))
        return after, self.digits[digit]

    def beyond(self, state: int) -> tuple[int, int]:
        """The same of a column to the left of both numbers."""
        return self.step(state, 0, 0) if self.sum is None or state else (state, LEADING)


def folded_reading(rule: OutputRule) -> FoldedReading:
    """The reading of a clause; Unsaid if it is of none of the forms above."""
    node, parts = clause_node(rule), rule.language.parts
    if len(parts) != 3 or not all(part.members == rule.digits and counts(rule.digits) for part in parts[::2]):
        raise Unsaid("the input is not two numbers with a sign between them")
    numbers = tuple(rule.symbols.index(digit) for digit in rule.digits)
    signs, form = _signs(rule), linear(node)
    if form is None or not set(form) <= {0, 2, None}:
        return FoldedReading(numbers, signs, None, tuple(_verdicts(rule, node)))
    total = Sum(form.get(0, 0), form.get(2, 0), form.get(None, 0))
    check_number(*total)
    if (total.first + total.second + 1) * len(numbers) ** 2 > LIMITS.most_folded_columns:
        raise Unsaid("it has too many digits and carries")
    return FoldedReading(numbers, signs, total, ())


def _signs(rule: OutputRule) -> tuple[int, ...]:
    """What may stand between the numbers; Unsaid unless that is one symbol, and each number has a digit."""
    language = rule.language
    between = [position for position, part in enumerate(parts_of(language)) if part == 1]
    several = union(language.whole.follow[position] for position in between) & union(1 << p for p in between)
    if several or any(part.expression.nullable for part in language.parts):
        raise Unsaid("there are not always two numbers with one symbol between them")
    signs = dict.fromkeys(sign for position in between for sign in language.cells[position])
    if set(signs) & {BLANK, *rule.digits}:
        raise Unsaid("a sign may be a digit or a blank")
    return tuple(rule.symbols.index(sign) for sign in signs)


def _verdicts(rule: OutputRule, node: Node) -> Iterator[int]:
    """The symbols for less, equal and greater; Unsaid for a clause that asks for more."""
    a, b = (("number", ("part", part)) for part in (0, 2))
    if any(set(sides) != {a, b} for _, *sides in comparisons(node)):
        raise Unsaid("it has a condition of another form")
    for values in ({a: 0, b: 1}, {a: 0, b: 0}, {a: 1, b: 0}):
        constant = chosen(node, values.__getitem__)
        if not isinstance(constant, int | str):
            raise Unsaid("it is more than a sum of the numbers, or a symbol for how they compare")
        text = constant_text(rule, constant)
        if len(text) != 1 or text not in rule.symbols:
            raise Unsaid("its results are not single symbols that the agent knows")
        yield rule.symbols.index(text)


class _Line(NamedTuple):
    """How far an input is known, from the right: where, the reading's state, and which numbers go on."""

    where: int
    state: int
    open: tuple[bool, bool]


def folded_inputs(reading: FoldedReading, tape: FoldedTape) -> FoldedInputs:
    """The grams of all inputs, with the head on the first digit of the first number."""
    first = _Line(RIGHT, reading.start, (True, True))
    right_of: dict[_Line, dict[FoldedColumn, None]] = {first: {}}
    lines = [first]
    onward = {}
    for line in lines:
        onward[line] = list(_columns(reading, tape, line))
        for column, later in onward[line]:
            if later not in right_of:
                lines.append(later)
            right_of.setdefault(later, {})[column] = None
    rights = {line: tuple(columns) for line, columns in right_of.items()}
    blanks = {line: tuple(left for left, _ in onward[line] if left.tracks[0] == tape.blank) for line in lines}
    heads: list[tuple[int, FoldedColumn, Beside]] = []
    others: list[tuple[int, FoldedColumn, Beside]] = []
    for line in lines:
        for column, later in onward[line]:
            if column.tracks[0] == tape.blank:
                others.append((LEFT_SIDE, column, blanks[later]))
                continue
            others.append((RIGHT_SIDE, column, rights[line]))
            if column.where != RIGHT and blanks[later]:
                heads += ((RIGHT_SIDE, column, rights[line]), (LEFT_SIDE, column, blanks[later]))
    between = tuple(tape.on_row_0(sign) for sign in reading.signs)
    return FoldedInputs(between, tuple(heads), tuple(others))


def _columns(reading: FoldedReading, tape: FoldedTape, line: _Line) -> Iterator[tuple[FoldedColumn, _Line]]:
    """What the next column to the left may be, and the line with it."""
    if line.where == RIGHT:
        yield FoldedColumn((tape.absent, tape.blank), NOTHING, RIGHT), line
    if line.where in (INSIDE, LEFT):
        after, wanted = reading.beyond(line.state)
        yield FoldedColumn((tape.blank, tape.absent), wanted, LEFT), _Line(LEFT, after, (False, False))
    where = LAST if line.where == RIGHT else INSIDE
    for going in ((True, True), (True, False), (False, True)):
        if any(more and not may for more, may in zip(going, line.open, strict=True)):
            continue
        if where == LAST and going != (True, True):
            continue
        values = [range(len(reading.digits)) if more else (None,) for more in going]
        for a in values[0]:
            for b in values[1]:
                after, wanted = reading.step(line.state, a or 0, b or 0)
                tracks = (
                    tape.blank if a is None else tape.on_row_0(reading.digits[a]),
                    tape.absent if b is None else tape.on_row_0(reading.digits[b]),
                )
                yield FoldedColumn(tracks, wanted, where), _Line(INSIDE, after, going)
