"""The part of `verify` that checks rankings: LEFT has no endless run on a declared input.

The evidence is that of (V8), on inputs. Each element has a rank: a list of pairs (component, weight). Beside
them, for some components, sides and labels, there is a weight of a column. All are natural numbers. While an
element stands for what there is, the value of a pair (k, w) of its rank is w, and for each column beside the
head the weight that k gives to its side and label. Labels and elements are numbered in the order of what they
are (`Strip.ordered`).

(V11) Theorem, rankings. Let the conditions of (V8) hold, and
       (a) let no label of a blank column without a mark have a weight;
       (b) let each descent of (V8) end by itself: no other one follows it;
       (c) for each step of each element to another, compare the pairs of both ranks in turn, up to one that
           falls. A pair falls if its component becomes less; or if that stays the same, and its value becomes
           less. Until then let component and value stay the same, and let some pair fall.
     Then on every declared input LEFT halts or is stuck after finitely many steps.
     Give the columns of the first world their labels, and after each step the head's column its new one: by
     (V8) an element stands for what there is, with these labels, and the next one is among its steps. At any
     time all but finitely many columns are blank and have no mark, so by (a) values are natural numbers. A
     step in a column changes no column beside the head. A step to the right adds the column that is left,
     with its new label, to those on the left, and takes the one that is come to from those on the right, and
     mirrored: so (c) sees by how much each value changes. If a run in the strip were endless, the first
     component would never become greater, so it would stay the same from some step on; then so would the
     first value; and so on, until no pair is left that could fall. A run that leaves the strip ends by (b).
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.strips import FRESH, Element, Move, Strip
from gridlang.compiler.verifier.tables import are_lists, are_numbers, check

PARTS = {"ranks", "elements", "weights"}
WHERE = "ranking"


def check_ranking(strip: Strip, ranking: dict[str, Any]) -> None:
    """(V11), where LEFT may be stuck."""
    check(strip.places.sides[0] != (-1, 1), WHERE, "endless worlds have none")
    check(set(ranking) == PARTS, WHERE, "something is missing or unknown")
    ends = all(leg.after is None for leg in strip.descents.values())
    check(ends, WHERE, "the head leaves the strip and goes on")  # (b)
    _RankingCheck(strip, ranking).check()


class _RankingCheck:
    """A strip with a rank for each element."""

    def __init__(self, strip: Strip, ranking: dict[str, Any]) -> None:
        self.strip = strip
        labels, elements = strip.ordered()
        ranks, numbers, weights = (ranking[name] for name in ("ranks", "elements", "weights"))
        check(are_lists([ranks, weights]) and are_lists(weights), WHERE, "there must be lists in it")
        whole = all(are_numbers(rank, 0) and len(rank) % 2 == 0 for rank in ranks)
        check(whole, WHERE, "a rank is not built of pairs")
        one_each = are_numbers(numbers, 0, len(ranks)) and len(numbers) == len(elements)
        check(one_each, WHERE, "there must be a rank for each element")
        self.ranks = [list(zip(rank[::2], rank[1::2], strict=True)) for rank in ranks]
        self.rank = dict(zip(elements, numbers, strict=True))
        self._fallen: set[tuple[int, int, int, int, int]] = set()
        natural = are_numbers([n for k, _, label, weight in weights for n in (k, label, weight)], 0)
        check(natural, WHERE, "a weight is not a natural number")
        there = are_numbers([label for _, _, label, _ in weights], 0, len(labels))
        check(there, WHERE, "a weight is of no label")
        self.weight = {(k, side, labels[label]): weight for k, side, label, weight in weights}
        check(len(self.weight) == len(weights), WHERE, "a weight stands twice")
        for _, side, label in self.weight:
            cells, _, mark = strip.labels[label]
            check(type(side) is int and side in (-1, 1), WHERE, "a weight is of no side")
            endless = mark == FRESH and not any(cell > 0 for cell in cells)
            check(not endless, WHERE, "endless columns have a weight")  # (a)

    def check(self) -> None:
        for element in self.strip.elements:
            for move in self.strip.moves(element):
                for later in self.strip.follows(element, move):
                    self._check_fall(element, later, move)

    def _check_fall(self, before: Element, after: Element, move: Move) -> None:
        """(c) of one step."""
        came, entered, side, label = self.rank[after], after[4], move.side, move.label
        step = self.rank[before], came, side, label, entered
        if step in self._fallen:
            return
        self._fallen.add(step)
        for (k, weight), (later, other) in zip(self.ranks[step[0]], self.ranks[came], strict=False):
            check(later <= k, WHERE, "a step goes up to another component")
            rise = other - weight
            if side != 0:
                rise += self.weight.get((k, -side, label), 0)
                rise -= self.weight.get((k, side, entered), 0)
            if later < k or rise < 0:
                return
            check(rise == 0, WHERE, "a step goes up")
        check(False, WHERE, "a step does not fall")
