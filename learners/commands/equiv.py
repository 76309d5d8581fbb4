"""`gridlang equiv`: does RIGHT do what LEFT does? A proof, a world where it does not, or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from compiler.proofs.prove import SCOPES
from compiler.terminal.printing import print_verdict, verdict_data
from compiler.terminal.result_comparisons import comparison_data, print_comparison
from compiler.terminal.verdict_places import Named
from gridlang.loading import definitions_for
from gridlang.terminal.console import emit, progress_line, say, show_progress
from gridlang.terminal.options import (
    defines,
    definitions_of,
    guarded,
    json_option,
    refuse_overwriting,
    seed_option,
)

if TYPE_CHECKING:
    from learners.learning.comparison import Compared, Side


@click.command("equiv")
@click.argument("left", type=click.Path())
@click.argument("right", type=click.Path())
@click.option(
    "--scope",
    default="worlds",
    show_default=True,
    type=click.Choice(SCOPES),
    help="Compare on all worlds, LEFT's inputs, what RIGHT was seen on, or all sequences of reads.",
)
@click.option("--both", is_flag=True, help="Also ask whether LEFT does what RIGHT does.")
@click.option("--io", is_flag=True, help="Compare results on LEFT's inputs, not steps.")
@click.option("--strict", is_flag=True, help="Also ask that RIGHT is stuck wherever LEFT is.")
@click.option(
    "--radius",
    type=click.IntRange(0, 9),
    help="Distance from the head within which cells are known.  [default: as needed]",
)
@click.option(
    "--snap", is_flag=True, help="Ask about the model's snapped inference alone, as `run --snap` runs it."
)
@click.option("--certificate", type=click.Path(), help="Write the decision here, for `verify`.")
@defines
@seed_option("Seed of the worlds that a learned model is explored on.")
@json_option
@guarded
def command(
    left: str,
    right: str,
    both: bool,
    io: bool,
    certificate: str | None,
    definitions: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Prove that RIGHT does what LEFT does, or show a world where it does not.

    LEFT is the specification: it asks nothing of RIGHT once it has halted, nor where it is stuck, unless
    --strict is given. Each is a `.grid` file, a table, or a model; -D applies to those that have the
    parameter. Learned weights are explored, and run again wherever that does not decide; a proof holds for
    them with snapped inference, or, if they cannot be snapped, for the table of what was seen. A difference
    is one that the model itself shows. Exits with 1 if they differ or if that is undecided; with --both,
    unless both ways are proven. --io runs both on many inputs, and lets them reach a result in different
    ways; that is a test, and a proof only if both are proven to meet the same output clause.

    \b
    gridlang equiv mult2.grid smaller.safetensors
    gridlang equiv add10.grid learned.grid --scope inputs
    gridlang equiv add10.grid other.grid --io
    gridlang equiv add.grid add2.grid -D base=2
    gridlang equiv add10.grid learned.safetensors --scope inputs --certificate proof.json
    gridlang verify proof.json
    """
    from learners.api.proofs import both_sides
    from learners.learning.comparison import side_of

    if certificate and (both or io):
        raise click.UsageError("a certificate is about one claim, which --both and --io are not")
    source = click.get_current_context().get_parameter_source("scope")
    other_scope = options["scope"] != "inputs" and source is not ParameterSource.DEFAULT
    if io and (other_scope or options["strict"] or options["radius"] is not None):
        raise click.UsageError("--io asks for results on declared inputs: leave the other options out")
    if certificate:
        refuse_overwriting(certificate, (left, right), "is one of the files that are compared")
    given = definitions_for((left, right), definitions_of(definitions))
    mine, theirs = side_of(left, given[0]), side_of(right, given[1])
    directions = [(mine, theirs), (theirs, mine)] if both else [(mine, theirs)]
    if io:
        _compare_results(directions, options["seed"], as_json)
        return
    options |= {"certificate": certificate, "progress": show_progress}
    answers = [both_sides(one, other, **options) for one, other in directions]
    written = answers[0].certificate
    if as_json:
        data = [_data(answer) for answer in answers]
        ways = dict(zip(("forward", "backward"), data, strict=True)) if both else {}
        emit({**data[0], **ways, "certificate": written})
    else:
        for answer in answers:
            _print(answer)
        if certificate:
            nothing = "no certificate was written: no proof and no difference of two tables was found"
            say(f"wrote {written}" if written else nothing, err=True)
    if not all(answer.verdict.equivalent for answer in answers):
        raise click.exceptions.Exit(1)


def _data(answer: Compared) -> dict[str, Any]:
    left, right, verdict, _ = answer
    sides = {"left": left.as_json(), "right": right.as_json()}
    return {**verdict_data(verdict, left.program, right.program), **sides}


def _print(answer: Compared) -> None:
    from learners.learning.comparison import of_float_weights

    left, right, verdict, _ = answer
    called = right.called(verdict.subject)
    print_verdict(Named(left.name, left.program), Named(called, right.program), verdict)
    if verdict.equivalent and right.dfst:
        say(f"  {of_float_weights(verdict)}")


def _compare_results(directions: Sequence[tuple[Side, Side]], seed: int, as_json: bool) -> None:
    """Compares results, not steps, on the inputs of each specification."""
    from learners.learning.comparison import results_compared

    answers = [results_compared(left, right, seed, progress_line) for left, right in directions]
    if as_json:
        data = [
            {**comparison_data(answer), "left": left.as_json(), "right": right.as_json()}
            for answer, (left, right) in zip(answers, directions, strict=True)
        ]
        ways = dict(zip(("forward", "backward"), data, strict=True)) if len(data) > 1 else {}
        emit({**data[0], **ways})
    else:
        for answer, (left, right) in zip(answers, directions, strict=True):
            print_comparison(left.file, right.file, answer)
    if not all(answer.tested for answer in answers):
        raise click.exceptions.Exit(1)
