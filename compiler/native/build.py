"""Compiling generated C, once: libraries are kept in the user's cache by the hash of their source."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile

from gridlang.files import cache_folder
from gridlang.terminal.notes import tell_once

FLAGS = ("-std=c11", "-O1", "-fPIC", "-shared", *os.environ.get("GRIDLANG_CFLAGS", "").split())
SECONDS = 120  # A compiler that hangs must not hang its caller.
THIS_CPU = ("-mcpu=native",) if platform.machine() in ("aarch64", "arm64") else ("-march=native",)


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
    return os.path.join(cache_folder(), f"native-{library_key(source, flags)}.so")


def load_library(
    source: str, flags: tuple[str, ...] = (), names: tuple[str, ...] = ("grid_go", "grid_free")
) -> ctypes.CDLL:
    """The library of a source, from the cache or compiled now; CannotBuild if that fails.

    `names` are functions it must have: a stranger's library in the cache does not have them.
    """
    path = cached_path(source, flags)
    if os.path.exists(path):
        try:
            return _opened(path, names)
        except (OSError, AttributeError):
            pass  # It is cut short, or no library at all, and is built anew.
    built = _built(source, flags, path)
    library = _opened(built, names)
    if built != path:  # It is loaded, and nobody can ask for it again.
        shutil.rmtree(os.path.dirname(built), ignore_errors=True)
    return library


def _opened(path: str, names: tuple[str, ...]) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    for name in names:
        getattr(library, name)
    return library


def _built(source: str, flags: tuple[str, ...], path: str) -> str:
    """Compiles to a temporary name and renames to `path`; races end with one good file.

    Where the cache cannot be written, the library stays in a temporary folder of its own.
    """
    cc = compiler()
    if cc is None:
        raise CannotBuild("there is no C compiler")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        work = tempfile.mkdtemp(prefix=".build-", dir=os.path.dirname(path))
    except OSError:
        tell_once("the cache folder cannot be written; the agent is compiled anew each time")
        path, work = "", tempfile.mkdtemp(prefix="gridlang-")
    text, out = os.path.join(work, "agent.c"), os.path.join(work, "agent.so")
    try:
        with open(text, "w", encoding="utf-8") as file:
            file.write(source)
        _compile([cc, *FLAGS, *flags, "-o", out, text])
        if not path:
            return out
        os.replace(out, path)
    except OSError as error:
        raise CannotBuild(f"the compiled agent cannot be kept: {error.strerror}") from None
    finally:
        if path or not os.path.exists(out):
            shutil.rmtree(work, ignore_errors=True)
    return path


def _compile(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBuild(f"the C compiler does not run: {error}") from None
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
        raise CannotBuild(f"the C compiler fails: {first.strip()}")
