"""The way in to proofs: does one agent or model do what another does?"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import NamedTuple

from compiler.arguments import (
    AgentLike,
    ModelLike,
    Path,
    Say,
    as_model,
    as_program,
    counting,
    is_weights,
    one_of,
)
from compiler.dfst import Dfst, dfst_to_bytes
from compiler.proofs.certificates import Subject
from compiler.proofs.certificates import certificate as certificate_text
from compiler.proofs.equivalence import Verdict
from compiler.proofs.prove import SCOPES
from compiler.proofs.prove import prove as prove_tables
from compiler.proofs.shrink import replay
from gridlang.diagnostics import GridError
from gridlang.files import read_bytes, write_whole
from gridlang.table import Table
from learners.api.models import extract
from learners.learning.equivalence_query import judge

LARGEST = 2_000_000_000  # bytes of a file that a certificate names


class _Side(NamedTuple):
    """A table, or learned weights; and the file that a certificate names."""

    table: Table | None
    file: str
    dfst: Dfst | None = None


def prove(
    left: AgentLike | ModelLike,
    right: AgentLike | ModelLike,
    scope: str = "worlds",
    *,
    radius: int | None = None,
    certificate: Path | None = None,
    seed: int = 0,
    progress: Say | None = None,
) -> Verdict:
    """A proof that RIGHT does what LEFT does, a world where it does not, or unknown.

    LEFT is the specification: nothing is asked of RIGHT where it halts or is stuck. The scope is worlds (all
    of them), inputs (those that LEFT declares), observed (what RIGHT was seen on), or table (all sequences of
    reads). From learned weights a table is extracted, and a proof is about that table; a difference is one
    that the model itself shows. What was decided is written to a `certificate`, for `verify`.

    >>> import gridlang as gl
    >>> agent = gl.load("examples/increment.grid")
    >>> gl.prove(agent, gl.minimize(agent)).equivalent
    True
    >>> slip = gl.loads(agent.to_source().replace("write d + 1", "write d"))
    >>> gl.prove(agent, slip, scope="inputs").input
    '0'
    """
    one_of("scope", scope, SCOPES)
    mine, theirs = _side(left), _side(right)
    if mine.table is None and mine.dfst is not None:
        graph = extract(mine.dfst, seed=seed, progress=progress)
        if graph.table is None:
            why = f"no table could be extracted from {mine.file}: {graph.refused}"
            return Verdict(None, scope, 0, 0, reason=why)
        mine = mine._replace(table=graph.table)
    assert mine.table is not None
    if theirs.table is not None:
        counted = counting(progress, "product states")
        verdict = prove_tables(mine.table, theirs.table, scope, radius=radius, progress=counted)
    else:
        assert theirs.dfst is not None
        counted = counting(progress, "steps and product states")
        answer = judge(theirs.dfst, mine.table, scope, radius=radius, seed=seed, progress=counted)
        theirs, verdict = theirs._replace(table=answer.table), answer.verdict
    if certificate is not None:
        _write(os.fspath(certificate), mine, theirs, verdict)
    return verdict


def _side(thing: AgentLike | ModelLike) -> _Side:
    """Learned weights have no table yet."""
    if not is_weights(thing):
        program = as_program(thing)
        return _Side(program.table, program.file)
    file = f"<{thing.metadata.get('name', 'model')}>" if isinstance(thing, Dfst) else os.fspath(thing)  # type: ignore[arg-type]
    dfst = as_model(thing)  # type: ignore[arg-type]
    try:
        return _Side(as_program(dfst).table, file)
    except GridError as error:
        if error.diagnostics[0].code != "G082":
            raise
        return _Side(None, file, dfst)


def _write(path: str, left: _Side, right: _Side, verdict: Verdict) -> None:
    """The certificate, if the tables themselves show what was decided."""
    if verdict.equivalent is None or left.table is None or right.table is None:
        return
    steps = verdict.counterexample
    if verdict.subject == "model" and steps:  # does the table of the model show it too?
        if verdict.world is None or replay(left.table, right.table, verdict.world, len(steps)) != steps:
            return
        verdict = replace(verdict, subject="table")
    write_whole(path, certificate_text(_subject(left, left.table), _subject(right, right.table), verdict))


def _subject(side: _Side, table: Table) -> Subject:
    """With the bytes of its file; what never was a file is named by what one would hold."""
    if os.path.isfile(side.file):
        source = read_bytes(side.file, LARGEST, side.file)
    else:
        source = dfst_to_bytes(side.dfst) if side.dfst else table.to_json().encode()
    return Subject(table, side.file, source, side.dfst is not None)
