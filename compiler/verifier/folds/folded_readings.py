"""The part of `verify` that knows what an output clause wants of two numbers, by digits of equal weight.

(F1) k * a + m * b + c: a state is a carry, c at first; of digits a and b it wants the digit (k * a + m * b +
     state) mod B, and the next state is the quotient, rounded down. To the left of both it wants the digits
     of the carry, and then LEADING, any zeros; to the right NOTHING. Of a number below 0 the carry stays
     below 0, and digits are wanted for ever, which no run leaves.
(F2) a symbol by how a compares with b: a state is 0, 1 or 2 for less, equal and greater, 1 at first, and it
     is also what is wanted; of digits from the right, the last two that differ decide.

Where inputs have a condition, its parts that say how a compares with b leave out those inputs that do not
meet them: of digits from the right, the last two that differ decide.

The input clause must have three parts, the first and the last of the same digits, at least one each, and one
symbol between them that is no digit and no blank; each symbol of an input belongs to one part, whatever
follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import COMPARISONS, Node, OutputClause, compare, linear
from gridlang.compiler.verifier.clauses.readings import LEADING
from gridlang.compiler.verifier.clauses.verdicts import NOTHING
from gridlang.compiler.verifier.folds.folded_tape import Cells, FoldedTape
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.reaching import leading_to
from gridlang.compiler.verifier.tables import Rules, check

# How far an input is known, from the right: where, the reading's state, whether each number may go on, and
# how they compare so far.
Line = tuple[int, int, bool, bool, int]


class FoldedReading:
    """A machine that reads two digits at a time, from the right; 0 stands for one that is missing."""

    def __init__(self, left: Rules, conditioned: bool) -> None:
        inputs = InputClause(left)
        self.clause = OutputClause(left, inputs)
        chars, members = self.clause.digits, self.clause.members
        numbers = chars and len(members) == 3 and members[::2] == [chars, chars]
        check(numbers, "left", "its inputs are not two numbers with a sign between them")
        self.digits = [left.symbols.index(digit) for digit in chars]
        self.signs = [left.symbols.index(sign) for sign in sorted(_signs(left, inputs))]
        check(not {0, *self.digits} & {*self.signs}, "left", "a sign of its inputs is a digit or a blank")
        self.sum = linear(self.clause.node, differences=conditioned)
        small = max(map(abs, self.sum or [0])) <= LIMITS.constant
        check(small, "left", "its output clause has too large numbers")
        conditions = self.clause.conditions if conditioned else []
        self.orders = {order for order in (0, 1, 2) if all(self._holds(some, order) for some in conditions)}
        self.compares = len(self.orders) < 3
        self.verdicts = [] if self.sum else [self._verdict(order) for order in (0, 1, 2)]
        self.start = self.sum[2] if self.sum else 1

    def step(self, state: int, a: int, b: int) -> tuple[int, int]:
        """The state after two digits, and what is wanted in their column."""
        if self.sum is None:
            order = 0 if a < b else 2 if a > b else state
            return order, order
        after, digit = divmod(self.sum[0] * a + self.sum[1] * b + state, len(self.digits))
        return after, self.digits[digit]

    def order(self, before: int, a: int, b: int) -> int:
        """How the numbers compare after two digits: 0, 1 or 2; 1 where no input is left out."""
        return before if a == b or not self.compares else 0 if a < b else 2

    def beyond(self, state: int) -> tuple[int, int]:
        """The same in a column to the left of both numbers."""
        return (0, LEADING) if self.sum and state == 0 else self.step(state, 0, 0)

    def _verdict(self, order: int) -> int:
        """The symbol that is wanted where the numbers compare so."""
        node = self.clause.node
        while node[0] == "if":
            node = node[2] if self._holds(node[1], order) else node[3]
        check(node[0] == "constant", "left", "its output clause is none of two numbers that is known")
        word = self.clause.word(self.clause.spelled(node[1]))
        check(len(word) == 1, "left", "its output clause has a text that is not one symbol")
        return word[0]

    def _holds(self, node: Node, order: int) -> bool:
        if node[0] == "not":
            return not self._holds(node[1], order)
        if node[0] in ("and", "or"):
            sides = [self._holds(side, order) for side in node[1:]]
            return all(sides) if node[0] == "and" else any(sides)
        check(node[0] in COMPARISONS, "left", "its output clause has a condition that is not known")
        numbers = [side[1] if side[0] == "number" else None for side in node[1:]]
        check(numbers in ([0, 2], [2, 0]), "left", "its output clause compares what is not known")
        return compare(node[0], *((order, 1) if numbers == [0, 2] else (1, order)))


def _signs(left: Rules, inputs: InputClause) -> set[str]:
    """What may stand between two numbers; Wrong unless every input is two with one symbol between."""
    where = "its inputs are not two numbers with a sign between them"
    onward = {(0, 0): 1, (1, 0): 1, (1, 1): 2, (2, 2): 3, (3, 2): 3}  # how far, and the part that is read
    signs: set[str] = set()
    work = [(inputs.start(), 0)]
    seen = set(work)
    for here, far in work:
        check(len(seen) <= LIMITS.fold_states, "left", "its input clause has too many states")
        check(not inputs.may_end(here) or far == 3, "left", where)
        for symbol in left.symbols:
            there = inputs.step(here, symbol)
            if not there:
                continue
            part = inputs.part_read(here, symbol)
            check((far, part) in onward, "left", where)
            if part == 1:
                signs.add(symbol)
            new = there, onward[far, part]
            if new not in seen:
                seen.add(new)
                work.append(new)
    return signs


def lines(reading: FoldedReading, tape: FoldedTape) -> dict[Line, list[tuple[Cells, Line]]]:
    """All lines, each with what may come next to the left; only those that an input comes to."""
    first: Line = (0, reading.start, True, True, 1)
    columns: dict[Line, list[tuple[Cells, Line]]] = {}
    for line in (work := [first]):
        if line not in columns:
            columns[line] = list(_columns(reading, tape, line))
            work += [later for _, later in columns[line]]
        many = len(columns) * (len(reading.digits) + 1) ** 2
        message = f"more than {LIMITS.fold_columns:,} columns of inputs are refused"
        check(many <= LIMITS.fold_columns, "left", message)
    ends = [line for line in columns if line[0] == 3]
    live = leading_to(ends, {line: [to for _, to in onward] for line, onward in columns.items()})
    return {line: [(x, to) for x, to in columns[line] if to in live] for line in columns if line in live}


def _columns(reading: FoldedReading, tape: FoldedTape, line: Line) -> Iterator[tuple[Cells, Line]]:
    """What may come next to the left in an input, each with the line after it."""
    where, state, *may_go_on, order = line
    if where == 0:
        yield (*tape.absent, *tape.blank, NOTHING, 0), line
    elif order in reading.orders:
        after, wanted = reading.beyond(state)
        yield (*tape.blank, *tape.absent, wanted, 3), (3, after, False, False, order)
    digits = reading.digits
    for a in [None, *range(len(digits))] if may_go_on[0] else [None]:
        for b in [None, *range(len(digits))] if may_go_on[1] else [None]:
            if (a is None and b is None) or (where == 0 and None in (a, b)):
                continue
            after, wanted = reading.step(state, a or 0, b or 0)
            first = tape.blank if a is None else tape.on_row_0(digits[a])
            second = tape.absent if b is None else tape.on_row_0(digits[b])
            label = (*first, *second, wanted, 1 if where == 0 else 2)
            compared = reading.order(order, a or 0, b or 0)
            yield label, (2, after, a is not None, b is not None, compared)
