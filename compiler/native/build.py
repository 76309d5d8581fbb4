"""Compiling C, once: libraries are found where they were installed, or kept in the user's cache.

Their names are hashes of their sources. A library is code that runs as this user: one in the cache is loaded
only where nobody else can write it, or its folder.
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

from gridlang.files import cache_folder
from gridlang.terminal.notes import tell_once

FLAGS = ("-std=c11", "-O1", "-fPIC", "-shared", *os.environ.get("GRIDLANG_CFLAGS", "").split())
THIS_CPU = ("-mcpu=native",) if platform.machine() in ("aarch64", "arm64") else ("-march=native",)
INSTALLED = os.path.join(os.path.dirname(__file__), "built")  # libraries that were built at install
COMPILER_SECONDS = 120  # of a processor: what runs does not depend on how busy the machine is
COMPILER_PATIENCE = 1_200  # seconds by the clock: a compiler that only waits must not hang its caller
COMPILER_MESSAGE = 100_000  # characters of its errors; the first of them says it
AT_MOST = ("sh", "-c", 'ulimit -t "$0"; exec "$@"', str(COMPILER_SECONDS))


class CannotBuild(Exception):
    """No library: no compiler, a compiler that fails, or nowhere to put its output."""


def compiler() -> str | None:
    """The C compiler to use: $CC, or the system's."""
    named = os.environ.get("CC")
    return (
        shutil.which(named) if named else shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    )


def library_key(source: str, flags: tuple[str, ...], made_by: str = "") -> str:
    """The name under which a library is kept; another machine or compiler flag is another key."""
    host = f"{os.uname().sysname} {os.uname().machine} {made_by}" if hasattr(os, "uname") else made_by
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


def cached_path(source: str, flags: tuple[str, ...]) -> str:
    return os.path.join(library_folder(), f"{library_key(source, flags, os.environ.get('CC', ''))}.so")


def installed_path(source: str, flags: tuple[str, ...], folder: str = "") -> str:
    """Where the library of a source is, if it was built at install."""
    return os.path.join(folder or INSTALLED, f"{library_key(source, flags)}.so")


def is_kept(source: str, flags: tuple[str, ...]) -> bool:
    """Whether no compiler is needed for a library."""
    return os.path.exists(installed_path(source, flags)) or os.path.exists(cached_path(source, flags))


def library_folder() -> str:
    """The part of the cache for code that is run; users who share a cache each have one of their own."""
    return os.path.join(cache_folder(), f"native-{os.getuid()}")


def is_private(path: str) -> bool:
    """Whether this user owns a file or folder, and nobody else can write it."""
    about = os.stat(path)
    return about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def load_library(source: str, flags: tuple[str, ...]) -> ctypes.CDLL:
    """The library of a source: installed, from the cache where nobody else could have put it, or compiled
    now; CannotBuild if that fails."""
    path, installed = cached_path(source, flags), installed_path(source, flags)
    try:
        if os.path.exists(installed):
            return ctypes.CDLL(installed)
        if is_private(os.path.dirname(path)) and is_private(path):
            return ctypes.CDLL(path)
    except OSError:
        pass  # There is none, or it is cut short, or no library at all.
    return _compiled(source, flags)


def _compiled(source: str, flags: tuple[str, ...]) -> ctypes.CDLL:
    """A library compiled now. It is written to a temporary name; races end with one good file.

    Where the cache cannot be written, or others can, it stays in a temporary folder of its own.
    """
    path = cached_path(source, flags)
    folder, reason = os.path.dirname(path), "the cache folder cannot be written"
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        if not is_private(folder):
            reason = f"the cache folder {folder} is not yours alone to write"
            raise OSError
        work = tempfile.mkdtemp(prefix=".build-", dir=folder)
    except OSError:
        tell_once(f"{reason}; the engine is compiled anew each time")
        path, work = "", _temporary()
    try:
        out = os.path.join(work, "library.so")
        compile_library(source, flags, out)
        if not path:
            return ctypes.CDLL(out)  # loaded; nobody can load it again
        os.replace(out, path)
        return ctypes.CDLL(path)
    except OSError as error:
        raise CannotBuild(f"the compiled library cannot be kept: {error.strerror or error}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def compile_library(source: str, flags: tuple[str, ...], out: str) -> None:
    """Writes a library beside its source; CannotBuild if the compiler fails."""
    cc = compiler()
    if cc is None:
        raise CannotBuild("there is no C compiler")
    text, errors = f"{out}.c", f"{out}.txt"
    with open(text, "w", encoding="utf-8") as file:
        file.write(source)
    with open(errors, "w", encoding="utf-8") as file:
        command = [*AT_MOST, cc, *FLAGS, *flags, "-o", out, text]
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True
            )
        except OSError as error:
            raise CannotBuild(f"the C compiler does not run: {error}") from None
    try:
        status = process.wait(COMPILER_PATIENCE)
    except BaseException as error:  # Ctrl-C while it waits, too
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise CannotBuild(f"the C compiler does not run: {error}") from None
        raise
    if status:
        with open(errors, encoding="utf-8", errors="replace") as file:
            said = file.read(COMPILER_MESSAGE)
        first = next((line for line in said.splitlines() if "error" in line), said[:200])
        raise CannotBuild(f"the C compiler fails: {first.strip() or f'exit status {status}'}")
    os.chmod(out, 0o700)


def _temporary() -> str:
    try:
        return tempfile.mkdtemp(prefix="gridlang-")
    except OSError as error:
        raise CannotBuild(f"there is no place for a library: {error.strerror}") from None


def cores() -> int:
    """Cores that this process may use: those it is bound to, and no more than OMP_NUM_THREADS."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(bound, int(asked)) if asked.isdecimal() and int(asked) else bound
