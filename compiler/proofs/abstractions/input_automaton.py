"""The worlds of an input clause: what row 0 may hold, as an automaton over all of its cells.

A declared input stands on row 0 from column 0 and is followed by blanks for ever; all else is blank. The
automaton reads that endless row from column 0. A state of it also tells where in the input a column lies:
among the digits before the sign, at the sign, after the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Any, NamedTuple

from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.automata.explore import Stop, TooLarge, explore, steps_ahead
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.table import BLANK
from gridlang.world import Cell

States = frozenset[int]


class RowAutomaton(NamedTuple):
    """`steps[state][symbol]`, None where no input goes on so; state 0 stands before column 0.

    `ends[state]` says whether an input may end before this column, or has ended.
    """

    steps: tuple[tuple[int | None, ...], ...]
    ends: tuple[bool, ...]


class _RowState(NamedTuple):
    """How far a row was read, as the clause sees it: a state before unneeded ones are left out."""

    positions: Any  # of the clause
    ended: bool  # Only blanks have followed the end of an input.


def row_automaton(inputs: InputLanguage, symbols: tuple[str, ...]) -> RowAutomaton | None:
    """The automaton of a clause; None if it is too large."""
    rows: list[list[_RowState]] = []

    def may_end(state: _RowState) -> bool:
        return state.ended or inputs.accepts(state.positions)

    def after(before: _RowState, symbol: str) -> _RowState:
        return _RowState(inputs.step(before.positions, symbol), symbol == BLANK and may_end(before))

    def successors(before: _RowState) -> Iterable[tuple[int, _RowState]]:
        rows.append([after(before, symbol) for symbol in symbols])
        return enumerate(rows[-1])

    start = _RowState(None, False)
    try:
        reached = explore([start], successors, LIMITS.most_input_states).nodes
    except TooLarge:
        return None
    follows = dict(zip(reached, rows, strict=True))
    ends = [state for state in reached if may_end(state)]
    live = steps_ahead(ends, reached, follows.__getitem__)
    kept = [state for state in reached if state in live or state is reached[0]]
    number = {state: index for index, state in enumerate(kept)}
    steps = tuple(tuple(number[s] if s in live else None for s in follows[state]) for state in kept)
    return RowAutomaton(steps, tuple(may_end(state) for state in kept))


class _RowRead:
    """What one run has read of row 0, and the states before each column of the beginning that it knows.

    Cells are only ever added, so both grow with them: a run that walks over n columns takes n steps for that,
    and not n².
    """

    def __init__(self, first: Mapping[Cell, int]) -> None:
        self.first = first
        self.row: dict[int, int] = {}
        self.layers: list[States] = [frozenset({0})]
        self.cells = 0  # of `first`, taken into the row


@dataclass(frozen=True, slots=True, eq=False)
class InputRows:
    """The declared inputs as worlds that are read cell by cell, in any order."""

    language: InputLanguage
    symbols: tuple[str, ...]
    automaton: RowAutomaton
    _last: list[_RowRead] = field(default_factory=list, repr=False)  # the run asked about last, if any
    _after: dict[tuple[States, int | None], States] = field(default_factory=dict, repr=False)
    _options: dict[States, list[int]] = field(default_factory=dict, repr=False)
    _to_end: dict[States, tuple[int, list[int]]] = field(default_factory=dict, repr=False)

    def options(self, first: Mapping[Cell, int], cell: Cell) -> Sequence[int]:
        """What a cell may hold, given what all cells read so far held at first."""
        x, y = cell
        if y != 0 or x < 0:
            return (0,)
        read = self._read(first)
        known = min(x, len(read.layers) - 1)
        here = self._layers(read.layers[known], read.row, known, x)[-1]
        if here not in self._options:
            every = range(len(self.symbols))
            self._options[here] = [symbol for symbol in every if self.after(here, symbol)]
        end = max(read.row, default=0) + 1 if known < len(read.row) else 0

        def fits(symbol: int) -> bool:
            return bool(self._layers(self.after(here, symbol), read.row, x + 1, end)[-1])

        return [symbol for symbol in self._options[here] if fits(symbol)] if x < end else self._options[here]

    def after(self, states: States, symbol: int | None) -> States:
        """The states after a symbol, or after any where it is None."""
        key = states, symbol
        if key not in self._after:
            steps = self.automaton.steps
            symbols = range(len(self.symbols)) if symbol is None else (symbol,)
            after = {steps[state][symbol] for state in states for symbol in symbols}
            self._after[key] = frozenset(state for state in after if state is not None)
        return self._after[key]

    def _read(self, first: Mapping[Cell, int]) -> _RowRead:
        if not self._last or self._last[0].first is not first:
            self._last[:] = [_RowRead(first)]
        read = self._last[0]
        row, layers = read.row, read.layers
        for (x, y), symbol in islice(first.items(), read.cells, None):
            if y == 0 and x >= 0:
                row[x] = symbol
        read.cells = len(first)
        while (column := len(layers) - 1) in row:
            layers.append(self.after(layers[-1], row[column]))
        return read

    def complete(self, first: Mapping[Cell, int]) -> str:
        """A shortest input that holds what was read."""
        row = self._read(first).row
        read = max(row, default=-1) + 1
        layers = self._layers(frozenset({0}), row, 0, read)
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
        # Blanks after it need not be its own.
        whole = "".join(self.symbols[symbol] for symbol in [*reversed(word), *rest])
        ends = range(len(whole.rstrip(BLANK)), len(whole) + 1)
        return next(whole[:end] for end in ends if self.language.mismatch(whole[:end]) is None)

    def _layers(self, here: States, row: Mapping[int, int], start: int, stop: int) -> list[States]:
        """The states that may stand before each column, from states before the first of them."""
        columns = range(start, stop)
        return list(accumulate((row.get(column) for column in columns), self.after, initial=here))

    def _to_an_end(self, states: States) -> tuple[int, list[int]]:
        """The fewest symbols that complete an input, and the state that they follow."""

        def successors(state: int) -> Iterator[tuple[int, int]]:
            if self.automaton.ends[state]:
                raise Stop
            for symbol, after in enumerate(self.automaton.steps[state]):
                if after is not None:
                    yield symbol, after

        if states not in self._to_end:
            reached = explore(sorted(states), successors)
            assert reached.stopped is not None, "every state lies on the way to an input"
            end, _ = reached.stopped
            self._to_end[states] = reached.origin(end), reached.path(end)
        return self._to_end[states]
