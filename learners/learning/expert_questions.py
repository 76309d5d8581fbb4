"""Questions to the expert before it is learned: where it is stuck, and which rules no run shows.

A rule that no run shows cannot be learned: unless no world shows it, no training can settle it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import numpy as np

from gridlang.clauses.functions import Acceptance
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.engines import ending
from gridlang.compiler.judging.trials import growing_inputs, trial_cases
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.proofs.results.unused_rules import without
from gridlang.compiler.simulation.random_inputs import world_text
from gridlang.compiler.simulation.random_worlds import random_worlds
from gridlang.learners.learning.counterexamples import HardExample
from gridlang.learners.learning.limits import LIMITS
from gridlang.learners.traces.batch import as_worlds
from gridlang.learners.traces.choosing.coverage import rules_of, unexercised
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.traces.recording import traced
from gridlang.outcomes import Outcome
from gridlang.program import Program
from gridlang.table import Table
from gridlang.world import World

DECLARED, RANDOM = "declared inputs", "random worlds"

Pair = tuple[int, int]


class StuckShare(NamedTuple):
    """How many of the runs that were drawn end stuck."""

    what: str
    stuck: int
    drawn: int

    def __str__(self) -> str:
        share = 100 * self.stuck / self.drawn
        percent = "under 1" if 0 < share < 1 else f"{share:.0f}"
        return f"{percent} % of {self.what} ({self.stuck:,} of {self.drawn:,} drawn)"


def stuck_shares(table: Table, scope: str, seed: int) -> tuple[StuckShare, ...]:
    """The share of declared inputs, and at scope `worlds` of random worlds, on which the expert is stuck."""
    random, language = Random(f"{seed} stuck shares"), language_of(table)
    shares = []
    if language is not None:
        texts = list(growing_inputs(language, LIMITS.drawn, LIMITS.longest_drawn, random))
        shares.append(_share(table, DECLARED, texts))
    if scope == "worlds":
        worlds = list(islice(random_worlds(table, random, TRACE_LIMITS.world_steps), LIMITS.worlds_drawn))
        shares.append(_share(table, RANDOM, worlds))
    return tuple(shares)


def asks_for_stuck(table: Table) -> bool:
    """Whether the output clause says `stuck` of some inputs, so that a model that is not is wrong there."""
    rule = output_rule(table)
    return rule is not None and Acceptance.STUCK in rule.acceptances


def _share(table: Table, what: str, cases: list[str] | list[World]) -> StuckShare:
    ends = (ending(table, world, LIMITS.most_steps) for world in as_worlds(cases))
    stuck = sum(outcome == Outcome.STUCK for _, outcome in ends)
    return StuckShare(what, stuck, len(cases))


class UnseenRule(NamedTuple):
    """A rule that no run has shown, by the names of its state and symbol; line 0 where there is no source."""

    state: str
    symbol: str
    line: int

    def __str__(self) -> str:
        return f"`{self.state}` on `{self.symbol}`{f' (line {self.line})' if self.line else ''}"


@dataclass(frozen=True, slots=True)
class UnseenRules:
    """The rules that no run has shown, and whether any world or input at the scope shows one of them.

    `excluded` is True where it is proven that none does, and None where that is not known. `examples` are
    worlds that were found to show others.
    """

    rules: tuple[UnseenRule, ...] = ()
    runs: int = 0
    excluded: bool | None = True
    examples: tuple[HardExample, ...] = ()

    @property
    def reason(self) -> str:
        """Why no training can settle the question, in words."""
        named = ", ".join(map(str, self.rules[: LIMITS.named]))
        more = f" and {len(self.rules) - LIMITS.named:,} more" if len(self.rules) > LIMITS.named else ""
        return (
            f"none of {self.runs:,} runs was ever seen to use {named}{more}, and it could not be proven that "
            f"no world does: no training can settle what a model does there"
        )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


ALL_SEEN = UnseenRules()


def unseen_from_json(data: dict[str, Any]) -> UnseenRules:
    """What `as_json` gave."""
    return UnseenRules(
        tuple(UnseenRule(*rule) for rule in data["rules"]),
        data["runs"],
        data["excluded"],
        tuple(HardExample(*example) for example in data["examples"]),
    )


def unseen_rules(
    program: Program, traces: Traces, scope: str, seed: int, progress: Callable[[int], None]
) -> UnseenRules:
    """The rules that neither the traces nor more runs show, and what the prover knows of them.

    A world that the prover shows one on is an example to be taught.
    """
    table = program.table
    missing = unexercised(table, traces)
    if not missing:
        return UnseenRules(runs=len(traces))
    cases = list(trial_cases(table, scope, Random(f"{seed} unseen")))
    missing -= set(_shown(table, cases, LIMITS.reach))
    runs = len(traces) + len(cases)
    examples: list[HardExample] = []
    while missing and len(examples) < LIMITS.most_examples:
        verdict = prove(table, without(table, missing), scope, progress=progress)
        if verdict.equivalent is not False or verdict.world is None:
            break
        steps = len(verdict.counterexample or ())
        examples.append(HardExample(verdict.input or world_text(verdict.world), steps))
        missing -= set(_shown(table, [verdict.world], steps))
    excluded = True if not missing else verdict.equivalent
    rules = tuple(_named(program, pair) for pair in sorted(missing))
    return UnseenRules(rules, runs, True if excluded else None, tuple(examples))


def _named(program: Program, pair: Pair) -> UnseenRule:
    (state, symbol), table, rule = pair, program.table, program.rules.get(pair)
    return UnseenRule(table.states[state], table.symbols[symbol], rule.span.line if rule else 0)


def _shown(table: Table, cases: Iterable[str | World], steps: int) -> Iterator[Pair]:
    """The pairs of state and symbol that the expert has a rule for and uses on these."""
    for batch in traced(table, list(cases), steps):
        rules, _ = rules_of(table, batch.x, batch.s, batch.m)
        for rule in np.unique(rules[rules >= 0]).tolist():
            yield divmod(rule, len(table.symbols))
