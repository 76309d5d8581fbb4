"""The part of `verify` that knows input clauses, as trees.

A clause is a list of its parts, each a piece: a text, for a cell with one of its symbols; ["+", piece],
["*", piece] and ["?", piece], once or more, any number of times, at most once; [",", piece, …], one after the
other; ["|", piece, …], one of them. A cell is not empty and has symbols of the alphabet alone, so some input
goes on from every state. A clause is made into a nondeterministic automaton, as by Thompson; sets of its
states are numbers with a bit for each member.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, Wrong, check


def union(sets: Iterable[int]) -> int:
    whole = 0
    for some in sets:
        whole |= some
    return whole


def members_of(some: int) -> Iterator[int]:
    while some:
        lowest = some & -some
        yield lowest.bit_length() - 1
        some ^= lowest


class InputClause:
    """LEFT's clause as a nondeterministic automaton; it starts in 0, and `final` is its one accepting state.

    `silent` edges read nothing; a state has at most one that `reads`.
    """

    def __init__(self, left: Rules) -> None:
        parts = left.input
        check(isinstance(parts, list) and parts, "left", "its input clause is not a list of parts")
        self.symbols = frozenset(left.symbols)
        self.silent: list[list[int]] = [[]]
        self.reads: dict[int, tuple[str, int]] = {}
        self.ends: list[int] = []  # the number of states after each part
        self.final = 0
        for part in parts:
            self.final = self._piece(part, self.final, 0)
            self.ends.append(len(self.silent))
        self.reached = self._reached_silently()
        self.reading: dict[str, int] = {}  # the states that read each symbol
        for state, (names, _) in self.reads.items():
            for symbol in names:
                self.reading[symbol] = self.reading.get(symbol, 0) | 1 << state
        self.unions = 0

    def start(self) -> int:
        return self.reached[0]

    def step(self, here: int, symbol: str) -> int:
        """The states after a symbol, and after what reads nothing."""
        readers = here & self.reading.get(symbol, 0)
        self.unions += readers.bit_count()
        if self.unions > LIMITS.unions:
            raise Wrong("left", f"its input clause takes more than {LIMITS.unions:,} steps to be read")
        return union(self.reached[self.reads[state][1]] for state in members_of(readers))

    def may_end(self, here: int) -> bool:
        return bool(here >> self.final & 1)

    def declares(self, text: str) -> bool:
        """Whether a text is of the clause."""
        here = self.start()
        for symbol in text:
            here = self.step(here, symbol)
        return self.may_end(here)

    def parts(self, text: str) -> list[str]:
        """The parts of a text of the clause; Wrong if a symbol can be of several."""
        parts, here = [""] * len(self.ends), self.start()
        for symbol in text:
            parts[self.part_read(here, symbol)] += symbol
            here = self.step(here, symbol)
        return parts

    @property
    def members(self) -> list[str]:
        """The symbols of each part, if all its cells have the same ones in the same order; else ""."""
        texts: list[set[str]] = [set() for _ in self.ends]
        for symbols, to in self.reads.values():
            texts[self._part_of(to)].add(symbols)
        return [some.pop() if len(some) == 1 else "" for some in texts]

    @property
    def symbols_by_part(self) -> list[set[str]]:
        symbols: list[set[str]] = [set() for _ in self.ends]
        for some, to in self.reads.values():
            symbols[self._part_of(to)].update(some)
        return symbols

    def part_read(self, here: int, symbol: str) -> int:
        """The part that a symbol belongs to, whatever follows; Wrong if it can be of several."""
        readers = here & self.reading.get(symbol, 0)
        parts = {self._part_of(self.reads[state][1]) for state in members_of(readers)}
        check(len(parts) == 1, "left", f"a `{symbol}` may be of several parts of an input")
        return parts.pop()

    def goes_on(self, symbols: str) -> bool:
        """Whether one of these symbols may follow one of them."""
        readers = union(self.reading.get(symbol, 0) for symbol in symbols)
        return any(readers & self.reached[self.reads[state][1]] for state in members_of(readers))

    def _part_of(self, state: int) -> int:
        """The part in which a state was made that something is read before."""
        return next(index for index, end in enumerate(self.ends) if state < end)

    def _reached_silently(self) -> list[int]:
        """For each state those that are reached from it while nothing is read, itself included."""
        reached = [1 << state for state in range(len(self.silent))]
        before: list[int] = []
        while before != reached:
            before = list(reached)
            for state in reversed(range(len(reached))):
                reached[state] |= union(reached[to] for to in self.silent[state])
        return reached

    def _fresh(self, *before: int) -> int:
        """A new state, reached silently from others."""
        self.silent.append([])
        for state in before:
            self.silent[state].append(len(self.silent) - 1)
        return len(self.silent) - 1

    def _piece(self, piece: Any, before: int, depth: int) -> int:
        """Adds the automaton of a piece behind a state, and returns the state where it ends."""
        check(depth < LIMITS.deepest, "left", f"its input clause is nested more than {LIMITS.deepest} deep")
        start = self._fresh(before)
        if isinstance(piece, str):
            known = piece and self.symbols.issuperset(piece)
            check(known, "left", "its input clause has a cell that is empty, or not of its alphabet")
            check(len(self.reads) < LIMITS.cells, "left", "its input clause is too long")
            end = self._fresh()
            self.reads[start] = (piece, end)
            return end
        check(isinstance(piece, list) and len(piece) > 1, "left", "its input clause has a piece that is none")
        kind, *inner = piece
        if kind == "|":
            return self._fresh(*[self._piece(one, start, depth + 1) for one in inner])
        if kind == ",":
            for one in inner:
                start = self._piece(one, start, depth + 1)
            return start
        check(
            kind in ("+", "*", "?") and len(inner) == 1, "left", "its input clause has a piece that is none"
        )
        end = self._piece(inner[0], start, depth + 1)
        if kind != "?":
            self.silent[end].append(start)
        return self._fresh(end) if kind == "+" else self._fresh(end, start)
