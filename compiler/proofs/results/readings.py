"""Readings: transducers over the columns of an input, which say what an `output` clause wants in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from compiler.proofs.clause_trees import Tree, value_tree
from compiler.proofs.limits import LIMITS
from gridlang.clauses.clause_values import Reader, in_base
from gridlang.clauses.output_kinds import NUMBER, ORDER
from gridlang.clauses.outputs import OutputRule
from gridlang.syntax import tree as s
from gridlang.table import BLANK

NOTHING = -2  # a column where no symbol is wanted
LEADING = -1  # a column to the left of a number, where a 0 may stand
State = Any


class Unsaid(Exception):
    """The clause cannot be said column by column, and why."""


class Reading(NamedTuple):
    """A transducer over the columns of an input; what is wanted is a symbol, LEADING or NOTHING.

    `starts` has states, each with what is wanted to the left of the input, the nearest column first; `left`
    is what is wanted beyond that.
    """

    starts: tuple[tuple[State, tuple[int, ...]], ...]
    step: Callable[[State, int, str], Iterable[tuple[State, int]]]  # state, part, symbol: next, wanted
    ended: Callable[[State], tuple[int, ...] | None]  # what is wanted after the end; None if it cannot end
    left: int
    numeric: bool


def check_clause(rule: OutputRule) -> None:
    """Unsaid for a clause that checkers do not read, or read otherwise."""
    if rule.acceptances:
        raise Unsaid("`accept` and `stuck` say how a run ends, not what it leaves")
    if _size(value_tree(rule)) > LIMITS.most_clause_nodes:
        raise Unsaid("it is too long")
    _check_classes(rule)


def _size(tree: Tree) -> int:
    """The nodes of a clause as checkers count them."""
    return 1 + sum(map(_size, tree[1:])) if isinstance(tree, list) and tree[0] != "part" else 1


def _check_classes(rule: OutputRule) -> None:
    """Unsaid where a number could be read in two ways, or where its digits cannot be seen."""
    for members in (*(part.members for part in rule.language.parts), rule.digits):
        if len(set(members)) != len(members):
            raise Unsaid(f"the class of `{members}` has a symbol twice")
        if members[:10] == "0123456789" and not members.isascii():
            raise Unsaid(f"the class of `{members}` counts on with letters that are not ASCII")
    if BLANK in rule.digits:
        raise Unsaid("a blank is a digit")


def check_number(*numbers: int) -> None:
    """Unsaid for numbers that would take too many states."""
    if max(numbers) > LIMITS.largest_number:
        raise Unsaid(f"it has a number above {LIMITS.largest_number:,}")


def conditions_of(node: s.Expr) -> Iterator[s.Expr]:
    """The conditions between which a clause chooses."""
    if isinstance(node, s.Conditional):
        yield node.condition
        yield from conditions_of(node.then)
        yield from conditions_of(node.otherwise)


def comparisons_in(node: s.Expr) -> Iterator[s.Binary]:
    """The comparisons that a condition is made of; Unsaid for one of another form."""
    if isinstance(node, s.Unary):
        yield from comparisons_in(node.operand)
    elif isinstance(node, s.Binary) and node.op in ("and", "or"):
        yield from comparisons_in(node.left)
        yield from comparisons_in(node.right)
    elif isinstance(node, s.Binary) and node.op in ("==", "!=", *ORDER):
        yield node
    else:
        raise Unsaid("it has a condition of another form")


def result_text(rule: OutputRule, reader: Reader, node: s.Expr) -> str:
    """What one branch of a clause leaves."""
    if rule.kind == NUMBER:
        return in_base(reader.number(node), rule.digits)
    return reader.text(node).strip(BLANK)
