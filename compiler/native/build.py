"""Compiling generated C, once: libraries are kept in the user's cache by the hash of their source."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile

from gridlang.files import cache_folder

FLAGS = ("-std=c11", "-O1", "-fPIC", "-shared", *os.environ.get("GRIDLANG_CFLAGS", "").split())
SECONDS = 120


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
    return hashlib.sha256("\0".join((host, *FLAGS, *flags, source)).encode()).hexdigest()[:32]


def cached_path(source: str, flags: tuple[str, ...] = ()) -> str:
    return os.path.join(cache_folder(), f"native-{library_key(source, flags)}.so")


def load_library(source: str, flags: tuple[str, ...] = ()) -> ctypes.CDLL:
    """The library of a source, from the cache or compiled now; CannotBuild if that fails."""
    path = cached_path(source, flags)
    if os.path.exists(path):
        try:
            return _opened(path)
        except (OSError, AttributeError):
            pass  # cut short, or not a library at all: build it anew
    return _opened(_built(source, flags, path))


def _opened(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    _ = library.grid_go, library.grid_free  # a stranger's library does not have them
    return library


def _built(source: str, flags: tuple[str, ...], path: str) -> str:
    """Compiles to a temporary name beside the target and renames; races end with one good file."""
    cc = compiler()
    if cc is None:
        raise CannotBuild("there is no C compiler")
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        work = tempfile.mkdtemp(prefix=".build-", dir=folder)
    except OSError:
        work = tempfile.mkdtemp(prefix="gridlang-")  # not kept, but used
        path = ""
    try:
        text, out = os.path.join(work, "agent.c"), os.path.join(work, "agent.so")
        with open(text, "w", encoding="utf-8") as file:
            file.write(source)
        _compile([cc, *FLAGS, *flags, "-o", out, text])
        if path:
            os.replace(out, path)
            return path
        kept = os.path.join(tempfile.mkdtemp(prefix="gridlang-"), "agent.so")
        os.replace(out, kept)
        return kept
    except OSError as error:
        raise CannotBuild(f"the compiled agent cannot be kept: {error.strerror}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _compile(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBuild(f"the C compiler does not run: {error}") from None
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
        raise CannotBuild(f"the C compiler fails: {first.strip()}")
