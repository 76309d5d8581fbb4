"""Clauses that proofs are about, as their checkers read them."""

from __future__ import annotations

from gridlang.clauses.clause_tree import Node, Operation, Part, nodes_in
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule
from gridlang.clauses.position_automaton import cells_in
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.clause_data import has_plain_digits
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.verifier.clauses.conditions import ConditionedClause, declared
from gridlang.compiler.verifier.tables import Rules, Wrong, rules_of
from gridlang.table import BLANK, Table


class Unsaid(Exception):
    """The clause cannot be said column by column, and why."""


def clause_node(rule: OutputRule) -> Node:
    """The tree of a clause; Unsaid for one that checkers do not read."""
    if rule.acceptances:
        raise Unsaid("`accept` and `stuck` say how a run ends, not what it leaves")
    check_readable(rule, rule.node)
    return rule.node


def check_readable(rule: OutputRule, node: Node) -> None:
    """Unsaid for an expression that checkers find too long, or symbols that they count otherwise or not."""
    if sum(not isinstance(inner, Part) for inner in nodes_in(node)) > LIMITS.most_clause_nodes:
        raise Unsaid("the clause is too long")
    if not has_plain_digits(rule, node):
        raise Unsaid("the clause has numbers in other digits than those of the input")
    for members in (*(part.members for part in rule.language.parts), rule.digits):
        if len(set(members)) != len(members):
            raise Unsaid(f"the class of `{members}` has a symbol twice")
        if members[:10] == "0123456789" and not members.isascii():
            raise Unsaid(f"the class of `{members}` counts on with letters that are not ASCII")
    if BLANK in rule.digits:
        raise Unsaid("the blank is one of the digits")


def conjuncts(condition: Node) -> list[Node]:
    """The conditions whose conjunction is this one."""
    if isinstance(condition, Operation) and condition.operator == "and":
        return [inner for side in condition.operands for inner in conjuncts(side)]
    return [condition]


def parts_of(language: InputLanguage) -> list[int]:
    """The part of each position of the clause."""
    return [index for index, part in enumerate(language.parts) for _ in range(cells_in(part.piece))]


def as_checked(table: Table, conditioned: bool = False) -> Rules:
    """A table as its checker has it: with its clauses, and the condition of its inputs if that is used."""
    return rules_of(certified_table(table, conditioned), "left", None)


def counts_condition(left: Rules) -> bool:
    """Whether inputs have a condition of which something can be counted along them."""
    try:
        clause = declared(left)
    except Wrong:
        return False
    return isinstance(clause, ConditionedClause) and bool(clause.conditions)
