"""A class that was graded: its rows, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gridlang.program import Program
from learners.grading.judgements import LIBRARY, PROVEN, RIGHT, TESTED, Judgement
from learners.grading.submissions import Submission


@dataclass(frozen=True, slots=True)
class Graded:
    """A class, in the order of its names."""

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
