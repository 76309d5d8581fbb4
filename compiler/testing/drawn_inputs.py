"""Inputs drawn from an `input` clause: how often something repeats is planned, and what repeats is drawn.

Symbols that are drawn one by one hardly ever carry through all digits, make two equal numbers or a
palindrome. So most repetitions follow a pattern: one symbol throughout, but for one place, to and fro.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from random import Random
from typing import NamedTuple, TypeAlias, TypeVar

from gridlang.clauses.input_clauses import fold_clause
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.position_automaton import Bounds
from gridlang.compiler.testing.limits import LIMITS

T = TypeVar("T")
FEW = (0, 0, 1, 1, 2, 3)  # bodies beyond the least, of a repetition that is not the long one
FEW_IN_A_GROUP = (0, 0, 0, 1)  # Groups in groups multiply.


class Cell(NamedTuple):
    """A symbol of a class; a class may have none, and no input has such a cell."""

    members: str
    repetitions: frozenset[int] = frozenset()


class Row(NamedTuple):
    parts: tuple[Piece, ...]
    repetitions: frozenset[int]


class Either(NamedTuple):
    options: tuple[Piece, ...]
    repetitions: frozenset[int]


class Repetition(NamedTuple):
    """`number` counts those that can be long, inner ones first; one that cannot has none, -1."""

    body: Piece
    least: int
    most: int | None
    number: int
    repetitions: frozenset[int]

    def allows(self, length: int) -> bool:
        return length >= self.least and (self.most is None or length <= self.most)


Piece: TypeAlias = Cell | Row | Either | Repetition  # with the repetitions that it is or has


class Plan(NamedTuple):
    """One repetition of this length among short ones; without one, all are as long or up to as long."""

    repetition: int | None
    length: int
    equal: bool = False


class _NoInput(Exception):
    """More symbols than an input may have, more pieces than are worth a visit, or a class without symbols."""


class InputDrawer:
    """Draws inputs of at most `longest` symbols."""

    def __init__(self, language: InputLanguage, longest: int, random: Random) -> None:
        self.random, self.longest = random, longest
        self.repetitions = 0
        self.nested: frozenset[int] = frozenset()  # those in groups that repeat
        self.root: Piece = fold_clause(language, Cell, self._repeated, _either, _row, one_cell=False)

    def _repeated(self, body: Piece, bounds: Bounds) -> Piece:
        number = -1
        if bounds.most is None or bounds.most > max(1, bounds.least):
            number, self.repetitions = self.repetitions, self.repetitions + 1
        self.nested |= body.repetitions
        return Repetition(body, *bounds, number, body.repetitions | {number})

    def plans(self, length: int) -> Iterator[Plan]:
        """Each repetition alone is so long, then all of them together; of many, some by turns."""
        swept = min(self.repetitions, LIMITS.most_swept)
        for turn in range(swept):
            yield Plan((length * swept + turn) % self.repetitions, length)
        yield Plan(None, length // max(1, self.repetitions), equal=length % 2 == 0)

    def draw(self, plan: Plan) -> str | None:
        """An input as planned; None for one that is too long or misses its plan."""
        draw = _Draw(self, plan)
        try:
            text = draw.piece(self.root)
        except _NoInput:
            return None
        return text if len(text) <= self.longest and draw.is_long else None


def _either(options: list[Piece]) -> Piece:
    alone = (o.parts[0] if isinstance(o, Row) and len(o.parts) == 1 else o for o in options)
    return Either(tuple(alone), frozenset().union(*(option.repetitions for option in options)))


def _row(parts: list[Piece]) -> Piece:
    return Row(tuple(parts), frozenset().union(*(part.repetitions for part in parts)))


class _Draw:
    """One input while it is drawn."""

    def __init__(self, drawer: InputDrawer, plan: Plan) -> None:
        self.random, self.bits, self.plan = drawer.random, drawer.random.getrandbits, plan
        self.work = LIMITS.work_per_symbol * drawer.longest + 1_000
        self.room = drawer.longest
        self.extending = LIMITS.most_repetitions_extended / max(1, drawer.repetitions)
        # In a group that repeats, the long repetition may stand in a later round.
        self.skipped = self.pick((0, 0, 0, 1, 2)) if plan.repetition in drawer.nested else 0
        self.is_long = plan.repetition is None
        self.words: dict[Piece, list[str]] = {}

    def pick(self, options: Sequence[T]) -> T:
        """What `choice` of Random gives, in half the time."""
        size = len(options)
        wide = size.bit_length()
        while (at := self.bits(wide)) >= size:
            pass
        return options[at]

    def piece(self, piece: Piece, nested: bool = False) -> str:
        self.work -= 1
        if self.work < 0:
            raise _NoInput
        if isinstance(piece, Cell):
            return self._symbol(piece)
        if isinstance(piece, Row):
            return "".join([self.piece(part, nested) for part in piece.parts])
        if isinstance(piece, Either):
            return self.piece(self.pick(self._leading(piece)), nested)
        return self._repetition(piece, nested)

    def _symbol(self, cell: Cell) -> str:
        if not cell.members:
            raise _NoInput
        return self.pick(cell.members)

    def _many(self, body: Piece, length: int) -> list[str]:
        """As many words of a body; faster for a cell, as most bodies are."""
        if not isinstance(body, Cell) or length > self.work or not body.members:
            return [self.piece(body, True) for _ in range(length)]
        self.work -= length
        return list(map(self.pick, repeat(body.members, length)))

    def _leading(self, piece: Either) -> tuple[Piece, ...]:
        """The options that the plan leaves; all of them where it says nothing."""
        if self.is_long:
            return piece.options
        leading = tuple(o for o in piece.options if self.plan.repetition in o.repetitions)
        return leading or piece.options

    def _repetition(self, piece: Repetition, nested: bool) -> str:
        leads = not self.is_long and self.plan.repetition in piece.body.repetitions
        is_long = not self.is_long and self.plan.repetition == piece.number and self._turn()
        length = self.plan.length if is_long else self._length(piece, nested)
        length = max(length, piece.least, 1 + self.skipped if leads else 0)
        if piece.most is not None:
            length = min(length, piece.most)
        if leads:
            words = self._many(piece.body, length)
        else:
            words = self._words(piece, length, may_differ=not is_long)
        text = "".join(words)
        if not nested:
            self.room -= len(text)
            if self.room < 0:
                raise _NoInput
        return text

    def _turn(self) -> bool:
        """Whether this is the time that the planned repetition is long."""
        if self.skipped:
            self.skipped -= 1
            return False
        self.is_long = True
        return True

    def _length(self, piece: Repetition, nested: bool) -> int:
        if piece.number >= 0 and not nested and self.plan.repetition is None:
            if self.plan.equal:
                return self.plan.length
            # All magnitudes are as likely, so that lengths differ widely.
            return int(2 ** self.random.uniform(0, max(1, self.plan.length).bit_length())) - 1
        if self.random.random() > self.extending:
            return piece.least
        return piece.least + self.pick(FEW_IN_A_GROUP if nested else FEW)

    def _words(self, piece: Repetition, length: int, may_differ: bool) -> list[str]:
        """Words of the body, in a pattern or none."""
        if length == 0:
            return []
        body = piece.body
        pattern = self.pick(PATTERNS)
        earlier = self.words.get(body)
        if (
            pattern == "echo"
            and earlier
            and (piece.allows(len(earlier)) if may_differ else len(earlier) == length)
        ):
            words = list(earlier)
            if self.random.random() < 0.5:
                words[self.pick((0, -1, self.random.randrange(len(words))))] = self._word(body)
        else:
            words = self._pattern(body, length, pattern)
        self.words[body] = words
        return words

    def _word(self, body: Piece) -> str:
        """The first and the last symbol of a class are as likely as all together: 0, 9 and some digit."""
        if isinstance(body, Cell) and body.members:
            return self.pick((body.members[0], body.members[-1], self.pick(body.members)))
        return self.piece(body, True)

    def _pattern(self, body: Piece, length: int, pattern: str) -> list[str]:
        one, other = self._word(body), self._word(body)
        if pattern == "constant":
            return [one] * length
        if pattern == "changed":
            words = [one] * length
            words[self.pick((0, -1, self.random.randrange(length)))] = other
            return words
        if pattern == "power" and isinstance(body, Cell) and body.members:  # 10…0, or 10…01
            low, high = body.members[0], body.members[min(1, len(body.members) - 1)]
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


PATTERNS = (
    *["constant", "changed", "changed", "power", "halves", "periodic", "mirror", "echo", "echo"],
    *["drawn"] * 4,
)
