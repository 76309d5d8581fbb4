"""A case in a process of its own, so that it may run too long, take too much memory, or crash, and be told of."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from gridlang.cli import main
from tests.fuzz.checks import CHECKS

MOST_BYTES = 1_500_000_000  # What a case may take: the gigabyte of a command, and what lies here already.
MOST_ADDRESSES = (
    16_000_000_000  # Beyond it even an address is refused, so that the machine outlives a bad case.
)
BUSY = 10  # seconds on the clock for one of processor time, on a busy machine
# An exception that was caught and told as if it were an answer.
SWALLOWED = re.compile(r"\b[A-Z]\w*(Error|Exception|Interrupt|Exit): ")


class Case(NamedTuple):
    """What is done in a folder of files: commands, or checks, whose first word begins with `=`."""

    again: str  # These options of the fuzzer repeat it.
    folder: Path
    steps: Sequence[Sequence[str]]
    seconds: float  # of processor time


class Running(NamedTuple):
    """A case whose process has been started."""

    case: Case
    process: int
    until: float


def start(case: Case) -> Running:
    sys.stdout.flush()
    process = os.fork()
    if not process:
        _live(case)
    return Running(case, process, time.monotonic() + BUSY * case.seconds)


def ended(running: Running) -> str | None:
    """What is wrong with a case, or the empty string; None while it runs."""
    case = running.case
    process, status = os.waitpid(running.process, os.WNOHANG)
    late = time.monotonic() > running.until
    if not process and not late:
        return None
    if not process:
        os.killpg(running.process, signal.SIGKILL)
        os.waitpid(running.process, 0)
    if not process or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        return f"{_last_step(case)}\nran past {case.seconds:.0f} s"
    if os.WIFSIGNALED(status):
        return f"{_last_step(case)}\nwas killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return _told(case).read_text(errors="replace")


def _told(case: Case) -> Path:
    return case.folder.with_suffix(".told")


def _last_step(case: Case) -> str:
    return _told(case).read_text(errors="replace") if _told(case).exists() else "it did not start"


def _live(case: Case) -> None:
    """The life of the process: each step in turn, until one shows a defect."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = ceil(case.seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    os.chdir(case.folder)
    try:
        for step in case.steps:
            _told(case).write_text(f"gridlang {' '.join(step)}", errors="backslashreplace")
            defect = problem_of(step) or _excess()
            if defect:
                break
        _told(case).write_text(defect and f"{_last_step(case)}\n{defect}", errors="backslashreplace")
    except BaseException:
        _told(case).write_text(traceback.format_exc(), errors="backslashreplace")
    os._exit(0)


def problem_of(step: Sequence[str]) -> str:
    """What is wrong with how a command, or a check, ends in this folder; the empty string where nothing is."""
    return CHECKS[step[0][1:]](*step[1:]) if step[0][0] == "=" else command_problem(step)


def _excess() -> str:
    """What was taken of memory, where that is too much."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    peak = 1024 * max(each.ru_maxrss for each in used)
    return f"took {peak:,} bytes" if peak > MOST_BYTES else ""


def command_problem(arguments: Sequence[str]) -> str:
    """A traceback, an exit status that no command has, an exception told as an answer, or raw control characters."""
    result = CliRunner().invoke(main, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return "".join(traceback.format_exception(result.exception))
    if result.exit_code not in (0, 1, 2):
        return f"exit status {result.exit_code}\n{result.output}"
    if "Traceback" in result.output or SWALLOWED.search(result.output):
        return f"an exception is told as an answer:\n{result.output}"
    raw = next((char for char in result.output if ord(char) < 32 and char not in "\n\t"), None)
    if raw is not None or "\x7f" in result.output:
        return f"a control character reaches the terminal:\n{result.output!r}"
    if "--json" in arguments and (result.stdout or result.exit_code != 2):
        try:
            json.loads(result.stdout)
        except ValueError:
            return f"what --json prints is no JSON:\n{result.stdout[:500]}"
    return "" if result.exit_code != 2 or result.output.strip() else "exit status 2 without a word"
