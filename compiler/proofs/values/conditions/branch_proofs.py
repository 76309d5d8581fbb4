"""Proofs of outputs by the condition of the inputs; of clauses that choose, branch by branch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gridlang.clauses.clause_tree import Operation, operation
from gridlang.clauses.conditions import Condition
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.proofs.results.verdict_readings import condition_machine
from gridlang.compiler.proofs.values.output_task import Evidence, OutputTask
from gridlang.compiler.proofs.values.value_proofs import value_evidence
from gridlang.compiler.verifier.branches import branches
from gridlang.compiler.verifier.tables import Wrong


def conditioned_evidence(task: OutputTask) -> Evidence:
    """Evidence that its checker has accepted; Unsaid if none is found, and why."""
    condition, node = task.rule.language.condition, task.rule.node
    task = task._replace(where=condition and condition.node)
    if not (isinstance(node, Operation) and node.operator == "if"):
        return value_evidence(task)
    try:
        list(branches(task.left))  # whether the checker reads what the clause chooses by
    except Wrong as wrong:
        raise Unsaid(str(wrong)) from None
    then, otherwise = map(conditioned_evidence, _branches(task, node))
    return {"kind": "branches", "then": then, "otherwise": otherwise}


def _branches(task: OutputTask, node: Operation) -> Iterator[OutputTask]:
    """Each branch as a clause of its own, on inputs for which it is chosen."""
    rule, language = task.rule, task.rule.language
    condition, then, otherwise = node.operands
    for value, chosen in ((then, condition), (otherwise, operation("not", condition))):
        own = language.condition
        both = operation("and", own.node, chosen) if own else chosen
        met = Condition(own.clause if own else "", both, (), rule.symbols)
        branch = rule._replace(node=value, language=replace(language, condition=met))
        yield task._replace(rule=branch, machine=condition_machine(branch))
