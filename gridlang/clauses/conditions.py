"""The condition of an `input` clause, which excludes texts of its form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gridlang.clauses.clause_lowering import ClauseLowering, PartOfClause, Values, bases_of
from gridlang.clauses.clause_tree import Node, Part, nodes_in
from gridlang.clauses.clause_values import Evaluator, NoValue
from gridlang.clauses.functions import TRUTH, check_names_in, counts
from gridlang.diagnostics import GridError
from gridlang.syntax import tree as s
from gridlang.syntax import unparse

LONGEST_SHOWN = 40  # symbols of a part in a message


class Condition(NamedTuple):
    """A checked condition; it is false where it has no value, as in `a mod 0 == 1`."""

    clause: str
    node: Node
    names: tuple[str, ...]  # of the parts
    symbols: tuple[str, ...]

    def holds(self, parts: Sequence[str]) -> bool:
        try:
            return bool(Evaluator(parts, self.symbols).value(self.node))
        except NoValue:
            return False

    def values(self, parts: Sequence[str]) -> str:
        """The values of the parts in the condition: `a = 3, b = 12`."""
        named = dict.fromkeys(node.index for node in nodes_in(self.node) if isinstance(node, Part))
        shown = {index: parts[index][:LONGEST_SHOWN] or "(empty)" for index in named}
        cut = {index: "…" if len(parts[index]) > LONGEST_SHOWN else "" for index in named}
        return ", ".join(f"{self.names[index]} = {shown[index]}{cut[index]}" for index in named)


def make_condition(
    node: s.Expr,
    parts: Sequence[PartOfClause],
    classes: Sequence[str],
    symbols: tuple[str, ...],
    values: Values | None = None,
) -> Condition:
    """GridError where the condition makes no sense.

    Constants have `values` where the condition is that of a file, whose names are known to be right.
    """
    names = tuple(name for name, _ in parts)
    complaints = [] if values is not None else list(check_names_in(node, list(filter(None, names))))
    if complaints:
        raise GridError(complaints)
    digits = next(iter([*bases_of(node, parts), *filter(counts, classes)]), "")
    lowering = ClauseLowering(parts, values or {}, digits)
    made = lowering.typed(node)
    if made.kind != TRUTH and not lowering.diagnostics:
        lowering.error("`where` needs a condition", node, "compare something, as in `where a >= b`")
    for written in () if digits else lowering.written:
        lowering.no_digits(written)
    if lowering.diagnostics:
        raise GridError(lowering.diagnostics)
    return Condition(unparse.expression(node, values or {}), made.node, names, symbols)
