"""Conditions of inputs that finite machines decide: `where a > 0`, `where length(a) mod 2 == 0`."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.proofs.abstractions.input_automaton import InputRows, row_automaton
from compiler.proofs.clause_trees import condition_tree
from compiler.proofs.results.readings import (
    Node,
    Reading,
    State,
    Unsaid,
    check_readable,
    conjuncts,
    frozen,
    parts_of,
)
from compiler.proofs.results.verdict_readings import Facts, Monitor
from gridlang.clauses.outputs import OutputRule
from gridlang.clauses.position_automaton import members
from gridlang.table import Table


class ConditionMachine:
    """All parts of a condition that can be counted along an input; others are left out."""

    def __init__(self, rule: OutputRule, conditions: list[Node]) -> None:
        self.conditions = conditions
        self.monitors = [_monitor(rule, condition) for condition in conditions]
        self.start: tuple[Facts, ...] = tuple(monitor.starts() for monitor in self.monitors)
        self._part_of = parts_of(rule.language)

    def after(self, facts: tuple[Facts, ...], positions: int, symbol: str) -> tuple[Facts, ...]:
        """What is known after a symbol that leads to these positions of the clause."""
        parts = {self._part_of[position] for position in members(positions)}
        if len(parts) > 1:
            raise Unsaid(f"it cannot be told which part a `{symbol}` belongs to before the input has ended")
        return self.read(facts, parts.pop(), symbol)

    def read(self, facts: tuple[Facts, ...], part: int, symbol: str) -> tuple[Facts, ...]:
        """What is known after a symbol of a part."""
        return tuple(
            monitor.after(known, part, symbol) for monitor, known in zip(self.monitors, facts, strict=True)
        )

    def met(self, facts: tuple[Facts, ...]) -> bool:
        """Whether an input that ends here meets the conditions."""
        return all(monitor.text(known) == "1" for monitor, known in zip(self.monitors, facts, strict=True))

    def restricted(self, reading: Reading) -> Reading:
        """A transducer that ends only where the conditions are met."""

        def step(state: State, part: int, symbol: str) -> Iterator[tuple[State, int]]:
            inner, facts = state
            later = self.read(facts, part, symbol)
            return (((after, later), wanted) for after, wanted in reading.step(inner, part, symbol))

        def ended(state: State) -> tuple[int, ...] | None:
            return reading.ended(state[0]) if self.met(state[1]) else None

        starts = tuple(((state, self.start), left) for state, left in reading.starts)
        return Reading(starts, step, ended, reading.left, reading.numeric)


def condition_machine(rule: OutputRule | None, *others: Node) -> ConditionMachine | None:
    """The machine of the condition of a clause's inputs; None if nothing of it can be counted.

    Inputs may have to meet `others` as well; Unsaid for one that cannot be counted.
    """
    tree = rule and condition_tree(rule.language)
    if rule is None or (tree is None and not others):
        return None
    known = [condition for condition in conjuncts(frozen(tree)) if tree and _is_known(rule, condition)]
    known += others
    return ConditionMachine(rule, known) if known else None


def _is_known(rule: OutputRule, condition: Node) -> bool:
    try:
        _monitor(rule, condition)
    except Unsaid:
        return False
    return True


def _monitor(rule: OutputRule, condition: Node) -> Monitor:
    check_readable(rule, condition)
    monitor = Monitor(rule, ("if", condition, "1", "0"))
    if any(node[0] == "value" for node in monitor.nodes):
        raise Unsaid("it is the value of an input that may be no expression")
    return monitor


def conditioned_rows(
    table: Table, rule: OutputRule | None, machine: ConditionMachine | None
) -> InputRows | None:
    """The inputs that meet their condition, as worlds; None if there is none, or too many to tell apart."""
    if rule is None or machine is None:
        return None
    try:
        automaton = row_automaton(rule.language, table.symbols, machine)
    except Unsaid:
        return None
    return automaton and InputRows(rule.language, table.symbols, automaton)
