"""`gridlang equiv`: does RIGHT do what LEFT does? A proof, a world where it does not, or unknown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from gridlang.compiler.api.proofs import equiv
from gridlang.compiler.terminal.printing import Named, verdict_data, verdict_lines, with_details
from gridlang.loading import definitions_for
from gridlang.options import Definitions, File, Option
from gridlang.terminal.console import emit, progress_line, say
from gridlang.terminal.options import as_command, refuse_unwritable, typed

if TYPE_CHECKING:
    from gridlang.compiler.api.comparison import Side


@with_details
@as_command("equiv", equiv)
def command(
    left: File,
    right: File,
    *,
    certificate: str | None,
    both: Annotated[bool, Option("Also compare the other way round.")] = False,
    io: Annotated[bool, Option("Compare results on LEFT's inputs, not steps.")] = False,
    definitions: Definitions,
    as_json: bool,
    **options: Any,
) -> bool:
    """Each is a `.grid` file, a table, or a model; -D applies to those that have the parameter. Exits with 1
    if they differ or if neither is shown; with --both, unless both directions are proven. --io compares only
    results, on many inputs; that is a test, and a proof if both are proven to halt and to meet LEFT's output
    clause.

    \b
    gridlang equiv mult2.grid smaller.safetensors
    gridlang equiv add10.grid learned.grid --scope inputs
    gridlang equiv add10.grid other.grid --io
    gridlang equiv add.grid add2.grid -D base=2
    gridlang equiv add10.grid learned.safetensors --scope inputs --certificate proof.json
    gridlang verify proof.json
    """
    from gridlang.compiler.api.comparison import side_of

    if certificate and (both or io):
        raise click.UsageError("a certificate is about one claim, which --both and --io are not")
    if io and (typed("strict", "radius") or (typed("scope") and options["scope"] != "inputs")):
        raise click.UsageError("--io asks for results on declared inputs: leave the other options out")
    refuse_unwritable(certificate, left, right)
    given = definitions_for((left, right), definitions)
    mine, theirs = side_of(left, given[0]), side_of(right, given[1])
    directions = [(mine, theirs), (theirs, mine)] if both else [(mine, theirs)]
    compare = partial(_results, options["seed"]) if io else partial(_steps, certificate, options)
    answers = [compare(*sides) for sides in directions]
    if as_json:
        data = [answer.data for answer in answers]
        emit(data[0] | (dict(zip(("forward", "backward"), data, strict=True)) if both else {}))
    else:
        for answer in answers:
            say(*answer.lines)
        if certificate:
            written = answers[0].data["certificate"]
            nothing = "no certificate was written: no proof and no difference of two tables was found"
            say(f"wrote {written}" if written else nothing, err=True)
    return all(answer.holds for answer in answers)


class _Answer(NamedTuple):
    data: dict[str, Any]
    lines: list[str]
    holds: bool


def _steps(certificate: str | None, options: dict[str, Any], left: Side, right: Side) -> _Answer:
    from gridlang.compiler.api.comparison import compared, of_float_weights

    both = compared(left, right, counter=progress_line, **options).accepted(options["seed"])
    left, right, verdict, _, written = both.written(certificate)
    named = Named(left.name, left.program), Named(right.called(verdict.subject), right.program)
    lines = [*verdict_lines(*named, verdict)]
    if verdict.equivalent and right.dfst:
        lines += [f"  {line}" for line in of_float_weights(verdict)]
    data = verdict_data(verdict, left.program, right.program) | _sides(left, right)
    return _Answer(data | {"certificate": written}, lines, bool(verdict.equivalent))


def _results(seed: int, left: Side, right: Side) -> _Answer:
    from gridlang.compiler.api.comparison import results_compared

    answer = results_compared(left, right, seed, progress_line)
    lines = [*answer.lines(left.file, right.file)]
    return _Answer(answer.as_json() | _sides(left, right), lines, answer.tested or answer.proven)


def _sides(left: Side, right: Side) -> dict[str, Any]:
    return {"left": left.as_json(), "right": right.as_json()}
