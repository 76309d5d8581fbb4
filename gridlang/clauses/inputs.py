"""The input language of an agent: a regular expression over classes of symbols, as its position automaton.

Matching is linear in the text, never exponential.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from gridlang.clauses.conditions import Condition
from gridlang.clauses.position_automaton import Expression, members, separating_pattern, union
from gridlang.diagnostics import Diagnostic, GridError
from gridlang.syntax import tree as s

Positions: TypeAlias = int  # a set, with a bit for each
ENDLESS = 10**18  # longer than any input; sums of a few still fit into 64 bits
MOST_REJECTED = 20_000  # texts in a row that a condition excludes: about a second
MOST_LISTED = 64  # symbols beyond the shortest text: some forms have one text a length


class InputPart(NamedTuple):
    """One part of the clause: its name, its expression, and the symbols of each of its cells."""

    name: str
    expression: Expression
    cells: tuple[str, ...]
    piece: s.Piece

    @property
    def members(self) -> str:
        """Its class, if all its cells are of one; else empty."""
        return self.cells[0] if len(set(self.cells)) == 1 else ""

    @property
    def symbols(self) -> set[str]:
        return set().union(*self.cells)


class Mismatch(NamedTuple):
    """The first place where a text leaves the language, and what could stand there."""

    position: int
    expected: str
    may_end: bool


@dataclass(frozen=True, slots=True, eq=False)
class InputLanguage:
    """The declared inputs of an agent."""

    clause: str
    parts: tuple[InputPart, ...]
    cells: tuple[str, ...]  # Each position has a text of all symbols that may stand there.
    whole: Expression
    condition: Condition | None = None

    def step(self, state: Positions | None, symbol: str) -> Positions:
        """The positions after one more symbol; None is the state before the first."""
        return _step(self, state, symbol)

    def accepts(self, state: Positions | None) -> bool:
        return self.whole.nullable if state is None else bool(state & self.whole.last)

    def options(self, state: Positions | None) -> str:
        """The symbols that may come next, in the order of the clause."""
        return _options(self, state)

    def declares(self, text: str) -> bool:
        """Whether a text is an input: of the form of the clause, and as its condition asks."""
        return self.mismatch(text) is None and self.allows(text)

    def allows(self, text: str) -> bool:
        """Whether a text of this form meets the condition, if there is one."""
        return self.condition is None or self.condition.holds(self.pieces(text))

    def allowed(self, texts: Iterable[str]) -> Iterator[str]:
        """Those of the texts that meet the condition; RareInputs after very many in a row that do not."""
        rejected = 0
        for text in texts:
            rejected = 0 if self.allows(text) else rejected + 1
            if not rejected:
                yield text
            elif rejected == MOST_REJECTED:
                raise rare_inputs(self)

    def mismatch(self, text: str) -> Mismatch | None:
        """None when the text is of the form of the clause, whatever its condition says."""
        state: Positions | None = None
        for place, symbol in enumerate(text):
            after = _step(self, state, symbol)
            if not after:
                return Mismatch(place, self.options(state), self.accepts(state))
            state = after
        return None if self.accepts(state) else Mismatch(len(text), self.options(state), False)

    def split(self, text: str) -> dict[str, str]:
        texts = self.pieces(text)
        return {part.name: piece for part, piece in zip(self.parts, texts, strict=True) if part.name}

    def pieces(self, text: str) -> list[str]:
        """The texts of all parts, earlier parts as long as possible."""
        if len(self.parts) == 1:
            return [text]
        pattern = _pattern(self)
        split = pattern and pattern.fullmatch(text)
        if split:
            return list(split.groups())
        left = [{0}]  # of each part, the last first: how much text may stand behind it
        for part in reversed(self.parts[1:]):
            left.append(_ends(self, part.expression, text[::-1], left[-1], mirrored=True))
        texts, at = [], 0
        for part, behind in zip(self.parts, reversed(left), strict=True):
            ends = _ends(self, part.expression, text, {at})
            end = max(end for end in ends if len(text) - end in behind)
            texts.append(text[at:end])
            at = end
        return texts

    def longest(self) -> int:
        """The length of a longest text of this form; ENDLESS if its positions have a circle."""
        state, length = self.whole.first, 0
        while state and length <= len(self.cells):
            state, length = _after(self, state), length + 1
        return ENDLESS if state else length

    def least(self) -> int:
        """The length of a shortest text of this form, which visits no cell twice."""
        state, length = None, 0
        while not self.accepts(state):
            state, length = _after(self, state), length + 1
        return length

    def texts(self, length: int) -> Iterator[str]:
        """All texts of this form and length, whatever the condition says, in the order of the alphabet."""
        for shorter in range(length):
            _away(self, shorter)  # Each needs the one before, and is kept.
        if not length:
            yield from [""] if self.whole.nullable else []
            return
        holding = _holding(self)
        open_: list[tuple[str, Positions | None]] = [("", None)]
        while open_:
            begun, state = open_.pop()
            following, ends = _after(self, state), _away(self, length - len(begun) - 1)
            fitting = [c for c in _options(self, state) if following & holding[c] & ends]
            if len(begun) + 1 == length:
                yield from (begun + c for c in fitting)
            else:
                open_ += [(begun + c, following & holding[c]) for c in reversed(fitting)]

    def shortest_texts(self) -> Iterator[str]:
        """All texts of this form, the shortest first, whatever the condition says."""
        least = self.least()
        for length in range(least, min(self.longest(), least + MOST_LISTED) + 1):
            yield from self.texts(length)

    def shortest(self, longest: int) -> Iterator[str]:
        """All inputs up to a length, the shortest first; fewer where they are very rare."""
        with suppress(RareInputs):
            for length in range(min(self.longest(), longest) + 1):
                yield from self.strings(length)

    def strings(self, length: int) -> Iterator[str]:
        """All inputs of exactly this length, in the order of the alphabet; RareInputs where most are none."""
        yield from self.allowed(self.texts(length))


@lru_cache(maxsize=65536)
def _step(language: InputLanguage, state: Positions | None, symbol: str) -> Positions:
    return _after(language, state) & _holding(language).get(symbol, 0)


def _after(language: InputLanguage, state: Positions | None) -> Positions:
    """The positions that may come next."""
    return language.whole.first if state is None else _linked(language, state)


@lru_cache(maxsize=16384)
def _linked(language: InputLanguage, state: Positions, mirrored: bool = False) -> Positions:
    links = _before(language) if mirrored else language.whole.follow
    return union(links[position] for position in members(state))


@lru_cache(maxsize=16384)
def _options(language: InputLanguage, state: Positions | None) -> str:
    cells = dict.fromkeys(language.cells[p] for p in members(_after(language, state)))
    return "".join(dict.fromkeys(c for cell in cells for c in cell))


@lru_cache(maxsize=64)
def _pattern(language: InputLanguage) -> re.Pattern[str] | None:
    parts = []
    for part in language.parts:
        inside = part.expression.first
        while (more := inside | _after(language, inside)) != inside:
            inside = more
        symbols = "".join(language.cells[p] for p in members(inside))
        parts.append((symbols, part.expression.nullable))
    return separating_pattern(parts)


@lru_cache(maxsize=64)
def _holding(language: InputLanguage) -> Mapping[str, Positions]:
    holding: dict[str, int] = {}
    for position, cell in enumerate(language.cells):
        for symbol in cell:
            holding[symbol] = holding.get(symbol, 0) | 1 << position
    return holding


@lru_cache(maxsize=64)
def _before(language: InputLanguage) -> list[Positions]:
    before = [0] * len(language.cells)
    for position, followers in enumerate(language.whole.follow):
        for follower in members(followers):
            before[follower] |= 1 << position
    return before


def _ends(
    language: InputLanguage, part: Expression, text: str, starts: set[int], mirrored: bool = False
) -> set[int]:
    """Where a part may end that begins at one of these places; `mirrored`, where one may begin."""
    first, last = (part.last, part.first) if mirrored else (part.first, part.last)
    ends = set(starts) if part.nullable else set()
    holding, state = _holding(language), 0
    at, farthest = min(starts, default=len(text)), max(starts, default=0)
    while at < len(text) and (state or at <= farthest):
        state = (state | first if at in starts else state) & holding.get(text[at], 0)
        at += 1
        if state & last:
            ends.add(at)
        state = _linked(language, state, mirrored)
    return ends


@lru_cache(maxsize=4096)
def _away(language: InputLanguage, length: int) -> Positions:
    """The positions with exactly `length` more symbols to an end."""
    if length == 0:
        return language.whole.last
    return union(_before(language)[p] for p in members(_away(language, length - 1)))


class RareInputs(GridError):
    """Hardly any text of a clause meets its condition; the search gave up."""


def rare_inputs(language: InputLanguage) -> RareInputs:
    assert language.condition is not None
    message = f"hardly any input meets the condition `{language.condition.clause}`: none was found"
    hint = f"inputs are {language.clause}; ask for shorter ones, or say more in the parts and less in `where`"
    return RareInputs([Diagnostic("G075", message, None, "", hint)])
