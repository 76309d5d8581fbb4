"""Output clauses by invariants of values, also branch by branch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gridlang.clauses.clause_tree import Operation, operation, operator_of
from gridlang.clauses.conditions import Condition
from gridlang.compiler.proofs.equivalence import Never
from gridlang.compiler.proofs.results.readings import Unsaid, check_readable, counts_condition
from gridlang.compiler.proofs.values.clause_goals import wanted_values
from gridlang.compiler.proofs.values.output_task import Evidence, OutputTask
from gridlang.compiler.proofs.values.value_proofs import value_evidence
from gridlang.compiler.verifier.claims import branches
from gridlang.compiler.verifier.tables import Wrong


def conditioned_evidence(task: OutputTask, assume: tuple[bool, ...] = ()) -> list[Never]:
    """The same by the condition of the inputs, and branch by branch where the clause chooses."""
    condition, node = task.rule.language.condition, task.rule.node
    task = task._replace(where=condition and condition.node)
    if not (isinstance(node, Operation) and node.operator == "if"):
        return [Never(("wrong",), value_evidence(task), assume)]
    try:
        branches(task.left)  # whether the checker reads what the clause chooses by
    except Wrong as wrong:
        raise Unsaid(str(wrong).replace("its output clause", "the clause")) from None
    then, otherwise = _branches(task, node)
    return [*conditioned_evidence(then, (*assume, True)), *conditioned_evidence(otherwise, (*assume, False))]


def _branches(task: OutputTask, node: Operation) -> Iterator[OutputTask]:
    """Each branch as a clause of its own, on inputs for which it is chosen."""
    rule, language = task.rule, task.rule.language
    condition, then, otherwise = node.operands
    for value, chosen in ((then, condition), (otherwise, operation("not", condition))):
        own = language.condition
        both = operation("and", own.node, chosen) if own else chosen
        met = Condition(own.clause if own else "", both, (), rule.symbols)
        branch = rule._replace(node=value, language=replace(language, condition=met))
        task = task._replace(rule=branch, where=both)
        yield task._replace(conditioned=counts_condition(task.left))


def output_evidence(task: OutputTask) -> Evidence:
    """Evidence that its checker has accepted; Unsaid if none is found, and why.

    Nothing is said of other clauses that choose, or of a remainder: other proofs are for these.
    """
    node = task.rule.node
    check_readable(task.rule, node)
    if operator_of(node) in ("if", "mod"):
        raise Unsaid("")
    wanted_values(task)
    return value_evidence(task)
