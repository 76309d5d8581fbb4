"""Proofs about weights: they do what an expert does, which halts and meets its `output` clause.

The first is a comparison on the expert's inputs, the second about the expert alone. One certificate has both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from gridlang.compiler.api.comparison import Side, compared
from gridlang.compiler.api.correctness import SNAPPED, UNTAUGHT, Correctness
from gridlang.compiler.given import Counter
from gridlang.compiler.proofs.certificates import Subject
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.joint_step import NEVER, STRICT, UNASKED
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.proofs.results.claims import PROVEN, REFUTED, UNKNOWN, Claim
from gridlang.compiler.proofs.results.correctness import (
    accepted_claims,
    are_shown,
    claims_of,
    with_claims,
)
from gridlang.compiler.proofs.results.unused_rules import as_shown
from gridlang.compiler.testing.output_search import searched_claims
from gridlang.table import Table


def prove_weights(expert: Side, model: Side, counter: Counter) -> Correctness:
    """Whether weights do what an expert does on its inputs, and unless they do not, what is proven of it.

    The verdict on both also has what is proven of it alone.
    """
    assert expert.program is not None
    both = compared(expert, model, "inputs", counter, snap=True)
    mine, theirs, verdict, *_ = both
    claims: tuple[Claim, ...] = ()
    untaught = False
    if verdict.equivalent is not False:
        assert mine.table is not None
        claims = claims_of(mine.table, counter("abstract states"))
        taught = model.dfst is None or model.dfst.strict
        untaught = not taught and verdict.stuck_branches > 0 and _ends_as_said(claims)
        if verdict.equivalent and not untaught:
            assert theirs.table is not None
            progress = counter("product states and worlds")
            verdict = in_one_verdict(mine.table, theirs.table, verdict, claims, progress)
    both = both._replace(verdict=verdict).accepted()
    if not are_shown(claims, both.verdict):  # They have a certificate of their own.
        claims, _ = accepted_claims(Subject.of(expert.program), claims)
    claims = searched_claims(expert.program, claims, counter("inputs tried")) if claims else ()
    follows = follows_claim(expert.program.name, both.verdict, exact=model.dfst is None)
    untaught = untaught and both.verdict.equivalent is True
    if untaught:
        follows = Claim(follows.says, UNKNOWN, UNTAUGHT, both.verdict)
    return Correctness(expert.program, (follows, *claims), model.file, both.verdict.subject, untaught, both)


def in_one_verdict(
    left: Table, right: Table, verdict: Verdict, claims: tuple[Claim, ...], progress: Callable[[int], None]
) -> Verdict:
    """A proof on inputs, with all that is proven of LEFT: if never stuck, then by the same evidence.

    Where LEFT is to be stuck, RIGHT must be, too.
    """
    shown = as_shown(left, claims)
    asked = STRICT if _ends_as_said(claims) else UNASKED
    if not verdict.stuck_branches and shown is left:
        verdict = replace(verdict, stuck=NEVER)
    elif asked != UNASKED or shown is not left or verdict.evidence is None:
        known = {name: getattr(verdict, name) for name in ("subject", "drift", "stray", "unsnapped")}
        verdict = replace(prove(shown, right, "inputs", stuck=asked, progress=progress), **known)
    return with_claims(verdict, claims) if verdict.equivalent else verdict


def _ends_as_said(claims: Iterable[Claim]) -> bool:
    """Whether an acceptor is proven to be one."""
    return any(claim.verdict is not None and claim.verdict.accepts for claim in claims)


def follows_claim(name: str, verdict: Verdict, *, exact: bool) -> Claim:
    """That weights do what the expert does, on its inputs; `exact` ones are a table."""
    says = f"does what {name} does"
    if verdict.equivalent and (exact or verdict.subject == SNAPPED):
        return Claim(says, PROVEN, verdict=verdict)
    if verdict.equivalent:
        return Claim(says, UNKNOWN, "proven only of the table extracted from the weights", verdict)
    if verdict.equivalent is None:
        return Claim(says, UNKNOWN, verdict.reason, verdict)
    at = f"it does otherwise at step {len(verdict.counterexample or ()):,}"
    return Claim(says, REFUTED, at, verdict, verdict.input)
