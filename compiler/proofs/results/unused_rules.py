"""Claims about an agent without the rules that no declared input uses, as its condition shows.

Without them it may be seen to halt, or to leave what its clause says, where it would not otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from gridlang.clauses.outputs import OutputRule
from gridlang.compiler.proofs.equivalence import Never, Verdict
from gridlang.compiler.proofs.joint_step import NEVER
from gridlang.compiler.proofs.results.claims import Claim, short_runs
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.table import Table


def without(table: Table, pairs: Collection[tuple[int, int]]) -> Table:
    """The agent with no rule for these states and symbols."""
    rows = (
        tuple(None if (state, symbol) in pairs else entry for symbol, entry in enumerate(row))
        for state, row in enumerate(table.rows)
    )
    return replace(table, rows=tuple(rows))


def without_unused(table: Table, rule: OutputRule) -> Table:
    """The agent without rules that no run on short inputs fires."""
    used = {pair for _, done in short_runs(table, rule.language) for pair in done.profile or ()}
    return without(table, {(state, symbol) for state, symbol, _ in table.entries()} - used)


def as_shown(table: Table, claims: Iterable[Claim]) -> Table:
    """The agent that claims are shown of: without rules, if these leave some out."""
    never = (each for claim in claims if claim.verdict is not None for each in claim.verdict.never)
    unused = {rule for each in never for rule in each.ends if not isinstance(rule, str)}
    return without(table, unused) if unused else table


def never_stuck_verdict(
    alone: Verdict | None,
    table: Table,
    fewer: Table,
    rule: OutputRule,
) -> Verdict | None:
    """A verdict about an agent, by one about it with fewer rules or all, if with these it is never stuck.

    That is seen by what would be below 0 where it were.
    """
    if alone is None:
        return None
    from gridlang.compiler.proofs.values.conditions.inequality_proofs import never_stuck_evidence
    from gridlang.compiler.proofs.values.output_task import OutputTask

    where = rule.language.condition and rule.language.condition.node
    try:
        stuck = never_stuck_evidence(OutputTask(fewer, rule, where=where))
    except Unsaid:
        return None
    kept = {(state, symbol) for state, symbol, _ in fewer.entries()}
    unused = [(state, symbol) for state, symbol, _ in table.entries() if (state, symbol) not in kept]
    never = (Never(("stuck", *unused), stuck),)
    return replace(alone, stuck=NEVER, never=never, condition="", conditioned=where is not None)
