"""One step of two tables that read the same symbol: the piece that every proof and search here is made of.

LEFT is the specification. Where it halts nothing more is asked, so the branch is closed; where it acts,
RIGHT must write and move the same. What is asked where LEFT is stuck is a part of the claim. The verifier has
a copy of its own, since it checks this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Literal, NamedTuple

from gridlang.compiler.simulation.simulate import Machine
from gridlang.table import STAY, Entry, Row, Table
from gridlang.world import Cell, World

# What is claimed where LEFT is stuck: nothing; that RIGHT is stuck too; or that LEFT never is.
Stuck = Literal["unasked", "same", "never"]
UNASKED: Stuck = "unasked"
STRICT: Stuck = "same"
NEVER: Stuck = "never"


class Ending(Enum):
    """Why two tables do not go on together."""

    LEFT_STUCK = "LEFT has no entry, and the claim allows it"
    RIGHT_DIFFERS = "RIGHT writes or moves otherwise than LEFT, or one is stuck where the claim forbids it"
    BOTH_HALT = "the step is LEFT's halt, and RIGHT's"


# LEFT's entry, whose write and move are RIGHT's too, and the state that RIGHT goes to. A plain pair costs
# nothing against writing the comparison out; a named tuple takes twice as long over a whole comparison.
JointAction = tuple[Entry, int]
LEFT_STUCK, RIGHT_DIFFERS, BOTH_HALT = Ending


def joint_step(
    entry: Entry | None, other: Entry | None, symbol: int, stuck: Stuck = UNASKED
) -> JointAction | Ending:
    """What LEFT's entry and RIGHT's, both looked up on a symbol, do together under a claim."""
    if entry is None:
        allowed = stuck == UNASKED or (stuck == STRICT and other is None)
        return Ending.LEFT_STUCK if allowed else Ending.RIGHT_DIFFERS
    if other is None or other[0] != entry[0] or other[1] != entry[1]:
        return Ending.RIGHT_DIFFERS
    # The move comes first: it saves a call for nearly every entry.
    if entry.move == STAY and entry.is_idle(symbol):
        return Ending.BOTH_HALT
    return entry, other.next


class Place(NamedTuple):
    """Where two tables stand together: both states, and the symbol that both read."""

    left: int
    right: int
    symbol: int


class Together(NamedTuple):
    """Two tables at one step on a world: their states, what both read, what they do, and where."""

    left: int
    right: int
    symbol: int
    step: JointAction | Ending
    cell: Cell


def joint_run(
    left: Table, rows: Sequence[Row], world: World, steps: int, stuck: Stuck = UNASKED
) -> Iterator[Together]:
    """What two tables do on one world, up to the step that ends it; `rows` are RIGHT's in LEFT's symbols."""
    machine, right = Machine(left, world), 0
    while machine.steps < steps:
        state, symbol = machine.state, machine.symbol
        step = joint_step(left.rows[state][symbol], rows[right][symbol], symbol, stuck)
        yield Together(state, right, symbol, step, machine.head)
        if isinstance(step, Ending):
            return
        machine.step()
        right = step[1]
