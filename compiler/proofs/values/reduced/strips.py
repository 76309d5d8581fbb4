"""A strip as words are followed on it: where the head is, what may stand beside it, and what follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.proofs.abstractions.columns import FRESH, LEFT_SIDE, RIGHT_SIDE
from gridlang.compiler.proofs.abstractions.strip_labels import StripLabel
from gridlang.compiler.proofs.abstractions.strips import Node, StripAnalysis
from gridlang.compiler.proofs.joint_step import BOTH_HALT, LEFT_STUCK
from gridlang.compiler.proofs.values.part_columns import PartColumns
from gridlang.compiler.proofs.values.reduced.words import Name, Read, Token, is_cell
from gridlang.compiler.verifier.values.reduced.clauses import ReducedClause
from gridlang.table import Table

# the state, the head's row, the classes of the columns to its left, its own and to its right, its part;
# where the strip is not dim, the cells of its own column
Spot = tuple[int, int, tuple[int, ...], tuple[int, ...], tuple[int, ...], int]


class WordStrip:
    """With images of the symbols."""

    def __init__(
        self, table: Table, goal: ReducedClause, strip: StripAnalysis, columns: PartColumns, images: list[str]
    ) -> None:
        self.table, self.goal, self.strip, self.columns, self.images = table, goal, strip, columns, images
        self.rows = range(strip.rows[0], strip.rows[1] + 1)
        language = language_of(table)
        self.members = [part.symbols for part in language.parts] if language else []
        self.rough = strip.labels.rough
        sides = (LEFT_SIDE, RIGHT_SIDE)
        self.names: set[Name] = {name for side in sides for r in self.rough for name in self._own(side, r)}
        self.names |= {("F", side, part) for side in sides for part in range(columns.parts)}
        self.spot = {node: self._spot(node) for node in strip.nodes}
        self.spots: dict[Spot, list[Node]] = {}
        for node, spot in self.spot.items():
            self.spots.setdefault(spot, []).append(node)
        self._names: dict[tuple[int, int, int], set[Name]] = {}
        self._empty_at: dict[tuple[int, int, int], set[Name]] = {}

    def _spot(self, node: Node) -> Spot:
        p, _, row, (left,), label, (right,) = node
        cells, place, _ = self.strip.labels.labels[label]
        head = self.rough[self.strip.labels.coarse[label]][0] if self.strip.detail.dimmed else cells
        return p, row, self.rough[left][0], head, self.rough[right][0], self.columns.part(place)

    def ends(self) -> Iterator[tuple[Node, int]]:
        """Where the agent may halt, or if that is asked for, be stuck."""
        ends = (BOTH_HALT, LEFT_STUCK) if self.goal.accepts else (BOTH_HALT,)
        for node in self.strip.nodes:
            yield from ((node, symbol) for symbol, step in self.strip.steps(node) if step in ends)

    def read(self, word: Iterable[Token], node: Node, symbol: int | None) -> Iterator[Token]:
        """A word with letters for cells that are known."""
        for token in word:
            if not is_cell(token):
                yield token
            elif symbol is not None and token[1] == node[2]:
                yield from [Read(self.images[symbol])] if self.images[symbol] else []
            else:
                letters = self.letters(token, node)
                yield from [token] if len(letters) > 1 else filter(None, letters)

    def letters(self, token: Token, node: Node) -> frozenset[str]:
        if isinstance(token, str):
            return frozenset([token])
        if is_cell(token):
            cell = self.strip.labels.labels[node[4]][0][token[1] - self.rows[0]]
            return frozenset(self.images[s] for s in self.strip.labels.symbols(cell))
        return self._images(token[:-1])

    def _images(self, name: Name) -> frozenset[str]:
        if name[0] == "F":
            return frozenset(self.goal.images.get(x, "") for x in self.members[name[2]])
        return frozenset(self.images[s] for s in self.strip.labels.members[name[3]])

    def empty(self, node: Node) -> set[Name]:
        """Names of what cannot stand beside the head, or has no letters."""
        p, _, _, (left,), _, (right,) = node
        key = self.strip.detail.kinds[p], left, right
        if key not in self._empty_at:
            there = self._chain(LEFT_SIDE, key[0], left) | self._chain(RIGHT_SIDE, key[0], right)
            self._empty_at[key] = self.names - there
        return self._empty_at[key]

    def _chain(self, side: int, kind: int, near: int) -> set[Name]:
        key = side, kind, near
        if key not in self._names:
            seen = self.strip.chain(side, kind, near)
            names = {name for coarse in seen for name in self._own(side, self.rough[coarse])}
            self._names[key] = {name for name in names if self._images(name) != {""}}
        return self._names[key]

    def _own(self, side: int, rough: StripLabel) -> Iterator[Name]:
        cells, place, mark = rough
        part = self.columns.part(place)
        if mark == FRESH:
            yield from [("F", side, part)] if 0 <= part < self.columns.parts else []
        else:
            yield from (("N", side, y, c) for y, c in zip(self.rows, cells, strict=True))
