"""The steps of one agent on a strip, as steps between abstract states that count columns.

A counter is the number of columns on a side of the head that have a label of a group. A step to the right
takes the column that the head comes to from those on the right, and adds the one that it leaves to those on
the left; a step up or down changes no counter. Columns that hold nothing and were never acted on are endless,
so they are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from compiler.proofs.abstractions.columns import FRESH
from compiler.proofs.abstractions.strips import Move, Node, StripAnalysis

Counter = tuple[int, int]  # side, group of labels
Change = tuple[tuple[Counter, int], ...]  # counters that a step changes, and by how much


class Step(NamedTuple):
    """A step from one state to another, both by number, and what it changes."""

    before: int
    after: int
    change: Change


class StripSteps(NamedTuple):
    """For each abstract state, in the order of the analysis: the next ones, each with a change's number."""

    onward: list[set[tuple[int, int]]]
    changes: tuple[Change, ...]


def strip_steps(analysis: StripAnalysis, groups: Sequence[int]) -> StripSteps:
    """All steps between abstract states; `groups` has a number for each label: which are counted together."""
    number = {node: index for index, node in enumerate(analysis.nodes)}
    endless = _endless(analysis, groups)
    changes: dict[Change, int] = {}
    onward = [
        {
            (number[after], changes.setdefault(change, len(changes)))
            for after, change in _steps_of(analysis, groups, node)
        }
        for node in analysis.nodes
    ]
    finite = (tuple([part for part in change if part[0][1] not in endless]) for change in changes)
    return StripSteps(onward, tuple(finite))


def _steps_of(analysis: StripAnalysis, groups: Sequence[int], node: Node) -> Iterator[tuple[Node, Change]]:
    for _, move in analysis.steps(node):
        if isinstance(move, Move):
            side, gained = move.side, groups[move.label]
            for after in analysis.after(node, move):
                moved = side is not None and (((1 - side, gained), 1), ((side, groups[after[4]]), -1))
                yield after, moved or ()


def _endless(analysis: StripAnalysis, groups: Sequence[int]) -> set[int]:
    """Groups of columns that were never acted on and hold nothing."""
    labels = zip(groups, analysis.labels.labels, strict=True)
    return {group for group, (cells, _, mark) in labels if mark == FRESH and not any(cells)}


def alike(steps: StripSteps) -> list[int]:
    """A block for each state: those of one change the same counters and go to the same blocks."""
    numbers = {change: number for number, change in enumerate(dict.fromkeys(steps.changes))}
    change_of = [numbers[change] for change in steps.changes]
    blocks, many = [0] * len(steps.onward), 0
    while True:
        found: dict[frozenset[tuple[int, int]], int] = {}
        blocks = [
            found.setdefault(frozenset([(blocks[to], change_of[change]) for to, change in leads]), len(found))
            for leads in steps.onward
        ]
        if len(found) == many:
            return blocks
        many = len(found)


def merged(steps: StripSteps, blocks: Sequence[int]) -> list[Step]:
    """The steps between blocks."""
    between = {
        (blocks[before], blocks[after], change)
        for before, leads in enumerate(steps.onward)
        for after, change in leads
    }
    return sorted({Step(before, after, steps.changes[change]) for before, after, change in between})
