"""`prove`: does RIGHT do what LEFT does? A proof, a world that shows a difference, or unknown.

Tables go in. Learned weights are turned into a table first, by whoever knows how, and the verdict is about
that table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.abstractions.input_automaton import InputRows, row_automaton
from gridlang.compiler.proofs.differences.difference_search import Difference, DifferenceSearch
from gridlang.compiler.proofs.differences.shrink import world_of_reads
from gridlang.compiler.proofs.equivalence import UNUSED_CONDITION, Verdict, aligned, compare_tables
from gridlang.compiler.proofs.held_clauses import check_clauses
from gridlang.compiler.proofs.joint_step import UNASKED, Stuck
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.reports import Listener, telling
from gridlang.compiler.proofs.results.readings import as_checked, counts_condition
from gridlang.compiler.proofs.stages import (
    Comparison,
    Failure,
    Proof,
    RunsStage,
    Stage,
    StripStage,
    WindowStage,
    first_proof,
    strip_stages,
)
from gridlang.diagnostics import fail
from gridlang.table import Table

SCOPES = ("worlds", "inputs", "observed", "table")
LARGEST_RADIUS = 2  # of windows 1, of strips 2: what lies further away has proven nothing


def prove(
    left: Table,
    right: Table,
    scope: str = "worlds",
    *,
    radius: int | None = None,
    stuck: Stuck = UNASKED,
    limit: int = LIMITS.most_window_nodes,
    differs: bool = False,
    met: bool = False,
    progress: Listener | None = None,
) -> Verdict:
    """The verdict at a scope; no window or strip beyond a given radius is tried. `stuck` is what is claimed.

    Inputs are all of the form that is declared, or those that have `met` their condition.
    Whoever knows that RIGHT `differs` somewhere has little use for another difference, and for unknown: such
    are looked for shortly. A proof about these tables may be had all the same.
    """
    if scope == "observed" and stuck != UNASKED:
        hint = "leave --strict out, or take another scope"
        raise fail(
            "G143", "where RIGHT was not observed nothing is known, so no strict claim can be made", hint
        )
    if scope in ("table", "observed"):
        verdict = compare_tables(left, right, observed=scope == "observed", stuck=stuck)
        if verdict.counterexample:
            verdict = replace(verdict, world=world_of_reads(left, right, verdict.counterexample, stuck))
    else:
        comparison = comparison_of(left, right, scope, stuck, limit)
        comparison = comparison._replace(met=met)
        with telling(progress):
            stages = chain(_stages(left, radius), [RunsStage()])
            verdict = _verdict(comparison, stages, shortly=differs)
            if verdict.equivalent is None and verdict.condition and not met:
                fewer = _where_met(comparison, _stages(left, radius))
                fewer = _without_unused(comparison, right) if fewer is None else fewer
                verdict = verdict if fewer is None else fewer
        if verdict.equivalent is None:
            verdict = replace(verdict, hint=_what_to_try(verdict, radius))
    return verdict


def quick_proof(
    left: Table,
    right: Table,
    scope: str,
    *,
    radius: int | None = None,
    stuck: Stuck = UNASKED,
    progress: Listener | None = None,
) -> Verdict | None:
    """A proof on worlds or inputs that is had in a second or two, by windows or strips that forget most.

    None says nothing but that `prove` may be asked, which also looks for differences.
    """
    comparison = comparison_of(left, right, scope, stuck, LIMITS.most_quick_nodes)
    if DifferenceSearch(comparison).among_short_inputs() is not None:
        return None
    stages = _stages(left, min(1, LARGEST_RADIUS if radius is None else radius))
    quick = (stage for stage in stages if not isinstance(stage, StripStage) or stage.grain.dim)
    with telling(progress):
        proof = first_proof(quick, comparison)
    return proof and _proven(comparison, proof)


def by_itself(left: Table, right: Table) -> Verdict:
    """That an agent does what it does without some of its rules: windows that know nothing show it."""
    comparison = comparison_of(left, right, "inputs")
    proof = first_proof([WindowStage(0)], comparison)
    assert proof is not None
    return replace(_proven(comparison, proof), condition="")


def _stages(left: Table, radius: int | None) -> Iterator[Stage]:
    """What to try, the cheapest first. A proof on all worlds is one on all inputs."""
    most = LARGEST_RADIUS if radius is None else radius
    yield WindowStage(most)
    yield from strip_stages(left, most)


def comparison_of(
    left: Table,
    right: Table,
    scope: str,
    stuck: Stuck = UNASKED,
    limit: int = LIMITS.most_window_nodes,
) -> Comparison:
    """Both on all worlds or on the inputs of LEFT; GridError where it declares none."""
    inputs = declared_inputs(left) if scope == "inputs" else None
    return Comparison(left, aligned(left, right), inputs, stuck, limit)


def declared_inputs(left: Table, alone: bool = False) -> InputRows:
    """The declared inputs as worlds, for a comparison or for claims about LEFT `alone`; GridError if none."""
    language = language_of(left)
    if language is None:
        what = "to prove anything of" if alone else "to compare on"
        other = "" if alone else ", or compare on all worlds with --scope worlds"
        hint = f"declare one in its source, as in `input a = digit+`{other}"
        raise fail("G140", f"`{left.name}` has no input clause, so there are no inputs {what}", hint)
    automaton = row_automaton(language, left.symbols)
    if automaton is None:
        hint = "say less in `input`" if alone else "compare on all worlds with --scope worlds"
        raise fail("G141", f"the input clause of `{left.name}` is too large for proofs", hint)
    check_clauses(left)
    return InputRows(language, left.symbols, automaton)


def _verdict(comparison: Comparison, stages: Iterator[Stage], shortly: bool) -> Verdict:
    """A proof or a difference from the first stage that gives one, or unknown.

    The searches for differences are most of the time where there is neither; some are only begun.
    """
    known, failures, search = _nothing_known(comparison), list[Failure](), DifferenceSearch(comparison)
    difference = search.among_short_inputs()
    if difference is not None:
        return _different(known, difference)
    for stage in stages:
        outcome = stage.prove(comparison)
        if isinstance(outcome, Proof):
            return _proven(comparison, outcome)
        failures.append(outcome)
        if outcome.states is not None:
            known = replace(
                known, product_states=outcome.states, stuck_branches=outcome.stuck, radius=outcome.radius
            )
        difference = search.after(outcome)
        if difference is not None:
            return _different(known, difference)
    difference = search.at_last(shortly)
    return _unknown(known, search, failures) if difference is None else _different(known, difference)


def _where_met(comparison: Comparison, stages: Iterator[Stage]) -> Verdict | None:
    """A proof about inputs that meet the condition of LEFT's, as far as it can be counted."""
    counted = counts_condition(as_checked(comparison.left, conditioned=True))
    proof = first_proof(stages, comparison._replace(met=True)) if counted else None
    return proof and replace(_proven(comparison, proof), condition="", conditioned=True)


def _without_unused(comparison: Comparison, right: Table) -> Verdict | None:
    """A proof about LEFT without rules that no input which meets its condition uses."""
    from gridlang.compiler.proofs.results.unused_rules import never_stuck_verdict, without_unused

    left, rule = comparison.left, output_rule(comparison.left)
    if rule is None or right is left:
        return None
    fewer = without_unused(left, rule)
    alone = quick_proof(fewer, right, "inputs")
    return never_stuck_verdict(alone, left, fewer, rule)


def _nothing_known(comparison: Comparison) -> Verdict:
    inputs = comparison.inputs
    condition = inputs.language.condition.clause if inputs and inputs.language.condition else ""
    scope = "inputs" if inputs else "worlds"
    return Verdict(None, scope, 0, 0, stuck=comparison.stuck, condition=condition)


def _proven(comparison: Comparison, proof: Proof) -> Verdict:
    return replace(
        _nothing_known(comparison),
        equivalent=True,
        product_states=proof.states,
        stuck_branches=proof.stuck,
        radius=proof.radius,
        evidence=proof.evidence,
    )


def _different(known: Verdict, difference: Difference) -> Verdict:
    return replace(known, equivalent=False, **difference._asdict())


def _unknown(known: Verdict, search: DifferenceSearch, failures: list[Failure]) -> Verdict:
    nothing = "no difference was found, and no proof that there is none"
    reason = next((failure.reason for failure in failures if failure.reason), nothing)
    if known.condition:
        reason += f"; {UNUSED_CONDITION.format(known.condition)}"
    place = next((failure.place for failure in reversed(failures) if failure.place), None)
    return replace(known, reason=reason, suspicion=place and search.suspicion(place))


def _what_to_try(verdict: Verdict, radius: int | None) -> str:
    ways = []
    if verdict.suspicion and not verdict.suspicion.seen:
        ways.append("`gridlang test` names rules that can never fire, which can be left out")
    if radius is not None and radius < LARGEST_RADIUS:
        ways.append("without `--radius` more is tried")
    return "; ".join(ways)
