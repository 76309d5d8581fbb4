"""Claims about one agent, and the short inputs on which they are tried."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from compiler.proofs.equivalence import Verdict
from compiler.proofs.limits import LIMITS
from gridlang.clauses.inputs import InputLanguage, RareInputs

PROVEN, REFUTED, UNKNOWN, TESTED = "proven", "refuted", "unknown", "tested"


class Claim(NamedTuple):
    """What is said of an agent, and whether it is proven, refuted, tested or unknown, with the reason.

    A proof has a `verdict` with its evidence. What is refuted has an input that shows it.
    """

    says: str
    answer: str
    reason: str = ""
    verdict: Verdict | None = None
    input: str | None = None


def short_inputs(language: InputLanguage) -> Iterator[str]:
    """Declared inputs, the shortest first."""
    with suppress(RareInputs):
        for length in range(LIMITS.longest_sample + 1):
            yield from islice(language.strings(length), LIMITS.samples // 2)
