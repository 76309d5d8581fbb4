"""The order of places within each layer: sweeps and swaps, until edges cross each other little."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from random import Random

from compiler.drawing.layout.layers import Layers
from compiler.drawing.limits import LIMITS


def uncross(layers: Layers, tries: int) -> None:
    """The best order, after some `tries` of small graphs that begin at random."""
    random = Random(0)
    best, fewest = _uncrossed(layers)
    for _ in range(tries if len(layers.sizes) <= LIMITS.most_tried else 0):
        if not fewest:
            break
        for row in layers.rows:
            random.shuffle(row)
        rows, crossed = _uncrossed(layers)
        if crossed < fewest:
            best, fewest = rows, crossed
    layers.rows = best


def _uncrossed(layers: Layers) -> tuple[list[list[int]], int]:
    """Sorts each layer by where its neighbours are, down and up in turn; the best that was seen."""
    position = [0.0] * len(layers.sizes)
    for row in layers.rows:
        _number(row, position)
    best, fewest = [list(row) for row in layers.rows], crossings(layers, position)
    since = 0
    for sweep in range(LIMITS.sweeps):
        if not fewest or since == LIMITS.idle_sweeps:
            break
        _sweep(layers, position, sweep)
        if len(layers.sizes) <= LIMITS.most_swapped:
            _swap(layers, position)
        left, since = crossings(layers, position), since + 1
        if left < fewest:
            best, fewest, since = [list(row) for row in layers.rows], left, 0
    return best, fewest


def _sweep(layers: Layers, position: list[float], number: int) -> None:
    """Ties in turn keep and reverse their order, or no sweep would ever part them."""
    downwards, turned = number % 2 == 0, number % 4 >= 2
    near = layers.above if downwards else layers.below
    for row in layers.rows if downwards else reversed(layers.rows):
        if turned:
            row.reverse()
        wanted = {place: _mean([position[other] for other in near[place]], position[place]) for place in row}
        row.sort(key=wanted.__getitem__)
        _number(row, position)


def _number(row: list[int], position: list[float]) -> None:
    """Places of a row from 0 to 1, so that rows of different lengths compare."""
    for number, place in enumerate(row):
        position[place] = (number + 0.5) / len(row)


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _swap(layers: Layers, position: list[float]) -> None:
    """Swaps neighbours as long as that saves crossings."""
    for _ in range(LIMITS.swap_rounds):
        better = False
        for row in layers.rows:
            ends = {
                place: [sorted(position[p] for p in near[place]) for near in (layers.above, layers.below)]
                for place in row
            }
            for left in range(len(row) - 1):
                one, other = row[left], row[left + 1]
                sides = zip(ends[one], ends[other], strict=True)
                if sum(_inversions(mine, theirs) - _inversions(theirs, mine) for mine, theirs in sides) > 0:
                    row[left], row[left + 1] = other, one
                    position[one], position[other] = position[other], position[one]
                    better = True
        if not better:
            return


def _inversions(left: list[float], right: list[float]) -> int:
    """How often edges of a place cross those of the one to its right; both by the ends of their edges."""
    return sum(bisect_left(right, end) for end in left)


def crossings(layers: Layers, position: list[float]) -> int:
    """How often edges between neighbouring layers cross: inversions, counted while they are inserted."""
    total = 0
    for row in layers.rows:
        ends: list[float] = []
        for place in row:
            mine = sorted(position[other] for other in layers.below[place])
            total += sum(len(ends) - bisect_right(ends, end) for end in mine)
            for end in mine:
                insort(ends, end)
    return total
