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

from compiler.verifier.output_clauses import LEVELS, Node, OutputClause, Word, counts
from compiler.verifier.tables import check

NOTHING = -2  # No symbol is wanted.
LARGEST = 1_000  # of the numbers in a clause: states are as many


class Told:
    """(R3): a state is the text, the quantities, and the column, counted from the start, or how many remain.

    The column is None where it is past the text, or where more remain than the text begins before the end.
    """

    def __init__(self, clause: OutputClause, side: str, offset: int) -> None:
        self.clause, self.from_end, self.offset = clause, side == "end", offset
        self.quantities: list[tuple[int, str, bool]] = []  # a part, what counts in it, and whether it is read
        self.period, self.bound = 1, 1
        self.texts: set[str] = set()
        self.look(clause.node)
        check(max(self.period, self.bound) <= LARGEST, "left", "its output clause has too large numbers")

    def look(self, node: Node) -> None:
        """Every value and condition of the clause must be of a known form."""
        if node[0] == "if":
            self.look_at_condition(node[1])
            self.look(node[2])
            self.look(node[3])
        elif node[0] in ("number", "text"):
            self.texts.add(self.clause.spelled(node))
        else:
            check(node[0] == "mod", "left", "its output clause has more than finitely many results")
            self.note(node)
            self.texts |= {self.clause.in_digits(rest) for rest in range(node[2][1])}

    def look_at_condition(self, node: Node) -> None:
        if node[0] in ("and", "or", "not"):
            for part in node[1:]:
                self.look_at_condition(part)
            return
        check(node[0] in LEVELS[2], "left", "its output clause has a condition that is not known")
        numbers = [side for side in node[1:] if side[0] == "number"]
        check(len(numbers) == 1, "left", "its output clause compares what is not known")
        self.bound = max(self.bound, numbers[0][1] + 1)
        self.note(node[1] if node[2] is numbers[0] else node[2])

    def note(self, node: Node) -> None:
        if node[0] == "mod":
            known = node[2][0] == "number" and node[2][1] > 0
            check(known, "left", "its output clause divides by what is not known")
            self.period = lcm(self.period, node[2][1])
            check(self.period <= LARGEST, "left", "its output clause has too large numbers")
            node = node[1]
        quantity = self.quantity(node)
        if quantity not in self.quantities:
            self.quantities.append(quantity)

    def quantity(self, node: Node) -> tuple[int, str, bool]:
        of = node
        if node[0] == "call":
            of = node[2][0]
        check(of[0] == "name", "left", "its output clause speaks of more than parts")
        part = self.clause.parts[of[1]]
        members = self.clause.clause.members[part]
        if node[0] == "name" and counts(members):
            return part, members, True
        if node[0] == "call" and node[1] == "number" and len(node[2]) == 1:
            check(
                len(members) > 1 and "-" not in members, "left", "its output clause reads what is no number"
            )
            return part, members, True
        if node[0] == "call" and node[1] == "length" and len(node[2]) == 1:
            return part, "".join(self.clause.left.symbols), False
        counted = node[0] == "call" and node[1] == "count" and len(node[2]) == 2
        what = self.constant(node[2][1]) if counted else None
        check(what is not None and len(what) == 1, "left", "its output clause counts what is not known")
        assert what is not None
        return part, what, False

    def constant(self, node: Node) -> str | None:
        return str(node[1]) if node[0] in ("number", "text") else None

    def value(self, values: Word, node: Node) -> int:
        if node[0] == "number":
            return int(node[1])
        if node[0] == "mod":
            return self.value(values, node[1]) % int(node[2][1])
        return values[self.quantities.index(self.quantity(node))]

    def holds(self, values: Word, node: Node) -> bool:
        if node[0] == "not":
            return not self.holds(values, node[1])
        if node[0] == "and":
            return self.holds(values, node[1]) and self.holds(values, node[2])
        if node[0] == "or":
            return self.holds(values, node[1]) or self.holds(values, node[2])
        a, b = self.value(values, node[1]), self.value(values, node[2])
        results = {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
        return results[node[0]]

    def result(self, values: Word) -> Word:
        node = self.clause.node
        while node[0] == "if":
            node = node[2] if self.holds(values, node[1]) else node[3]
        clause, rest = self.clause, node[0] == "mod"
        return clause.word(clause.in_digits(self.value(values, node)) if rest else clause.spelled(node))

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

    def counted(self, quantity: tuple[int, str, bool], value: int, part: int, symbol: str) -> int:
        mine, what, is_read = quantity
        if part != mine:
            return value
        value = value * len(what) + what.index(symbol) if is_read else value + (symbol in what)
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


def _at(word: Word, index: int) -> int:
    return word[index] if 0 <= index < len(word) else NOTHING
