"""Inputs drawn from an `input` clause: how often something repeats is planned, and what repeats is drawn.

Symbols that are drawn one by one hardly ever carry through all digits, make two equal numbers or a
palindrome. So most repetitions follow a pattern: one symbol throughout, but for one place, to and fro.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from random import Random
from typing import NamedTuple, TypeVar

from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.position_automaton import Bounds
from gridlang.compiler.simulation.clause_folding import fold_clause
from gridlang.compiler.testing.limits import LIMITS

T = TypeVar("T")
FEW = (0, 0, 1, 1, 2, 3)  # bodies beyond the least, of a repetition that is not the long one
FEW_IN_A_GROUP = (0, 0, 0, 1)  # Groups in groups multiply.
PATTERNS = (
    *["constant", "changed", "changed", "power", "halves", "periodic", "mirror", "echo", "echo"],
    *["drawn"] * 4,
)


class Piece(NamedTuple):
    """A piece of the clause, drawn with its repetitions.

    Pieces of one form, such as two numbers, echo each other. A cell has the symbols of its class; a class may
    have none, and no input has such a cell.
    """

    draw: Callable[[bool], str]
    form: object
    repetitions: frozenset[int] = frozenset()
    symbols: str = ""


class Plan(NamedTuple):
    """One repetition of this length among short ones; without one, all are as long or up to as long."""

    repetition: int | None
    length: int
    equal: bool = False


class _NoInput(Exception):
    """More symbols than an input may have, more pieces than are worth a visit, or a class without symbols."""


class InputDrawer:
    """Draws inputs of at most `longest` symbols.

    Its repetitions that can be long have numbers, inner ones first.
    """

    def __init__(self, language: InputLanguage, longest: int, random: Random) -> None:
        self.random, self.bits, self.longest = random, random.getrandbits, longest
        self.repetitions = 0
        self.nested: frozenset[int] = frozenset()  # those in groups that repeat
        self.root: Piece = fold_clause(
            language, self._cell, self._repeated, self._either, self._row, one_cell=False
        )
        self.extending = LIMITS.most_repetitions_extended / max(1, self.repetitions)

    def plans(self, length: int) -> Iterator[Plan]:
        """Each repetition alone is so long, then all of them together; of many, some by turns."""
        swept = min(self.repetitions, LIMITS.most_swept)
        for turn in range(swept):
            yield Plan((length * swept + turn) % self.repetitions, length)
        yield Plan(None, length // max(1, self.repetitions), equal=length % 2 == 0)

    def draw(self, plan: Plan) -> str | None:
        """An input as planned; None for one that is too long or misses its plan."""
        self.plan = plan
        self.work = LIMITS.work_per_symbol * self.longest + 1_000
        self.room = self.longest
        # In a group that repeats, the long repetition may stand in a later round.
        self.skipped = self.pick((0, 0, 0, 1, 2)) if plan.repetition in self.nested else 0
        self.is_long = plan.repetition is None
        self.words: dict[object, list[str]] = {}
        try:
            text = self.root.draw(False)
        except _NoInput:
            return None
        return text if len(text) <= self.longest and self.is_long else None

    def pick(self, options: Sequence[T]) -> T:
        """What `choice` of Random gives, in half the time."""
        size = len(options)
        wide = size.bit_length()
        while (at := self.bits(wide)) >= size:
            pass
        return options[at]

    def _visit(self) -> None:
        self.work -= 1
        if self.work < 0:
            raise _NoInput

    def _cell(self, symbols: str) -> Piece:
        def draw(_: bool) -> str:
            self._visit()
            if not symbols:
                raise _NoInput
            return self.pick(symbols)

        return Piece(draw, symbols, symbols=symbols)

    def _row(self, parts: list[Piece]) -> Piece:
        def draw(nested: bool) -> str:
            self._visit()
            return "".join([part.draw(nested) for part in parts])

        form = ",", *(part.form for part in parts)
        return Piece(draw, form, frozenset().union(*(part.repetitions for part in parts)))

    def _either(self, options: list[Piece]) -> Piece:
        def draw(nested: bool) -> str:
            self._visit()
            # The plan may leave some options only.
            leading = [] if self.is_long else [o for o in options if self.plan.repetition in o.repetitions]
            return self.pick(leading or options).draw(nested)

        form = "|", *(option.form for option in options)
        return Piece(draw, form, frozenset().union(*(option.repetitions for option in options)))

    def _repeated(self, body: Piece, bounds: Bounds) -> Piece:
        number = -1
        if bounds.most is None or bounds.most > max(1, bounds.least):
            number, self.repetitions = self.repetitions, self.repetitions + 1
        self.nested |= body.repetitions

        def draw(nested: bool) -> str:
            self._visit()
            leads = not self.is_long and self.plan.repetition in body.repetitions
            is_long = not self.is_long and self.plan.repetition == number and self._turn()
            length = self.plan.length if is_long else self._length(number, bounds.least, nested)
            length = max(length, bounds.least, 1 + self.skipped if leads else 0)
            if bounds.most is not None:
                length = min(length, bounds.most)
            words = (
                self._many(body, length)
                if leads
                else self._words(body, length, Bounds(length, length) if is_long else bounds)
            )
            text = "".join(words)
            self.room -= 0 if nested else len(text)
            if self.room < 0:
                raise _NoInput
            return text

        return Piece(draw, (body.form, bounds, number), body.repetitions | {number})

    def _turn(self) -> bool:
        """Whether this is the time that the planned repetition is long."""
        self.is_long = not self.skipped
        self.skipped = max(0, self.skipped - 1)
        return self.is_long

    def _length(self, number: int, least: int, nested: bool) -> int:
        if number >= 0 and not nested and self.plan.repetition is None:
            if self.plan.equal:
                return self.plan.length
            # All magnitudes are as likely, so that lengths differ widely.
            return int(2 ** self.random.uniform(0, max(1, self.plan.length).bit_length())) - 1
        if self.random.random() > self.extending:
            return least
        return least + self.pick(FEW_IN_A_GROUP if nested else FEW)

    def _many(self, body: Piece, length: int) -> list[str]:
        """As many words of a body; faster for a cell, as most bodies are."""
        if not body.symbols or length > self.work:
            return [body.draw(True) for _ in range(length)]
        self.work -= length
        return list(map(self.pick, repeat(body.symbols, length)))

    def _words(self, body: Piece, length: int, echoes: Bounds) -> list[str]:
        """Words of the body, in a pattern or none; `echoes` says how many may be drawn again."""
        if length == 0:
            return []
        pattern = self.pick(PATTERNS)
        earlier, (least, most) = self.words.get(body.form), echoes
        if pattern == "echo" and earlier and least <= len(earlier) and (most is None or len(earlier) <= most):
            words = list(earlier)
            if self.random.random() < 0.5:
                words[self.pick((0, -1, self.random.randrange(len(words))))] = self._word(body)
        else:
            words = self._pattern(body, length, pattern)
        self.words[body.form] = words
        return words

    def _word(self, body: Piece) -> str:
        """The first and the last symbol of a class are as likely as all together: 0, 9 and some digit."""
        if body.symbols:
            return self.pick((body.symbols[0], body.symbols[-1], self.pick(body.symbols)))
        return body.draw(True)

    def _pattern(self, body: Piece, length: int, pattern: str) -> list[str]:
        one, other = self._word(body), self._word(body)
        if pattern == "constant":
            return [one] * length
        if pattern == "changed":
            words = [one] * length
            words[self.pick((0, -1, self.random.randrange(length)))] = other
            return words
        if pattern == "power" and body.symbols:  # 10…0, or 10…01
            low, high = body.symbols[0], body.symbols[min(1, len(body.symbols) - 1)]
            return [high, *[low] * (length - 2), self.pick((low, high))][:length]
        if pattern == "halves":
            return [one] * (length // 2) + [other] * (length - length // 2)
        if pattern == "periodic":
            period = [self._word(body) for _ in range(self.random.randint(2, 5))]
            return [period[n % len(period)] for n in range(length)]
        words = self._many(body, length)
        if pattern == "mirror":
            words[(length + 1) // 2 :] = words[: length // 2][::-1]
        return words
