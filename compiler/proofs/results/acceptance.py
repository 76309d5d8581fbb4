"""Acceptors: that an agent halts where its output clause says `accept`, and is stuck where it says `stuck`.

By (V14) in `compiler/verifier/acceptance`: where the clause says `stuck` the agent never halts, as it is
never stuck once the two are exchanged.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from gridlang.clauses.clause_tree import Constant, Node, Operation, operation
from gridlang.clauses.outputs import OutputRule
from gridlang.compiler.proofs.abstractions.grains import grains, strip_evidence, widened
from gridlang.compiler.proofs.clause_data import as_data
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.joint_step import NEVER
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid, as_checked
from gridlang.compiler.proofs.values.output_task import OutputTask
from gridlang.compiler.verifier.clauses.conditions import counted_condition
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import OutputClause
from gridlang.compiler.verifier.strips import check_strips
from gridlang.compiler.verifier.tables import Wrong
from gridlang.table import STAY, Entry, Table


def acceptance_verdict(table: Table, rule: OutputRule, ending: Verdict) -> tuple[Verdict | None, str]:
    """A proof that every run ends as the clause says, given one that it ends; or why there is none."""
    try:
        accepts = _accepts(rule.node)
        halves = {}
        for name, agent, condition in (
            ("accept", table, accepts),
            ("stuck", ending_otherwise(table), operation("not", accepts)),
        ):
            halves[name] = _half(agent, rule, condition)
            if halves[name] is None:
                end = {"accept": "halts", "stuck": "is stuck"}[name]
                return None, f"no proof was found that it {end} where the clause says so"
    except Unsaid as unsaid:
        return None, str(unsaid)
    total = ending.total._replace(output={"kind": "acceptance", **halves})
    conditioned = rule.language.condition is not None
    return replace(ending, output=True, total=total, condition="", conditioned=conditioned), ""


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


def _accepts(node: Node) -> Node:
    """The condition under which a clause says `accept`."""
    match node:
        case Operation("accept" | "stuck" as verdict):
            return operation("==" if verdict == "accept" else "!=", Constant(0), Constant(0))
        case Operation("if", (condition, one, other)):
            met = operation("and", condition, _accepts(one))
            return operation("or", met, operation("and", operation("not", condition), _accepts(other)))
    raise Unsaid("the clause has results beside `accept` and `stuck`")


def _half(table: Table, rule: OutputRule, condition: Node) -> dict[str, Any] | None:
    """Evidence that the agent is never stuck on inputs that meet a condition: a strip, or inequalities."""
    try:
        strip, why = _never_stuck(table, rule, condition), None
    except Unsaid as unsaid:
        strip, why = None, unsaid
    if strip is not None or find_spec("numpy") is None:
        return strip
    from gridlang.compiler.proofs.values.conditions.inequality_proofs import never_stuck_evidence

    own = rule.language.condition
    where = condition if own is None else operation("and", own.node, condition)
    try:
        return never_stuck_evidence(OutputTask(table, rule, where=where))
    except Unsaid:
        if why is not None:
            raise why from None
        return None


def _never_stuck(table: Table, rule: OutputRule, condition: Node) -> dict[str, Any] | None:
    """A strip that shows that the agent is never stuck on inputs that meet a condition, and their own."""
    left, asked = as_checked(table, rule.language.condition is not None), as_data(rule, condition)
    try:
        counted_condition(
            OutputClause(left._replace(output={**left.output, "value": 0}), InputClause(left)), asked
        )
    except Wrong as wrong:
        raise Unsaid(str(wrong).replace("its output clause", "the clause")) from None
    where = asked if left.where is None else ["and", left.where, asked]
    half, most = left._replace(where=where), LIMITS.most_strip_nodes
    for tried in grains(table):
        with suppress(Wrong):
            _, grain = widened(
                lambda grain: check_strips(half, half, "inputs", strip_evidence(grain), NEVER, most),
                tried._replace(met=True),
            )
            return strip_evidence(grain)
    return None
