"""Compiling generated C, once: libraries are kept in the user's cache by the hash of their source.

A library is code that runs as this user: it is loaded only where nobody else can write it, or its folder.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import stat
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
    source: str, flags: tuple[str, ...] = (), names: tuple[str, ...] = ("grid_go", "grid_free")
) -> ctypes.CDLL:
    """The library of a source, from the cache or compiled now; CannotBuild if that fails.

    `names` are functions it must have: a stranger's library in the cache does not have them.
    """
    path = cached_path(source, flags)
    try:
        if is_private(os.path.dirname(path)) and is_private(path):
            return _opened(path, names)
    except (OSError, AttributeError):
        pass  # There is none, or it is cut short, or no library at all, and it is built anew.
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

    Where the cache cannot be written, or others can, the library stays in a temporary folder of its own.
    """
    cc = compiler()
    if cc is None:
        raise CannotBuild("there is no C compiler")
    try:
        os.makedirs(folder := os.path.dirname(path), 0o700, exist_ok=True)
        if not is_private(folder):
            raise CannotBuild(f"the cache folder {folder} is not yours alone to write")
        work = tempfile.mkdtemp(prefix=".build-", dir=folder)
    except (OSError, CannotBuild) as error:
        reason = error if isinstance(error, CannotBuild) else "the cache folder cannot be written"
        tell_once(f"{reason}; the agent is compiled anew each time")
        path, work = "", _temporary()
    text, out = os.path.join(work, "agent.c"), os.path.join(work, "agent.so")
    try:
        with open(text, "w", encoding="utf-8") as file:
            file.write(source)
        _compile([cc, *FLAGS, *flags, "-o", out, text])
        if not path:
            return out
        os.chmod(out, 0o700)
        os.replace(out, path)
    except OSError as error:
        raise CannotBuild(f"the compiled agent cannot be kept: {error.strerror}") from None
    finally:
        if path or not os.path.exists(out):
            shutil.rmtree(work, ignore_errors=True)
    return path


def _temporary() -> str:
    try:
        return tempfile.mkdtemp(prefix="gridlang-")
    except OSError as error:
        raise CannotBuild(f"there is no place for the compiled agent: {error.strerror}") from None


def _compile(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBuild(f"the C compiler does not run: {error}") from None
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
        raise CannotBuild(f"the C compiler fails: {first.strip()}")
