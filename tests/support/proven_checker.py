"""The checker that is proven in Rocq, held against the first one on every certificate that a test makes or checks."""

from __future__ import annotations

import functools

import gridlang.compiler.proofs.certificates
import gridlang.compiler.verifier.verify
from gridlang.compiler.proofs.certificates import Subject
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proven import gridcheck
from gridlang.compiler.proven.gridcheck import is_proven as proven_by_rocq
from gridlang.compiler.verifier.verify import NO_RUNS, Checked

disagreements: list[str] = []  # Some are raised where nobody looks, so each test asks for them when it ends.

# What the first checker asks beyond the claim: the form of the file, its digests, what it counts and tells.
FORM = (
    *("its digest is another", "digest is another", "there must be one for each", "must be a list for each"),
    *("its radius is", "its product_states is", "its stuck_branches is", "its unobserved_branches is"),
    *(
        "its arguments are not",
        "it does not say",
        "stands twice",
        "its table has no lists",
        "its table has names",
        "its table has clauses",
    ),
    *("its classes are wrong", "must be the raw one"),
    *("it is not built as it must be", "it was changed", "it knows what does not exist", "a kind has none"),
    *("both must be the same", "may be of several parts", "its end cannot be seen", "is too long"),
    *("has too large numbers", "has a number above", "what is wanted does not exist", "a polynomial is none"),
    *("maximum recursion depth exceeded", "there are no such states", "there is no such label"),
    *("there is no such node", "its alphabet is wrong", "are no numbers", "there are too many"),
)


def is_formal(checked: Checked) -> bool:
    """Whether a certificate is refused for its form alone."""
    return bool(checked.problems) and all(
        any(words in problem.message for words in FORM) for problem in checked.problems
    )


@functools.lru_cache(maxsize=64)
def is_proven(certificate: bytes, weights: bytes | None = None) -> bool | None:
    """What `gridcheck` says; of a certificate that was just made, and is now checked, it is asked once."""
    return proven_by_rocq(certificate, weights)


def hold_against_the_first() -> None:
    """From now on the proven checker sees every certificate too, and a difference fails the test."""
    make, verify = gridlang.compiler.proofs.certificates.certificate, gridlang.compiler.verifier.verify.verify

    @functools.wraps(make)
    def certificate(left: Subject, right: Subject, verdict: Verdict) -> str:
        text = make(left, right, verdict)
        known = verify(text).unanswered != NO_RUNS
        agree(
            not _is_there() or is_proven(text.encode()) is known,
            "a certificate was made that the proven checker refuses, or one of runs that it does not",
        )
        return text

    @functools.wraps(verify)
    def verify_with_both(text: str) -> Checked:
        first = verify(text)
        if _is_there() and not is_formal(first):  # There the proven checker may say either.
            proven = is_proven(text.encode("utf-8", "surrogatepass"))
            known = first.valid and first.unanswered != NO_RUNS
            agree(proven is known, f"{first!r}, but the proven checker says {proven}")
        return first

    gridlang.compiler.proofs.certificates.certificate = certificate
    gridlang.compiler.verifier.verify.verify = verify_with_both


def _is_there() -> bool:
    """A test may hide `gridcheck`, as most readers have not built it."""
    return gridcheck.program() is not None


def agree(same: bool, otherwise: str) -> None:
    if not same:
        disagreements.append(otherwise)
        raise AssertionError(otherwise)
