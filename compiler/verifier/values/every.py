"""The part of `verify` that knows which columns of a part a clause takes, where it takes every k-th: (V13).

`every(part, n, k)` takes the columns of a part whose *turn* is n - 1. The turn of a column is the number of
columns of that part before it, modulo k; behind the part, that is its length modulo k. All that a clause
takes must be of one part and one k.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from compiler.verifier.limits import LIMITS
from compiler.verifier.output_clauses import Node, OutputClause
from compiler.verifier.tables import check


class Turns(NamedTuple):
    """The part whose columns are counted, and modulo what."""

    part: int
    modulus: int


NONE = Turns(-2, 1)  # of no part


def turns_of(clause: OutputClause) -> Turns:
    """What a clause counts; Wrong if it is not known."""
    taken = list(_taken(clause.node))
    for _, n, k in taken:
        check(1 <= n <= k <= LIMITS.turns, "left", "its output clause takes symbols from a later one on")
    found = {Turns(part, k) for part, _, k in taken} or {NONE}
    check(len(found) == 1, "left", "its output clause takes symbols of several parts, or in several ways")
    return found.pop()


def _taken(node: Node) -> Iterator[tuple[int, int, int]]:
    kind, *inner = node
    if kind == "every":
        part, n, k = inner
        yield part, n, k
    else:
        for one in inner:
            if isinstance(one, tuple):
                yield from _taken(one)
