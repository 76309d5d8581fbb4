"""The part of `verify` that knows verdicts: one of finitely many texts, by what is counted along the input.

(R2) constants, and e mod k, by conditions: e mod k against e mod k, or a sum against a number. An expression
     e has quantities, numbers, + - * and mod; a sum is one without minus and `value`. A quantity is a part
     that is a number, the length of a part, the count of a text in it (from the left, not overlapping), or
     the value of a part that is an expression with + - * and numbers in the clause's digits. The text stands
     some columns from the first column of the input, or from the first one after it, as the certificate says.
     A state of its reading (`readings`) has the text, which is guessed at first, and the quantities: each as
     it is below all numbers that something is compared with, and above them but for multiples of the period,
     which all divisors divide; a value but for multiples at once. So sums and products are known as well: one
     that is not below the bound is not below it as it is kept. A difference is known but for multiples.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import Any

from gridlang.compiler.verifier.clauses.outputs import (
    COMPARISONS,
    Node,
    OutputClause,
    Word,
    compare,
    is_number,
)
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import check

NOTHING = -2  # No symbol is wanted.
MODULO, BELOW_BOUND, EXACTLY = 0, 1, 2
FIRST: dict[str, Any] = {"count": (0, 0), "value": (0, 1, None)}
NO_VALUE = (
    "its output clause is the value of an input that may be no expression, or have brackets within brackets"
)


class Quantities:
    """(R2): numbers, lengths and counts of parts, known up to a bound, and above it up to a period."""

    def __init__(self, clause: OutputClause) -> None:
        self.clause = clause
        self.quantities: list[Node] = []
        self.period, self.bound = 1, 1

    def check_size(self) -> None:
        small = max(self.period, self.bound) <= LIMITS.constant
        check(small, "left", f"its output clause has a number above {LIMITS.constant:,}")

    def zeros(self) -> tuple[Any, ...]:
        return tuple(FIRST.get(kind, 0) for kind, *_ in self.quantities)

    def look_at_condition(self, node: Node) -> None:
        if node[0] in ("and", "or", "not"):
            for part in node[1:]:
                self.look_at_condition(part)
            return
        check(node[0] in COMPARISONS, "left", "its output clause has a condition of another form")
        numbers = [side[1] for side in node[1:] if is_number(side)]
        known = [self.known(side) for side in node[1:]]
        natural = bool(numbers) and MODULO not in known
        check(
            natural or known == [EXACTLY] * 2,
            "left",
            "its output clause compares two things that may both be of any size",
        )
        self.bound = max(self.bound, *(number + 1 for number in numbers)) if numbers else self.bound

    def known(self, node: Node) -> int:
        """How well a number is known at the end; its quantities and divisors are noted."""
        if is_number(node):
            return EXACTLY
        if node[0] in ("number", "length", "count", "value"):
            if node not in self.quantities:
                self.quantities.append(node)
            return MODULO if node[0] == "value" else BELOW_BOUND
        if node[0] == "mod":
            divides = is_number(node[2]) and node[2][1] > 0
            check(divides, "left", "its output clause divides by 0, or by something other than a number")
            self.period = lcm(self.period, node[2][1])
            check(
                self.period <= LIMITS.constant,
                "left",
                f"its output clause has a number above {LIMITS.constant:,}",
            )
            self.known(node[1])
            return EXACTLY
        check(
            node[0] in ("+", "-", "*"),
            "left",
            "its output clause speaks of more than numbers, lengths, counts and values of parts",
        )
        least = min(self.known(side) for side in node[1:])
        return MODULO if node[0] == "-" else least

    def value(self, values: Word, node: Node) -> int:
        if node[0] == "constant":
            return int(node[1])
        if node in self.quantities:
            return self.read(node, values[self.quantities.index(node)])
        a, b = (self.value(values, side) for side in node[1:])
        return {"mod": lambda: a % b, "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b}[node[0]]()

    def holds(self, values: Word, node: Node) -> bool:
        if node[0] == "not":
            return not self.holds(values, node[1])
        if node[0] in ("and", "or"):
            sides = (self.holds(values, side) for side in node[1:])
            return all(sides) if node[0] == "and" else any(sides)
        return compare(node[0], self.value(values, node[1]), self.value(values, node[2]))

    def counted(self, quantity: Node, value: Any, part: int, symbol: str) -> Any:
        kind, mine, *what = quantity
        if part != mine:
            return value
        if kind == "number":
            digits = self.clause.members[part]
            return self.small(value * len(digits) + digits.index(symbol))
        if kind == "value":
            return self.calculated(value, symbol)
        if kind == "length":
            return self.small(value + 1)
        # A text is found from the left, and begins anew behind itself: the end of what was read may begin it.
        count, begun = value
        [text] = what
        read = text[:begun] + symbol
        if read == text:
            return self.small(count + 1), 0
        return count, next(n for n in range(len(read), -1, -1) if text.startswith(read[len(read) - n :]))

    def small(self, value: int) -> int:
        return value if value < self.bound else self.bound + (value - self.bound) % self.period

    def calculated(self, value: Any, symbol: str) -> Any:
        """The sum of terms before, the factors of the number that follows, and the term if it has begun.

        Where no number is longer than a digit, its factors are forgotten behind it.
        """
        total, factors, term = value
        digits = self.clause.digits
        if symbol in digits:
            longer = ((term or 0) * len(digits) + factors * digits.index(symbol)) % self.period
            return total, factors if self.clause.has_long_numbers else 0, longer
        check(symbol in ("+", "-", "*"), "left", NO_VALUE)
        if term is None:
            check(symbol == "-", "left", NO_VALUE)
            return total, -factors % self.period, None
        if symbol == "*":
            return total, term, None
        return (total + term) % self.period, 1 if symbol == "+" else -1 % self.period, None

    def read(self, quantity: Node, value: Any) -> int:
        """The number that is known of a quantity at the end."""
        if quantity[0] == "value":
            total, _, term = value
            check(term is not None, "left", NO_VALUE)
            return int(total + term)
        return int(value[0] if quantity[0] == "count" else value)


class Told(Quantities):
    """(R2): a state is the text, the quantities, and the column, counted from the start, or how many remain.

    The column is None where it is past the text, or where more remain than the text begins before the end.
    """

    def __init__(self, clause: OutputClause, side: str, offset: int) -> None:
        super().__init__(clause)
        self.from_end, self.offset = side == "end", offset
        self.texts: set[str] = set()
        self.look(clause.node)
        self.check_size()

    def look(self, node: Node) -> None:
        """Every value and condition of the clause must be of a known form."""
        if node[0] == "if":
            self.look_at_condition(node[1])
            self.look(node[2])
            self.look(node[3])
        elif node[0] == "constant":
            self.texts.add(self.clause.spelled(node[1]))
        else:
            node = _as_number(node)
            check(node[0] == "mod", "left", "what its output clause chooses may be of any length")
            self.known(node)
            self.texts |= {self.clause.spelled(rest) for rest in range(node[2][1])}

    def result(self, values: Word) -> Word:
        node = self.clause.node
        while node[0] == "if":
            node = node[2] if self.holds(values, node[1]) else node[3]
        if node[0] == "constant":
            return self.clause.word(self.clause.spelled(node[1]))
        return self.clause.word(self.clause.spelled(self.value(values, _as_number(node))))

    def starts(self) -> list[tuple[Any, Word]]:
        zeros = self.zeros()
        starts: list[tuple[Any, Word]] = []
        for text in sorted(self.texts):
            word = self.clause.word(text)
            if not self.from_end:
                starts.append(((word, zeros, 0), self.outwards(word, self.offset)))
                continue
            starts.append(((word, zeros, None), ()))
            for length in range(1 - self.offset) if self.offset < 0 else ():
                starts.append(((word, zeros, length), self.outwards(word, length + self.offset)))
        return starts

    def outwards(self, word: Word, column: int) -> Word:
        """What a text that begins in a column wants to the left of column 0."""
        return tuple(_at(word, x - column) for x in range(-1, column - 1, -1))

    def step(self, state: Any, part: int, symbol: str) -> Iterator[tuple[Any, int]]:
        word, values, at = state
        known = zip(self.quantities, values, strict=True)
        values = tuple(self.counted(quantity, value, part, symbol) for quantity, value in known)
        if not self.from_end:
            wanted = NOTHING if at is None else _at(word, at - self.offset)
            past = at is None or at + 1 >= self.offset + len(word)
            yield (word, values, None if past else at + 1), wanted
        elif at is None:
            yield (word, values, None), NOTHING
            if self.offset < 0:
                yield (word, values, -self.offset), NOTHING
        elif at:
            yield (word, values, at - 1), _at(word, -at - self.offset)

    def ended(self, state: Any) -> Word | None:
        word, values, at = state
        if self.result(values) != word or (self.from_end and self.offset < 0 and at != 0):
            return None
        if self.from_end:
            after: Word = (NOTHING,) * self.offset + word if self.offset >= 0 else word[-self.offset :]
            return after
        return (
            ()
            if at is None
            else tuple(_at(word, x - self.offset) for x in range(at, self.offset + len(word)))
        )


def _as_number(node: Node) -> Node:
    """The number that a text is written from."""
    inner: Node = node[1] if node[0] == "text" else node
    return inner


def _at(word: Word, index: int) -> int:
    return word[index] if 0 <= index < len(word) else NOTHING
