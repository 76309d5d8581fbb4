"""Traces as asked for: by rules, on given inputs, and from earlier files, all together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from compiler.arguments import one_of
from gridlang.program import Program
from gridlang.table import Table
from gridlang.world import World
from learners.traces.coverage import replay
from learners.traces.dataset import Traces
from learners.traces.joining import join
from learners.traces.limits import LIMITS
from learners.traces.recording import record
from learners.traces.sampling import RULES, SamplingPlan, make_traces, sampling_plan


def default_rules(table: Table) -> tuple[str, ...]:
    """What is recorded when nothing is asked for."""
    return ("paper",) if table.input else ("worlds",)


def plans_of(
    table: Table,
    rules: Iterable[str],
    *,
    count: int | None = None,
    short: int | None = None,
    long: int | None = None,
    steps: int | None = None,
    greedy: bool = False,
) -> list[SamplingPlan]:
    """A plan for each rule; `worlds:2000` brings its own count. ValueError for any other text."""
    return [
        sampling_plan(table, rule, count=own or count, short=short, long=long, steps=steps, greedy=greedy)
        for rule, own in map(rule_and_count, rules)
    ]


def rule_and_count(text: str) -> tuple[str, int]:
    """`worlds:2000` as a rule and a count; 0 where it has none."""
    rule, colon, number = text.partition(":")
    one_of("rule", rule, RULES)
    count = int(number) if number.isascii() and number.isdigit() and len(number) <= LIMITS.count_digits else 0
    if colon and not count:
        raise ValueError(f"a rule with a count is written as in 'worlds:2000', not {text!r}")
    return rule, count


def collected(
    program: Program,
    plans: Sequence[SamplingPlan],
    given: Iterable[tuple[str, Sequence[str | World]]] = (),
    added: Iterable[tuple[str, Traces]] = (),
    *,
    steps: int | None = None,
    seed: int = 0,
    strict: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Traces:
    """What was asked for, equal traces once; GridError if another agent made the added ones.

    Given inputs and worlds, and added traces, come with the name of their file, which may be empty.
    If `strict`, they show where the agent is stuck.
    """
    parts = [make_traces(program, [plan], seed, progress, strict=strict) for plan in plans]
    cut = steps or LIMITS.input_steps
    for file, inputs in given:
        told = {**({"file": file} if file else {}), "count": len(inputs), "steps": cut}
        parts.append(record(program, inputs, cut, told, progress, strict=strict))
    for file, traces in added:
        replay(program.table, traces, file)
        parts.append(traces)
    return parts[0] if len(parts) == 1 else join(parts)
