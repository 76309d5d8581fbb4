"""`run --watch`: a run in the terminal, with the head, the state and the source line."""

from __future__ import annotations

import os
import select
import shutil
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

from gridlang.compiler.simulation.simulate import Machine, Run
from gridlang.compiler.terminal.source_rules import rule_at
from gridlang.outcomes import Outcome
from gridlang.printable import printable
from gridlang.program import Program
from gridlang.table import BLANK
from gridlang.terminal.console import has_cursor, plain_output
from gridlang.world import Cell, World

HISTORY = 10_000  # steps of a watched run that can be taken back
TRAIL = 24  # steps of the head that are shown
FASTEST = 10_000.0  # steps a second
SLOWEST = 0.1
HELP = "space pause   . step   , back   + faster   - slower   q quit"
FASTER = 1.6  # factor per press of a key
_KEYS = {"\x1b[A": "+", "\x1b[B": "-", "\x1b[C": ".", "\x1b[D": ",", "=": "+", "_": "-", ">": ".", "<": ","}

# Colours that can be read on dark and on light.
STATE, FAINT, PLAIN, HEAD, FRESH, FADING = "1;36", "2", "1", "1;7", "1;35", "35"
ENDS: dict[str, str] = {Outcome.HALTED: "1;32", Outcome.STUCK: "1;31", Outcome.BUDGET: "1;33"}
NOWHERE: Mapping[Cell, int] = {}


class Frame:
    """Draws one moment of a run as lines of text."""

    def __init__(self, program: Program, columns: int, rows: int, colour: bool) -> None:
        self.program = program
        self.colour = colour
        self.corner: Cell | None = None
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Fits it to a terminal of this size, which may change at any time."""
        self.columns, self.rows = max(20, columns), max(8, rows)

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def lines(self, machine: Machine, note: str, trail: Mapping[Cell, int] = NOWHERE) -> list[str]:
        """The moment in words, the rule that comes next, and the grid; `trail` says how long ago the head was
        on a cell."""
        table = self.program.table
        state, symbol = machine.state, machine.symbol
        if table.rows[state][symbol] is None:
            rule = f"no rule for {table.symbols[symbol]}: stuck"
        else:
            rule = rule_at(self.program, state, symbol).in_words()
        words = [(f"step {machine.steps:,}", ""), (table.states[state], STATE), (f"at {machine.head}", "")]
        head = self.fitted([*words, (note, ENDS.get(note, ""))])
        return [head, self.paint(printable(rule)[: self.columns], FAINT), "", *self.grid(machine, trail)]

    def fitted(self, words: list[tuple[str, str]]) -> str:
        """Words with their colours on one line, as many as there is room for."""
        room, parts = self.columns, []
        for text, code in words:
            if len(text) > room:
                break
            parts.append(self.paint(text, code) if code else text)
            room -= len(text) + 3
        return "   ".join(parts)

    def grid(self, machine: Machine, trail: Mapping[Cell, int]) -> Iterator[str]:
        """The cells around the head; the view moves only when the head nears its edge."""
        width, height = (self.columns - 2) // 2, self.rows - 5
        left, top = self.view(machine.head, width, height)
        for y in range(top, top + height):
            gap, row = " ", ""
            for x in range(left, left + width):
                here = (x, y) == machine.head
                symbol = machine.cells.get((x, y), 0)
                row += ("[" if here else gap) + self.cell(symbol, here, trail.get((x, y)))
                gap = "]" if here else " "
            yield (row + gap).rstrip()

    def cell(self, symbol: int, here: bool, age: int | None) -> str:
        char = self.program.table.symbols[symbol]
        blank = char == BLANK
        if here:
            look = HEAD
        elif age is not None:
            look = FRESH if age < TRAIL // 3 else FADING
        else:
            look = FAINT if blank else PLAIN
        return self.paint("·" if blank else char, look)

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
    player = _Player(program, world, steps, speed)
    if has_cursor(sys.stdin) and has_cursor(sys.stderr):
        return player.play()
    frame = Frame(program, 60, 12, colour=False)
    while not player.outcome.ended:
        sys.stdout.write("\n".join(frame.lines(player.machine, "")) + "\n\n")
        player.forward()
    return player.machine.ended(player.outcome)


class _Player:
    """The interactive loop: draw, wait for a key or the next tick, step."""

    def __init__(self, program: Program, world: World, steps: int, speed: float) -> None:
        self.machine = Machine(program.table, world)
        self.frame = Frame(program, 80, 24, not plain_output(sys.stderr))
        self.steps = steps
        self.speed = speed
        self.paused = False
        self.outcome = Outcome.RUNNING
        self.undo: deque[tuple[int, Cell, int]] = deque(maxlen=HISTORY)

    def play(self) -> Run:
        with _raw_terminal():
            while True:
                self.draw()
                key = self.wait()
                if key == "q" or (self.outcome.ended and key in ("\r", "\n")):
                    break
                self.handle(key)
        return self.machine.ended(self.outcome if self.outcome.ended else Outcome.BUDGET)

    def handle(self, key: str) -> None:
        if key == " ":
            self.paused = not self.paused
        elif key == "+":
            self.speed = min(self.speed * FASTER, FASTEST)
        elif key == "-":
            self.speed = max(self.speed / FASTER, SLOWEST)
        elif key == ".":
            self.paused = True
            self.forward()
        elif key == ",":
            self.paused = True
            self.back()
        elif not key and not self.paused and not self.outcome.ended:
            for _ in range(max(1, round(self.speed / 30))):
                self.forward()

    def wait(self) -> str:
        idle = self.paused or self.outcome.ended
        return _read_key(3600.0 if idle else max(1 / self.speed, 1 / 30))

    def forward(self) -> None:
        machine = self.machine
        if self.outcome.ended:
            return
        if machine.table.rows[machine.state][machine.symbol] is None:
            self.outcome = Outcome.STUCK
        elif machine.steps >= self.steps:
            self.outcome = Outcome.BUDGET
        else:
            self.undo.append((machine.state, machine.head, machine.symbol))
            self.outcome = Outcome.HALTED if machine.step() else Outcome.RUNNING

    def back(self) -> None:
        if not self.undo:
            return
        machine = self.machine
        machine.state, machine.head, symbol = self.undo.pop()
        machine.cells.pop(machine.head, None)
        if symbol:
            machine.cells[machine.head] = symbol
        machine.steps -= 1
        self.outcome = Outcome.RUNNING

    def trail(self) -> dict[Cell, int]:
        """Recent cells of the head, and how many steps ago."""
        recent = islice(reversed(self.undo), TRAIL)
        ages: dict[Cell, int] = {}
        for age, (_, cell, _) in enumerate(recent):
            ages.setdefault(cell, age)
        return ages

    def draw(self) -> None:
        size = shutil.get_terminal_size()
        self.frame.resize(size.columns, size.lines - 1)
        speed = f"{self.speed:.3g} steps/s"
        ended = self.outcome.ended
        note = self.outcome if ended else f"paused, {speed}" if self.paused else speed
        end = ", back   q or enter: done" if ended else HELP
        shown = self.frame.paint(end[: self.frame.columns], FAINT)
        lines = [*self.frame.lines(self.machine, note, self.trail()), shown]
        sys.stderr.write("\x1b[H" + "\x1b[K\r\n".join(lines) + "\x1b[K\x1b[J")
        sys.stderr.flush()


@contextmanager
def _raw_terminal() -> Iterator[None]:
    """Keys arrive at once, on a separate screen; both are restored whatever happens."""
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
    return _KEYS.get(data) or _KEYS.get(data[:1], data[:1])
