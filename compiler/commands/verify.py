"""`gridlang verify`: checks a certificate with independent code."""

from __future__ import annotations

import json
import os

import click

from gridlang.compiler.api.agents import verify
from gridlang.compiler.program_files import read_file
from gridlang.compiler.proven.gridcheck import NoAnswer
from gridlang.compiler.proven.kernel import theorem
from gridlang.compiler.terminal.printing import CHECKED_ONCE, CHECKED_TWICE, checked_lines
from gridlang.diagnostics import fail
from gridlang.file_kinds import refuse_other_kinds
from gridlang.files import write_whole
from gridlang.terminal.console import emit, say
from gridlang.terminal.options import answering, defines

TABLE = b'"gridlang-table/'


@click.command("verify")
@click.argument("certificate", metavar="CERT", type=click.Path())
@click.argument("left", required=False, type=click.Path())
@click.argument("right", required=False, type=click.Path())
@click.option("--traces", type=click.Path(), help="Traces that a smallest machine was learned from.")
@click.option(
    "--kernel", type=click.Path(), metavar="FILE.v", help="Write the claim as a theorem for Rocq's kernel."
)
@defines
@answering
def command(
    certificate: str,
    left: str | None,
    right: str | None,
    traces: str | None,
    kernel: str | None,
    definitions: dict[str, str],
    as_json: bool,
) -> bool:
    """Check a certificate of `equiv`, `prove` or a smallest machine, with code independent of the prover.

    The certificate holds the tables that its claim is about; of their files it has only the names. If LEFT
    and RIGHT are given, their tables are rebuilt and must be equal to those; a model must be the one that the
    table was extracted from, and is not extracted again. For one agent alone, LEFT is enough. Exits with 1 if
    the certificate does not show its claim, or is about other tables, and says where.

    A certificate of a smallest machine, written by `train --method sat`, is checked against its traces: the
    machine does what they show, and none with fewer states does. It names their file; --traces names another.

    With --kernel a valid certificate is written as a theorem too, which `coqc` checks with the definitions of
    compiler/proven: then you trust only these and Rocq's kernel. If RIGHT is a model with snapped inference,
    the theorem is about every engine that runs its weights.

    \b
    gridlang equiv add10.grid learned.grid --certificate proof.json
    gridlang verify proof.json
    gridlang verify proof.json add10.grid learned.grid
    gridlang prove add10.grid --certificate right.json
    gridlang verify right.json add10.grid
    gridlang verify add2.minimality.json --traces add2.npz
    gridlang verify proof.json --kernel proof.v
    gridlang verify proof.json add10.grid add10.safetensors --kernel learned.v
    """
    from gridlang.learners.methods.minimality.check import is_minimality

    data = read_file(certificate)
    if not certificate.endswith(".json") or TABLE in data[:100]:  # else it may be damaged, which is an answer
        refuse_other_kinds(certificate, data, "certificate")
    text = data.decode("utf-8", "replace")
    if is_minimality(text):
        if left is not None or definitions or kernel is not None:
            raise click.UsageError("a certificate of a smallest machine is about traces, not about agents")
        return _verify_minimality(certificate, text, traces, as_json)
    if traces is not None:
        raise click.UsageError("--traces is for the certificate of a smallest machine; this is none")
    if left is not None and right is None:
        if not _is_of_one_agent(text):
            raise click.UsageError("give both files, LEFT and RIGHT, or none")
        right = left
    if definitions and left is None:
        raise click.UsageError("-D is for the files LEFT and RIGHT, which are not given")
    checked = verify(certificate, left, right, definitions)
    if kernel is not None and checked.valid:
        _write_theorem(certificate, kernel, right)
    files = None if left is None or right is None else {"left": left, "right": right}
    if as_json:
        problems = [problem._asdict() for problem in checked.problems]
        emit({**checked._asdict(), "problems": problems, "files": files})
    else:
        say(*checked_lines(certificate, checked, files))
    return checked.valid


def _is_of_one_agent(text: str) -> bool:
    """Whether LEFT and RIGHT are the same table, as `prove` writes it."""
    try:
        data = json.loads(text)
        return bool(data["left"]["table"] == data["right"]["table"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def _write_theorem(certificate: str, path: str, right: str | None) -> None:
    """The theorem of a certificate; of the weights it is about, where RIGHT is their file."""
    data = read_file(certificate)
    snapped = right is not None and right.endswith(".safetensors") and json.loads(data)["right"]["snapping"]
    weights = read_file(right) if snapped and right else None
    write_whole(path, theorem(data, certificate, path, weights, right or ""))
    say(f"wrote {path}", err=True)


def _verify_minimality(certificate: str, text: str, traces: str | None, as_json: bool) -> bool:
    """Checks it against the traces given, or those it names, beside it."""
    from gridlang.compiler.traces.dataset import read_traces
    from gridlang.compiler.verifier.tables import Problem
    from gridlang.learners.methods.minimality.check import check_minimality, traces_file
    from gridlang.learners.methods.minimality.question import is_proven_smallest

    named = traces_file(text)
    path = traces or os.path.join(os.path.dirname(certificate), named)
    if traces is None and not (named and os.path.exists(path)):
        hint = "name their file with --traces"
        raise fail("G207", "the traces of this certificate are not where it says", hint, certificate)
    read = read_traces(path)
    checked = check_minimality(text, read)
    proven, broken_off = None, ""
    try:
        proven = is_proven_smallest(text, read) if checked.valid else None
    except NoAnswer as why:
        broken_off = str(why)
    if proven is False:
        refused = Problem("certificate", "the checker that is proven in Rocq refuses it")
        checked = checked._replace(valid=False, problems=(refused,))
    if as_json:
        answer = {"valid": checked.valid, "claim": checked.claim, "proven": proven is True, "traces": path}
        answer["unanswered"] = broken_off
        emit({**answer, "problems": [problem._asdict() for problem in checked.problems]})
    elif checked.valid and checked.claim and checked.traces:
        say(f"valid: {checked.claim['says']}")
        count, steps = checked.traces["traces"], checked.traces["steps"]
        say(f"  {count:,} traces with {steps:,} steps, in {path}, SHA-256 {checked.traces['sha256']}")
        if proven:
            say(CHECKED_TWICE)
        if broken_off:
            say(CHECKED_ONCE.format(broken_off))
    else:
        say(f"not valid: {certificate}")
        say(*(f"  {problem.where}: {problem.message}" for problem in checked.problems))
    return checked.valid
