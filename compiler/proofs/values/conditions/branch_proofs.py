"""Proofs of outputs by the condition of the inputs; of clauses that choose, branch by branch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gridlang.clauses.conditions import Condition
from gridlang.compiler.proofs.clause_trees import condition_tree
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.proofs.results.verdict_readings import condition_machine
from gridlang.compiler.proofs.values.output_task import Evidence, OutputTask
from gridlang.compiler.proofs.values.value_proofs import value_evidence
from gridlang.compiler.verifier.branches import branches
from gridlang.compiler.verifier.tables import Wrong
from gridlang.syntax import tree as s


def conditioned_evidence(task: OutputTask) -> Evidence:
    """Evidence that its checker has accepted; Unsaid if none is found, and why."""
    task = task._replace(where=condition_tree(task.rule.language))
    if not isinstance(task.rule.node, s.Conditional):
        return value_evidence(task)
    try:
        list(branches(task.left))  # whether the checker reads what the clause chooses by
    except Wrong as wrong:
        raise Unsaid(str(wrong)) from None
    then, otherwise = map(conditioned_evidence, _branches(task, task.rule.node))
    return {"kind": "branches", "then": then, "otherwise": otherwise}


def _branches(task: OutputTask, node: s.Conditional) -> Iterator[OutputTask]:
    """Each branch as a clause of its own, on inputs for which it is chosen."""
    rule, language = task.rule, task.rule.language
    members = {part.name: part.members for part in language.parts if part.name}
    contrary = s.Unary(node.span, "not", node.condition)
    for value, chosen in ((node.then, node.condition), (node.otherwise, contrary)):
        own = language.condition
        both = s.Binary(node.span, "and", own.node, chosen) if own else chosen
        met = Condition(own.clause if own else "", both, members, rule.digits, rule.symbols, rule.classes)
        branch = rule._replace(node=value, language=replace(language, condition=met))
        yield task._replace(rule=branch, machine=condition_machine(branch))
