"""Acceptors: that an agent halts where its output clause says `accept`, and is stuck where it says `stuck`.

By (V14) in `compiler/verifier/claims`: where the clause says `stuck` the agent never halts, as it is never
stuck once the two are exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from gridlang.clauses.clause_tree import Node, Operation, operation
from gridlang.clauses.outputs import OutputRule
from gridlang.compiler.proofs.abstractions.grains import grains, strip_evidence, widened
from gridlang.compiler.proofs.clause_data import as_data
from gridlang.compiler.proofs.equivalence import Never, Verdict
from gridlang.compiler.proofs.joint_step import NEVER
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid, as_checked
from gridlang.compiler.proofs.values.conditions.inequality_proofs import never_stuck_evidence
from gridlang.compiler.proofs.values.output_task import OutputTask
from gridlang.compiler.verifier.clauses.conditions import counted_condition
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import OutputClause, conjuncts
from gridlang.compiler.verifier.strips import check_strips
from gridlang.compiler.verifier.tables import Wrong
from gridlang.table import STAY, Entry, Table


def acceptance_verdict(table: Table, rule: OutputRule, ending: Verdict) -> tuple[Verdict | None, str]:
    """A proof that every run ends as the clause says, given one that it ends; or why there is none."""
    never = list[Never]()
    try:
        for end, condition, assume in _cases(rule.node):
            agent = table if end == "accept" else ending_otherwise(table)
            evidence = _half(agent, rule, condition)
            if evidence is None:
                ends = {"accept": "halts", "stuck": "is stuck"}[end]
                return None, f"no proof was found that it {ends} where the clause says so"
            never.append(Never(("wrong",), evidence, assume))
    except Unsaid as unsaid:
        return None, str(unsaid)
    conditioned = rule.language.condition is not None
    shown = (*ending.never, *never)
    return replace(ending, output=True, accepts=True, never=shown, condition="", conditioned=conditioned), ""


def _cases(
    node: Node, condition: Node | None = None, assume: tuple[bool, ...] = ()
) -> Iterator[tuple[str, Node | None, tuple[bool, ...]]]:
    """What a clause says of how runs end, under which condition, and how it chooses that."""
    match node:
        case Operation("accept" | "stuck" as end):
            yield end, condition, assume
        case Operation("if", (chosen, *branches)):
            for way, branch in zip((True, False), branches, strict=True):
                own = chosen if way else operation("not", chosen)
                both = own if condition is None else operation("and", condition, own)
                yield from _cases(branch, both, (*assume, way))
        case _:
            raise Unsaid("the clause has results beside `accept` and `stuck`")


def ending_otherwise(table: Table) -> Table:
    """The agent that halts where this one is stuck, and is stuck where it halts."""

    def entry(state: int, symbol: int) -> Entry | None:
        known = table.rows[state][symbol]
        if known is None:
            return Entry(symbol, STAY, state)
        return None if known.is_idle(symbol) else known

    symbols = range(len(table.symbols))
    rows = tuple(tuple(entry(state, symbol) for symbol in symbols) for state in range(len(table.states)))
    return replace(table, rows=rows)


def _half(table: Table, rule: OutputRule, condition: Node | None) -> dict[str, Any] | None:
    """Evidence that the agent is never stuck on inputs that meet a condition: a strip, or inequalities."""
    try:
        strip, why = _never_stuck(table, rule, condition), None
    except Unsaid as unsaid:
        strip, why = None, unsaid
    if strip is not None:
        return strip
    own = rule.language.condition and rule.language.condition.node
    where = operation("and", own, condition) if own and condition else own or condition
    try:
        return never_stuck_evidence(OutputTask(table, rule, where=where))
    except Unsaid:
        if why is not None:
            raise why from None
        return None


def _never_stuck(table: Table, rule: OutputRule, condition: Node | None) -> dict[str, Any] | None:
    """A strip that shows that the agent is never stuck on inputs that meet a condition, and their own."""
    half, most = as_checked(table, rule.language.condition is not None), LIMITS.most_strip_nodes
    if condition is not None:
        asked, clause = as_data(rule, condition), half._replace(output={**half.output, "value": 0})
        try:
            for each in conjuncts(asked):
                counted_condition(OutputClause(clause, InputClause(half)), each)
        except Wrong as wrong:
            raise Unsaid(str(wrong).replace("its output clause", "the clause")) from None
        half = half._replace(where=asked if half.where is None else ["and", half.where, asked])
    for tried in grains(table):
        with suppress(Wrong):
            _, grain = widened(
                lambda grain: check_strips(half, half, "inputs", strip_evidence(grain), NEVER, most),
                tried._replace(met=True),
            )
            return strip_evidence(grain)
    return None
