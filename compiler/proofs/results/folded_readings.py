"""Folded readings: what an `output` clause wants of two numbers, digits of equal weight beside each other.

What can be said so of an input `a = digit+, sign, b = digit+`:

* a number `k * a + m * b + c`: what is wanted in a column is a digit, and the state is the carry;
* one of three symbols, by how a compares with b: what is known in a column is how they compare so far, and
  the symbol is wanted where the sign was.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from compiler.proofs.abstractions.folded_tape import FoldedColumn, FoldedTape
from compiler.proofs.abstractions.folds import LEFT_SIDE, RIGHT_SIDE, FoldedInputs
from compiler.proofs.limits import LIMITS
from compiler.proofs.results.readings import (
    LEADING,
    NOTHING,
    Unsaid,
    check_clause,
    check_number,
    comparisons_in,
    conditions_of,
    result_text,
)
from gridlang.clauses.clause_values import Reader
from gridlang.clauses.output_kinds import NUMBER, counts
from gridlang.clauses.outputs import OutputRule
from gridlang.clauses.position_automaton import union
from gridlang.clauses.repetitions import cells_in
from gridlang.syntax import tree as s
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
    check_clause(rule)
    parts = rule.language.parts
    if len(parts) != 3 or not all(part.members == rule.digits and counts(rule.digits) for part in parts[::2]):
        raise Unsaid("the input is not two numbers with a sign between them")
    names = {parts[0].name: 0, parts[2].name: 1}
    numbers = tuple(rule.symbols.index(digit) for digit in rule.digits)
    signs = _signs(rule)
    linear = _sum(rule.node, names) if rule.kind == NUMBER else None
    if linear is None:
        return FoldedReading(numbers, signs, None, tuple(_verdicts(rule)))
    check_number(*linear)
    if (linear.first + linear.second + 1) * len(numbers) ** 2 > LIMITS.most_folded_columns:
        raise Unsaid("it has too many digits and carries")
    return FoldedReading(numbers, signs, linear, ())


def _signs(rule: OutputRule) -> tuple[int, ...]:
    """What may stand between the numbers; Unsaid unless that is one symbol, and each number has a digit."""
    language = rule.language
    part_of = [index for index, part in enumerate(language.parts) for _ in range(cells_in(part.piece))]
    between = [position for position, part in enumerate(part_of) if part == 1]
    several = union(language.whole.follow[position] for position in between) & union(1 << p for p in between)
    if several or any(part.expression.nullable for part in language.parts):
        raise Unsaid("there are not always two numbers with one symbol between them")
    signs = dict.fromkeys(sign for position in between for sign in language.cells[position])
    if set(signs) & {BLANK, *rule.digits}:
        raise Unsaid("a sign may be a digit or a blank")
    return tuple(rule.symbols.index(sign) for sign in signs)


def _sum(node: s.Expr, names: dict[str, int]) -> Sum | None:
    """A number as a sum of both parts and a constant; None for what is none."""
    if isinstance(node, s.Number):
        return Sum(0, 0, node.value)
    if isinstance(node, s.Name):
        return None if node.name not in names else Sum(1, 0, 0) if names[node.name] == 0 else Sum(0, 1, 0)
    if not isinstance(node, s.Binary) or node.op not in ("+", "*"):
        return None
    a, b = _sum(node.left, names), _sum(node.right, names)
    if a is None or b is None:
        return None
    if node.op == "+":
        return Sum(*map(int.__add__, a, b))
    constant, other = (a, b) if a[:2] == (0, 0) else (b, a)
    return Sum(*(constant.addend * factor for factor in other)) if constant[:2] == (0, 0) else None


def _verdicts(rule: OutputRule) -> Iterator[int]:
    """The symbols for less, equal and greater; Unsaid for a clause that asks for more."""
    a, _, b = rule.language.parts
    for comparison in chain.from_iterable(map(comparisons_in, conditions_of(rule.node))):
        sides = comparison.left, comparison.right
        if {side.name for side in sides if isinstance(side, s.Name)} != {a.name, b.name}:
            raise Unsaid("it has a condition of another form")
    members = {part.name: part.members for part in rule.language.parts}
    for low, high in ((0, 1), (0, 0), (1, 0)):  # numbers that compare so
        parts = {a.name: rule.digits[low], b.name: rule.digits[high]}
        reader = Reader(members, rule.digits, rule.symbols, parts)
        node = reader.branch(rule.node)
        if not isinstance(node, s.Symbol | s.Text | s.Number):
            raise Unsaid("it is more than a sum of the numbers, or a symbol for how they compare")
        text = result_text(rule, reader, node)
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
    heads: dict[tuple[int, FoldedColumn, FoldedColumn], None] = {}
    others: dict[tuple[int, FoldedColumn, FoldedColumn], None] = {}
    for line in lines:
        for column, later in onward[line]:
            blank = [left for left, _ in onward[later] if left.tracks[0] == tape.blank]
            if column.tracks[0] == tape.blank:
                others.update(dict.fromkeys((LEFT_SIDE, column, left) for left in blank))
                continue
            rights = [(RIGHT_SIDE, column, right) for right in right_of[line]]
            others.update(dict.fromkeys(rights))
            if column.where != RIGHT and blank:
                heads.update(dict.fromkeys(rights))
                heads.update(dict.fromkeys((LEFT_SIDE, column, left) for left in blank))
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
