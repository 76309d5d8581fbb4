"""The part of `verify` that computes the strip of (V12): that of (V8), at depth 1, of LEFT on its inputs.

Its places have the part of a column, and distances from the ends of the input, up to those that the
certificate chooses.
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.clauses.conditions import declared
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.places import NumberedPlaces
from gridlang.compiler.verifier.strips import FRESH, Column, Element, Strip, read_grain
from gridlang.compiler.verifier.tables import Rules, are_numbers, check

__all__ = ["FRESH", "WHERE", "Column", "Element", "Node", "ValueStrip"]

WHERE = "total, output"
Node = tuple[int, int, tuple[int, ...], int]  # a state, the head's row, the classes of its column, its part


class ValueStrip(Strip):
    """The strip; of `words` if the kind of the evidence says so."""

    places: NumberedPlaces

    def __init__(self, left: Rules, part: dict[str, Any], words: bool, limit: int = LIMITS.elements) -> None:
        grain = read_grain(left, part, WHERE)
        check(grain.classes.count(grain.classes[0]) == 1, WHERE, "the blank is not alone in its class")
        near, far = part["near"], part["far"]
        told = are_numbers([near, far], 0, LIMITS.distance + 1)
        check(told, WHERE, "its distances are none, or too large")
        self.words = words
        super().__init__(left, left, grain, NumberedPlaces(left, declared(left), near, far), limit=limit)
        check(not self.descents, WHERE, "the head leaves the strip")

    def node(self, element: Element) -> Node:
        cells, place, _ = self.rough[self.coarse[element[4]]]
        return element[0], element[2], cells, self.places.told[place].part
