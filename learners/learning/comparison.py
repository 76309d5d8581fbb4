"""Two files held against each other: a table each, or weights that one is extracted from; and a certificate.

What is heavy is imported where weights are compared: two sources need neither numpy nor an extraction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from compiler.program_files import load_program
from compiler.proofs.equivalence import Verdict
from compiler.proofs.prove import prove
from gridlang.diagnostics import GridError
from gridlang.table import Table

if TYPE_CHECKING:
    from compiler.dfst import Dfst
    from learners.extraction.extract import Extraction

LARGEST_FILE = 2_000_000_000  # bytes of a file whose digest goes into a certificate


class Side(NamedTuple):
    """One side: its table, or the weights that one has to be extracted from, and what that has given."""

    file: str
    table: Table | None
    dfst: Dfst | None = None
    extraction: Extraction | None = None
    rounds: int = 0

    @property
    def name(self) -> str:
        """What a claim is about."""
        return f"the table extracted from {self.file}" if self.dfst else self.file

    def as_json(self) -> dict[str, Any]:
        extraction = self.extraction
        return {
            "file": self.file,
            "extracted": self.dfst is not None,
            "states": len(self.table.states) if self.table else None,
            "clusters": extraction.clusters if extraction and extraction.table else None,
            "explored": extraction.scope if extraction else None,
            "refused": extraction.refused or None if extraction else None,
            "rounds": self.rounds or None,
        }


def side_of(file: str) -> Side:
    """A table, or learned weights."""
    try:
        return Side(file, load_program(file, {}).table)
    except GridError as error:
        if error.diagnostics[0].code != "G082":
            raise
    from compiler.dfst import read_dfst

    return Side(file, None, read_dfst(file))


def as_specification(side: Side, seed: int, progress: Callable[[int], None]) -> Side:
    """LEFT, with a table if one can be extracted."""
    if side.dfst is None:
        return side
    from learners.extraction.extract import extract

    extraction = extract(side.dfst, seed=seed, progress=progress)
    return side._replace(table=extraction.table, extraction=extraction)


def compared(
    expert: Table, side: Side, scope: str, radius: int | None, seed: int, progress: Callable[[int], None]
) -> tuple[Side, Verdict]:
    """RIGHT, with a table if one can be extracted, and whether it does what the expert does."""
    if side.table is not None:
        return side, prove(expert, side.table, scope, radius=radius, progress=progress)
    from learners.learning.equivalence_query import judge

    assert side.dfst is not None
    answer = judge(side.dfst, expert, scope, radius=radius, seed=seed, progress=progress)
    judged = side._replace(table=answer.table, extraction=answer.extraction, rounds=answer.rounds)
    return judged, answer.verdict


def write_certificate(path: str, left: Side, right: Side, verdict: Verdict) -> bool:
    """Writes a certificate, if the tables show what was decided; whether they did."""
    from compiler.proofs.certificates import Subject, certificate
    from compiler.proofs.shrink import replay
    from gridlang.files import read_bytes, write_whole

    if verdict.equivalent is None or left.table is None or right.table is None:
        return False
    steps = verdict.counterexample
    if verdict.subject == "model" and steps:
        # The model may do what its table does not show, and a certificate is about tables.
        if verdict.world is None or replay(left.table, right.table, verdict.world, len(steps)) != steps:
            return False
        verdict = replace(verdict, subject="table")
    sides = [
        Subject(side.table, side.file, read_bytes(side.file, LARGEST_FILE, side.file), side.dfst is not None)
        for side in (left, right)
        if side.table is not None
    ]
    write_whole(path, certificate(sides[0], sides[1], verdict))
    return True
