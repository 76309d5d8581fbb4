"""Where places are across their layers, by Brandes and Köpf (Graph Drawing 2001): long edges become straight.

Each place is aligned with the median of its neighbours, in four ways (looking up or down, from the left or
from the right); aligned places are one block, blocks are packed, and the four results are averaged.
"""

from __future__ import annotations

from itertools import pairwise

from compiler.drawing.layout.layers import THIN, Layers

GAP = 24.0  # An arrow with its tip is still seen between two boxes.
Conflicts = set[tuple[int, int]]


def straighten(layers: Layers) -> list[float]:
    """x of every place; the order within layers and the distances of what is in them are kept."""
    conflicts = _conflicts(layers)
    candidates: list[list[float]] = []
    for upwards in (False, True):
        for mirrored in (False, True):
            rows = [row[::-1] if mirrored else row for row in layers.rows]
            align = _align(layers, rows[::-1] if upwards else rows, upwards, conflicts)
            x = _pack(layers, rows, align)
            candidates.append([-each for each in x] if mirrored else x)
    return _balanced(layers, candidates)


def distance(layers: Layers, left: int, right: int) -> float:
    """How far apart the middles of two neighbours must be."""
    one, other = layers.sizes[left], layers.sizes[right]
    return (one.width + other.width) / 2 + (GAP / 2 if THIN in (one, other) else GAP)


def _conflicts(layers: Layers) -> Conflicts:
    """Edges that cross the inner part of a long edge, and so give way to it."""
    conflicts: Conflicts = set()
    index = {place: number for row in layers.rows for number, place in enumerate(row)}
    for upper, lower in pairwise(layers.rows):
        left, begun = -1, 0
        for number, place in enumerate(lower):
            inner = _inner(layers, place)
            if inner is None and number < len(lower) - 1:
                continue
            right = index[inner] if inner is not None else len(upper)
            for other in lower[begun : number + 1]:
                for above in layers.above[other]:
                    if not left <= index[above] <= right and _inner(layers, other) is None:
                        conflicts.add((above, other))
            left, begun = right, number + 1
    return conflicts


def _inner(layers: Layers, place: int) -> int | None:
    """The place above on the same long edge, where neither is a node."""
    if place < layers.nodes:
        return None
    above = layers.above[place][0]
    return above if above >= layers.nodes else None


def _align(layers: Layers, rows: list[list[int]], upwards: bool, conflicts: Conflicts) -> list[int]:
    """The root of the block of each place: blocks run from row to row along medians, and never cross."""
    near = layers.below if upwards else layers.above
    root = list(range(len(layers.sizes)))
    for before, row in pairwise(rows):
        index = {place: number for number, place in enumerate(before)}
        last = -1
        for place in row:
            others = sorted(near[place], key=index.__getitem__)
            middle = (len(others) - 1) / 2
            for other in others[int(middle) : int(middle + 1.5)] if others else ():
                pair = (place, other) if upwards else (other, place)
                if root[place] == place and last < index[other] and pair not in conflicts:
                    root[place] = root[other]
                    last = index[other]
    return root


def _pack(layers: Layers, rows: list[list[int]], root: list[int]) -> list[float]:
    """Blocks as far left as their neighbours allow, then right again as far as those to their right allow."""
    after: dict[int, dict[int, float]] = {}
    before: dict[int, int] = {}
    for row in rows:
        for left, right in pairwise(row):
            gaps = after.setdefault(root[left], {})
            if root[right] not in gaps:
                before[root[right]] = before.get(root[right], 0) + 1
            gaps[root[right]] = max(gaps.get(root[right], 0.0), distance(layers, left, right))
    order = [place for place in dict.fromkeys(root) if place not in before]
    x = dict.fromkeys(dict.fromkeys(root), 0.0)
    for block in order:
        for other, gap in after.get(block, {}).items():
            x[other] = max(x[other], x[block] + gap)
            before[other] -= 1
            if not before[other]:
                order.append(other)
    for block in reversed(order):
        if block in after:
            x[block] = max(x[block], min(x[other] - gap for other, gap in after[block].items()))
    return [x[block] for block in root]


def _balanced(layers: Layers, candidates: list[list[float]]) -> list[float]:
    """The mean of the two middle ones for each place, all moved to where the narrowest is."""
    halves = [size.width / 2 for size in layers.sizes]

    def bounds(x: list[float]) -> tuple[float, float]:
        return (
            min((a - h for a, h in zip(x, halves, strict=True)), default=0.0),
            max((a + h for a, h in zip(x, halves, strict=True)), default=0.0),
        )

    spans = [bounds(x) for x in candidates]
    low, high = min(spans, key=lambda span: span[1] - span[0])
    moved = []
    for number, (x, (left, right)) in enumerate(zip(candidates, spans, strict=True)):
        shift = high - right if number % 2 else low - left
        moved.append([each + shift for each in x])
    return [sum(sorted(each)[1:3]) / 2 for each in zip(*moved, strict=True)]
