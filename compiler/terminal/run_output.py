"""What `gridlang run` prints: the result, how the run ended, and its profile, for people or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from compiler.simulation.limits import LIMITS as RUN_LIMITS
from compiler.simulation.simulate import Run
from compiler.terminal.limits import LIMITS
from compiler.terminal.profile import by_line, profile_rows
from compiler.testing.file_tests import describe
from gridlang.labels import Alphabet
from gridlang.program import Program
from gridlang.terminal.console import SCHEMA, json_text, say, write_out
from gridlang.world import World


def emit_run(program: Program | None, done: Run, **more: Any) -> None:
    """A run as one JSON object on stdout; `program` is None for a model, which has no rules to count.

    The result is written as it is made. Of one whose box is too large for text, its cells are.
    """
    rest: dict[str, Any] = {
        "origin": done.origin,
        "steps": done.steps,
        "state": done.state,
        "cell": done.cell,
        "symbol": done.symbol,
    }
    if done.reason:
        rest["reason"] = done.reason
    if done.profile is not None and program is not None:
        rest["profile"] = [row._asdict() for row in profile_rows(program, done)]
    write_out([json_text({"schema": SCHEMA, "outcome": done.outcome})[:-1]])
    write_out(_result_members(done.world))
    write_out([", ", json_text({**rest, **more})[1:], "\n"])


def _result_members(world: World) -> Iterator[str]:
    """`, "result": "…"`, in pieces; its characters are symbols, which are printable."""
    box = world.box
    if box is not None and box.area > RUN_LIMITS.area:
        yield ', "result": null, "cells": ['
        for number, ((x, y), symbol) in enumerate(world.cells.items()):
            yield f"{', ' if number else ''}[{x}, {y}, {json_text(symbol)}]"
        yield "]"
        return
    yield ', "result": "'
    for number, line in enumerate(world.lines(box) if box else ()):
        yield ("\\n" if number else "") + json_text(line)[1:-1]
    yield '"'


def print_run(program: Program | None, done: Run, alphabet: Alphabet, written_to: str | None = None) -> None:
    """The result on stdout, how the run ended on stderr. What was written to a file is not printed again."""
    if done.profile is not None and program is not None:
        _print_profile(program, done)
    if written_to is None:
        _print_result(done.world, alphabet)
    else:
        say(f"wrote {written_to}", err=True)
    say(describe(done, alphabet), err=True)


def _print_result(world: World, alphabet: Alphabet) -> None:
    """The box of a world; a terminal is told only the size of what would not fit on it."""
    box = world.box
    if box is None:
        say("")
        return
    size = f"{len(world.cells):,} cells in a box of {box.width:,} x {box.height:,}"
    if box.area > RUN_LIMITS.area:
        say(f"(the result, {size}, is too large to be printed; `-o world.rle` writes it)", err=True)
    elif sys.stdout.isatty() and (box.height > LIMITS.screen_rows or box.area > LIMITS.screen_cells):
        say(f"(a result of {size}: too large for the screen; `-o world.png` or `> world.txt` keeps it)")
    else:
        write_out(f"{alphabet.line(line)}\n" for line in world.lines(box))


def _print_profile(program: Program, done: Run) -> None:
    rows = by_line(program, done)
    width = max([5, *(len(row.state) for row in rows)])
    say(f"{'steps':>9}  share  line  {'state':<{width}}  rule")
    for row in rows:
        share = f"{100 * row.times / max(done.steps, 1):5.1f}%"
        file = f"  ({row.file})" if row.file else ""
        say(f"{row.times:>9,} {share}  {row.line or '':>4}  {row.state:<{width}}  {row.rule}{file}")
