"""The input language of an agent: a regular expression over classes of symbols.

It is kept as its position automaton: one position a cell of the expression, which positions may
come first, follow each other, and come last. Matching is linear in the text, never exponential.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from gridlang.clauses.cells import symbols_of
from gridlang.clauses.position_automaton import (
    Expression,
    PositionBuilder,
    cells_of,
    check_size,
    members,
    union,
)
from gridlang.diagnostics import Diagnostic, GridError, fail
from gridlang.source import Source, Span
from gridlang.syntax import tree as s
from gridlang.syntax.parser import parse_line
from gridlang.table import Table
from gridlang.world import World, quoted, string_world, unknown_symbol

Positions: TypeAlias = int  # It is a set of positions, with a bit for each.
ENDLESS = 10**18  # No input is as long, and sums of a few still fit into 64 bits.


class InputPart(NamedTuple):
    """One part of the clause: its name, its expression, and its class if it has just one."""

    name: str
    expression: Expression
    members: str
    piece: s.Piece


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

    def step(self, state: Positions | None, symbol: str) -> Positions:
        """The positions after one more symbol; None is the state before the first."""
        return _after(self, state) & _holding(self).get(symbol, 0)

    def accepts(self, state: Positions | None) -> bool:
        return self.whole.nullable if state is None else bool(state & self.whole.last)

    def options(self, state: Positions | None) -> str:
        """The symbols that may come next, in the order of the clause."""
        cells = dict.fromkeys(self.cells[p] for p in members(_after(self, state)))
        return "".join(dict.fromkeys(c for cell in cells for c in cell))

    def mismatch(self, text: str) -> Mismatch | None:
        """None when the text is a declared input."""
        state: Positions | None = None
        for place, symbol in enumerate(text):
            after = self.step(state, symbol)
            if not after:
                return Mismatch(place, self.options(state), self.accepts(state))
            state = after
        return None if self.accepts(state) else Mismatch(len(text), self.options(state), False)

    def split(self, text: str) -> dict[str, str]:
        """The texts of the named parts, earlier parts as long as possible."""
        good = [{len(text)}]
        for part in reversed(self.parts):
            good.append(_starts(self, part.expression, text, good[-1]))
        good.reverse()
        texts, at = {}, 0
        for part, ends in zip(self.parts, good[1:], strict=True):
            end = max(end for end in _ends(self, part.expression, text, at) if end in ends)
            if part.name:
                texts[part.name] = text[at:end]
            at = end
        return texts

    def longest(self) -> int:
        """The length of a longest input; a huge number where there is none."""
        return _longest(self)

    def strings(self, length: int) -> Iterator[str]:
        """All inputs of exactly this length, in the order of the alphabet."""
        yield from _strings(self, length)


@lru_cache(maxsize=16384)
def _after(language: InputLanguage, state: Positions | None) -> Positions:
    """The positions that may come next."""
    follow = language.whole.follow
    return language.whole.first if state is None else union(follow[p] for p in members(state))


@lru_cache(maxsize=64)
def _holding(language: InputLanguage) -> Mapping[str, Positions]:
    """The positions where each symbol may stand."""
    holding: dict[str, int] = {}
    for position, cell in enumerate(language.cells):
        for symbol in cell:
            holding[symbol] = holding.get(symbol, 0) | 1 << position
    return holding


@lru_cache(maxsize=64)
def _before(language: InputLanguage) -> list[Positions]:
    """The positions that may come before each."""
    before = [0] * len(language.cells)
    for position, followers in enumerate(language.whole.follow):
        for follower in members(followers):
            before[follower] |= 1 << position
    return before


@lru_cache(maxsize=16384)
def _preceding(language: InputLanguage, state: Positions) -> Positions:
    """The positions that may come before some of these."""
    before = _before(language)
    return union(before[p] for p in members(state))


def _ends(language: InputLanguage, expression: Expression, text: str, start: int) -> Iterator[int]:
    """Where a part that begins at `start` may end."""
    if expression.nullable:
        yield start
    holding, state = _holding(language), expression.first
    for at in range(start, len(text)):
        state &= holding.get(text[at], 0)
        if not state:
            return
        if state & expression.last:
            yield at + 1
        state = _after(language, state)


def _starts(language: InputLanguage, expression: Expression, text: str, ends: set[int]) -> set[int]:
    """Where a part that may end at `ends` may begin; one backward pass."""
    starts = set(ends) if expression.nullable else set()
    holding, state, first_end = _holding(language), 0, min(ends, default=0)
    for at in range(max(ends, default=0) - 1, -1, -1):
        if state:
            state = _preceding(language, state)
        elif at + 1 < first_end:
            break
        if at + 1 in ends:
            state |= expression.last
        state &= holding.get(text[at], 0)
        if state & expression.first:
            starts.add(at)
    return starts


def _longest(language: InputLanguage) -> int:
    """Longest path through the positions; a circle makes it endless."""
    follow = language.whole.follow
    depth: dict[int, int] = {}
    for start in members(language.whole.first):
        stack = [(start, members(follow[start]))]
        open_ = {start}
        while stack:
            position, rest = stack[-1]
            after = next(rest, None)
            if after is None:
                depth[position] = 1 + max((depth[p] for p in members(follow[position])), default=0)
                open_.discard(position)
                stack.pop()
            elif after in open_:
                return ENDLESS
            elif after not in depth:
                open_.add(after)
                stack.append((after, members(follow[after])))
    return max((depth[p] for p in members(language.whole.first)), default=0)


@lru_cache(maxsize=4096)
def _away(language: InputLanguage, length: int) -> Positions:
    """The positions after which an input may go on for exactly `length` more symbols."""
    if length == 0:
        return language.whole.last
    return union(_before(language)[p] for p in members(_away(language, length - 1)))


def _possible(language: InputLanguage, state: Positions, length: int) -> bool:
    """Whether some input goes on for exactly `length` more symbols."""
    return bool(state & _away(language, length))


def _strings(language: InputLanguage, length: int) -> Iterator[str]:
    """All inputs of a length; the choices at each place are kept on a stack, as inputs can be long."""
    for shorter in range(length):
        _away(language, shorter)  # Each needs the one before, and is kept.
    if not length:
        yield from [""] if language.whole.nullable else []
        return
    states: list[Positions | None] = [None]
    choices, chosen = [iter(language.options(None))], list[str]()
    while choices:
        symbol = next(choices[-1], None)
        if symbol is None:
            choices.pop()
            states.pop()
            if chosen:
                chosen.pop()
            continue
        after = language.step(states[-1], symbol)
        if not _possible(language, after, length - len(choices)):
            continue
        if len(choices) == length:
            yield "".join(chosen) + symbol
            continue
        states.append(after)
        choices.append(iter(language.options(after)))
        chosen.append(symbol)


def input_error(
    language: InputLanguage | None, text: str, symbols: tuple[str, ...], whole: Span
) -> GridError | None:
    """The complaint about a text that is no declared input, with the position named."""
    for place, symbol in enumerate(text):
        if symbol not in symbols:
            span = Span(whole.source, whole.start + place, whole.start + place + 1)
            return GridError([unknown_symbol(symbol, span, symbols)])
    wrong = language.mismatch(text) if language else None
    if wrong is None or language is None:
        return None
    span = Span(whole.source, whole.start + wrong.position, whole.start + wrong.position + 1)
    expected = quoted(wrong.expected) + (" or the end" if wrong.may_end else "")
    if wrong.position == len(text):
        message = "this input ends too early"
    else:
        symbol, place = text[wrong.position], wrong.position + 1
        message = f"this input is not of the declared form: `{symbol}` at character {place}"
    label = f"expected {expected}" if wrong.expected else "expected the end"
    hint = f"inputs are {language.clause}; any other world can be run with --world FILE"
    return GridError([Diagnostic("G071", message, span, label, hint)])


def input_world(text: str, symbols: tuple[str, ...], language: InputLanguage | None) -> World:
    """The world of an input; GridError if the agent does not know a symbol, or the form is wrong."""
    whole = Span(Source("<input>", text), 0, len(text))
    error = input_error(language, text, symbols, whole)
    if error:
        raise error
    return string_world(text)


def language_of(table: Table) -> InputLanguage | None:
    """The declared inputs of a table, if it declares any; GridError for symbols that it does not know."""
    if not table.input:
        return None
    language = parse_language(table.input, dict(table.classes), table.symbols)
    foreign = next((c for c in "".join(dict.fromkeys(language.cells)) if c not in table.symbols), None)
    if foreign is not None:
        hint = f"the alphabet is {' '.join(table.symbols[:40])}"
        raise fail("G070", f"the input clause has `{foreign}`, which is not in the alphabet", hint)
    return language


def parse_language(text: str, classes: Mapping[str, str], symbols: tuple[str, ...]) -> InputLanguage:
    """The language of an input clause."""
    clause: s.InputClause = parse_line("input_line", Source("<input clause>", f"input {text}"))
    check_size(clause)
    everything = "".join(symbols)
    positions = PositionBuilder(lambda cell: symbols_of(cell.members, classes, everything))
    whole = positions.sequence([positions.piece(part.piece) for part in clause.parts])
    # A part's own expression, used to split an input, has its own copy of the positions.
    parts = tuple(
        InputPart(
            part.name.name if part.name else "",
            positions.piece(part.piece),
            _single({symbols_of(cell.members, classes, everything) for cell in cells_of(part.piece)}),
            part.piece,
        )
        for part in clause.parts
    )
    return InputLanguage(text, parts, tuple(positions.cells), whole)


def _single(members: set[str]) -> str:
    return members.pop() if len(members) == 1 else ""
