"""`run --watch`: a run in the terminal, with the head, the state and the source line."""

from __future__ import annotations

import os
import select
import shutil
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from compiler.profile import rule_text
from compiler.simulate import BUDGET, HALTED, STUCK, Machine, Run
from gridlang.loading import Program
from gridlang.table import BLANK
from gridlang.world import Cell, World

HELP = "space pause   → one step   ← back   ↑ faster   ↓ slower   q quit"
HISTORY = 10_000
_KEYS = {"\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left"}


class Frame:
    """Draws one moment of a run as lines of text."""

    def __init__(self, program: Program, columns: int, rows: int, colour: bool) -> None:
        self.program = program
        self.columns = max(20, columns)
        self.rows = max(8, rows)
        self.colour = colour
        self.corner: Cell | None = None

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def lines(self, machine: Machine, note: str) -> list[str]:
        table = self.program.table
        state, symbol = machine.state, machine.symbol
        if table.rows[state][symbol] is None:
            line, rule = 0, f"no rule for {table.symbols[symbol]}: stuck"
        else:
            line, rule = rule_text(self.program, state, symbol)
        place = f"line {line}: " if line else ""
        head = f"step {machine.steps:,}   {self.paint(table.states[state], '1')}   at {machine.head}   {note}"
        return [head, f"{place}{rule}"[: self.columns], "", *self.grid(machine)]

    def grid(self, machine: Machine) -> Iterator[str]:
        """The cells around the head; the view moves only when the head nears its edge."""
        width, height = (self.columns - 2) // 2, self.rows - 5
        left, top = self.view(machine.head, width, height)
        for y in range(top, top + height):
            gap = " "
            row = ""
            for x in range(left, left + width):
                here = (x, y) == machine.head
                row += ("[" if here else gap) + self.cell(machine.cells.get((x, y), 0), here)
                gap = "]" if here else " "
            yield (row + gap).rstrip()

    def cell(self, symbol: int, here: bool) -> str:
        char = self.program.table.symbols[symbol]
        shown = "·" if char == BLANK else char
        return self.paint(shown, "1;7" if here else "2" if char == BLANK else "1")

    def view(self, head: Cell, width: int, height: int) -> Cell:
        x, y = head
        margin_x, margin_y = min(4, width // 4), min(2, height // 4)
        if self.corner is None:
            self.corner = (min(0, x - margin_x), y - height // 2)
        left, top = self.corner
        left = min(max(left, x - width + 1 + margin_x), x - margin_x)
        top = min(max(top, y - height + 1 + margin_y), y - margin_y)
        self.corner = (left, top)
        return self.corner


def watch(program: Program, world: World, steps: int, speed: float) -> Run:
    """Shows a run and returns how it ended; without a terminal it prints plain frames."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        return _Player(program, world, steps, speed).play()
    machine = Machine(program.table, world)
    frame = Frame(program, 60, 12, colour=False)
    outcome = _plain(machine, frame, steps, sys.stderr)
    return machine.ended(outcome)


def _plain(machine: Machine, frame: Frame, steps: int, out: TextIO) -> str:
    while True:
        out.write("\n".join(frame.lines(machine, "")) + "\n\n")
        if machine.table.rows[machine.state][machine.symbol] is None:
            return STUCK
        if machine.steps >= steps:
            return BUDGET
        if machine.step():
            return HALTED


class _Player:
    """The interactive loop: draw, wait for a key or the next tick, step."""

    def __init__(self, program: Program, world: World, steps: int, speed: float) -> None:
        size = shutil.get_terminal_size()
        self.machine = Machine(program.table, world)
        self.frame = Frame(program, size.columns, size.lines - 1, not os.environ.get("NO_COLOR"))
        self.steps = steps
        self.speed = speed
        self.paused = False
        self.outcome = ""
        self.undo: deque[tuple[int, Cell, int]] = deque(maxlen=HISTORY)

    def play(self) -> Run:
        with _raw_terminal():
            while True:
                self.draw()
                key = self.wait()
                if key == "q" or (self.outcome and key in ("\r", "\n")):
                    break
                self.handle(key)
        return self.machine.ended(self.outcome or BUDGET)

    def handle(self, key: str) -> None:
        if key == " ":
            self.paused = not self.paused
        elif key == "up":
            self.speed = min(self.speed * 1.6, 10_000)
        elif key == "down":
            self.speed = max(self.speed / 1.6, 0.1)
        elif key == "right":
            self.paused = True
            self.forward()
        elif key == "left":
            self.paused = True
            self.back()
        elif not key and not self.paused and not self.outcome:
            for _ in range(max(1, round(self.speed / 30))):
                self.forward()

    def wait(self) -> str:
        idle = self.paused or self.outcome
        return _read_key(3600.0 if idle else max(1 / self.speed, 1 / 30))

    def forward(self) -> None:
        machine = self.machine
        if self.outcome:
            return
        if machine.table.rows[machine.state][machine.symbol] is None:
            self.outcome = STUCK
        elif machine.steps >= self.steps:
            self.outcome = BUDGET
        else:
            self.undo.append((machine.state, machine.head, machine.symbol))
            self.outcome = HALTED if machine.step() else ""

    def back(self) -> None:
        if not self.undo:
            return
        machine = self.machine
        machine.state, machine.head, symbol = self.undo.pop()
        machine.cells.pop(machine.head, None)
        if symbol:
            machine.cells[machine.head] = symbol
        machine.steps -= 1
        self.outcome = ""

    def draw(self) -> None:
        note = self.outcome or ("paused" if self.paused else f"{self.speed:.3g} steps/s")
        end = "q or enter: done" if self.outcome else HELP
        lines = [*self.frame.lines(self.machine, note), end]
        sys.stderr.write("\x1b[H" + "\x1b[K\r\n".join(lines) + "\x1b[K\x1b[J")
        sys.stderr.flush()


@contextmanager
def _raw_terminal() -> Iterator[None]:
    """Keys arrive at once, on a screen of their own; both are put back whatever happens."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        sys.stderr.write("\x1b[?1049h\x1b[?25l\x1b[2J")
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        sys.stderr.write("\x1b[?25h\x1b[?1049l")
        sys.stderr.flush()


def _read_key(timeout: float) -> str:
    """A key, or the empty string when the time is up."""
    until = time.monotonic() + timeout
    while not select.select([sys.stdin], [], [], max(0.0, min(0.2, until - time.monotonic())))[0]:
        if time.monotonic() >= until:
            return ""
    data = os.read(sys.stdin.fileno(), 8).decode(errors="replace")
    return _KEYS.get(data, data[:1])
