"""`gridlang equiv`: does RIGHT do what LEFT does? A proof, a world where it does not, or unknown."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from compiler.program_files import load_program
from compiler.proofs.equivalence import Verdict
from compiler.proofs.prove import SCOPES, prove
from compiler.terminal.printing import print_verdict, verdict_data
from gridlang.console import clear_progress, emit, progress_line
from gridlang.diagnostics import GridError
from gridlang.options import guarded, json_option
from gridlang.table import Table

if TYPE_CHECKING:
    from compiler.dfst import Dfst
    from learners.extraction.extract import Extraction

LARGEST = 2_000_000_000


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
        found = self.extraction
        return {
            "file": self.file,
            "extracted": self.dfst is not None,
            "states": len(self.table.states) if self.table else None,
            "clusters": found.clusters if found and found.table else None,
            "explored": found.scope if found else None,
            "refused": found.refused or None if found else None,
            "rounds": self.rounds or None,
        }


@click.command("equiv")
@click.argument("left", type=click.Path())
@click.argument("right", type=click.Path())
@click.option(
    "--scope",
    default="worlds",
    show_default=True,
    type=click.Choice(SCOPES),
    help="All worlds, LEFT's declared inputs, what RIGHT was observed on, or all sequences of reads.",
)
@click.option(
    "--radius",
    type=click.IntRange(0, 9),
    help="Know cells within this distance of the head; by default it grows as needed.",
)
@click.option("--certificate", type=click.Path(), help="Write what was decided here, for `verify`.")
@click.option(
    "--seed", default=0, show_default=True, help="For the worlds that a learned model is explored on."
)
@json_option
@guarded
def command(
    left: str, right: str, scope: str, radius: int | None, certificate: str | None, seed: int, as_json: bool
) -> None:
    """Prove that RIGHT does what LEFT does, or show a world where it does not.

    LEFT is the specification: nothing is asked of RIGHT where LEFT halts or is stuck. Both can be a `.grid`
    file, a table, or a model. From learned weights a table is extracted first, and a proof is about that
    table; a difference is one that the model itself shows. Exits with 1 if they differ, and also if that
    could not be decided.

    \b
    gridlang equiv mult2.grid smaller.safetensors
    gridlang equiv add10.grid learned.grid --scope inputs
    gridlang equiv add10.grid learned.safetensors --scope inputs --certificate proof.json
    gridlang verify proof.json
    """
    for file in (left, right) if certificate and os.path.exists(certificate) else ():
        if os.path.exists(file) and os.path.samefile(str(certificate), file):
            raise click.UsageError(f"{certificate} is one of the files that are compared")
    mine, theirs = _specification(_side(left), seed), _side(right)
    if mine.table is None:
        reason = mine.extraction.refused if mine.extraction else ""
        verdict = Verdict(None, scope, 0, 0, reason=f"no table could be extracted from {left}: {reason}")
    else:
        theirs, verdict = _compared(mine.table, theirs, scope, radius, seed)
    clear_progress()
    written = certificate if certificate and _certified(certificate, mine, theirs, verdict) else None
    if as_json:
        sides = {"left": mine.as_json(), "right": theirs.as_json()}
        emit({**verdict_data(verdict), **sides, "certificate": written})
    else:
        shown = theirs.file if verdict.subject == "model" else theirs.name
        print_verdict(mine.name, shown, verdict)
        if verdict.equivalent and (mine.dfst or theirs.dfst):
            click.echo("  nothing is claimed of the learned weights themselves, only of what was extracted")
        if certificate:
            nothing = "no certificate was written: no proof and no difference of two tables was found"
            click.echo(f"wrote {written}" if written else nothing, err=True)
    if not verdict.equivalent:
        raise click.exceptions.Exit(1)


def _side(file: str) -> Side:
    """A table, or learned weights."""
    try:
        return Side(file, load_program(file, {}).table)
    except GridError as error:
        if error.diagnostics[0].code != "G082":
            raise
    from compiler.dfst import read_dfst

    return Side(file, None, read_dfst(file))


def _specification(side: Side, seed: int) -> Side:
    """LEFT, with a table if one can be extracted."""
    if side.dfst is None:
        return side
    from learners.extraction.extract import extract

    found = extract(side.dfst, seed=seed, progress=progress_line("steps explored"))
    return side._replace(table=found.table, extraction=found)


def _compared(expert: Table, side: Side, scope: str, radius: int | None, seed: int) -> tuple[Side, Verdict]:
    if side.table is not None:
        return side, prove(expert, side.table, scope, radius=radius, progress=progress_line("product states"))
    from learners.learning.equivalence_query import judge

    assert side.dfst is not None
    found = judge(
        side.dfst, expert, scope, radius=radius, seed=seed, progress=progress_line("steps and product states")
    )
    judged = side._replace(table=found.table, extraction=found.extraction, rounds=found.rounds)
    return judged, found.verdict


def _certified(path: str, left: Side, right: Side, verdict: Verdict) -> bool:
    """Writes a certificate, if the tables show what was decided."""
    from compiler.proofs.certificates import Subject, certificate
    from compiler.proofs.shrink import replay
    from gridlang.files import read_bytes, write_whole

    if verdict.equivalent is None or left.table is None or right.table is None:
        return False
    steps = verdict.counterexample
    if verdict.subject == "model" and steps:  # does the table of the model show it too?
        if verdict.world is None or replay(left.table, right.table, verdict.world, len(steps)) != steps:
            return False
        verdict = replace(verdict, subject="table")
    sides = [
        Subject(side.table, side.file, read_bytes(side.file, LARGEST, side.file), side.dfst is not None)
        for side in (left, right)
        if side.table is not None
    ]
    write_whole(path, certificate(sides[0], sides[1], verdict))
    return True
