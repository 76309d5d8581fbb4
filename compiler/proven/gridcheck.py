"""Asks `gridcheck`, the program extracted from the proofs of this folder, where it was built."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ANSWERS = {0: True, 1: False, 2: None}


@cache
def program() -> str | None:
    """The built program: of `make`, of the wheel, or on the path; None if there is none."""
    for built in (HERE / "build" / "gridcheck", HERE / "gridcheck"):
        if os.access(built, os.X_OK):
            return str(built)
    return shutil.which("gridcheck")


def is_proven(certificate: bytes, weights: bytes | None = None) -> bool | None:
    """Whether the certificate shows its claim, of the `weights` of a model where they are given.

    None if `gridcheck` is not built, or does not know this kind of evidence or of model.
    """
    found = program()
    if found is None:
        return None
    with tempfile.NamedTemporaryFile() as model:
        model.write(weights or b"")
        model.flush()
        files = ["/dev/stdin"] if weights is None else ["/dev/stdin", model.name]
        done = subprocess.run([found, *files], input=certificate, capture_output=True, close_fds=False)
    return ANSWERS.get(done.returncode)


def is_smallest(question: bytes) -> bool | None:
    """Whether a machine does what traces show, and none with fewer states; None without `gridcheck`."""
    found = program()
    if found is None:
        return None
    asked = [found, "--smallest", "/dev/stdin"]
    done = subprocess.run(asked, input=question, capture_output=True, close_fds=False)
    return ANSWERS.get(done.returncode)
