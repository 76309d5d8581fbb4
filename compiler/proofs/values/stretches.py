"""Where results stand: the stretch of symbols in one row at each halt, and the weight of its end."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gridlang.compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from gridlang.compiler.proofs.abstractions.strips import Node, StripAnalysis
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.proofs.values.part_columns import PartColumns
from gridlang.compiler.proofs.values.polynomials import Form

BEFORE, WITHIN, AFTER = range(3)  # of a stretch, going outwards from the head


class Stretches:
    """The results on a strip; Unsaid where one may be in pieces, or in several rows."""

    def __init__(
        self, strip: StripAnalysis, columns: PartColumns, row: int, symbols: set[int] | None = None
    ) -> None:
        """Results are of these symbols, if some are given."""
        self.strip, self.columns, self.at = strip, columns, row - strip.rows[0]
        self.symbols = symbols
        if not strip.rows[0] <= row <= strip.rows[1]:
            raise Unsaid("the results stand in a row that the agent never visits")

    def filled(self, label: int) -> bool:
        """Whether the cell in the row of the result has a symbol; all others must be blank."""
        cells = self.strip.labels.labels[label][0]
        if any(cell for at, cell in enumerate(cells) if at != self.at):
            raise Unsaid("the agent may halt with symbols in rows beside that of the result")
        held = set(self.strip.labels.symbols(cells[self.at]))
        if self.symbols is not None and not held <= {0, *self.symbols}:
            raise Unsaid("the agent may halt with other symbols than those of the clause")
        return cells[self.at] != 0

    def ends(self, state: Node, last: bool) -> set[tuple[int, int]]:
        """The places of the last (or first) column of the result, each with its neighbour to the right.

        Of the first column, the neighbour is the one to its left, and stands first.
        """
        p, _, _, left, label, right = state
        found: set[tuple[int, int]] = set()
        place = self.strip.labels.labels[label][1]
        for side, near in ((LEFT_SIDE, left), (RIGHT_SIDE, right)):
            outer = (side == RIGHT_SIDE) == last
            phase = WITHIN if self.filled(label) else BEFORE
            work = [(near, phase, place)]
            seen = set(work)
            while work:
                for step in self._further(side, p, *work.pop(), outer=outer, found=found):
                    if step not in seen:
                        seen.add(step)
                        work.append(step)
        return found

    def _further(
        self,
        side: int,
        p: int,
        near: tuple[int, ...],
        phase: int,
        before: int,
        *,
        outer: bool,
        found: set[tuple[int, int]],
    ) -> Iterator[tuple[tuple[int, ...], int, int]]:
        for label, beyond in self.strip.grams[side][self.strip.detail.kinds[p]].get(near, ()):
            place = self.strip.labels.labels[label][1]
            filled = self.filled(label)
            if filled and phase == AFTER:
                raise Unsaid("the agent may halt with a gap in the result")
            now = WITHIN if filled else BEFORE if phase == BEFORE else AFTER
            pair = (before, place) if side == RIGHT_SIDE else (place, before)
            if (phase, now) == ((WITHIN, AFTER) if outer else (BEFORE, WITHIN)):
                found.add(pair)
            yield (beyond,), now, place

    def weight(
        self, pair: tuple[int, int], last: bool, base: Fraction, boundaries: list[Form]
    ) -> Form | None:
        column = pair[0] if last else pair[1]
        ends = [
            (self.columns.from_end(column), boundaries[-1]),
            (self.columns.from_start(column), boundaries[0]),
        ]
        for known, weight in ends if base > 1 else reversed(ends):  # first the one that weighs 1
            if known is not None:
                return {f: a * base**-known for f, a in weight.items()}
        left, right = (self.columns.part(place) for place in pair)
        if left < right:
            return {f: a * (base if last else 1) for f, a in boundaries[left + 1].items()}
        return None
