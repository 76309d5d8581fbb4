"""Stages of a comparison: each tries one kind of proof, and says what it found out if it gives none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, NamedTuple

from gridlang.clauses.inputs import ENDLESS, InputLanguage
from gridlang.compiler.automata.equivalence import are_large, reached_together
from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.grains import bare_rules, grains, strip_evidence, widened
from gridlang.compiler.proofs.abstractions.input_automaton import InputRows
from gridlang.compiler.proofs.abstractions.windows import Guide, WindowAnalysis, WindowProduct
from gridlang.compiler.proofs.differences.joint_runs import JointRuns
from gridlang.compiler.proofs.joint_step import UNASKED, Ending, Place, Stuck
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.reports import report
from gridlang.compiler.proofs.results.readings import as_checked
from gridlang.compiler.verifier import limits as checker
from gridlang.compiler.verifier.strips import Grain, check_strips
from gridlang.compiler.verifier.tables import Differs, TooMuch, Wrong
from gridlang.table import Table

LARGEST_WINDOW = 1


class Comparison(NamedTuple):
    """What is compared: LEFT, RIGHT in LEFT's symbols, on declared inputs or (None) on all worlds.

    Where it is `met`, on inputs that meet their condition.
    """

    left: Table
    right: Table
    inputs: InputRows | None = None
    stuck: Stuck = UNASKED
    limit: int = LIMITS.most_window_nodes
    met: bool = False


class Proof(NamedTuple):
    """Evidence for a certificate, states, reads on which LEFT is stuck, and the radius or depth, if any."""

    evidence: dict[str, Any]
    states: int
    stuck: int
    radius: int | None


class Failure(NamedTuple):
    """Where RIGHT may differ, as far as an abstraction can tell, and the way there; or an input of it.

    A stage that says nothing of its states leaves what an earlier one said.
    """

    place: Place | None = None
    states: int | None = None
    stuck: int = 0
    radius: int | None = None
    guide: Guide | None = None
    reason: str = ""
    input: str | None = None


class WindowStage(NamedTuple):
    """Windows of growing radius, up to one."""

    radius: int

    def prove(self, comparison: Comparison) -> Proof | Failure:
        left, right, _, stuck, limit, _ = comparison
        if are_large(left, right) and (proof := _proof_in_c(comparison)):
            return proof
        failure = Failure()
        for radius in range(min(self.radius, LARGEST_WINDOW) + 1):
            product = WindowProduct(left.rows, right.rows, radius, stuck)
            try:
                found = WindowAnalysis(product, limit)
            except TooLarge as grown:
                why = f"more than {limit:,} states would have to be told apart, at radius {radius}"
                return failure._replace(states=grown.size, radius=radius, reason=why)
            if not found.ahead:
                return Proof({"kind": "windows", "radius": radius}, len(found.nodes), found.stuck(), radius)
            guide = Guide(product, found.ahead)
            failure = Failure(found.place(), len(found.nodes), found.stuck(), radius, guide)
        return failure


def _proof_in_c(comparison: Comparison) -> Proof | None:
    """What windows of radius 0 prove."""
    left, right, _, stuck, limit, _ = comparison
    try:
        found = reached_together(left.flat, right.flat, len(left.symbols), stuck, worlds=True, most=limit)
    except TooLarge:
        return None
    evidence = {"kind": "windows", "radius": 0}
    return Proof(evidence, len(found.pairs), found.left_stuck, 0) if found.reads is None else None


@dataclass(slots=True)
class Allowance:
    """Abstract states left to all strips of a comparison together."""

    left: int


class StripStage(NamedTuple):
    """A strip of one grain."""

    grain: Grain
    allowance: Allowance

    def prove(self, comparison: Comparison) -> Proof | Failure:
        left, right = comparison.left, comparison.right
        rules = as_checked(left, comparison.met) if comparison.inputs else bare_rules(left)
        of = rules, rules if right is left else bare_rules(right), "inputs" if comparison.inputs else "worlds"
        limit = min(comparison.limit, LIMITS.most_strip_nodes, self.allowance.left)
        try:
            strip, grain = widened(
                lambda grain: check_strips(*of, strip_evidence(grain), comparison.stuck, limit),
                self.grain._replace(met=comparison.met),
            )
        except Differs as differs:
            return Failure(Place(*differs.at))
        except Wrong as wrong:
            self.allowance.left -= limit * isinstance(wrong, TooMuch)
            return Failure()
        self.allowance.left -= len(strip.elements)
        report(len(strip.elements))
        return Proof(strip_evidence(grain), len(strip.elements), strip.stuck, grain.depth)


class RunsStage(NamedTuple):
    """Runs on all inputs, where these are few and have no condition."""

    def prove(self, comparison: Comparison) -> Proof | Failure:
        left, right, inputs, stuck, _, _ = comparison
        texts = few_texts(inputs.language) if inputs and not inputs.language.condition else None
        runs, steps, is_stuck, most = JointRuns(left, right, stuck), 0, 0, checker.LIMITS.run_steps
        for text in texts or ():
            done = runs.run(text, most + 1 - steps)
            if done.ending is Ending.RIGHT_DIFFERS:
                return Failure(input=text)
            steps += done.steps - (done.ending is Ending.LEFT_STUCK)
            is_stuck += done.ending is Ending.LEFT_STUCK
            if done.ending is None or steps > most:
                return Failure()
        if texts is None:
            return Failure()
        return Proof({"kind": "runs", "inputs": len(texts), "steps": steps}, steps, is_stuck, None)


def few_texts(language: InputLanguage) -> list[str] | None:
    """All texts of the form of a clause, the shortest first, or None if there are too many to run each."""
    longest, most = language.longest(), checker.LIMITS.inputs_run
    if longest == ENDLESS:
        return None
    texts = list(islice(chain.from_iterable(map(language.texts, range(longest + 1))), most + 1))
    return texts if len(texts) <= most else None


Stage = WindowStage | StripStage | RunsStage


def first_proof(stages: Iterable[Stage], comparison: Comparison) -> Proof | None:
    outcomes = (stage.prove(comparison) for stage in stages)
    return next((outcome for outcome in outcomes if isinstance(outcome, Proof)), None)


def strip_stages(left: Table, depth: int) -> Iterator[StripStage]:
    """Strips up to a depth, the cheapest first."""
    allowance = Allowance(LIMITS.most_nodes_of_all_strips)
    return (StripStage(grain, allowance) for grain in grains(left) if grain.depth <= depth)
