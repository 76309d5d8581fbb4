"""`run --watch` in a terminal: what it shows, and what its keys do."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gridlang.compiler.simulation.simulate import Machine
from gridlang.compiler.terminal.watch import Frame
from gridlang.loading import load
from gridlang.world import string_world
from tests.programs import EXAMPLES, ROOT

ADD10 = str(EXAMPLES / "add10.grid")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
SEQUENCE = re.compile(r"\x1b\[[?\d;]*[A-Za-z]")


class Terminal:
    """A command in a terminal of its own: keys go in, the screen comes out."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self.outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 70, 0, 0))
        self.before = termios.tcgetattr(inner)
        self.inner = inner
        given = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gridlang", *arguments],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            cwd=ROOT,
            env={**given, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **environment},
        )
        self.text = ""

    def until(self, wanted: Callable[[str], bool], seconds: float = 60.0) -> str:
        """What came since the last look, once it is as wanted."""
        deadline, since = time.monotonic() + seconds, ""
        while not wanted(since):
            assert time.monotonic() < deadline, f"not seen in time: {self.text[-600:]!r}"
            if select.select([self.outer], [], [], 0.1)[0]:
                since += os.read(self.outer, 65536).decode(errors="replace")
        self.text += since
        return since

    def press(self, keys: str) -> None:
        os.write(self.outer, keys.encode())

    def shows(self, words: str) -> str:
        return self.until(lambda text: words in SEQUENCE.sub("", text))


@contextmanager
def terminal(*arguments: str, **environment: str) -> Iterator[Terminal]:
    found = Terminal(list(arguments), environment)
    try:
        yield found
    finally:
        found.process.kill()
        found.process.wait()
        os.close(found.outer)
        os.close(found.inner)


def test_keys_pause_step_step_back_change_the_speed_and_quit() -> None:
    with terminal("run", ADD10, "47+85", "--watch", "--speed", "0.1") as seen:
        first = seen.shows("space pause")
        assert "step 0 " in SEQUENCE.sub("", first) and COLOUR.search(first)
        seen.press(" ")
        seen.shows("paused, 0.1 steps/s")
        seen.press(".")
        seen.shows("step 1 ")
        seen.press("\x1b[C")
        seen.shows("step 2 ")
        seen.press(",")
        seen.shows("step 1 ")
        seen.press("+")
        seen.shows("0.16 steps/s")
        seen.press("-")
        seen.shows("0.1 steps/s")
        seen.press("q")
        after = seen.shows("was still running after 1 step")
        assert "\x1b[?25h" in after and "\x1b[?1049l" in after  # the cursor and the screen are given back
        assert seen.process.wait(10) == 1
        assert termios.tcgetattr(seen.inner)[3] == seen.before[3]


def test_a_run_that_is_left_alone_plays_to_its_end() -> None:
    with terminal("run", ADD10, "4+5", "--watch", "--speed", "10000") as seen:
        last = seen.shows("q or enter: done")
        assert "\x1b[1;32mhalted" in last
        seen.press("\r")
        seen.shows("halted after")
        assert seen.process.wait(10) == 0


def test_no_colour_is_shown_where_none_is_wanted() -> None:
    with terminal("run", ADD10, "4+5", "--watch", "--speed", "10000", NO_COLOR="1") as seen:
        text = seen.shows("q or enter: done")
        assert not COLOUR.search(text) and "[" in text
        seen.press("q")
        assert seen.process.wait(10) == 0


def test_diagnostics_are_coloured_in_a_terminal_alone_and_never_with_no_color() -> None:
    with terminal("run", ADD10, "4++5") as seen:
        assert COLOUR.search(seen.shows("error"))
    with terminal("run", ADD10, "4++5", NO_COLOR="1") as seen:
        assert not COLOUR.search(seen.shows("hint"))


def test_no_line_is_wider_than_the_terminal() -> None:
    program = load(str(EXAMPLES / "mult10.grid"))
    frame = Frame(program, 30, 12, colour=False)
    machine = Machine(program.table, string_world("12*3"))
    for _ in range(60):
        machine.step()
        assert all(len(line) <= 30 for line in frame.lines(machine, "12 steps/s"))
