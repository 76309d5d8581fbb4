"""The part of `verify` that knows where columns lie in the first world: places.

(V7) Places. A declared input stands in row 0 from column 0, and all else is blank. It is read from the left,
     by the states in which its clause may be, and by a *reading*: a machine that guesses, and comes to the
     end only if it has guessed right. A place is a state of both before a column, with what the reading tells
     of that column; to the left of the input and after it, one for each number of columns that the reading
     tells there. What leads to no end is left out. So the row of every input is a path of places, from one
     of the starts, with blanks for ever to both sides. A place may look ahead: then it has the next one too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.reaching import leading_to
from gridlang.compiler.verifier.tables import Rules, TooMuch, check

Node = tuple[Any, ...]


class Reading(NamedTuple):
    """What is told of columns, as the input is read from the left."""

    starts: list[tuple[Any, tuple[Any, ...]]]  # with what is told to the left of the input, nearest first
    # after a state and a symbol of a part, the states, each with what is told of its column
    step: Callable[[Any, int, str], Iterable[tuple[Any, Any]]]
    # what is told after the input; None where it cannot have ended
    ended: Callable[[Any], tuple[Any, ...] | None]
    left: Any = None  # what is told further left
    rest: Any = None  # and after all that
    zero: int | None = None  # of a number that is wanted: zeros may stand before it
    by_part: bool = True  # whether it asks for the part of a symbol


def _nothing(*_: object) -> tuple[tuple[None, None]]:
    return ((None, None),)


PLAIN = Reading([(None, ())], _nothing, lambda _: (), by_part=False)


class Places:
    """All places. `told` of each; `onward`, what may stand there, each with the place next to it, outwards;
    the `sides` of the head on which it can be.
    """

    def __init__(
        self,
        left: Rules,
        clause: InputClause,
        reading: Reading = PLAIN,
        ahead: int = 0,
        *,
        agree: bool = False,
    ) -> None:
        """Where neighbours `agree`, places also know the state of the reading after them."""
        self.clause, self.symbols = clause, left.symbols
        self.told: list[Any] = []
        self.onward: list[list[tuple[int, int]]] = []
        self.starts: list[tuple[int, int]] = []  # places of column 0, each with one to the left of it
        self.sides: list[tuple[int, ...]] = []
        self._reads: dict[Node, list[tuple[int, int, Any, Any]]] = {}
        self._explore(reading, agree)
        for _ in range(ahead):
            self._look_ahead()

    @classmethod
    def anywhere(cls, symbols: tuple[str, ...]) -> Places:
        """Of all worlds: any symbol may stand in every column."""
        places = cls.__new__(cls)
        places.symbols, places.told, places.sides = symbols, [None], [(-1, 1)]
        places.onward, places.starts = [[(symbol, 0) for symbol in range(len(symbols))]], [(0, 0)]
        return places

    def _explore(self, reading: Reading, agree: bool) -> None:
        first = [
            (node, lefts)
            for state, lefts in reading.starts
            for node in self._entered(reading, agree, self.clause.start(), state)
        ]
        steps: dict[Node, list[tuple[int, Node]]] = {}
        work = [node for node, _ in first]
        for node in work:
            if node not in steps:
                if len(steps) > LIMITS.places:
                    raise TooMuch("left", "its input clause has too many places")
                steps[node] = list(self._after(reading, agree, node))
                work += [to for _, to in steps[node]]
        onwards = {node: [to for _, to in after] for node, after in steps.items()}
        live = leading_to([node for node in steps if node[0] == "after"], onwards)
        suffixes = (lefts[at:] for _, lefts in first for at in range(len(lefts)))
        words = dict.fromkeys([*suffixes, ()])
        nodes = [*(("left", word) for word in words), *(node for node in steps if node in live)]
        number = {node: index for index, node in enumerate(nodes)}
        for node in nodes:
            kind, *of = node
            if kind == "left":
                told, after = (of[0] or (reading.left,))[0], [(0, ("left", of[0][1:]))]
            else:
                told = (of[0] or (reading.rest,))[0] if kind == "after" else of[2]
                after = steps[node]
            self.told.append(told)
            self.sides.append((-1,) if kind == "left" else (1,))
            self.onward.append([(symbol, number[to]) for symbol, to in after if to in number])
        starts = [(number[node], number["left", lefts]) for node, lefts in first if node in number]
        self.starts = list(dict.fromkeys(starts))

    def _entered(self, reading: Reading, agree: bool, here: int, state: Any) -> Iterator[Node]:
        word = reading.ended(state) if self.clause.may_end(here) else None
        if word is not None:
            yield "after", word
        read = self._read(reading, here, state)
        yield from dict.fromkeys(
            ("read", here, state, told, later if agree else None) for *_, later, told in read
        )

    def _after(self, reading: Reading, agree: bool, node: Node) -> Iterator[tuple[int, Node]]:
        if node[0] == "after":
            yield 0, ("after", node[1][1:])
            return
        _, here, state, told, follows = node
        for symbol, there, later, what in self._read(reading, here, state):
            if what == told and (not agree or later == follows):
                yield from ((symbol, to) for to in self._entered(reading, agree, there, later))

    def _read(self, reading: Reading, here: int, state: Any) -> list[tuple[int, int, Any, Any]]:
        """Symbols, states of the clause and of the reading after them, and what is told."""
        if (here, state) not in self._reads:
            read = self._reads[here, state] = []
            for number, symbol in enumerate(self.symbols):
                there = self.clause.step(here, symbol)
                if there:
                    part = self.clause.part_read(here, symbol) if reading.by_part else -1
                    read += [
                        (number, there, later, told) for later, told in reading.step(state, part, symbol)
                    ]
        return self._reads[here, state]

    def _look_ahead(self) -> None:
        pairs = [
            (place, to)
            for place, onward in enumerate(self.onward)
            for to in dict.fromkeys(to for _, to in onward)
        ]
        if len(pairs) > LIMITS.places:
            raise TooMuch("left", "its input clause has too many places")
        ahead: list[list[int]] = [[] for _ in self.onward]
        for index, (place, _) in enumerate(pairs):
            ahead[place].append(index)
        onward = [
            [(symbol, pair) for symbol, to in self.onward[place] if to == later for pair in ahead[to]]
            for place, later in pairs
        ]
        self.starts = [(pair, ahead[left][0]) for place, left in self.starts for pair in ahead[place]]
        self.told, self.sides = ([of[place] for place, _ in pairs] for of in (self.told, self.sides))
        self.onward = onward


class Place(NamedTuple):
    """What values are told of a column; None for what is not."""

    part: int  # of the input; -1 before it, the number of parts after it
    from_first: int | None  # its number, counted from the input's first column
    from_end: int | None  # the same from the first column after the input


class NumberedPlaces(Places):
    """With the part of each column, and how far it is from the first and the last, up to a bound."""

    def __init__(self, left: Rules, clause: InputClause, near: int, far: int) -> None:
        check_no_blank(clause)
        self.near, self.far, self.parts = near, far, len(clause.ends)
        check(self.parts <= LIMITS.parts, "left", "its input clause has too many parts")
        number = {symbol: index for index, symbol in enumerate(left.symbols)}
        self.symbols_of = [{number[name] for name in names} for names in clause.symbols_by_part]
        lefts = tuple(Place(-1, -n, None) for n in range(1, near + 1))
        reading = Reading(
            [((0, columns), lefts) for columns in range(far + 2)],
            self._tell,
            lambda state: None if state[1] else tuple(Place(self.parts, None, n) for n in range(far)),
            Place(-1, None, None),
            Place(self.parts, None, None),
        )
        super().__init__(left, clause, reading)
        self.outermost = {-1: self.told.index(reading.left), 1: self.told.index(reading.rest)}

    def _tell(self, state: tuple[int, int], part: int, _: str) -> Iterator[tuple[tuple[int, int], Place]]:
        """A state is how many columns there have been, and how many are to come: guessed."""
        before, ahead = state
        if ahead:
            told = Place(part, before if before < self.near else None, -ahead if ahead <= self.far else None)
            for later in (ahead, ahead - 1) if ahead > self.far else (ahead - 1,):
                yield (min(before + 1, self.near), later), told


def check_no_blank(clause: InputClause) -> None:
    blank = any("_" in symbols for symbols, _ in clause.reads.values())
    check(not blank, "left", "a blank may stand in an input, so its end cannot be seen")
