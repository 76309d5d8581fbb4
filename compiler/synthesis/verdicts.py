"""What a candidate is worth: refuted by an input, proven, or neither."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from compiler.proofs.results.claims import PROVEN, TESTED, Claim
from compiler.proofs.results.correctness import claims_of
from compiler.synthesis.limits import LIMITS
from compiler.testing.file_tests import run_tests
from compiler.testing.limits import LIMITS as TEST_LIMITS
from compiler.testing.oracles import Expectation
from compiler.testing.output_search import search_counterexample, searched_claims
from gridlang.program import Program

ENDS = ("halts", "every run ends")  # claims


class Judged(NamedTuple):
    """An agent that was found, its text, what is claimed of it, and why it is refused, if it is.

    `counterexample` is an input that it gets wrong.
    """

    program: Program
    source: str = ""
    claims: tuple[Claim, ...] = ()
    counterexample: str | None = None
    failing: bool = False  # a test of the specification's own
    as_shown: bool = False  # in all grids that were seen, and nothing else is asked
    nodes: int = 0  # rules tried to come from a decision to an agent

    @property
    def proven(self) -> bool:
        return bool(self.claims) and all(claim.answer == PROVEN for claim in self.claims)

    @property
    def accepted(self) -> bool:
        """Whether it is proven that all runs end; of what `prove` cannot prove, tests are enough."""
        ends = any(claim.says in ENDS and claim.answer == PROVEN for claim in self.claims)
        return self.as_shown or (ends and all(claim.answer in (PROVEN, TESTED) for claim in self.claims))

    @property
    def refused(self) -> bool:
        return self.counterexample is not None or self.failing


def judged(program: Program, source: str, rule: Expectation) -> Judged:
    """Tests a candidate on some inputs, and proves what takes no time: that every run ends, above all."""
    found = search_counterexample(program.table, rule, LIMITS.test_cases, engine="auto").counterexample
    if found is not None:
        return Judged(program, source, counterexample=found.input)
    if any(not result.passed for result in run_tests(program, TEST_LIMITS.most_steps)):
        return Judged(program, source, failing=True)
    return Judged(program, source, claims_of(program.table, by_values=False))


def proven(candidate: Judged, progress: Callable[[int], None]) -> Judged:
    """A candidate after all proofs, and all tests of what is not proven."""
    table = candidate.program.table
    claims = searched_claims(candidate.program, claims_of(table, progress), progress)
    wrong = next((claim.input for claim in claims if claim.input is not None), None)
    return candidate._replace(claims=claims, counterexample=wrong)
