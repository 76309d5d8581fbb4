"""Differences as the reference simulator shows them, on the smallest worlds and inputs that still do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compiler.proofs.equivalence import Observation
from compiler.proofs.joint_step import NEVER, STRICT, UNASKED, Stuck
from compiler.proofs.limits import LIMITS
from compiler.simulation.simulate import STUCK, run
from gridlang.clauses.inputs import InputLanguage
from gridlang.table import DELTAS, MOVES, Table
from gridlang.world import Cell, World, string_world


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
    """Leaves out symbols and lowers others as long as it stays a declared input with a difference.

    A symbol is lowered to one that comes earlier in the clause, at the same place.
    """
    symbols_left = LIMITS.most_symbols_tried  # about n² for an input of n

    def still(texts: Iterator[str]) -> str | None:
        nonlocal symbols_left
        for text in texts:
            symbols_left -= len(text) + 1
            if symbols_left < 0:
                return None
            if language.declares(text) and differs(string_world(text)):
                return text
        return None

    before = None
    while text != before:
        before, size = text, len(text)
        while size:
            shorter = still(text[:at] + text[at + size :] for at in range(len(text) - size + 1))
            text = text if shorter is None else shorter
            size = size // 2 if shorter is None else min(size, len(text))
        for at in range(len(text)):
            text = still(_lowered(text, at, language)) or text
    return text


def _lowered(text: str, at: int, language: InputLanguage) -> Iterator[str]:
    """The text with the symbol at a place lowered, the lowest first."""
    state = None
    for symbol in text[:at]:
        state = language.step(state, symbol)
    lower = language.options(state).partition(text[at])[0]
    return (text[:at] + symbol + text[at + 1 :] for symbol in lower)


def world_of_reads(
    left: Table, right: Table, steps: tuple[Observation, ...], stuck: Stuck = UNASKED
) -> World | None:
    """The world on which a sequence of reads happens, if there is one."""
    first: dict[Cell, str] = {}
    now: dict[Cell, str] = {}
    x = y = 0
    for step in steps:
        if now.setdefault((x, y), step.read) != step.read:
            return None
        first.setdefault((x, y), step.read)
        if step.left is None:
            break  # This is the last step.
        now[x, y] = step.left[0]
        dx, dy = DELTAS[MOVES.index(step.left[1])]
        x, y = x + dx, y + dy
    world = World(first)
    return world if replay(left, right, world, len(steps), stuck) == steps else None
