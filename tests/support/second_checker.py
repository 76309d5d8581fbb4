"""The second checker, built once, and held against the first one on every certificate that a test makes or checks."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import compiler.proofs.certificates
import compiler.verifier.verify
from compiler.proofs.certificates import Subject
from compiler.proofs.equivalence import Verdict
from compiler.simulation.native.build import compiler as c_compiler
from compiler.verifier.verify import Checked
from gridlang.files import cache_folder
from tests.programs import ROOT

SOURCE = ROOT / "compiler" / "verifier" / "check.c"
STRICT = ("-O2", "-std=c11", "-Wall", "-Wextra", "-Werror")
SANITIZED = (*STRICT, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
SECONDS = 60  # No certificate of a test takes the second checker as long.
disagreements: list[str] = []  # Some are raised where nobody looks, so each test asks for them when it ends.


class Answer(NamedTuple):
    """What the second checker says: valid, not valid, or nothing (None), and its words without that verdict."""

    valid: bool | None
    words: str


@functools.cache
def built(*flags: str) -> str | None:
    """The program, with no warning from the compiler; None where there is no compiler."""
    with_compiler = c_compiler()
    if with_compiler is None:
        return None
    source = SOURCE.read_bytes()
    key = hashlib.sha256(b"\0".join((source, *map(str.encode, flags)))).hexdigest()[:16]
    program = Path(cache_folder()) / f"check-{key}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=program.parent)
        os.close(handle)
        subprocess.run([with_compiler, *flags, "-o", unfinished, str(SOURCE)], check=True)
        os.replace(unfinished, program)
    return str(program)


def answer_of(text: str | bytes, flags: tuple[str, ...] = STRICT) -> Answer:
    """The second checker's answer to the text of a certificate."""
    program = built(*flags)
    assert program is not None
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    done = subprocess.run(
        [program, "/dev/stdin"],
        input=data,
        capture_output=True,
        timeout=SECONDS,
        env={"ASAN_OPTIONS": "detect_leaks=0"},
        close_fds=False,  # With it Python need not copy this process, which may be large.
    )
    assert done.returncode in (0, 1, 2) and not done.stderr, done
    verdict, _, words = done.stdout.decode().strip().partition(": ")
    assert verdict == ("valid", "not valid", "refused")[done.returncode], done
    return Answer((True, False, None)[done.returncode], words)


def hold_against_the_first() -> None:
    """From now on both checkers see every certificate, and a difference between them fails the test."""
    make, verify = compiler.proofs.certificates.certificate, compiler.verifier.verify.verify

    @functools.wraps(make)
    def certificate(left: Subject, right: Subject, verdict: Verdict) -> str:
        text = make(left, right, verdict)
        second = answer_of(text)
        agree(second.valid is True or _unknown(second), f"a certificate was made, but {second}")
        return text

    @functools.wraps(verify)
    def verify_with_both(text: str) -> Checked:
        first, second = verify(text), answer_of(text)
        if _unknown(second):
            return first
        same = first.valid == bool(second.valid)
        if first.valid and first.claim:
            same = same and second.words.split("\n")[0] == first.claim["says"]
        agree(same or _unknown(second), f"{first!r}, but {second}")
        return first

    compiler.proofs.certificates.certificate = certificate
    compiler.verifier.verify.verify = verify_with_both


def _unknown(answer: Answer) -> bool:
    """Whether a certificate claims what the second checker does not know."""
    clause = Answer(False, "left: its output clause is of none of the known forms")
    return answer == clause or (answer.valid is None and "does not know" in answer.words)


def agree(same: bool, otherwise: str) -> None:
    if not same:
        disagreements.append(otherwise)
        raise AssertionError(otherwise)
