"""Compiling generated C, once: libraries are kept in the user's cache by the hash of their source.

A library is code that runs as this user: it is loaded only where nobody else can write it, or its folder.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import signal
import stat
import subprocess
import tempfile
import time

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.files import cache_folder
from gridlang.terminal.notes import tell_once

FLAGS = ("-std=c11", "-O1", "-fPIC", "-shared", *os.environ.get("GRIDLANG_CFLAGS", "").split())
THIS_CPU = ("-mcpu=native",) if platform.machine() in ("aarch64", "arm64") else ("-march=native",)

AT_MOST = ("sh", "-c", 'ulimit -t "$0"; exec "$@"', str(LIMITS.compiler_seconds))


class CannotBuild(Exception):
    """No library: no compiler, a compiler that fails, or nowhere to put its output."""


def compiler() -> str | None:
    """The C compiler to use: $CC, or the system's."""
    named = os.environ.get("CC")
    return (
        shutil.which(named) if named else shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    )


def library_key(source: str, flags: tuple[str, ...]) -> str:
    """The name under which a library is cached; another machine or compiler flag is another key."""
    host = (
        f"{os.uname().sysname} {os.uname().machine} {os.environ.get('CC', '')}"
        if hasattr(os, "uname")
        else ""
    )
    if THIS_CPU[0] in flags:
        host += _processor()
    return hashlib.sha256("\0".join((host, *FLAGS, *flags, source)).encode()).hexdigest()[:32]


def _processor() -> str:
    """What this processor can do: a home folder may be shared by machines that differ in it."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            return next((line for line in file if line.startswith(("flags", "Features"))), "")
    except OSError:
        return platform.processor()


def cached_path(source: str, flags: tuple[str, ...] = ()) -> str:
    """Where the library of a source is kept."""
    return os.path.join(library_folder(), f"{library_key(source, flags)}.so")


def library_folder() -> str:
    """The part of the cache for code that is run; users who share a cache each have one of their own."""
    return os.path.join(cache_folder(), f"native-{os.getuid()}")


def is_private(path: str) -> bool:
    """Whether this user owns a file or folder, and nobody else can write it."""
    about = os.stat(path)
    return about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def load_library(
    source: str, flags: tuple[str, ...] = (), names: tuple[str, ...] = ("grid_new", "grid_free")
) -> ctypes.CDLL:
    """The library of a source, from the cache or compiled now; CannotBuild if that fails.

    `names` are functions it must have: a stranger's library in the cache does not have them.
    """
    cached = cached_library(source, flags, names)
    return cached if cached is not None else Compilation(source, flags).library(names)


def cached_library(source: str, flags: tuple[str, ...], names: tuple[str, ...]) -> ctypes.CDLL | None:
    """The library of a source if it is in the cache, and nobody else could have put it there.

    The source may be another text that stands for it, as `Compilation` has been told.
    """
    path = cached_path(source, flags)
    try:
        if is_private(os.path.dirname(path)) and is_private(path):
            return _opened(path, names)
    except (OSError, AttributeError):
        pass  # There is none, or it is cut short, or no library at all.
    return None


def _opened(path: str, names: tuple[str, ...]) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    for name in names:
        getattr(library, name)
    return library


class Compilation:
    """A compiler at work on a library. It writes to a temporary name; races end with one good file.

    Where the cache cannot be written, or others can, the library stays in a temporary folder of its own.
    `kept_as` stands for the source, and for `more` flags, where a text that is quicker to make says it all.
    """

    def __init__(
        self, source: str, flags: tuple[str, ...], more: tuple[str, ...] = (), kept_as: str | None = None
    ) -> None:
        cc = compiler()
        if cc is None:
            raise CannotBuild("there is no C compiler")
        self._path = cached_path(source if kept_as is None else kept_as, flags)
        try:
            self._work = _work_folder(os.path.dirname(self._path))
        except (OSError, CannotBuild) as error:
            reason = error if isinstance(error, CannotBuild) else "the cache folder cannot be written"
            tell_once(f"{reason}; the agent is compiled anew each time")
            self._path, self._work = "", _temporary()
        text, self._out = (os.path.join(self._work, name) for name in ("agent.c", "agent.so"))
        self._end = time.monotonic() + LIMITS.compiler_patience
        try:
            with open(text, "w", encoding="utf-8") as file:
                file.write(source)
            with open(os.path.join(self._work, "errors"), "w", encoding="utf-8") as errors:
                command = [*AT_MOST, cc, *FLAGS, *flags, *more, "-o", self._out, text]
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True
                )
        except OSError as error:
            shutil.rmtree(self._work, ignore_errors=True)
            raise CannotBuild(f"the C compiler does not run: {error}") from None

    def ended(self) -> bool:
        """Whether `library` need not wait."""
        return self._process.poll() is not None or time.monotonic() > self._end

    def cancel(self) -> None:
        """Ends the compiler, with all that it has started, and leaves nothing behind."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        shutil.rmtree(self._work, ignore_errors=True)

    def library(self, names: tuple[str, ...]) -> ctypes.CDLL:
        """The library, once the compiler is done; CannotBuild if it fails."""
        try:
            self._wait()
            if not self._path:
                return _opened(self._out, names)  # loaded; nobody can load it again
            os.chmod(self._out, 0o700)
            os.replace(self._out, self._path)
            return _opened(self._path, names)
        except OSError as error:
            raise CannotBuild(f"the compiled agent cannot be kept: {error.strerror or error}") from None
        finally:
            shutil.rmtree(self._work, ignore_errors=True)

    def _wait(self) -> None:
        try:
            status = self._process.wait(max(0.0, self._end - time.monotonic()))
        except subprocess.TimeoutExpired as error:
            self.cancel()
            raise CannotBuild(f"the C compiler does not run: {error}") from None
        except BaseException:
            self.cancel()  # Ctrl-C while it waits
            raise
        if status:
            with open(os.path.join(self._work, "errors"), encoding="utf-8", errors="replace") as file:
                text = file.read(LIMITS.compiler_message)
            first = next((line for line in text.splitlines() if "error" in line), text[:200])
            raise CannotBuild(f"the C compiler fails: {first.strip() or f'exit status {status}'}")


def _work_folder(folder: str) -> str:
    os.makedirs(folder, 0o700, exist_ok=True)
    if not is_private(folder):
        raise CannotBuild(f"the cache folder {folder} is not yours alone to write")
    return tempfile.mkdtemp(prefix=".build-", dir=folder)


def _temporary() -> str:
    try:
        return tempfile.mkdtemp(prefix="gridlang-")
    except OSError as error:
        raise CannotBuild(f"there is no place for the compiled agent: {error.strerror}") from None


def cores() -> int:
    """Cores that this process may use: those it is bound to, and no more than OMP_NUM_THREADS."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(bound, int(asked)) if asked.isdecimal() and int(asked) else bound
