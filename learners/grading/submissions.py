"""The files of a class, named or in folders, and the verdict on each."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from gridlang.diagnostics import fail
from gridlang.learners.grading.limits import LIMITS
from gridlang.learners.runtime.json_records import record_from_json
from gridlang.printable import quoted_input
from gridlang.program import Program
from gridlang.source import MAX_BYTES
from gridlang.world import LONGEST_LINE

RIGHT, WRONG, ENDLESS, UNKNOWN = "right", "wrong", "endless", "unknown"
BROKEN, LATE, FAILED, LIBRARY = "broken", "late", "failed", "library"
MEANS = {
    RIGHT: "it leaves what the expert leaves",
    WRONG: "there is an input or a world on which it does not",
    ENDLESS: "on an input on which the expert halts it was still running at the step limit",
    UNKNOWN: "neither a proof nor a difference was found",
    BROKEN: "the file cannot be read, or is not an agent for these inputs",
    LATE: "it was not judged within the time limit",
    FAILED: "what judges it came to an end: too little memory, usually",
    LIBRARY: "it holds states for others, and no agent: there is nothing to grade",
}
PROVEN, TESTED = "proven", "tested"
SCOPES = ("io", "inputs", "worlds")  # equal results, or equal steps on declared inputs or all worlds


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
    """The file itself, or those in a folder: links as problems, no hidden files, no reports."""
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
    """Why this file cannot be read."""
    try:
        if not linked and os.path.islink(path):
            return "this is a link; only files that are in the folder are graded"
        mode = os.stat(path).st_mode
    except OSError as error:
        return f"this file cannot be read: {error.strerror}"
    except ValueError:
        return "no file can be called so"
    return "" if stat.S_ISREG(mode) else "this is not a plain file"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a submission, with its evidence or with what shows the mistake.

    `evidence` is proven or tested, for what is right. `input` or `world`, a picture, shows a mistake; it is
    the `smallest` where nothing smaller was left out. `expected` and `actual` say how the runs of the expert
    and of the submission end there. `says` is a sentence about it all.
    """

    verdict: str
    says: str
    evidence: str = ""
    input: str | None = None
    world: str | None = None
    smallest: bool = False
    expected: str = ""
    actual: str = ""
    cases: int = 0
    states: int | None = None
    line: int | None = None  # of the first error of a file that is broken
    details: str = ""
    seconds: float = 0.0
    page: str | None = None

    def shown_on(self) -> str:
        """What shows the mistake, in a line."""
        if self.input is not None:
            return quoted_input(self.input)
        if self.world is None:
            return ""
        line = " / ".join(self.world.split("\n"))
        return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def judgement_from_json(data: object) -> Judgement:
    """What `as_json` gave; ValueError for anything else."""
    judged = record_from_json(Judgement, data)
    if judged.verdict not in MEANS:
        raise ValueError(f"`{judged.verdict}` is not a verdict")
    return judged


@dataclass(frozen=True, slots=True)
class Graded:
    """A class that was graded, in the order of its names."""

    expert: Program
    scope: str
    rows: tuple[tuple[Submission, Judgement], ...]

    def count(self, verdict: str, evidence: str = "") -> int:
        return sum(judged.verdict == verdict and evidence in ("", judged.evidence) for _, judged in self.rows)

    @property
    def graded(self) -> int:
        """How many there are; libraries are none."""
        return len(self.rows) - self.count(LIBRARY)

    def summary(self) -> str:
        """`12 of 20 are right: 8 proven, 4 tested`."""
        right, proven = self.count(RIGHT), self.count(RIGHT, PROVEN)
        ways = [f"{proven} proven"] * bool(proven) + [f"{right - proven} tested"] * (right > proven)
        return f"{right} of {self.graded} are right" + (f": {', '.join(ways)}" if ways else "")

    def as_json(self) -> dict[str, Any]:
        rows = [{"name": s.name, "file": s.path, **judged.as_json()} for s, judged in self.rows]
        counts = {"submissions": self.graded, "right": self.count(RIGHT)}
        evidence = {way: self.count(RIGHT, way) for way in (PROVEN, TESTED)}
        return {"expert": self.expert.file, "scope": self.scope, **counts, **evidence, "class": rows}
