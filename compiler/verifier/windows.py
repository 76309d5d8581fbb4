"""The part of `verify` that checks windows: what is known of the cells near the head.

(V4) Theorem, windows. An element (p, q, K) stands for all worlds, heads and states p, q in which each cell
     of K, counted from the head, holds the symbol that K gives it. Let the elements have (0, 0, {}), which
     stands for every start. Let, for each element and each symbol that may be under its head, the joint
     step be as in (V3), and lead to an element again: K with what was written, seen from where the head
     goes, less what is known beyond the radius. Then RIGHT does what LEFT does on every world: by
     induction, what there is after each step is among what an element stands for. Forgetting is sound, as
     it stands for more.
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.tables import MOVES, Rules, are_numbers, are_states, check, joint_step

Cells = dict[tuple[int, int], int]  # symbols by their place beside the head


def check_windows(left: Rules, right: Rules, evidence: dict[str, Any], stuck: str) -> tuple[int, int, int]:
    """(V4); the radius, and how many elements and stuck branches there are."""
    radius, every = evidence["radius"], range(len(left.symbols))
    check(are_numbers([radius], 0), "evidence, radius", "it is not a whole number from 0 on")
    elements = []
    for index, (p, q, *numbers) in enumerate(evidence["elements"]):
        where = f"evidence, element {index}"
        check(are_states(p, q, left, right), where, "there are no such states")
        elements.append((p, q, _known_cells(numbers, len(every), where)))
    listed = {(p, q, frozenset(cells.items())) for p, q, cells in elements}
    check(len(listed) == len(elements), "evidence", "an element stands twice")
    check((0, 0, frozenset()) in listed, "evidence", "the start, where nothing is known, is missing")
    stuck_branches = 0
    for index, (p, q, cells) in enumerate(elements):
        where = f"evidence, element {index}"
        for symbol in every if (0, 0) not in cells else (cells[0, 0],):
            stuck_branches += (p, symbol) not in left.does
            step = joint_step(left, right, p, q, symbol, stuck, where)
            if step is not None:
                write, move, p2, q2 = step
                after = _seen_after_move({**cells, (0, 0): write}, move, radius)
                missing = f"what follows it on `{left.symbols[symbol]}` is missing"
                check((p2, q2, frozenset(after.items())) in listed, where, missing)
    return radius, len(elements), stuck_branches


def _known_cells(numbers: list[int], top: int, where: str) -> Cells:
    """Cells by their place beside the head, from a list of x, y, a number below `top`, over and over."""
    check(len(numbers) % 3 == 0 and all(type(n) is int for n in numbers), where, "it is cut short")
    cells = {(x, y): value for x, y, value in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)}
    check(len(cells) == len(numbers) // 3, where, "a cell stands twice")
    check(all(0 <= value < top for value in cells.values()), where, "it knows what does not exist")
    return cells


def _seen_after_move(cells: Cells, move: str, radius: int) -> Cells:
    """Cells by their place beside the head after it has moved; those beyond the radius are forgotten."""
    dx, dy = MOVES[move]
    return {(x - dx, y - dy): v for (x, y), v in cells.items() if abs(x - dx) + abs(y - dy) <= radius}
