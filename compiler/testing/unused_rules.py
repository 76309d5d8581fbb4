"""Rules of a source that nothing can use: those that no run has used, and of which that is shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from compiler.proofs.dead_rules import Pair, dead_pairs
from compiler.proofs.differences.joint_runs import Case
from compiler.proofs.differences.sample_runs import SampleRuns, short_inputs, small_worlds
from compiler.proofs.joint_step import UNASKED
from compiler.testing.limits import LIMITS
from gridlang.clauses.inputs import language_of
from gridlang.program import Program
from gridlang.syntax import tree as s
from gridlang.table import Table


class UnusedRule(NamedTuple):
    """A rule, by file and line, the first of its pairs of state and symbol, and the number of pairs."""

    file: str
    line: int
    rule: str
    state: str
    symbol: str
    pairs: int


class UnusedRules(NamedTuple):
    """Rules that no world can use, and others that no declared input can use."""

    on_worlds: list[UnusedRule]
    on_inputs: list[UnusedRule]


Rules = dict[s.Rule, list[Pair]]


def unused_rules(program: Program, used: Iterable[Pair]) -> UnusedRules:
    """All that are shown to be unused; `used` are pairs that runs on declared inputs came to."""
    table, language = program.table, language_of(program.table)
    rules: Rules = {}
    whole = {rule.span: rule for rule in reversed(list(program.rules.values()))}
    for pair, rule in program.rules.items():
        # What writes the rest of a word is part of its rule.
        rules.setdefault(whole[rule.span], []).append(pair)
    seen = set(used)
    if language:
        seen |= _sampled(table, short_inputs(language))
    unseen = _not_among(seen, rules)
    if not unseen:
        return UnusedRules([], [])
    on_worlds = _dead(table, _not_among(_sampled(table, small_worlds(table.symbols)), unseen), "worlds")
    others = {rule: pairs for rule, pairs in unseen.items() if rule not in on_worlds}
    on_inputs = _dead(table, others, "inputs") if language else {}
    return UnusedRules(_described(table, on_worlds), _described(table, on_inputs))


def _not_among(seen: set[Pair], rules: Rules) -> Rules:
    return {rule: pairs for rule, pairs in rules.items() if seen.isdisjoint(pairs)}


def _dead(table: Table, rules: Rules, scope: str) -> Rules:
    """Those of the rules that a proof shows to be used nowhere at the scope."""
    dead = dead_pairs(table, scope) if rules else set()
    return {rule: pairs for rule, pairs in rules.items() if dead.issuperset(pairs)}


def _sampled(table: Table, cases: Iterable[Case]) -> set[Pair]:
    """Pairs that runs on some of the cases come to."""
    runs = SampleRuns(table, table.rows, UNASKED)
    runs.budget = LIMITS.unused_rule_steps
    runs.first_difference(cases, LIMITS.unused_rule_sample_steps)
    return runs.pairs


def _described(table: Table, rules: Rules) -> list[UnusedRule]:
    described = []
    for rule, pairs in rules.items():
        (state, symbol), text = pairs[0], " ".join(rule.span.text.split())
        place = rule.span.source.path, rule.span.line, text
        described.append(UnusedRule(*place, table.states[state], table.symbols[symbol], len(pairs)))
    return sorted(described)
