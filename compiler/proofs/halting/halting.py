"""Whether every run of an agent on a declared input ends: a strip of it, and a ranking of its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from compiler.automata.explore import TooLarge
from compiler.proofs.abstractions.columns import columns_of
from compiler.proofs.abstractions.strip_labels import strip_details
from compiler.proofs.abstractions.strips import LEFT_SIDE, StripAnalysis, strip_analysis, strip_evidence
from compiler.proofs.equivalence import Total, Verdict
from compiler.proofs.halting.rankings import Ranking, Unranked, ranking
from compiler.proofs.halting.strip_steps import alike, merged, strip_steps
from compiler.proofs.joint_step import NEVER, UNASKED
from compiler.proofs.prove import declared_inputs
from gridlang.table import Table


def prove_halting(
    table: Table, progress: Callable[[int], None] = lambda _: None
) -> tuple[Verdict | None, str]:
    """A proof that every run on a declared input ends, or why there is none.

    Its evidence is a strip of the agent against itself; where that has no stuck branch, it also shows that
    the agent is never stuck.
    """
    reason = "no strip was found"
    for analysis in _strips(table, progress):
        steps = strip_steps(analysis)
        blocks = alike(len(analysis.nodes), steps)
        try:
            found = ranking(max(blocks) + 1, merged(steps, blocks))
        except Unranked:
            reason = "no ranking was found"
            continue
        evidence = {"strip": None, "ranking": _ranking_evidence(found, blocks)}
        return _verdict(analysis, Total(halting=evidence)), ""
    return None, reason


def with_halting(verdict: Verdict, ending: Verdict) -> Verdict:
    """A verdict that also says what another one shows of LEFT alone: that every run of it ends."""
    assert ending.total.halting is not None
    halting = {**ending.total.halting, "strip": ending.evidence}
    return replace(verdict, total=verdict.total._replace(halting=halting))


def _verdict(analysis: StripAnalysis, total: Total) -> Verdict:
    return Verdict(
        True,
        "inputs",
        len(analysis.nodes),
        analysis.stuck,
        radius=analysis.detail.depth,
        evidence=strip_evidence(analysis),
        total=total,
        stuck=UNASKED if analysis.stuck else NEVER,
    )


def _strips(table: Table, progress: Callable[[int], None]) -> Iterator[StripAnalysis]:
    automaton = declared_inputs(table).automaton
    for detail in strip_details(table):
        columns = columns_of(automaton, detail.ahead)
        try:
            analysis = strip_analysis(table, table.rows, columns, detail, progress=progress)
        except TooLarge:
            continue
        if analysis is not None and not any(leg.steps for leg in analysis.descents.values()):
            yield analysis


def _ranking_evidence(found: Ranking, blocks: list[int]) -> dict[str, Any]:
    """The ranking as it stands in a certificate: each rank once."""
    numbers: dict[tuple[int, ...], int] = {}
    elements = [numbers.setdefault(found.ranks[block], len(numbers)) for block in blocks]
    weights = [
        (component, -1 if side == LEFT_SIDE else 1, coarse, weight)
        for component, counters in found.counters.items()
        for (side, coarse), weight in sorted(counters.items())
    ]
    return {"ranks": list(numbers), "elements": elements, "weights": weights}
