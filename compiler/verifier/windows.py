"""The part of `verify` that computes windows: what is known of the cells near the head.

(V3) Theorem, pairs. Let P be a set of pairs (p, q) of a state of LEFT and one of RIGHT, with (0, 0) in it.
     Let, for each of its pairs and each symbol on which LEFT is not stuck, RIGHT write and move as LEFT
     does, and the pair of the next states be in P, unless LEFT halts; and let the claim allow it where LEFT
     is stuck. Then RIGHT does what LEFT does on every sequence of reads: by induction, both are at a pair of
     P after each step. For "observed", sequences end where RIGHT has no entry. A window that knows no cell is
     such a pair: its radius is null.
(V4) Theorem, windows. An element (p, q, K) stands for all worlds, heads and states p, q in which each cell
     of K, counted from the head, holds the symbol that K gives it. Let the elements have (0, 0, {}), which
     stands for every start. Let, for each element and each symbol that may be under its head, the joint
     step be as in (V3), and lead to an element again: K with what was written, seen from where the head
     goes, less what is known beyond the radius. Then RIGHT does what LEFT does on every world: by
     induction, what there is after each step is among what an element stands for. Forgetting is sound, as
     it stands for more.

The elements that are come to are computed here.
"""

from __future__ import annotations

from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import MOVES, Rules, TooMuch, joint_step

Cells = tuple[tuple[int, int, int], ...]  # x, y and symbol of what is known, in their order
Element = tuple[int, int, Cells]


class Windows:
    """All elements, and on how many branches LEFT is stuck, or RIGHT was not observed."""

    def __init__(
        self, left: Rules, right: Rules, radius: int | None, stuck: str, *, observed: bool = False
    ) -> None:
        self.elements: dict[Element, None] = {(0, 0, ()): None}
        self.stuck = self.unobserved = known = 0
        every = range(len(left.symbols))
        afters: dict[tuple[Cells, int, str], Cells] = {}
        work: list[Element] = [(0, 0, ())]
        for p, q, cells in work:
            head = [symbol for x, y, symbol in cells if x == y == 0]
            for symbol in head or every:
                self.stuck += (p, symbol) not in left.does
                if observed and (p, symbol) in left.does and (q, symbol) not in right.does:
                    self.unobserved += 1
                    continue
                step = joint_step(left, right, p, q, symbol, stuck, "evidence")
                if step is None:
                    continue
                write, move, p2, q2 = step
                key = cells, write, move
                if key not in afters:
                    afters[key] = _after(cells, write, move, radius)
                element = p2, q2, afters[key]
                if element not in self.elements:
                    known += len(element[2])
                    if len(work) >= LIMITS.elements:
                        raise TooMuch("evidence", f"more than {LIMITS.elements:,} elements are refused")
                    if known > LIMITS.window_cells:
                        raise TooMuch(
                            "evidence", f"more than {LIMITS.window_cells:,} known cells are refused"
                        )
                    self.elements[element] = None
                    work.append(element)


def _after(cells: Cells, write: int, move: str, radius: int | None) -> Cells:
    """Cells by their place beside the head after it has moved; those beyond the radius are forgotten."""
    if radius is None:
        return ()
    dx, dy = MOVES[move]
    there = {(x, y): symbol for x, y, symbol in cells} | {(0, 0): write}
    moved = ((x - dx, y - dy, symbol) for (x, y), symbol in there.items())
    return tuple(sorted(cell for cell in moved if abs(cell[0]) + abs(cell[1]) <= radius))
