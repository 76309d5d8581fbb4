"""Whether every run of an agent on a declared input ends: a strip of it, and a ranking of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gridlang.clauses.functions import Acceptance
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.abstractions.grains import (
    families_and_states,
    grain_of,
    strip_evidence,
    widened,
)
from gridlang.compiler.proofs.equivalence import UNUSED_CONDITION, Never, Verdict
from gridlang.compiler.proofs.halting.rankings import Ranking, Unranked, ranking
from gridlang.compiler.proofs.halting.strip_steps import alike, merged, strip_steps
from gridlang.compiler.proofs.joint_step import NEVER, UNASKED
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.prove import declared_inputs
from gridlang.compiler.proofs.reports import report
from gridlang.compiler.proofs.results.claims import PROVEN, REFUTED, TESTED, UNKNOWN, Claim, short_runs
from gridlang.compiler.proofs.results.readings import as_checked
from gridlang.compiler.verifier.strips import Element, Grain, Strip, check_strips
from gridlang.compiler.verifier.tables import Wrong
from gridlang.outcomes import Outcome
from gridlang.table import Table

NO_STRIP = "the agent does not stay within a few rows, or too much would have to be told apart"
MOST_NAMED = 3  # states in a sentence


def prove_halting(table: Table, met: bool = False) -> tuple[Verdict | None, str]:
    """A proof that every run on a declared input ends, or why there is none.

    Where it is `met`, on those inputs that meet their condition.

    Where its strip has no stuck branch, it also shows that the agent is never stuck.
    """
    inputs, reason = declared_inputs(table), NO_STRIP
    condition = inputs.language.condition.clause if inputs.language.condition else ""
    for strip, grain in _strips(table, met):
        for groups in _groups(strip):
            labels, elements = strip.ordered()
            steps = strip_steps(strip, elements, groups)
            blocks = alike(steps)
            try:
                found = ranking(len(set(blocks)), merged(steps, blocks))
            except Unranked as unranked:
                reason = _unranked(table, elements, blocks, unranked)
            else:
                ranks = _ranking_evidence(found, blocks, groups, labels)
                evidence = {"kind": "ranking", "strip": strip_evidence(grain), "ranking": ranks}
                verdict = Verdict(
                    True,
                    "inputs",
                    len(elements),
                    strip.stuck,
                    radius=grain.depth,
                    evidence=strip_evidence(grain),
                    never=(Never(("endless",) if strip.stuck else ("stuck", "endless"), evidence),),
                    stuck=UNASKED if strip.stuck else NEVER,
                    condition="" if met else condition,
                    conditioned=met,
                )
                return verdict, ""
    return None, reason + (f"; {UNUSED_CONDITION.format(condition)}" if condition else "")


def _strips(table: Table, met: bool) -> Iterator[tuple[Strip, Grain]]:
    left, most = as_checked(table, met), LIMITS.most_ranked_nodes
    for tried in _grains(table, met):
        try:
            strip, grain = widened(
                lambda grain: check_strips(left, left, "inputs", strip_evidence(grain), UNASKED, most), tried
            )
        except Wrong:
            continue
        report(len(strip.elements))
        if all(leg.after is None for leg in strip.descents.values()):
            yield strip, grain


def _grains(table: Table, met: bool) -> Iterator[Grain]:
    """What to try, from coarse to fine. Most agents need to know only which columns they were in."""
    families, states = families_and_states(table)
    grain = grain_of(table, families, families, dim=True)._replace(met=met)
    finer = grain._replace(kinds=states, ahead=1, remembers=True)
    yield grain
    yield grain._replace(remembers=True)
    yield finer
    yield grain._replace(marks=states, dim=False)
    yield finer._replace(dim=False)
    yield finer._replace(depth=2)


def _groups(strip: Strip) -> Iterator[Sequence[int]]:
    """Labels that are counted together: by their coarse numbers; and where symbols are known, each alone."""
    yield strip.coarse
    if not strip.grain.dim:
        yield range(len(strip.labels))


def _unranked(table: Table, elements: list[Element], blocks: list[int], unranked: Unranked) -> str:
    """Where the agent may run for ever, as far as can be told."""
    endless = {block for step in unranked.steps for block in (step.before, step.after)}
    states = sorted({at[0] for at, block in zip(elements, blocks, strict=True) if block in endless})
    names = [f"`{table.states[state]}`" for state in states[:MOST_NAMED]]
    more = f" and {len(states) - len(names):,} more states" * (len(states) > len(names))
    return f"nothing was found that shrinks while it is in {', '.join(names)}{more}"


def _ranking_evidence(
    found: Ranking, blocks: list[int], groups: Sequence[int], labels: list[int]
) -> dict[str, Any]:
    """The ranking as it stands in a certificate: each rank once, and weights of labels, by their order."""
    numbers: dict[tuple[int, ...], int] = {}
    elements = [numbers.setdefault(found.ranks[block], len(numbers)) for block in blocks]
    members: dict[int, list[int]] = {}
    for at, label in enumerate(labels):
        members.setdefault(groups[label], []).append(at)
    weights = [
        (component, side, at, weight)
        for component, counters in found.counters.items()
        for (side, group), weight in sorted(counters.items())
        for at in members[group]
    ]
    return {"ranks": list(numbers), "elements": elements, "weights": weights}


def halting_claims(
    table: Table, ending: Verdict | None, why: str, never_stuck: bool, conditioned: bool
) -> list[Claim]:
    """That the agent halts, or what is known instead, by a proof that its runs end or why there is none.

    It may be never stuck only on inputs that meet their condition.
    """
    if ending is not None and never_stuck:
        met = replace(ending, condition="") if conditioned else ending
        return [Claim("halts", PROVEN, verdict=met)]
    tested = test_halting(table)
    if tested and tested.answer == TESTED and ending is None:
        tested = tested._replace(reason=why)
    every_run_ends = Claim("every run ends", PROVEN, verdict=ending) if ending is not None else None
    return [claim for claim in (tested, every_run_ends) if claim]


def test_halting(table: Table) -> Claim | None:
    """On how many short inputs the agent halts.

    Where its output clause says `stuck`, nothing is asked; None if that is so on all of them.
    """
    language, rule = language_of(table), output_rule(table)
    assert language is not None
    tried = 0
    for text, done in short_runs(table, language):
        if rule and rule.acceptances and rule.expected(text) is Acceptance.STUCK:
            continue
        tried += 1
        if done.outcome == Outcome.BUDGET:
            return Claim(
                "halts", UNKNOWN, f"it still runs after {LIMITS.steps_of_a_result:,} steps", None, text
            )
        if done.outcome == Outcome.STUCK:
            return Claim("halts", REFUTED, "it is stuck", None, text)
    if not tried and rule and rule.acceptances:
        return None
    if not tried:
        return Claim("halts", UNKNOWN, "no short input was found that meets the condition")
    where = " where it should" if rule and Acceptance.STUCK in rule.acceptances else ""
    which = f"the {tried:,} shortest inputs" if tried > 1 else "its shortest input"
    return Claim("halts", TESTED, tried=f"on {which}{where}")
