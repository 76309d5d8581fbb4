"""The world that a replay begins with, and how it is typed."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from compiler.drawing.limits import LIMITS
from gridlang.clauses.cases import test_world
from gridlang.clauses.inputs import InputLanguage, RareInputs, language_of
from gridlang.program import Program
from gridlang.syntax import tree as s
from gridlang.table import BLANK, Table
from gridlang.world import World, string_world, world_picture


class Start(NamedTuple):
    """A world, and the text that means it: one line is an input, several are a picture."""

    world: World
    text: str


def start_of_input(text: str) -> Start:
    return Start(string_world(text), text)


def start_of(world: World, text: str | None) -> Start:
    """A world as it was given: a line of text is an input, anything else is shown as a picture."""
    return start_of_world(world) if text is None or "\n" in text else Start(world, text)


def start_of_world(world: World) -> Start:
    """A picture of a world; empty where that would be too large."""
    picture = world_picture(world) or ""
    return Start(world, picture if "\n" in picture else picture + "\n")


def start_of_counterexample(world: World, table: Table) -> Start:
    """As an input where it is one that the table declares."""
    text = "".join(world.cells.get((x, 0), BLANK) for x in range(len(world.cells)))
    language = language_of(table)
    is_row = world.start == (0, 0) and world == string_world(text)
    if is_row and (language is None or language.declares(text)):
        return Start(world, text)
    return start_of_world(world)


def first_start(program: Program) -> Start:
    """What to show when nothing is asked for: the file's first test, else a short input, else nothing."""
    table = program.table
    for test in () if program.overridden else program.tests:
        if isinstance(test.world, s.Text):
            return start_of_input(test.world.value)
        return start_of_world(test_world(test, table.symbols))
    language = language_of(table)
    return start_of_input(_some_input(language) if language else "")


def _some_input(language: InputLanguage) -> str:
    """An input of middling length, not the very first of its kind."""
    chosen = ""
    with suppress(RareInputs):
        for length in range(1, LIMITS.input_symbols):
            texts = language.strings(length)
            for _, text in zip(range(40), texts, strict=False):
                chosen = text
            if len(chosen) >= 5:
                break
    return chosen
