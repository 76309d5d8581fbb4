"""Something that is done again whenever a file that it read is saved."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep, strftime

from gridlang.diagnostics import GridError, counted
from gridlang.files import FileState, file_state, files_looked_at
from gridlang.terminal.console import report, say

LOOK_SECONDS = 0.2


def again_when_saved(do: Callable[[], object]) -> None:
    """Does it, and again after each change, until Ctrl-C; what is wrong with the files is reported."""
    try:
        while True:
            with files_looked_at() as read:
                try:
                    do()
                except GridError as error:
                    report(error.diagnostics, machine=False)
            files = counted(len(read), "file")
            say(f"{strftime('%H:%M:%S')} watching {files}; Ctrl-C ends", "", err=True)
            wait_for_change(read)
    except KeyboardInterrupt:
        say("", err=True)


def wait_for_change(read: dict[str, FileState]) -> None:
    """Until a file is another than the one that was read, and stays so for two looks."""
    last = dict(read)
    while True:
        sleep(LOOK_SECONDS)
        now = {path: file_state(path) for path in read}
        if now == last and now != read:
            return
        last = now
