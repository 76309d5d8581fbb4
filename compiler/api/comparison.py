"""Compares two agents or models, each a table or weights that one is extracted from.

Two sources are compared without numpy: what is heavy is imported where it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler import given
from gridlang.compiler.given import NONE, AgentLike, Counter, ModelLike, Path, read_file
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.joint_step import STRICT, UNASKED
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.terminal.printing import Named, stray_lines, verdict_data, verdict_lines
from gridlang.diagnostics import GridError, fail
from gridlang.files import write_whole
from gridlang.program import Program
from gridlang.table import Table

if TYPE_CHECKING:
    from gridlang.compiler.extraction.extract import Extraction
    from gridlang.compiler.proofs.certificates import Subject
    from gridlang.compiler.tensors.model import Model
    from gridlang.compiler.testing.result_comparison import ResultComparison


class Side(NamedTuple):
    """One side: its table, or the weights that one has to be extracted from, and what that has given.

    `source` is what the file held, once; a certificate is about it, whatever the file holds later.
    """

    file: str
    table: Table | None
    source: bytes
    arguments: Mapping[str, str] = NONE
    dfst: Model | None = None
    extraction: Extraction | None = None
    rounds: int = 0
    snapping: Mapping[str, Any] | None = None
    program: Program | None = None

    @property
    def name(self) -> str:
        """The subject of claims."""
        return f"the table extracted from {self.file}" if self.dfst else self.file

    def called(self, subject: str) -> str:
        """Its name in a claim about this subject."""
        if subject == "snapped model":
            return f"{self.file} with snapped inference"
        return self.file if subject == "model" else self.name

    def subject(self, table: Table, seed: int) -> Subject:
        """Its side of a certificate."""
        from gridlang.compiler.proofs.certificates import Subject

        if self.extraction is None:
            return Subject(table, self.file, self.source, self.arguments)
        if not self.source:  # A wrapped model is no file: the certificate is about its table alone.
            return Subject(table, self.file, given.as_program(table).as_read())
        from gridlang.compiler.extraction.extract_text import provenance

        origin = provenance(self.extraction, table, self.source, seed)
        return Subject(table, self.file, self.source, extraction=origin, snapping=self.snapping)

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
            "asked": extraction.asked if extraction else None,
            "guessed": extraction.guessed if extraction and extraction.table else None,
        }


class Compared(NamedTuple):
    """Both sides, each with a table if one could be extracted, and whether RIGHT does what LEFT does."""

    left: Side
    right: Side
    verdict: Verdict
    text: str = ""  # of its certificate, which `verify` has accepted; none if tables do not show the verdict
    certificate: Path | None = None  # where it was written

    def accepted(self, seed: int = 0) -> Compared:
        """The same with its certificate; unknown if `verify` refuses that."""
        from gridlang.compiler.proofs.certificates import accepted
        from gridlang.compiler.proofs.differences.shrink import replay

        left, right, verdict, *_ = self
        if verdict.equivalent is None or left.table is None or right.table is None:
            return self
        steps, of_tables = verdict.counterexample, verdict
        if verdict.subject == "model" and steps:
            # a certificate is about tables, and the model may do more than its table shows
            if verdict.world is None or replay(left.table, right.table, verdict.world, len(steps)) != steps:
                return self
            of_tables = replace(verdict, subject="table")
        known, text = accepted(left.subject(left.table, seed), right.subject(right.table, seed), of_tables)
        return self._replace(verdict=verdict if text else known, text=text)

    def lines(self) -> Iterator[str]:
        """The verdict in words, and what a proof leaves open about float weights."""
        left, right, verdict = self.left, self.right, self.verdict
        called = Named(right.called(verdict.subject), right.program)
        yield from verdict_lines(Named(left.name, left.program), called, verdict)
        yield from self.of_float_weights()

    def of_float_weights(self) -> Iterator[str]:
        """What a proof about a model leaves open."""
        if self.verdict.equivalent and self.right.dfst:
            yield from (f"  {line}" for line in _of_float_weights(self.verdict))

    def as_json(self) -> dict[str, Any]:
        left, right = self.left, self.right
        sides = {"left": left.as_json(), "right": right.as_json()}
        return (
            verdict_data(self.verdict, left.program, right.program)
            | sides
            | {"certificate": self.certificate}
        )

    def written(self, path: Path | None) -> Compared:
        """The same with its certificate in a file, if it has one."""
        if path is None or not self.text:
            return self
        write_whole(os.fspath(path), self.text)
        return self._replace(certificate=path)


def side_of(thing: AgentLike | ModelLike, definitions: Mapping[str, str] = NONE) -> Side:
    """A table, or learned weights, which have none yet; definitions are for an agent's parameters."""
    if not given.is_weights(thing):
        program = given.as_program(thing, definitions)
        return Side(program.file, program.table, program.as_read(), program.argument_texts(), program=program)
    from gridlang.compiler.tensors.dfst import Dfst, dfst_from_bytes, dfst_to_table
    from gridlang.compiler.tensors.model import Model

    file = given.model_file(thing)
    if isinstance(thing, Model):
        model, data = thing, thing.to_bytes() if isinstance(thing, Dfst) else b""
    else:
        data = read_file(file)
        model = dfst_from_bytes(data, file)
    if not isinstance(model, Dfst):
        return Side(file, None, data, dfst=model)
    try:
        return Side(file, dfst_to_table(model, file), data)
    except GridError as error:
        if error.diagnostics[0].code != "G082":
            raise
        return Side(file, None, data, dfst=model)


def compared(
    left: Side,
    right: Side,
    scope: str,
    counter: Counter,
    *,
    strict: bool = False,
    snap: bool = False,
    radius: int | None = None,
    longest: int | None = None,
    seed: int = 0,
) -> Compared:
    """A proof that RIGHT does what LEFT does, a world where it does not, or unknown; not `accepted` yet.

    GridError for `strict` where weights were not trained on where to be stuck.
    """
    for side in (left, right):
        if strict and side.dfst is not None and not side.dfst.strict:
            hint = "learn it with `learn --strict`, or compare with the table that `gridlang extract` makes"
            raise fail("G143", "this model was not taught where to be stuck", hint, side.file)
    if left.dfst is not None:
        from gridlang.compiler.extraction.extract import extract
        from gridlang.compiler.extraction.limits import LIMITS

        far = longest or LIMITS.longest_repetition
        extraction = extract(left.dfst, longest=far, seed=seed, progress=counter("steps explored"))
        left = left._replace(table=extraction.raw, extraction=extraction)
        if extraction.refusal is not None:
            _, reason, hint = extraction.refusal
            why = f"no table could be extracted from {left.file}: {reason}"
            return Compared(left, right, Verdict(None, scope, 0, 0, reason=why, hint=hint))
    assert left.table is not None
    claim: dict[str, Any] = {"scope": scope, "radius": radius, "stuck": STRICT if strict else UNASKED}
    if right.table is not None:
        verdict = prove(left.table, right.table, **claim, progress=counter("product states and worlds"))
        return Compared(left, right, _narrowed(_with_odd(verdict, left.table, right), left.table))
    assert right.dfst is not None
    from gridlang.compiler.judging.equivalence_query import judge

    how: dict[str, Any] = {"snapped": snap, "seed": seed, "longest": longest}
    answer = judge(right.dfst, left.table, **claim, **how, progress=counter("steps and product states"))
    judged = right._replace(
        table=answer.table, extraction=answer.extraction, rounds=answer.rounds, snapping=answer.snapping
    )
    return Compared(left, judged, _narrowed(_with_odd(answer.verdict, left.table, judged), left.table))


def _with_odd(verdict: Verdict, left: Table, right: Side) -> Verdict:
    """A difference of weights, with their entries that break a formula; not if they err nearly everywhere."""
    refused = right.extraction is not None and right.extraction.refusal
    if verdict.equivalent is not False or refused or (right.dfst is None and right.program is not None):
        return verdict
    from gridlang.compiler.extraction.extract import extract
    from gridlang.compiler.simulation.simulate import run, with_places
    from gridlang.compiler.tensors.dfst import dfst_from_bytes

    scope = "inputs" if verdict.scope == "inputs" else "auto"
    found = extract(right.dfst or dfst_from_bytes(right.source, right.file), expert=left, scope=scope)
    world, broken = verdict.world, {pair for odd in found.odd for pair in odd.pairs}
    told = [str(odd) for odd in found.odd]
    if broken and found.table and world:
        done = run(found.table, world, len(verdict.counterexample or ()), trace=True).trace or ()
        steps = enumerate(with_places(found.table, world.start, done), 1)
        met = ((n, step) for n, step in steps if (step.state, step.read) in broken)
        told += [f"step {n:,} is at one of them: `{step.state}` on {step.read}" for n, step in islice(met, 1)]
    return replace(verdict, odd=tuple(told))


def _narrowed(verdict: Verdict, left: Table) -> Verdict:
    """A verdict that names the narrower question, where the wider one is not proven."""
    if verdict.equivalent or verdict.scope != "worlds" or not left.input:
        return verdict
    narrower = "`--scope inputs` asks about declared inputs alone"
    return replace(verdict, hint="; ".join(filter(None, (narrower, verdict.hint))))


def _of_float_weights(verdict: Verdict) -> Iterator[str]:
    """Lines about a model's float weights, where the proof is about something else."""
    if verdict.subject != "snapped model":
        yield "nothing is claimed of the learned weights themselves, only of what they were seen to do"
        if verdict.unsnapped:
            yield f"warning: they cannot be snapped to it, and may do otherwise: {verdict.unsnapped}"
    elif verdict.drift is None:
        yield "with plain float inference nothing is claimed; no mistake was seen, also on long inputs"
    else:
        step = len(verdict.drift.counterexample or ())
        yield f"with plain float inference it errs {verdict.drift.shown_on()}, at step {step:,}"
    if verdict.stray is not None:
        yield from stray_lines(verdict.stray)


def results_compared(left: Side, right: Side, seed: int, counter: Counter) -> ResultComparison:
    """Whether both leave the same results on LEFT's declared inputs: proven by LEFT's clauses, or tested."""
    from gridlang.compiler.proofs.results.specifications import by_clauses_of, clause_proof
    from gridlang.compiler.testing.result_comparison import compare_results, refuse_unknown_inputs

    for side in (left, right):
        if side.table is None:
            hint = "extract a table with `gridlang extract`, and compare that"
            message = "results are compared of tables, and these are learned weights"
            raise fail("G143", message, hint, side.file)
    assert left.table is not None and right.table is not None
    if language := language_of(left.table):
        refuse_unknown_inputs(language, right.table)
    both = by_clauses_of(left.table, right.table)
    tried = compare_results(left.table, both[1], seed=seed, progress=counter("inputs tried"))
    if tried.difference or not left.table.output:
        return tried
    progress = counter("abstract states")
    mine = clause_proof(both[0], progress=progress)
    proofs = [mine, clause_proof(both[1], progress=progress)] if mine.output else [mine]
    return replace(
        tried,
        proven=all(one.total for one in proofs),
        proven_results=all(one.output for one in proofs),
        accepts=all(one.accepts for one in proofs),
    )
