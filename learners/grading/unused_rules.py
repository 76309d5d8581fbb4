"""What the tests of a submission left out: rules that no run used, and pairs without a rule.

A mistake that shows on one long input alone sits behind a rule that no other input uses. So a submission is
compared with what the tests have seen of it: a difference is an input that leads to something new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from compiler.proofs.prove import quick_proof
from compiler.proofs.reach import input_to
from gridlang.table import STAY, Entry, Table
from learners.grading.limits import LIMITS

Pair = tuple[int, int]  # state, symbol


def inputs_to_unused_rules(table: Table, used: Callable[[], set[Pair]]) -> Iterator[str]:
    """Inputs that lead to pairs which are not `used` so far, until none is left or found.

    Whoever takes an input runs it before asking for the next.
    """
    tried: set[Pair] = set()
    while True:
        seen = used()
        new = [pair for pair in _unused(table, seen) if pair not in tried]
        if not new or len(tried) >= LIMITS.suspected_pairs:
            return
        if quick_proof(_halting_where_stuck(table, seen), _seen_of(table, seen), "inputs") is not None:
            return
        for pair in new[: LIMITS.suspected_pairs - len(tried)]:
            tried.add(pair)
            text = input_to(table, *pair) if pair not in used() else None
            if text is not None:
                yield text


def _unused(table: Table, seen: set[Pair]) -> list[Pair]:
    """Unused rules, those far from the start first, which show most on their way; then pairs without a rule.

    Of these only such as are in states that runs were in: elsewhere a rule is missed as well.
    """
    # States stand in the order in which the start leads to them.
    acting = [state for state in reversed(range(len(table.states))) if not table.halts_everywhere(state)]
    pairs = [(state, symbol) for state in acting for symbol in range(len(table.symbols))]
    unused = [pair for pair in pairs if pair not in seen]
    rules = [(state, symbol) for state, symbol in unused if table.rows[state][symbol]]
    known = {state for state, _ in seen}
    return rules + [(state, x) for state, x in unused if state in known and not table.rows[state][x]]


def _halting_where_stuck(table: Table, seen: set[Pair]) -> Table:
    """The agent with a halt where no run was stuck before, so that to be stuck there is a difference."""

    def entry(state: int, symbol: int, rule: Entry | None) -> Entry | None:
        return rule or (None if (state, symbol) in seen else Entry(symbol, STAY, state))

    return _with_rules(table, entry)


def _seen_of(table: Table, seen: set[Pair]) -> Table:
    """The agent with the rules that were used; in a state that halts on everything, one tells of all."""
    halts = {state for state in range(len(table.states)) if table.halts_everywhere(state)}

    def entry(state: int, symbol: int, rule: Entry | None) -> Entry | None:
        return rule if state in halts or (state, symbol) in seen else None

    return _with_rules(table, entry)


def _with_rules(table: Table, entry: Callable[[int, int, Entry | None], Entry | None]) -> Table:
    rows = tuple(
        tuple(entry(state, symbol, rule) for symbol, rule in enumerate(row))
        for state, row in enumerate(table.rows)
    )
    return replace(table, rows=rows)
