"""Inputs with the results asked of them, as patterns of symbols for the search.

A pattern may allow zeros before a number, and begin a new row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from random import Random
from typing import NamedTuple

from gridlang.clauses.functions import NUMBER, Acceptance
from gridlang.clauses.outputs import Laid, OutputRule
from gridlang.compiler.synthesis.limits import LIMITS
from gridlang.compiler.synthesis.snapshots import Grid
from gridlang.compiler.testing.drawn_inputs import InputDrawer
from gridlang.compiler.testing.output_search import AgentOracle, Expectation
from gridlang.diagnostics import fail
from gridlang.printable import quoted_input
from gridlang.vocabulary import quote
from gridlang.world import Cell, string_world

NEW_ROW = "\n"
RESULT, ACCEPT, STUCK, DECIDE = range(4)
Token = tuple[str, bool]  # a symbol or NEW_ROW, and whether any number of it is meant
Pattern = tuple[Token, ...]


class Asked(NamedTuple):
    """An input, how its run must end, and the result that it must leave then."""

    text: str
    ending: int
    pattern: Pattern = ()
    grids: tuple[Grid, ...] = ()  # that its run must show, the first one before its first step

    def cells(self) -> Mapping[Cell, str]:
        """What stands on the grid before the first step, from where the head is."""
        return self.grids[0].cells if self.grids else string_world(self.text).cells

    def symbols(self) -> Iterator[str]:
        """All symbols of inputs and results."""
        yield from self.text
        yield from (token for token, _ in self.pattern)
        yield from (symbol for grid in self.grids for symbol in grid.cells.values())

    def renamed(self, names: dict[str, str]) -> Asked:
        """The same with other symbols."""
        pattern = tuple((names.get(symbol, symbol), many) for symbol, many in self.pattern)
        grids = tuple(grid.renamed(names) for grid in self.grids)
        return self._replace(text="".join(names.get(c, c) for c in self.text), pattern=pattern, grids=grids)


def asked_of(rule: Expectation, text: str) -> Asked | None:
    """The result asked of an input; None if there is none, or it is too long to search with."""
    expected = rule.expected(text)
    if expected is None:
        return None
    if isinstance(expected, Acceptance):
        return Asked(text, ACCEPT if expected is Acceptance.ACCEPT else STUCK)
    pattern = tuple(_pattern(rule, expected))
    return Asked(text, RESULT, pattern) if len(pattern) <= LIMITS.most_tokens else None


def _pattern(rule: Expectation, expected: str) -> Iterator[Token]:
    if isinstance(expected, Laid):
        for number, row in enumerate(expected.rows):
            if number:
                yield NEW_ROW, False
            for text, digits in row:
                yield from _number(text, digits) if digits else _text(text)
        return
    by_value = rule.rule if isinstance(rule, AgentOracle) else rule
    digits = by_value.digits if isinstance(by_value, OutputRule) and by_value.kind == NUMBER else ""
    is_number = digits and set(expected) <= set(digits)
    yield from _number(expected, digits) if is_number else _text(expected)


def _number(text: str, digits: str) -> Iterator[Token]:
    sign = text[:1] if text.startswith("-") else ""
    yield from _text(sign)
    yield digits[0], True
    yield from _text(text.removeprefix(sign))


def _text(text: str) -> Iterator[Token]:
    return ((symbol, False) for symbol in text)


def asked_inputs(rule: Expectation, symbols: Iterable[str], file: str) -> tuple[Asked, ...]:
    """The shortest inputs, then some longer ones; GridError if no agent can leave what is asked."""
    language, known = rule.language, {*symbols, NEW_ROW}
    lengths = range(min(language.longest(), LIMITS.most_tokens) + 1)
    listed = language.allowed(text for length in lengths for text in language.texts(length))
    drawer = InputDrawer(language, LIMITS.longest, Random("inputs of a search"))
    plans = (plan for length in range(2, LIMITS.longest) for plan in drawer.plans(length))
    drawn = (text for text in map(drawer.draw, plans) if text is not None and language.declares(text))
    found: dict[str, Asked] = {}
    for texts, count in ((listed, LIMITS.short), (drawn, LIMITS.drawn)):
        fresh = (asked_of(rule, text) for text in islice(texts, LIMITS.looked_at) if text not in found)
        for asked in islice((one for one in fresh if one is not None), count):
            found[asked.text] = asked
    if not found:
        why = f"on the {LIMITS.looked_at:,} shortest `output` has no value, or one of over 60 symbols"
        raise fail("G175", "nothing is asked of any short input", why, file)
    for asked in found.values():
        for symbol, _ in asked.pattern:
            if symbol not in known:
                left = f"{quote(symbol)}, which is not a symbol of the alphabet"
                message = f"the input {quoted_input(asked.text)} must leave {left}"
                raise fail("G175", message, f"add {quote(symbol)} to the alphabet", file)
    return tuple(found.values())


def for_a_plane(asked: tuple[Asked, ...]) -> tuple[Asked, ...]:
    """Fewer and shorter inputs: on a plane a run has room for all its steps in each direction."""
    most = LIMITS.longest_on_plane
    short = [one for one in asked if max(len(one.text), len(one.pattern)) <= most] or sorted(
        asked, key=lambda one: max(len(one.text), len(one.pattern))
    )
    return tuple(short[: LIMITS.on_plane])


def permutable(is_asked: Callable[[Asked], bool], asked: Iterable[Asked], symbols: Iterable[str]) -> str:
    """The largest set of letters that can be permuted in all inputs and results."""
    few = [*asked][: LIMITS.short // 2]
    groups: list[str] = []
    for symbol in symbols:
        for place, group in enumerate(groups):
            if all(map(is_asked, _swapped(few, group[0], symbol))):
                groups[place] += symbol
                break
        else:
            groups.append(symbol)
    sizes = [group for group in groups if 1 < len(group) <= LIMITS.most_letters]
    used = [group for group in sizes if any(group[0] in one.text for one in few)]
    return max(used, key=len, default="")


def _swapped(asked: Iterable[Asked], one: str, other: str) -> Iterator[Asked]:
    """The inputs and results with two symbols exchanged, where that differs."""
    names = {one: other, other: one}
    return (there for here in asked if (there := here.renamed(names)) != here)
