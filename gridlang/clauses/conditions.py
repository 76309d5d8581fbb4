"""The condition of an `input` clause: which of the texts of its form are inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gridlang.clauses.clause_values import NoValue, Reader
from gridlang.clauses.functions import TRUTH, check_names_in, counts, names_in
from gridlang.clauses.limits import LIMITS
from gridlang.clauses.output_kinds import Kinds
from gridlang.diagnostics import GridError
from gridlang.syntax import tree as s
from gridlang.syntax import unparse


class Condition(NamedTuple):
    """A checked condition, ready to be asked; it is false where it has no value, as in `a mod 0 == 1`."""

    clause: str
    node: s.Expr
    members: Mapping[str, str]  # the class of each part, if it has just one
    digits: str
    symbols: tuple[str, ...]
    classes: Mapping[str, str]

    def holds(self, parts: Mapping[str, str]) -> bool:
        """Whether the texts of the parts meet it."""
        try:
            return Reader(self.members, self.digits, self.symbols, parts, self.classes).truth(self.node)
        except NoValue:
            return False

    def values(self, parts: Mapping[str, str]) -> str:
        """What the parts that it speaks of hold: `a = 3, b = 12`."""
        named = dict.fromkeys(node.name for node in names_in(self.node))
        return ", ".join(f"{name} = {_short(parts[name])}" for name in named)


def _short(text: str) -> str:
    return (text if len(text) <= LIMITS.longest_shown else f"{text[: LIMITS.longest_shown]}…") or "(empty)"


def make_condition(
    node: s.Expr,
    members: Mapping[str, str],
    classes: Mapping[str, str],
    symbols: tuple[str, ...],
    values: Mapping[str, int] | None = None,
) -> Condition:
    """Infers kinds; GridError where the condition makes no sense.

    Constants have `values` where the condition is that of a file, whose names are known to be right.
    """
    known = [name for name in members if name]
    complaints = [] if values is not None else list(check_names_in(node, known, classes))
    if complaints:
        raise GridError(complaints)
    checker = Kinds(members, values or {}, classes, symbols)
    if checker.kind(node) != TRUTH and not checker.diagnostics:
        checker.error("`where` needs a condition", node, "compare something, as in `where a >= b`")
    counting = [members[name] for name in known if name in checker.used and counts(members[name])]
    digits = next(iter([*counting, *filter(counts, classes.values())]), "")
    checker.check_digits(digits)
    if checker.diagnostics:
        raise GridError(checker.diagnostics)
    return Condition(unparse.expression(node, values or {}), node, members, digits, symbols, classes)
