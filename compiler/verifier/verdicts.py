"""The part of `verify` that knows verdicts: one of finitely many texts, by what is counted along the input.

(R3) constants, and q mod k, by conditions on q mod k, or on q, against numbers; q is a part that is a number,
     or the length of a part, or the count of one symbol in it. The text stands some columns from the first
     column of the input, or from the first one after it, as the certificate says. A state of its reading
     (`readings`) has the text, which is guessed at first, and the quantities: each as it is below all numbers
     in the clause, and above them but for multiples of all divisors.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import Any

from compiler.verifier.limits import LIMITS
from compiler.verifier.output_clauses import COMPARISONS, Node, OutputClause, Word, compare, is_number
from compiler.verifier.tables import check

NOTHING = -2  # No symbol is wanted.


class Told:
    """(R3): a state is the text, the quantities, and the column, counted from the start, or how many remain.

    The column is None where it is past the text, or where more remain than the text begins before the end.
    """

    def __init__(self, clause: OutputClause, side: str, offset: int) -> None:
        self.clause, self.from_end, self.offset = clause, side == "end", offset
        self.quantities: list[Node] = []
        self.period, self.bound = 1, 1
        self.texts: set[str] = set()
        self.look(clause.node)
        check(
            max(self.period, self.bound) <= LIMITS.constant, "left", "its output clause has too large numbers"
        )

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
            check(node[0] == "mod", "left", "its output clause has more than finitely many results")
            self.note(node)
            self.texts |= {self.clause.in_digits(rest) for rest in range(node[2][1])}

    def look_at_condition(self, node: Node) -> None:
        if node[0] in ("and", "or", "not"):
            for part in node[1:]:
                self.look_at_condition(part)
            return
        check(node[0] in COMPARISONS, "left", "its output clause has a condition that is not known")
        numbers = [side for side in node[1:] if is_number(side)]
        check(len(numbers) == 1, "left", "its output clause compares what is not known")
        self.bound = max(self.bound, numbers[0][1] + 1)
        self.note(node[1] if node[2] is numbers[0] else node[2])

    def note(self, node: Node) -> None:
        if node[0] == "mod":
            known = is_number(node[2]) and node[2][1] > 0
            check(known, "left", "its output clause divides by what is not known")
            self.period = lcm(self.period, node[2][1])
            check(self.period <= LIMITS.constant, "left", "its output clause has too large numbers")
            node = node[1]
        check(node[0] in ("number", "length", "count"), "left", "its output clause counts what is not known")
        if node not in self.quantities:
            self.quantities.append(node)

    def value(self, values: Word, node: Node) -> int:
        if node[0] == "constant":
            return int(node[1])
        if node[0] == "mod":
            return self.value(values, node[1]) % int(node[2][1])
        return values[self.quantities.index(node)]

    def holds(self, values: Word, node: Node) -> bool:
        if node[0] == "not":
            return not self.holds(values, node[1])
        if node[0] in ("and", "or"):
            sides = (self.holds(values, side) for side in node[1:])
            return all(sides) if node[0] == "and" else any(sides)
        return compare(node[0], self.value(values, node[1]), self.value(values, node[2]))

    def result(self, values: Word) -> Word:
        node = self.clause.node
        while node[0] == "if":
            node = node[2] if self.holds(values, node[1]) else node[3]
        if node[0] == "constant":
            return self.clause.word(self.clause.spelled(node[1]))
        return self.clause.word(self.clause.in_digits(self.value(values, _as_number(node))))

    def starts(self) -> list[tuple[Any, Word]]:
        zeros = (0,) * len(self.quantities)
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
        values = tuple(map(self.counted, self.quantities, values, [part] * len(values), symbol * len(values)))
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

    def counted(self, quantity: Node, value: int, part: int, symbol: str) -> int:
        kind, mine, *what = quantity
        if part != mine:
            return value
        if kind == "number":
            digits = self.clause.members[part]
            value = value * len(digits) + digits.index(symbol)
        else:
            value += kind == "length" or symbol in what
        return value if value < self.bound else self.bound + (value - self.bound) % self.period

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
