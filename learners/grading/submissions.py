"""The files of a class: those that are named, and all that lie in folders."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

from gridlang.diagnostics import fail
from gridlang.source import MAX_BYTES
from learners.grading.limits import LIMITS


class Submission(NamedTuple):
    """A file, and what it is called: its path below the folder that all are in."""

    name: str
    path: str
    problem: str = ""  # why there is nothing to read

    @property
    def page(self) -> str:
        """The name of its page: plain letters, and a number of its own."""
        slug = re.sub(r"[^A-Za-z0-9]+", "-", os.path.splitext(self.name)[0]).strip("-")[: LIMITS.page_name]
        return f"{slug or 'submission'}-{sha256(os.fsencode(self.name)).hexdigest()[:8]}.html"

    def digest(self) -> str:
        """A number for what is in the file; none where that is not all, since it uses other files."""
        if self.problem:
            return ""
        try:
            with open(self.path, "rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError:
            return ""
        return "" if re.search(rb"\bfrom\b", data) or len(data) > MAX_BYTES else sha256(data).hexdigest()


def find_submissions(paths: Iterable[str], expert: str, written: Iterable[str] = ()) -> list[Submission]:
    """All files that are named or lie in folders, in order, each once.

    The expert is none of them, nor is anything in folders that lies where grading has `written` before.
    """
    files: dict[str, str] = {}
    own = frozenset(map(os.path.realpath, written))
    for path in paths:
        for file, problem in _files_at(path, own):
            if not _is_same(file, expert):
                files.setdefault(os.path.normpath(file), problem)
            if len(files) > LIMITS.most_files:
                hint = "name the folder of the class alone"
                raise fail("G197", f"there are more than {LIMITS.most_files:,} files here", hint, path)
    if not files:
        return []
    top = os.path.commonpath([os.path.dirname(os.path.abspath(file)) for file in files])
    named = ((os.path.relpath(os.path.abspath(file), top), file) for file in files)
    return [Submission(name, file, files[file]) for name, file in sorted(named)]


def _is_same(file: str, expert: str) -> bool:
    try:
        return not os.path.islink(file) and os.path.samefile(file, expert)
    except OSError:
        return False


def _files_at(path: str, own: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The file itself, or those in a folder: links as problems, no hidden files, none of our own."""
    if not os.path.isdir(path):
        yield path, _problem(path, linked=True)
        return
    for folder, folders, names in os.walk(path):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        here = os.path.realpath(folder)
        passed = {
            name for name in (*folders, *names) if name.startswith(".") or os.path.join(here, name) in own
        }
        folders[:] = sorted(set(folders) - passed - set(links))
        for name in sorted({*names, *links} - passed):
            file = os.path.join(folder, name)
            yield file, _problem(file, linked=False)


def _problem(path: str, linked: bool) -> str:
    """Why this is no file that could be read."""
    try:
        if not linked and os.path.islink(path):
            return "this is a link; only files that are in the folder are graded"
        mode = os.stat(path).st_mode
    except OSError as error:
        return f"this file cannot be read: {error.strerror}"
    except ValueError:
        return "no file can be called so"
    return "" if stat.S_ISREG(mode) else "this is not a plain file"
