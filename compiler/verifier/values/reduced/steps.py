"""The part of `verify` that knows which words are empty at an element, and what a step makes of words: (V15).

A step writes one cell. If the head goes to the right, the images of its column come to the end of N on the
left, and those of the next column, T, are the first letters of N or F on the right, and the new U. To the
left it is mirrored.
"""

from __future__ import annotations

from gridlang.compiler.verifier.tables import MOVES
from gridlang.compiler.verifier.values.reduced.proof import LEFT_SIDE, RIGHT_SIDE, ReducedProof
from gridlang.compiler.verifier.values.reduced.words import Name, Tokens, Unknown, known
from gridlang.compiler.verifier.values.strips import FRESH, Element


class Around:
    """What is known at an element, perhaps where a symbol is read."""

    def __init__(self, of: ReducedProof, element: Element, symbol: int | None = None) -> None:
        self.of = of
        facts = of.surroundings.facts[of.surroundings.at(element, symbol)]
        self.cells = facts.cells
        self.names: set[Name] = set()
        for side, groups in enumerate(facts.groups):
            for fresh, part, y, group in groups:
                self.names.add(("F", side, part) if fresh else ("N", side, y, group))

    def symbols(self, y: int) -> list[int]:
        cell = self.cells[y - self.of.strip.grain.low]
        return [cell] if cell >= 0 else self.of.strip.members[-1 - cell]

    def images(self, name: Name) -> frozenset[str]:
        if name[0] in ("U", "T"):
            return frozenset(self.of.images[s] for s in self.symbols(name[1]))
        return self.of.names[name] if name in self.names else frozenset([""])

    def known(self, tokens: Tokens) -> Tokens:
        return known(tokens, self.images)

    def reduced(self, tokens: Tokens) -> Tokens:
        return self.of.reducing.reduced(self.known(tokens))


class Step(Around):
    """What is known before and after a step; and words for names.

    Words are written in U, in T, in names of words behind the head as they are before the step, and in names
    of words ahead of it as they are after.
    """

    def __init__(self, of: ReducedProof, element: Element, symbol: int, later: Element) -> None:
        super().__init__(of, element, symbol)
        self.later = Around(of, later)
        strip, y = of.strip, element[1]
        write, move, _ = strip.left.does[element[0], symbol]
        side = MOVES[move][0]
        written: Tokens = [of.images[write]] if of.images[write] else []
        cells: dict[int, Tokens] = {row: [Unknown(("U", row), False)] for row in strip.rows}
        cells[y] = written
        self.found: dict[Name, Tokens] = {}  # for names before the step
        self.left: dict[Name, Tokens] = {}  # for names after it
        if side == 0:
            self.left = {("U", row): cell for row, cell in cells.items()}
            return
        ahead, behind = (RIGHT_SIDE, LEFT_SIDE) if side > 0 else (LEFT_SIDE, RIGHT_SIDE)
        column, place, mark = strip.rough[strip.coarse[later[3]]]
        for row, group in zip(strip.rows, column, strict=True):
            cell: Tokens = [Unknown(("T", row), False)]
            self.left["U", row] = cell
            part = strip.places.told[place].part
            name: Name = ("N", ahead, row, group) if mark != FRESH else ("F", ahead, part)
            if mark != FRESH or (row == 0 and 0 <= part < strip.places.parts):
                rest: Tokens = [Unknown(name, False)]
                self.found[name] = cell + rest if side > 0 else rest + cell
        column = strip.rough[later[2 if side > 0 else 4]].cells
        for row, group in zip(strip.rows, column, strict=True):
            name = ("N", behind, row, group)
            more: Tokens = [Unknown(name, False)]
            self.left[name] = more + cells[row] if side > 0 else cells[row] + more

    def images(self, name: Name) -> frozenset[str]:
        """An unknown word that is empty before or after the step is empty, if the step does not change it."""
        if name[0] == "T":
            return self.later.images(name)
        if name[0] == "U":
            return super().images(name)
        changed = name in self.found or name in self.left
        there = [name in self.names] if name in self.left else [name in self.later.names]
        if not changed:
            there.append(name in self.names)
        return self.of.names[name] if all(there) else frozenset([""])
