"""The part of `verify` that splits a claim about a clause that chooses into one for each branch.

(V17) Theorem, branches. Let LEFT's output clause be `x if c else y`, where c has comparisons of numbers, put
      together with `and`, `or` and `not`; a number is one in the clause, that of a part, its length, the
      count of a text in it, or a sum, difference or product of these, or one divided by a number that is
      not 0, with or without its remainder. Let evidence show that LEFT, where it halts, leaves x on declared
      inputs for which c holds, and y on those for which it does not: LEFT with c, or its contrary, as one
      more condition of its inputs.
      Then it leaves what its output clause says: on every declared input c has a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import COMPARISONS, Node, OutputClause
from gridlang.compiler.verifier.tables import Rules, check


def branches(left: Rules) -> Iterator[Rules]:
    """LEFT with its clause and inputs, for either choice."""
    tree: Any = left.output["value"] if isinstance(left.output, dict) and "value" in left.output else None
    chooses = isinstance(tree, list) and len(tree) == 4 and tree[0] == "if"
    check(chooses, "left", "its output clause has no branches")
    _, condition, one, other = tree
    clause = OutputClause(left._replace(output={**left.output, "value": 0}), InputClause(left))
    check(_has_value(clause.read(condition)), "left", "its output clause chooses by what may have no value")
    yield _where(left, condition, one)
    yield _where(left, ["not", condition], other)


def _where(left: Rules, condition: Any, value: Any) -> Rules:
    both = condition if left.where is None else ["and", left.where, condition]
    return left._replace(where=both, output={**left.output, "value": value})


def _has_value(node: Node) -> bool:
    if node[0] in ("and", "or", "not"):
        return all(map(_has_value, node[1:]))
    return node[0] in COMPARISONS and all(map(_is_number, node[1:]))


def _is_number(node: Node) -> bool:
    if node[0] in ("+", "-", "*"):
        return all(map(_is_number, node[1:]))
    if node[0] in ("div", "mod"):
        return all(map(_is_number, node[1:])) and node[2][0] == "constant" and node[2][1] != 0
    if node[0] == "constant":
        return not isinstance(node[1], str)
    return node[0] in ("number", "backwards", "length", "count")
