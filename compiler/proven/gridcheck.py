"""Asks `gridcheck`, the program extracted from the proofs of this folder, where it was built."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from gridlang.compiler.proven.listing import listed

HERE = Path(__file__).parent
ANSWERS = {0: True, 1: False, 6: None}
STACK = "ran out of stack; `ulimit -s unlimited` before the command gives it more"
BROKEN_OFF = {4: STACK, -signal.SIGSEGV: STACK, 5: "ran out of memory", -signal.SIGKILL: "was killed"}


class NoAnswer(Exception):
    """`gridcheck` broke off, and why."""


@cache
def program() -> str | None:
    """The built program: of `make`, of the wheel, or on the path; None if there is none."""
    for built in (HERE / "build" / "gridcheck", HERE / "gridcheck"):
        if os.access(built, os.X_OK):
            return str(built)
    return shutil.which("gridcheck")


def is_proven(certificate: bytes, weights: bytes | None = None) -> bool | None:
    """Whether the certificate shows its claim, of the `weights` of a model where they are given.

    None if `gridcheck` is not built, or does not know this kind of model; NoAnswer if it broke off.
    """
    certificate = listed(certificate)
    if weights is None:
        return _answer(certificate, "/dev/stdin")
    with tempfile.NamedTemporaryFile() as model:
        model.write(weights)
        model.flush()
        return _answer(certificate, "/dev/stdin", model.name)


def _answer(text: bytes, *asked: str) -> bool | None:
    found = program()
    if found is None:
        return None
    try:
        code = subprocess.run([found, *asked], input=text, capture_output=True, close_fds=False).returncode
    except OSError as error:  # half made, or of another machine
        raise NoAnswer(f"cannot be run ({error.strerror})") from None
    if code not in ANSWERS:
        raise NoAnswer(BROKEN_OFF.get(code, f"ended with {code}"))
    return ANSWERS[code]
