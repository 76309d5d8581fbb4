"""`gridlang equiv`: does RIGHT do what LEFT does? A proof, a world where it does not, or unknown."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import click

from gridlang.compiler.api.proofs import equiv
from gridlang.compiler.terminal.printing import with_details
from gridlang.loading import definitions_for
from gridlang.options import Definitions, File, Option
from gridlang.terminal.console import progress_line
from gridlang.terminal.options import Answer, as_command, refuse_unwritable, typed

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
    **options: Any,
) -> Answer:
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
    answers = [
        _results(*sides, options["seed"]) if io else _steps(*sides, certificate, options)
        for sides in directions
    ]
    data = {**(answers[0].data or {})}
    if both:
        data |= dict(zip(("forward", "backward"), [answer.data for answer in answers], strict=True))
    nothing = "no certificate was written: no proof and no difference of two tables was found"
    notes = [f"wrote {certificate}" if data["certificate"] else nothing] if certificate else []
    return Answer(chain(*(each.lines for each in answers)), data, all(each.holds for each in answers), notes)


def _steps(left: Side, right: Side, certificate: str | None, options: dict[str, Any]) -> Answer:
    from gridlang.compiler.api.comparison import compared

    both = compared(left, right, counter=progress_line, **options).accepted(options["seed"])
    both = both.written(certificate)
    return Answer(both.lines(), both.as_json(), bool(both.verdict.equivalent))


def _results(left: Side, right: Side, seed: int) -> Answer:
    from gridlang.compiler.api.comparison import results_compared

    found = results_compared(left, right, seed, progress_line)
    data = found.as_json() | {"left": left.as_json(), "right": right.as_json()}
    return Answer(found.lines(left.file, right.file), data, found.tested or found.proven)
