"""One process at a time in the folder of a run: a lock that ends with the process that holds it."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gridlang.diagnostics import GridError, fail

NOTE_BYTES = 1_000  # of a note, which has some hundred


@contextmanager
def held(folder: str, name: str, *, patient: bool = False) -> Iterator[None]:
    """Makes the folder, and keeps other holders of the lock `name` out, with a note of who holds it.

    GridError where another process holds the lock, unless `patient`, which waits for it. The system takes the
    lock from a process that ends, however it ends: none is ever stale.
    """
    handle = _opened(folder, name)
    try:
        _lock(handle, folder, name, patient)
        _note(handle, folder, name)
        yield
    finally:
        os.close(handle)


def is_held(folder: str, name: str) -> bool:
    """Whether a process on this machine holds the lock now; not without a lock file."""
    try:
        handle = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, ValueError):
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass  # Not all file systems can lock.
    finally:
        os.close(handle)
    return False


def _opened(folder: str, name: str) -> int:
    try:
        os.makedirs(folder, exist_ok=True)
        return os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except (OSError, ValueError) as error:
        raise _unwritable(error, folder) from None


def _lock(handle: int, folder: str, name: str, patient: bool) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if patient else fcntl.LOCK_NB))
    except BlockingIOError:
        hint = "wait for it, or name another folder"
        message = f"another {_work(name)} is at work in this folder: {_holder(handle)}"
        raise fail("G131", message, hint, folder) from None
    except OSError:
        pass  # Not all file systems can lock.


def _note(handle: int, folder: str, name: str) -> None:
    note = json.dumps(
        {
            "work": _work(name),
            "process": os.getpid(),
            "machine": platform.node(),
            "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        }
    )
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, note.encode(), 0)
    except OSError as error:
        raise _unwritable(error, folder) from None


def _work(name: str) -> str:
    """`.train` is the lock of `train`."""
    return f"`{name.removeprefix('.')}`"


def _holder(handle: int) -> str:
    """Who holds the lock, as the note in its file says."""
    try:
        note = json.loads(os.pread(handle, NOTE_BYTES, 0))
        return f"process {int(note['process'])} on {note['machine']!s:.60}, since {note['since']!s:.20}"
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return "its note cannot be read"


def _unwritable(error: OSError | ValueError, folder: str) -> GridError:
    reason = error.strerror if isinstance(error, OSError) else error
    return fail("G009", f"cannot write here: {reason}", file=folder)
