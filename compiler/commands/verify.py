"""`gridlang verify`: checks a certificate without the prover."""

from __future__ import annotations

import json
from typing import Annotated

import click

from gridlang.compiler.api.agents import verify
from gridlang.compiler.given import read_file
from gridlang.compiler.proven.kernel import theorem
from gridlang.compiler.terminal.printing import checked_lines, with_details
from gridlang.compiler.verifier.verify import NO_RUNS
from gridlang.file_kinds import refuse_other_kinds
from gridlang.files import write_whole
from gridlang.options import Definitions, File, Option
from gridlang.terminal.console import say
from gridlang.terminal.options import Answer, as_command

TABLE = b'"gridlang-table/'


@with_details
@as_command("verify", verify)
def command(
    cert: File,
    left: File | None = None,
    right: File | None = None,
    *,
    kernel: Annotated[
        File | None, Option("Write the claim as a theorem for Rocq's kernel.", metavar="FILE.v")
    ] = None,
    definitions: Definitions,
) -> Answer:
    """For one agent alone, LEFT is enough. Exits with 1 if the certificate does not show its claim, or is
    about other tables, and says where.

    With --kernel a valid certificate is written as a theorem too, which `coqc` checks with the definitions of
    compiler/proven: then you trust only these and Rocq's kernel. If RIGHT is a model with snapped inference,
    the theorem is about every engine that runs its weights.

    \b
    gridlang equiv add10.grid learned.grid --certificate proof.json
    gridlang verify proof.json
    gridlang verify proof.json add10.grid learned.grid
    gridlang prove add10.grid --certificate right.json
    gridlang verify right.json add10.grid
    gridlang verify proof.json --kernel proof.v
    gridlang verify proof.json add10.grid add10.safetensors --kernel learned.v
    """
    data = read_file(cert)
    if not cert.endswith(".json") or TABLE in data[:100]:  # else it may be damaged, which is an answer
        refuse_other_kinds(cert, data, "certificate")
    text = data.decode("utf-8", "replace")
    if left is not None and right is None:
        if not _is_of_one_agent(text):
            raise click.UsageError("give both files, LEFT and RIGHT, or none")
        right = left
    if definitions and left is None:
        raise click.UsageError("-D is for the files LEFT and RIGHT, which are not given")
    checked = verify(cert, left, right, definitions)
    if kernel is not None and checked.unanswered == NO_RUNS:
        raise click.UsageError(f"no theorem is written: the checker that is proven in Rocq {NO_RUNS}")
    if kernel is not None and checked.valid:
        _write_theorem(cert, kernel, right)
    files = None if left is None or right is None else {"left": left, "right": right}
    problems = [problem._asdict() for problem in checked.problems]
    found = {**checked._asdict(), "problems": problems, "files": files}
    return Answer(checked_lines(cert, checked, files), found, checked.valid)


def _is_of_one_agent(text: str) -> bool:
    """Whether LEFT and RIGHT are the same table, as `prove` writes it."""
    try:
        data = json.loads(text)
        return bool(data["left"]["table"] == data["right"]["table"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def _write_theorem(certificate: str, path: str, right: str | None) -> None:
    data = read_file(certificate)
    snapped = right is not None and right.endswith(".safetensors") and json.loads(data)["right"]["snapping"]
    weights = read_file(right) if snapped and right else None
    write_whole(path, theorem(data, certificate, path, weights, right or ""))
    say(f"wrote {path}", err=True)
