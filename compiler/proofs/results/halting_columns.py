"""What stands in all columns when LEFT halts: is it what the `output` clause wants?

At a halt, the columns on either side of the head are those of a chain of grams, each of which begins as the
one before it goes on. So it is enough that every label which such a chain can have is right, and stands
beside its neighbour as it may.

A column is right if all its cells are blank but the one in the row of the result, and that one
  (B) is blank, where nothing is wanted;
  (D) holds the symbol that is wanted, or a 0 to the left of a number;
  (Z) is blank, to the left of a number or where a 0 is wanted in one.
From left to right, the columns of a number must be Z … Z D … D B … B, with a D at least: no Z or D after a B,
no Z after a D, and no B after a Z. Then the digits read the number, perhaps with zeros before it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

from compiler.proofs.abstractions.columns import LEFT_SIDE
from compiler.proofs.results.readings import LEADING, NOTHING

ORDERED = {("Z", "Z"), ("Z", "D"), ("D", "D"), ("D", "B"), ("B", "B")}


def digit_kind(cell: int, wanted: int, zero: int | None, numeric: bool) -> str | None:
    """B, D or Z for the cell in the row of a result; None if it may be wrong."""
    if wanted == NOTHING:
        return "B" if cell == 0 else None
    if wanted == LEADING:
        return "Z" if cell == 0 else "D" if cell == zero else None
    if cell == wanted:
        return "D"
    return "Z" if numeric and cell == 0 and wanted == zero else None


class Halt(NamedTuple):
    """The label under the head, what LEFT is in, and the sides on which chains begin."""

    label: int
    control: int
    chains: Iterable[tuple[int, Hashable]]


def wrong_label(
    halts: Iterable[Halt],
    kind_of: Callable[[int, int], str | None],
    grams: Callable[[int, int, Any], Iterable[tuple[int, Hashable]]],
    numeric: bool,
) -> int | None:
    """A label that may be wrong at a halt; None if there is none.

    `kind_of` a control and a label is B, D or Z; `grams` of a control and a side are labels that may be next
    in a chain, each with what is known of the one after it.
    """
    seen: set[tuple[int, int, Hashable, str]] = set()
    for label, control, chains in halts:
        here = kind_of(control, label)
        if here is None:
            return label
        work = [(control, side, near, here) for side, near in chains]
        while work:
            chain = work.pop()
            if chain in seen:
                continue
            seen.add(chain)
            _, side, near, before = chain
            for x, beyond in grams(control, side, near):
                there = kind_of(control, x)
                pair = (there, before) if side == LEFT_SIDE else (before, there)
                if there is None or (numeric and pair not in ORDERED):
                    return x
                work.append((control, side, beyond, there))
    return None
