"""The worlds of an input clause: what row 0 may hold, as an automaton over all of its cells.

A declared input stands on row 0 from column 0 and is followed by blanks for ever; all else is blank. The
automaton reads that endless row from column 0. A state of it is also a place in the input: the digits before
the sign, the sign, what comes after the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gridlang.inputs import InputLanguage
from gridlang.table import BLANK
from gridlang.world import Cell

MAX_STATES = 2_000


class RowAutomaton(NamedTuple):
    """`steps[state][symbol]`, None where no input goes on so; state 0 stands before column 0.

    `ends[state]` says whether an input may end before this column, or has ended.
    """

    steps: tuple[tuple[int | None, ...], ...]
    ends: tuple[bool, ...]


class _Place(NamedTuple):
    positions: frozenset[int] | None  # of the clause; None before the first symbol
    ended: bool  # only blanks have followed the end of an input


def row_automaton(language: InputLanguage, symbols: tuple[str, ...]) -> RowAutomaton | None:
    """The automaton of a clause; None if it is too large."""
    places = [_Place(None, False)]
    number = {places[0]: 0}
    rows: list[list[int]] = []
    for place in places:
        rows.append([])
        for symbol in symbols:
            after = _after(language, place, symbol)
            if after not in number:
                number[after] = len(places)
                places.append(after)
            rows[-1].append(number[after])
        if len(places) > MAX_STATES:
            return None
    ends = [_may_end(language, place) for place in places]
    live = {state for state, end in enumerate(ends) if end}
    while more := {state for state, row in enumerate(rows) if state not in live and live.intersection(row)}:
        live |= more
    kept = [0, *sorted(live - {0})]
    name = {state: index for index, state in enumerate(kept)}
    steps = tuple(tuple(name[s] if s in live else None for s in rows[state]) for state in kept)
    return RowAutomaton(steps, tuple(ends[state] for state in kept))


def _after(language: InputLanguage, place: _Place, symbol: str) -> _Place:
    over = place.positions is not None and not place.positions
    after = frozenset() if over else language.step(place.positions, symbol)
    return _Place(after, symbol == BLANK and _may_end(language, place))


def _may_end(language: InputLanguage, place: _Place) -> bool:
    return place.ended or language.accepts(place.positions)


@dataclass(frozen=True, slots=True, eq=False)
class InputRows:
    """The declared inputs as worlds that are read cell by cell, in any order."""

    language: InputLanguage
    symbols: tuple[str, ...]
    automaton: RowAutomaton

    def options(self, first: Mapping[Cell, int], cell: Cell) -> Sequence[int]:
        """What a cell may hold, given what all cells read so far held at first."""
        x, y = cell
        if y != 0 or x < 0:
            return (0,)
        row = _row(first)
        here = self._layers({0}, row, 0, x)[-1]
        later = max(row, default=-1) + 1
        steps = self.automaton.steps

        def fits(symbol: int) -> bool:
            after = {a for state in here if (a := steps[state][symbol]) is not None}
            return bool(self._layers(after, row, x + 1, later)[-1])

        return [symbol for symbol in range(len(self.symbols)) if fits(symbol)]

    def complete(self, first: Mapping[Cell, int]) -> str:
        """A shortest input that holds what was read."""
        row = _row(first)
        read = max(row, default=-1) + 1
        layers = self._layers({0}, row, 0, read)
        state, rest = self._to_an_end(layers[-1])
        word: list[int] = []
        for column in range(read - 1, -1, -1):
            state, symbol = next(
                (before, symbol)
                for before in sorted(layers[column])
                for symbol, after in enumerate(self.automaton.steps[before])
                if after == state and row.get(column, symbol) == symbol
            )
            word.append(symbol)
        whole = "".join(self.symbols[symbol] for symbol in [*reversed(word), *rest])
        ends = (end for end in range(len(whole) + 1) if not whole[end:].strip(BLANK))
        return next(whole[:end] for end in ends if self.language.mismatch(whole[:end]) is None)

    def _layers(self, here: set[int], row: Mapping[int, int], start: int, stop: int) -> list[set[int]]:
        """The states that may stand before each column, from states before the first of them."""
        layers = [here]
        for column in range(start, stop):
            symbols = [row[column]] if column in row else range(len(self.symbols))
            steps = {self.automaton.steps[state][symbol] for state in layers[-1] for symbol in symbols}
            layers.append({state for state in steps if state is not None})
        return layers

    def _to_an_end(self, states: set[int]) -> tuple[int, tuple[int, ...]]:
        """The fewest symbols that complete an input, and the state that they follow."""
        reached: dict[int, tuple[int, tuple[int, ...]]] = {state: (state, ()) for state in sorted(states)}
        work = list(reached)
        for state in work:
            begun, symbols = reached[state]
            if self.automaton.ends[state]:
                return begun, symbols
            for symbol, after in enumerate(self.automaton.steps[state]):
                if after is not None and after not in reached:
                    reached[after] = (begun, (*symbols, symbol))
                    work.append(after)
        raise AssertionError("every state lies on the way to an input")


def _row(first: Mapping[Cell, int]) -> dict[int, int]:
    """What was read on row 0, from column 0 on."""
    return {x: symbol for (x, y), symbol in first.items() if y == 0 and x >= 0}
