"""`gridlang equiv`: does RIGHT do what LEFT does? A proof, a world where it does not, or unknown."""

from __future__ import annotations

import click

from compiler.proofs.joint_step import STRICT, UNASKED
from compiler.proofs.prove import SCOPES
from compiler.terminal.printing import print_verdict, verdict_data
from compiler.terminal.verdict_places import Named
from gridlang.terminal.console import clear_progress, emit, progress_line, say
from gridlang.terminal.options import guarded, json_option, refuse_overwriting, seed_option


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
@click.option("--strict", is_flag=True, help="Ask also that RIGHT is stuck wherever LEFT is.")
@click.option(
    "--radius",
    type=click.IntRange(0, 9),
    help="Know cells within this distance of the head; by default it grows as needed.",
)
@click.option("--snap", is_flag=True, help="Ask about a model's snapped inference alone, as of `run --snap`.")
@click.option("--certificate", type=click.Path(), help="Write what was decided here, for `verify`.")
@seed_option("For the worlds that a learned model is explored on.")
@json_option
@guarded
def command(
    left: str,
    right: str,
    scope: str,
    strict: bool,
    radius: int | None,
    snap: bool,
    certificate: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Prove that RIGHT does what LEFT does, or show a world where it does not.

    LEFT is the specification: nothing is asked of RIGHT where LEFT has halted, nor where it is stuck, unless
    the claim is --strict. Both can be a `.grid` file, a table, or a model. Learned weights are explored, and
    asked where what they showed does not decide; a proof is about them with snapped inference, or about the
    table of what was seen if they cannot be snapped. A difference is one that the model itself shows. Exits
    with 1 if they differ, and also if that could not be decided.

    \b
    gridlang equiv mult2.grid smaller.safetensors
    gridlang equiv add10.grid learned.grid --scope inputs
    gridlang equiv add10.grid learned.safetensors --scope inputs --certificate proof.json
    gridlang verify proof.json
    """
    from learners.learning.comparison import compared, of_float_weights, side_of, write_certificate

    if certificate:
        refuse_overwriting(certificate, (left, right), "is one of the files that are compared")
    stuck = STRICT if strict else UNASKED
    both = compared(
        side_of(left), side_of(right), scope, radius, seed, progress_line, stuck=stuck, snapped=snap
    )
    clear_progress()
    written = certificate if certificate and write_certificate(certificate, both, seed) else None
    mine, theirs, verdict = both
    if as_json:
        sides = {"left": mine.as_json(), "right": theirs.as_json()}
        emit({**verdict_data(verdict, mine.program, theirs.program), **sides, "certificate": written})
    else:
        called = theirs.called(verdict.subject)
        print_verdict(Named(mine.name, mine.program), Named(called, theirs.program), verdict)
        if verdict.equivalent and theirs.dfst:
            say(f"  {of_float_weights(verdict)}")
        if certificate:
            nothing = "no certificate was written: no proof and no difference of two tables was found"
            say(f"wrote {written}" if written else nothing, err=True)
    if not verdict.equivalent:
        raise click.exceptions.Exit(1)
