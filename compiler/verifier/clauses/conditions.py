"""The part of `verify` that knows conditions of inputs, as far as finite machines decide them.

A table may have a condition, `where`: an expression as in `outputs`. A declared input is then a text
of the input clause that meets it. Of conditions that must all hold, those are used that compare remainders,
or sums of numbers, lengths and counts with a number, as in (R2). Without the others there are more inputs,
and the claim is shown of these as well. The states of the clause are read together with what is known of the
quantities, and an input ends only where the conditions hold.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import Node, OutputClause, conjuncts
from gridlang.compiler.verifier.clauses.verdicts import Quantities
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.reaching import leading_to
from gridlang.compiler.verifier.tables import Rules, Wrong, check


def declared(left: Rules) -> InputClause:
    """The clause of LEFT's inputs, with its condition if it has one."""
    return InputClause(left) if left.where is None or left.output is None else ConditionedClause(left)


class ConditionedClause(InputClause):
    """A clause whose states are also numbers of what is known, above the bits of its own states."""

    def __init__(self, left: Rules) -> None:
        super().__init__(left)
        # The digits are the clause's own; what it leaves may be of any form.
        clause = OutputClause(left._replace(output={**left.output, "value": 0}), self)
        self.conditions: list[Node] = []
        for tree in conjuncts(left.where):
            with suppress(Wrong):
                self.conditions.append(counted_condition(clause, tree))
        self.counted = Quantities(clause)
        for node in self.conditions:
            self.counted.look_at_condition(node)
        self.counted.check_size()
        self._above = len(self.silent)
        self._known: list[Any] = [self.counted.zeros()]
        self._number = {self._known[0]: 0}
        self._live = self._goes_on_to_an_end()

    def step(self, here: int, symbol: str) -> int:
        there = self._counted(here, symbol)
        return there if there in self._live else 0

    def _counted(self, here: int, symbol: str) -> int:
        """The states after a symbol, though no input that meets the conditions may begin so."""
        there = super().step(here, symbol)
        if not there:
            return 0
        part, counted = self.part_read(here, symbol), self.counted
        before = zip(counted.quantities, self._known[here >> self._above], strict=True)
        values = tuple(counted.counted(quantity, value, part, symbol) for quantity, value in before)
        if values not in self._number:
            self._number[values] = len(self._known)
            self._known.append(values)
            check(len(self._known) <= LIMITS.column_sets, "left", "its condition has too many states")
        return there | self._number[values] << self._above

    def _goes_on_to_an_end(self) -> set[int]:
        """The states from which some input comes to its end."""
        onward: dict[int, set[int]] = {}
        for here in (work := [self.start()]):
            if here not in onward:
                onward[here] = {self._counted(here, symbol) for symbol in self.reading} - {0}
                work += onward[here]
            check(len(onward) <= LIMITS.column_sets, "left", "its condition has too many states")
        return leading_to(filter(self.may_end, onward), onward)

    def may_end(self, here: int) -> bool:
        values = self._known[here >> self._above]
        return super().may_end(here) and all(self.counted.holds(values, node) for node in self.conditions)


def counted_condition(clause: OutputClause, tree: Any) -> Node:
    """A condition that can be counted; Wrong for another."""
    clause.size = 0  # Each may be as long as a clause.
    node, counted = clause.read(tree), Quantities(clause)
    counted.look_at_condition(node)
    counted.check_size()
    has_value = any(kind == "value" for kind, *_ in counted.quantities)
    check(not has_value, "left", "its condition is of the value of an input that may be no expression")
    return node
