"""Output of `gridlang run`: the result and how the run ended, for people or as JSON.

The lines of a trace, for people or as JSON, while it runs: millions take seconds, and no memory.

A table does what its reads say, so the text of a line after its cell is that of a pair of state and symbol,
and is made once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from gridlang.compiler.simulation.limits import LIMITS as RUN_LIMITS
from gridlang.compiler.simulation.simulate import Column, Run
from gridlang.compiler.terminal.source_rules import SourceRule, rule_at
from gridlang.compiler.testing.file_tests import describe
from gridlang.printable import printable
from gridlang.program import Program
from gridlang.table import DELTAS, MOVES, STAY, Entry
from gridlang.terminal.console import SCHEMA, json_text, say, write_out
from gridlang.world import Cell, World

if TYPE_CHECKING:
    from gridlang.compiler.tensors.model import Model

SCREEN_ROWS = 500  # more would only push away what stood on the screen
SCREEN_CELLS = 1_000_000
LINES_AT_ONCE = 10_000  # of a trace: some hundreds of kilobytes
NONE = SourceRule(0, "")


class TraceLines:
    """Writes a line per step: the cell, the action, the rule.

    A step of a program has its state and the line of its rule; that of a model has not.
    Numbers of steps are aligned within what comes at once.
    """

    def __init__(
        self, agent: Program | Model, start: Cell, write: Callable[[str], object], as_json: bool = False
    ) -> None:
        program = self.program = agent if isinstance(agent, Program) else None
        self.symbols = agent.table.symbols if isinstance(agent, Program) else agent.symbols
        self.moves = tuple(MOVES) if isinstance(agent, Program) else agent.moves
        self.write, self.as_json, self.digits = write, as_json, 0
        self.step, self.cell, self.state = 0, start, 0
        self.texts: list[str] = self._pair_texts(program) if program else []
        self.shifts = [DELTAS[MOVES.index(move)] for move in self.moves]

    def __call__(self, reads: Column, writes: Column, moves: Column) -> None:
        self.digits = max(self.digits, len(str(self.step + len(reads))))
        lines = self._lines(reads, writes, moves)
        while some := "".join(islice(lines, LINES_AT_ONCE)):
            self.write(some)

    def _lines(self, reads: Column, writes: Column, moves: Column) -> Iterator[str]:
        k = len(self.symbols)
        for read, write, move in zip(reads, writes, moves, strict=True):
            self.step += 1
            text = self.texts[self.state * k + read] if self.program else self._text(read, write, move)
            yield self._place() + text
            (x, y), (dx, dy) = self.cell, self.shifts[move]
            self.cell = (x + dx, y + dy)
            entry = self.program.table.rows[self.state][read] if self.program else None
            self.state = entry.next if entry else self.state

    def _place(self) -> str:
        x, y = self.cell
        if self.as_json:
            return f'{{"step": {self.step}, "cell": [{x}, {y}]'
        return f"{self.step:>{self.digits}}  {f'({x}, {y})':<10}"

    def _pair_texts(self, program: Program) -> list[str]:
        """The text of each pair of state and symbol; undefined pairs are never printed."""
        table = program.table
        width = max(len(printable(state)) for state in table.states)
        texts = []
        for state, row in enumerate(table.rows):
            for read, entry in enumerate(row):
                rule = rule_at(program, state, read) if entry else NONE
                write, move, _ = entry or Entry(read, STAY, state)
                by = f"{printable(table.states[state]):<{width}}"
                by += f"  {printable(rule.in_words())}" if rule.line else ""
                texts.append(self._text(read, write, move, table.states[state], rule, by))
        return texts

    def _text(
        self,
        read: int,
        write: int,
        move: int,
        state: str | None = None,
        rule: SourceRule = NONE,
        by: str = "",
    ) -> str:
        """The text of a step after its cell."""
        seen, left, way = self.symbols[read], self.symbols[write], self.moves[move]
        if self.as_json:
            about = {"state": state, "read": seen, "write": left, "move": way, "line": rule.line or None}
            about |= {"file": rule.file} if rule.file else {}
            return f", {json_text(about)[1:]}\n"
        return f"  {seen} -> {left}  {way}  {by}".rstrip() + "\n"


def emit_run(done: Run, **more: Any) -> None:
    """A run as one JSON object on stdout.

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
        rest["reason"] = done.why
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


def print_run(done: Run, written_to: str | None = None) -> None:
    """The result on stdout, how the run ended on stderr. A result in a file is not printed."""
    if written_to is None:
        _print_result(done.world)
    else:
        say(f"wrote {written_to}", err=True)
    say(describe(done), err=True)


def _print_result(world: World) -> None:
    """The box of a world; a terminal gets only the size of what would not fit on it."""
    box = world.box
    if box is None:
        say("")
        return
    size = f"{len(world.cells):,} cells in a box of {box.width:,} x {box.height:,}"
    if box.area > RUN_LIMITS.area:
        say(f"(the result, {size}, is too large to be printed; `--json` lists its cells)", err=True)
    elif sys.stdout.isatty() and (box.height > SCREEN_ROWS or box.area > SCREEN_CELLS):
        say(f"(a result of {size}: too large for the screen; `-o world.png` or `> world.txt` keeps it)")
    else:
        write_out(f"{line}\n" for line in world.lines(box))
