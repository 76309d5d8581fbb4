"""Which invariants an output clause is proven by: of words in which letters cancel, or of values."""

from __future__ import annotations

from importlib.util import find_spec

from gridlang.clauses.clause_tree import operator_of
from gridlang.compiler.proofs.results.claims import WITHOUT_NUMPY
from gridlang.compiler.proofs.results.readings import Unsaid, check_readable
from gridlang.compiler.proofs.values.clause_goals import wanted_values
from gridlang.compiler.proofs.values.output_task import Evidence, OutputTask
from gridlang.compiler.proofs.values.reduced.goals import is_of_reduced_words
from gridlang.compiler.proofs.values.reduced.proofs import reduced_evidence


def conditioned_evidence(task: OutputTask) -> Evidence:
    """The same by the condition of the inputs, and branch by branch."""
    if find_spec("numpy") is None:
        raise Unsaid(WITHOUT_NUMPY)
    from gridlang.compiler.proofs.values.conditions.branch_proofs import conditioned_evidence

    return conditioned_evidence(task)


def output_evidence(task: OutputTask) -> Evidence:
    """Evidence that its checker has accepted; Unsaid if none is found, and why.

    Nothing is said of other clauses that choose, or of a remainder: other proofs are for these.
    """
    node = task.rule.node
    check_readable(task.rule, node)
    if is_of_reduced_words(task.rule):
        return reduced_evidence(task)
    if operator_of(node) in ("if", "mod"):
        raise Unsaid("")
    wanted_values(task.table, task.rule)
    if find_spec("numpy") is None:
        raise Unsaid(WITHOUT_NUMPY)
    from gridlang.compiler.proofs.values.value_proofs import value_evidence

    return value_evidence(task)
