"""What was found out about a submission, as data that is written and read again, and about a class."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from gridlang.printable import quoted_input
from gridlang.program import Program
from gridlang.world import LONGEST_LINE
from learners.grading.submissions import Submission
from learners.runtime.json_records import record_from_json

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
        raise ValueError(f"`{judged.verdict}` is no verdict")
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
