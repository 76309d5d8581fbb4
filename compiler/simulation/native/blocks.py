"""Blocks: the states of a table that share native code.

States of one family that move alike share a block, and which of them the machine is in is data: a digit that
is carried costs a table look-up, never a mispredicted jump. All other states are blocks of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.simulation.limits import LIMITS
from gridlang.table import Entry, Table


@dataclass(frozen=True, slots=True)
class Block:
    """States that share code; `number` names its label."""

    number: int
    states: tuple[int, ...]


def make_blocks(table: Table) -> tuple[Block, ...]:
    """Families are gathered into blocks as far as their states move alike."""
    family = table.family_numbers()
    groups: list[list[list[int]]] = [[] for _ in table.states]  # by family
    for state in range(len(table.states)):
        kin = groups[family[state]]
        home = next((group for group in kin if _alike(table, family, group[0], state)), None)
        if home is None:
            kin.append([state])
        else:
            home.append(state)
    members = sorted(group for kin in groups for group in kin)
    return tuple(Block(number, tuple(states)) for number, states in enumerate(members))


def _alike(table: Table, family: tuple[int, ...], a: int, b: int) -> bool:
    """Whether two states move alike on enough of the symbols for which both have a rule."""
    both = same = 0
    for x, (left, right) in enumerate(zip(table.rows[a], table.rows[b], strict=True)):
        if left is not None and right is not None:
            both += 1
            same += _shape(family, x, left) == _shape(family, x, right)
    return both > 0 and same >= LIMITS.alike * both


def _shape(family: tuple[int, ...], symbol: int, entry: Entry) -> tuple[int, ...]:
    """How a step looks to the code: halting, or its move and the family it leads to."""
    return () if entry.is_idle(symbol) else (entry.move, family[entry.next])
