"""Differences as the reference simulator shows them, on the smallest worlds and inputs that still do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.proofs.equivalence import Observation
from gridlang.compiler.proofs.joint_step import NEVER, STRICT, UNASKED, Stuck
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.simulation.simulate import run
from gridlang.outcomes import Outcome
from gridlang.table import DELTAS, MOVES, Table
from gridlang.world import Cell, World, string_world

SHORT_CUT = 8  # symbols: up to here cuts are tried at every place, which fits most groups that repeat
SHORT_TEXT = 16  # Up to here every lower symbol is tried, beyond the two lowest.


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
    if mine.outcome != Outcome.STUCK or at == step or not forbidden:
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
    """A smaller declared input with a difference, as far as the budget of symbols allows."""
    symbols_left = LIMITS.most_symbols_tried  # about n² for an input of n

    def fails(text: str) -> object:
        nonlocal symbols_left
        symbols_left -= len(text) + 1
        return symbols_left >= 0 and language.declares(text) and differs(string_world(text))

    return shrink_text(text, language, fails)


def shrink_text(text: str, language: InputLanguage, fails: Callable[[str], object]) -> str:
    """A smaller text that fails; nothing can be left out of it or lowered, unless `fails` gives up.

    A symbol is lowered to an earlier one of its class. That comes first: most cuts of a text of one symbol
    are the same, and are tried once.
    """
    shrinking = _Shrinking(language, fails)
    before = None
    while text != before:
        before, text = text, shrinking.shortened(shrinking.lowered(text))
    return text


class _Shrinking:
    def __init__(self, language: InputLanguage, fails: Callable[[str], object]) -> None:
        self.fails = fails
        self.lower: dict[str, str] = {}  # for each symbol, those before it in its class
        for cell in language.cells:
            for place, symbol in enumerate(cell):
                self.lower.setdefault(symbol, cell[:place])

    def lowered(self, text: str) -> str:
        """The lowest symbols in blocks, from the whole text to single places; then the others there."""
        size = len(text)
        while size:
            for start in range(0, len(text), size):
                block = text[start : start + size]
                low = "".join((self.lower[symbol] or symbol)[0] for symbol in block)
                lowered = text[:start] + low + text[start + size :]
                if low != block and self.fails(lowered):
                    text = lowered
            size //= 2
        most = None if len(text) <= SHORT_TEXT else 2
        for place in range(len(text)):
            lower = self.lower[text[place]][1:most]
            choices = (text[:place] + symbol + text[place + 1 :] for symbol in lower)
            text = next((choice for choice in choices if self.fails(choice)), text)
        return text

    def shortened(self, text: str) -> str:
        """Long cuts first; a cut that helps is tried again at the same place."""
        for size in _sizes(len(text)):
            stride = 1 if size <= SHORT_CUT else size
            start = 0
            while start + size <= len(text):
                shorter = text[:start] + text[start + size :]
                if self.fails(shorter):
                    text = shorter
                else:
                    start += stride
        return text


def _sizes(length: int) -> Iterator[int]:
    size = length
    while size > SHORT_CUT:
        yield size
        size //= 2
    yield from range(min(length, SHORT_CUT), 0, -1)


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
            break  # the last step
        now[x, y] = step.left[0]
        dx, dy = DELTAS[MOVES.index(step.left[1])]
        x, y = x + dx, y + dy
    world = World(first)
    return world if replay(left, right, world, len(steps), stuck) == steps else None
