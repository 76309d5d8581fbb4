"""The steps of one agent on a strip, as steps between abstract states that count columns.

A counter is the number of columns on a side of the head that have a label of a group. A step to the right
takes the column that the head comes to from those on the right, and adds the one that it leaves to those on
the left; a step up or down changes no counter. Columns that hold nothing and were never acted on are endless,
so they are not counted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from gridlang.compiler.verifier.strips import FRESH, Element, Strip

Counter = tuple[int, int]  # side, group of labels
Change = tuple[tuple[Counter, int], ...]  # counters that a step changes, and by how much


class Step(NamedTuple):
    """A step from one state to another, both by number, and what it changes."""

    before: int
    after: int
    change: Change


class StripSteps(NamedTuple):
    """For each element the next ones, each with a change's number."""

    onward: list[set[tuple[int, int]]]
    changes: tuple[Change, ...]


def strip_steps(strip: Strip, elements: list[Element], groups: Sequence[int]) -> StripSteps:
    """All steps between elements; `groups` has a number for each label: which are counted together."""
    number = {element: index for index, element in enumerate(elements)}
    moved: dict[tuple[int, int, int], int] = {}  # a side, groups of two columns
    onward = []
    for element in elements:
        leads: set[tuple[int, int]] = set()
        onward.append(leads)
        for move in strip.moves(element):
            side, left = move.side, groups[move.label]
            for after in strip.follows(element, move):
                key = side, left, groups[after[4]] if side else 0
                leads.add((number[after], moved.setdefault(key, len(moved))))
    endless = {
        group
        for group, (cells, _, mark) in zip(groups, strip.labels, strict=True)
        if mark == FRESH and not any(cells)
    }
    return StripSteps(onward, tuple(_change(*key, endless) for key in moved))


def _change(side: int, left: int, entered: int, endless: set[int]) -> Change:
    """What a step changes of finite counters."""
    both = ((-side, left), 1), ((side, entered), -1)
    return tuple([part for part in both if side and part[0][1] not in endless])


def alike(steps: StripSteps) -> list[int]:
    """A block for each state: those of one change the same counters and go to the same blocks.

    Where a block is split its largest part keeps its number, so only what leads to the others is asked again.
    """
    numbers = {change: number for number, change in enumerate(dict.fromkeys(steps.changes))}
    change_of = [numbers[change] for change in steps.changes]
    before: list[list[int]] = [[] for _ in steps.onward]
    for state, leads in enumerate(steps.onward):
        for to, _ in leads:
            before[to].append(state)
    blocks, sizes = [0] * len(steps.onward), [len(steps.onward)]
    asked: Collection[int] = range(len(steps.onward))
    while asked:
        parts: dict[int, dict[frozenset[int], list[int]]] = {}
        for state in asked:
            leads_to = frozenset(
                [blocks[to] * len(numbers) + change_of[change] for to, change in steps.onward[state]]
            )
            parts.setdefault(blocks[state], {}).setdefault(leads_to, []).append(state)
        asked = set()
        for block, split in parts.items():
            members = sorted(split.values(), key=len)
            if sizes[block] == sum(map(len, members)):  # Else those that were not asked keep it.
                members.pop()
            for part in members:
                sizes[block] -= len(part)
                for state in part:
                    blocks[state] = len(sizes)
                    asked.update(before[state])
                sizes.append(len(part))
    order: dict[int, int] = {}
    return [order.setdefault(block, len(order)) for block in blocks]


def merged(steps: StripSteps, blocks: Sequence[int]) -> list[Step]:
    between = {
        (blocks[before], blocks[after], change)
        for before, leads in enumerate(steps.onward)
        for after, change in leads
    }
    return sorted({Step(before, after, steps.changes[change]) for before, after, change in between})
