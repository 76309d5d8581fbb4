"""Results on a folded tape: where LEFT halts, all columns hold what the `output` clause wants.

What can be said of an input `a = digit+, sign, b = digit+`, digits of equal weight beside each other: (F1)
and (F2) in `compiler/verifier/folds/folded_readings`. A number stands in one track, and is read as on a strip
(`strip_results`); a verdict stands in the column between. What must be blank then: (V10) (e).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple

from gridlang.clauses.clause_tree import Constant, Node, Operation, Part, operation
from gridlang.clauses.functions import counts
from gridlang.clauses.outputs import OutputRule
from gridlang.clauses.position_automaton import union
from gridlang.compiler.automata.explore import TooLarge, steps_ahead
from gridlang.compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from gridlang.compiler.proofs.abstractions.folded_tape import FoldedColumn, FoldedTape, LeftRows, MayBeStuck
from gridlang.compiler.proofs.abstractions.folds import (
    Beside,
    FoldAnalysis,
    FoldedInputs,
    bits,
    fold_evidence,
)
from gridlang.compiler.proofs.abstractions.strip_labels import symbol_classes
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import (
    LEADING,
    NOTHING,
    Unsaid,
    check_number,
    chosen,
    clause_node,
    comparisons,
    conditions_of,
    constant_text,
    linear,
    parts_of,
)
from gridlang.compiler.proofs.results.strip_results import Halt, digit_kind, wrong_label
from gridlang.table import BLANK, Table

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
    orders: frozenset[int] | None = None  # how a may compare with b; None where that is not told

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

    def order(self, before: int, a: int, b: int) -> int:
        """How the numbers compare after two digits, where that is asked."""
        if self.orders is None:
            return before
        return LESS if a < b else GREATER if a > b else before

    def beyond(self, state: int) -> tuple[int, int]:
        """The same of a column to the left of both numbers."""
        return self.step(state, 0, 0) if self.sum is None or state else (state, LEADING)


def folded_reading(rule: OutputRule, conditioned: bool = False) -> FoldedReading:
    """The reading of a clause, of inputs that meet their condition; Unsaid if it is of none of the forms."""
    node, parts = clause_node(rule), rule.language.parts
    if len(parts) != 3 or not all(part.members == rule.digits and counts(rule.digits) for part in parts[::2]):
        raise Unsaid("the input is not two numbers with a sign between them")
    numbers = tuple(rule.symbols.index(digit) for digit in rule.digits)
    signs, orders = _signs(rule), _orders(rule) if conditioned else None
    form = linear(node, differences=orders is not None)
    if form is None or not set(form) <= {0, 2, None}:
        return FoldedReading(numbers, signs, None, tuple(_verdicts(rule, node)), orders)
    total = Sum(form.get(0, 0), form.get(2, 0), form.get(None, 0))
    check_number(*map(abs, total))
    if (abs(total.first) + abs(total.second) + 1) * len(numbers) ** 2 > LIMITS.most_folded_columns:
        raise Unsaid("it has too many digits and carries")
    return FoldedReading(numbers, signs, total, (), orders)


def _orders(rule: OutputRule) -> frozenset[int] | None:
    """How the numbers may compare where the condition is met; None if it does not tell."""
    orders = {LESS, EQUAL, GREATER}
    for condition in conditions_of(rule):
        whether = operation("if", condition, Constant(1), Constant(0))
        try:
            orders &= {order for order, holds in enumerate(_compared(rule, whether)) if holds == Constant(1)}
        except Unsaid:
            continue  # Without it there are more inputs.
    return frozenset(orders) if len(orders) < 3 else None


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


def _compared(rule: OutputRule, node: Node) -> Iterator[Node]:
    """What a clause chooses where a is less than b, equal to it, and greater."""
    a, b = (Operation("number", (Part(part),), rule.digits) for part in (0, 2))
    if any(set(comparison.operands) != {a, b} for comparison in comparisons(node)):
        raise Unsaid("it has a condition of another form")
    for of_a, of_b in ((0, 1), (0, 0), (1, 0)):
        values: dict[Node, int] = {a: of_a, b: of_b}
        yield chosen(node, values.__getitem__)


def _verdicts(rule: OutputRule, node: Node) -> Iterator[int]:
    """The symbols for less, equal and greater; Unsaid for a clause that asks for more."""
    for constant in _compared(rule, node):
        if not isinstance(constant, Constant):
            raise Unsaid("it is more than a sum of the numbers, or a symbol for how they compare")
        text = constant_text(rule, constant.value)
        if len(text) != 1 or text not in rule.symbols:
            raise Unsaid("its results are not single symbols that the agent knows")
        yield rule.symbols.index(text)


class _Line(NamedTuple):
    """How far an input is known, from the right: where, the reading's state, and which numbers go on.

    `order` is how the numbers compare so far, where that decides which inputs there are.
    """

    where: int
    state: int
    open: tuple[bool, bool]
    order: int = EQUAL


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
    ends = [line for line in lines if line.where == LEFT]
    live = steps_ahead(ends, lines, lambda line: [later for _, later in onward[line]])
    lines = [line for line in lines if line in live]
    right_of = {line: {} for line in lines}
    for line in lines:
        onward[line] = [(column, later) for column, later in onward[line] if later in live]
        for column, later in onward[line]:
            right_of[later][column] = None
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
    if line.where in (INSIDE, LEFT) and (reading.orders is None or line.order in reading.orders):
        after, wanted = reading.beyond(line.state)
        column = FoldedColumn((tape.blank, tape.absent), wanted, LEFT)
        yield column, _Line(LEFT, after, (False, False), line.order)
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
                order = reading.order(line.order, a or 0, b or 0)
                yield FoldedColumn(tracks, wanted, where), _Line(INSIDE, after, going, order)


STANDS = ("first", "second")  # the tracks, as a certificate names them; a verdict stands "between"


def fold_result(
    table: Table, reading: FoldedReading, row: int, shifts: bool
) -> tuple[dict[str, Any] | None, int, str]:
    """A proof with the number of its states, or why there is none; if it `shifts`, that is tried first."""
    reason = ""
    for shifting in (shifts, not shifts):
        try:
            analysis = _analysis(table, reading, row, shifting)
        except TooLarge as outgrown:
            reason = reason or f"there were more than {outgrown.size:,} states"
            continue
        except MayBeStuck as stuck:
            symbol, state = table.symbols[stuck.symbol], table.states[stuck.state]
            reason = reason or f"`{state}` may come to `{symbol}`, on a folded tape"
            continue
        except LeftRows:
            reason = reason or "it leaves the rows of its input too far"
            continue
        wrongs = {}
        for stands in ("between",) if reading.sum is None else reversed(STANDS):
            wrongs[stands] = _wrong(analysis, reading, table, row, stands)
            if wrongs[stands] is None:
                proof = fold_evidence(analysis, row, stands, reading.orders is not None)
                return proof, analysis.size, ""
        reason = reason or next(wrong for wrong in wrongs.values() if wrong is not None)
    return None, 0, reason


def _analysis(table: Table, reading: FoldedReading, row: int, shifting: bool) -> FoldAnalysis:
    """The fixpoint on as few rows as the head stays in; LeftRows if these are too many."""
    low, high = min(row, 0), max(row, 0)
    while True:
        tape = FoldedTape(table.rows, low, high)
        shifts = (tape.blank,) if shifting else ()
        rough = _coarse(table, reading, -low)
        try:
            inputs = folded_inputs(reading, tape)
            return FoldAnalysis(tape, inputs, shifts, rough, LIMITS.most_fold_grams)
        except LeftRows as outside:
            low, high = min(low, outside.row), max(high, outside.row)
            if high - low >= LIMITS.most_strip_rows:
                raise


def _coarse(table: Table, reading: FoldedReading, at: int) -> Callable[[FoldedColumn], Hashable]:
    """What neighbours know of a column: classes of its symbols, and how its digits make what is wanted.

    Of a sum that is what they leave to be added by carries: then the carry that comes into a column and the
    one that goes out of it are both known, whatever digits it has. `at` is the index of row 0.
    """
    classes, values = symbol_classes(table), {symbol: value for value, symbol in enumerate(reading.digits)}

    def rough(column: FoldedColumn) -> Hashable:
        seen = tuple(tuple(classes[s] if s >= 0 else s for s in cells) for cells in column.tracks)
        a, b = (values.get(cells[at]) for cells in column.tracks)
        zero = (a == 0, b == 0) if a is None or b is None else None
        if reading.sum is None:
            return seen, column.where, column.wanted, ((a or 0) > (b or 0)) - ((a or 0) < (b or 0))
        known = values.get(column.wanted, 0)
        rest = known - reading.sum.first * (a or 0) - reading.sum.second * (b or 0)
        return seen, column.where, min(column.wanted, 0), rest, zero

    return rough


def _wrong(analysis: FoldAnalysis, reading: FoldedReading, table: Table, row: int, stands: str) -> str | None:
    """A column that may be wrong at a halt if results stand in one place, in words; None if there is none."""
    at = row - analysis.tape.low

    def verdict_kind(control: int, label: int) -> str | None:
        """B for all columns of a verdict; None if the column may be wrong."""
        column, between = analysis.labels[label], analysis.controls[control].between
        wanted = reading.verdicts[column.wanted] if column.where == LEFT else between[at]
        text = (*between[:at], *between[at + 1 :])
        blank = not any(symbol > 0 for cells in column.tracks for symbol in cells)
        return "B" if blank and not any(text) and between[at] == wanted else None

    def number_kind(control: int, label: int) -> str | None:
        column, track = analysis.labels[label], STANDS.index(stands)
        cells = column.tracks[track]
        rest = (*cells[:at], *cells[at + 1 :], *column.tracks[1 - track], *analysis.controls[control].between)
        if any(symbol > 0 for symbol in rest):
            return None
        return digit_kind(max(cells[at], 0), column.wanted, reading.digits[0], True)

    halts = (
        Halt(
            label,
            control,
            [
                (side, near)
                for side in (LEFT_SIDE, RIGHT_SIDE)
                for near in bits(analysis.heads[control][side].get(label, 0))
            ],
        )
        for control, label in analysis.halting
    )
    numeric = reading.sum is not None
    wrong = wrong_label(halts, number_kind if numeric else verdict_kind, analysis.beginning, numeric)
    if wrong is None:
        return None
    shown = [
        " above ".join(table.symbols[symbol] for symbol in cells) if cells[0] >= 0 else "nothing"
        for cells in analysis.labels[wrong].tracks
    ]
    return f"it may halt with {shown[0]} for a digit of one number and {shown[1]} for that of the other"
