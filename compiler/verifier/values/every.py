"""The part of `verify` that knows which columns of a part a clause takes: every k-th, in evidence of words.

`every(part, n, k)` takes the columns of a part whose *turn* is n - 1: of that part, so many columns come
before them, modulo k. Places tell turns; of columns behind the part, the turn is its length modulo k. All in
one clause must be of the same part and k.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from compiler.verifier.limits import LIMITS
from compiler.verifier.output_clauses import Node, OutputClause
from compiler.verifier.tables import Rules, check


class Turns(NamedTuple):
    """The part whose columns are counted, and modulo what."""

    part: int
    modulus: int


NONE = Turns(-2, 1)  # of no part


def turns_of(clause: OutputClause) -> Turns:
    """What a clause counts."""
    found = {Turns(part, k) for part, n, k in _every(clause.node)}
    check(len(found) <= 1, "left", "its output clause takes every k-th symbol in several ways")
    for _, n, k in _every(clause.node):
        check(1 <= n <= k <= LIMITS.turns, "left", "its output clause takes every k-th symbol from a later one")
    return found.pop() if found else NONE


def _every(node: Node) -> Iterator[tuple[int, int, int]]:
    kind, *inner = node
    if kind == "every":
        part, n, k = inner
        yield part, n, k
        return
    for one in inner:
        if isinstance(one, tuple):
            yield from _every(one)
