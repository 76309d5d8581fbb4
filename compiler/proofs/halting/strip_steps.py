"""The steps of one agent on a strip, as steps between abstract states that count columns.

A counter is the number of columns on a side of the head that have a coarse number. A step to the right takes
the column that the head comes to from those on the right, and adds the one that it leaves to those on the
left; a step up or down changes no counter. Columns that hold nothing and were never acted on are endless, so
they are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from compiler.proofs.abstractions.columns import FRESH
from compiler.proofs.abstractions.strips import LEFT_SIDE, RIGHT_SIDE, Node, StripAnalysis
from gridlang.table import DELTAS, STAY

Counter = tuple[int, int]  # side, coarse number
Change = tuple[tuple[Counter, int], ...]  # counters that a step changes, and by how much


class Step(NamedTuple):
    """A step from one abstract state to another, both by number, and what it changes."""

    before: int
    after: int
    change: Change


def strip_steps(analysis: StripAnalysis) -> list[Step]:
    """All steps between the abstract states of an analysis, whose numbers are their order in it."""
    number = {node: index for index, node in enumerate(analysis.nodes)}
    endless = _endless(analysis)
    return sorted(
        {
            Step(index, number[after], tuple([change for change in changes if change[0][1] not in endless]))
            for node, index in number.items()
            for after, changes in _steps_of(analysis, node)
        }
    )


def _steps_of(analysis: StripAnalysis, node: Node) -> Iterator[tuple[Node, Change]]:
    p, q, row, left, label, right = node
    labels, detail = analysis.labels, analysis.detail
    for symbol in labels.symbols(labels.labels[label][0][row - analysis.rows[0]]):
        entry, other = analysis.left.rows[p][symbol], analysis.right[q][symbol]
        if entry is None or other is None or (entry.move == STAY and entry.is_idle(symbol)):
            continue
        after = labels.written(label, row, entry.write, detail.marks[p], detail.dimmed)
        dx, dy = DELTAS[entry.move]
        if dx == 0:
            if analysis.rows[0] <= row + dy <= analysis.rows[1]:
                yield (entry.next, other.next, row + dy, left, after, right), ()
            continue
        side, key, behind = (RIGHT_SIDE, right, left) if dx > 0 else (LEFT_SIDE, left, right)
        near = (labels.coarse[after], *behind[:-1])
        change = (((1 - side, near[0]), 1), ((side, key[0]), -1))
        for entered, last in analysis.grams[side][detail.kinds[p]].get(key, ()):
            beyond = (*key[1:], last)
            lefts, rights = (near, beyond) if side == RIGHT_SIDE else (beyond, near)
            yield (entry.next, other.next, row, lefts, entered, rights), change


def _endless(analysis: StripAnalysis) -> set[int]:
    """Coarse numbers of columns that were never acted on and hold nothing."""
    labels = analysis.labels
    return {
        coarse
        for coarse, (cells, _, mark) in zip(labels.coarse, labels.labels, strict=True)
        if mark == FRESH and not any(cells)
    }


def alike(size: int, steps: Sequence[Step]) -> list[int]:
    """A block for each state: those of one change the same counters and go to the same blocks."""
    changes: dict[Change, int] = {}
    onward: list[list[tuple[int, int]]] = [[] for _ in range(size)]
    for before, after, change in steps:
        onward[before].append((changes.setdefault(change, len(changes)), after))
    blocks, many = [0] * size, 0
    while True:
        numbers: dict[frozenset[tuple[int, int]], int] = {}
        blocks = [
            numbers.setdefault(frozenset([(change, blocks[to]) for change, to in leads]), len(numbers))
            for leads in onward
        ]
        if len(numbers) == many:
            return blocks
        many = len(numbers)


def merged(steps: Sequence[Step], blocks: Sequence[int]) -> list[Step]:
    """The steps between blocks."""
    return sorted({Step(blocks[before], blocks[after], change) for before, after, change in steps})
