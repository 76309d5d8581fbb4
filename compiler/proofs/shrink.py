"""Differences as the reference simulator shows them, on the smallest worlds and inputs that still do."""

from __future__ import annotations

from collections.abc import Callable

from compiler.proofs.equivalence import Observation
from compiler.proofs.joint_step import NEVER, STRICT, UNASKED, Stuck
from compiler.simulate import STUCK, run
from gridlang.clauses.inputs import InputLanguage
from gridlang.table import Table
from gridlang.world import World, string_world


def replay(
    left: Table, right: Table, world: World, step: int, stuck: Stuck = UNASKED
) -> tuple[Observation, ...] | None:
    """Runs both sides on a world with the reference simulator; None if they do not differ up to this step.

    Where LEFT is stuck, they differ if the claim does not allow it; its part of that step is None.
    """
    mine, theirs = run(left, world, step, trace=True), run(right, world, step, trace=True).trace or ()
    steps: list[Observation] = []
    for index, action in enumerate(mine.trace or ()):
        other = theirs[index] if index < len(theirs) else None
        seen = (other.write, other.move) if other else None
        steps.append(Observation(action.read, (action.write, action.move), seen))
        if other != action:
            return tuple(steps)
    at = len(steps)
    other = theirs[at] if at < len(theirs) else None
    forbidden = stuck == NEVER or (stuck == STRICT and other is not None)
    if mine.outcome != STUCK or at == step or not forbidden:
        return None
    return (*steps, Observation(mine.symbol, None, (other.write, other.move) if other else None))


def shrink(world: World, differs: Callable[[World], object]) -> World:
    """Blanks out cells as long as a difference remains."""
    for cell in sorted(world.cells):
        fewer = World({c: s for c, s in world.cells.items() if c != cell}, world.start)
        if differs(fewer):
            world = fewer
    return world


def shrink_input(text: str, language: InputLanguage, differs: Callable[[World], object]) -> str:
    """Leaves out symbols as long as it stays a declared input with a difference."""
    size = len(text)
    while size:
        shorter = (text[:at] + text[at + size :] for at in range(len(text) - size + 1))
        fits = (new for new in shorter if language.mismatch(new) is None)
        smaller = next((new for new in fits if differs(string_world(new))), None)
        if smaller is None:
            size //= 2
        else:
            text = smaller
            size = min(size, len(text))
    return text
