"""Which inputs, worlds and reads to record, by a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count, islice
from random import Random
from typing import NamedTuple

import numpy as np

from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.position_automaton import Bounds
from gridlang.compiler.simulation.random_inputs import (
    Lengths,
    all_inputs,
    count_inputs,
    input_drawer,
    lengths_up_to,
    repeating_inputs,
)
from gridlang.compiler.simulation.random_worlds import random_worlds, uniform_world
from gridlang.diagnostics import fail
from gridlang.learners.traces.choosing.coverage import replay, rules_of
from gridlang.learners.traces.choosing.greedy_selection import Ids, Selection
from gridlang.learners.traces.choosing.reads import (
    covering_reads,
    covering_steps,
    random_reads,
    record_reads,
)
from gridlang.learners.traces.choosing.rules import OF_READS, OF_WORLDS, PEEK, RULES, rule_and_count
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.limits import LIMITS
from gridlang.learners.traces.recording import join, record, traced
from gridlang.program import Program
from gridlang.table import Table
from gridlang.world import World

# Task and number of digits: p, q and N of the paper.
PAPER = {
    ("add", 2): (1, 3, 20),
    ("add", 10): (1, 3, 225),
    ("mult", 2): (1, 5, 750),
    ("mult", 10): (1, 5, 10_000),
}

NOTHING: Ids = np.zeros(0, np.int32)

OnProgress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """How to sample: `count` inputs or worlds by a rule, each run cut after `steps` steps.

    `short` and `long` are p and q of the paper: all inputs whose repetitions have at most `short`, those that
    repeat one symbol `long` times, and random ones of up to `long`; `greedy` chooses these among many more.
    """

    rule: str
    count: int
    short: int = 1
    long: int = 5
    steps: int = LIMITS.input_steps
    greedy: bool = False

    def pool(self, need: int) -> int:
        """How many candidates to draw for this many choices."""
        return max(LIMITS.pool, 2 * need) if self.greedy else need


class Sample(NamedTuple):
    """What was drawn; `note` says where it is not all that the plan asked for."""

    inputs: list[str | World]
    note: str = ""


def sampling_plan(
    table: Table,
    rule: str,
    *,
    count: int | None = None,
    short: int | None = None,
    long: int | None = None,
    steps: int | None = None,
    greedy: bool = False,
) -> SamplingPlan:
    """A plan with the paper's numbers for the paper's tasks, and sensible ones for other agents.

    The rule `worlds:2000` brings its own count. ValueError for any other text.
    """
    rule, own = rule_and_count(rule)
    count = own or count
    many = min(LIMITS.most_reads, max(400, 20 * table.transitions))
    if rule in OF_WORLDS:
        return SamplingPlan(rule, _or(count, many), steps=_or(steps, LIMITS.world_steps), greedy=greedy)
    if rule in OF_READS:
        peeks = rule.startswith(PEEK)
        most = covering_steps(table) if peeks else LIMITS.shortest_reads
        usual = LIMITS.most_reads if peeks else many
        return SamplingPlan(rule, _or(count, usual), steps=_or(steps, most))
    digits = len(dict(table.classes).get("digit", ""))
    p, q, n = PAPER.get((table.name.rstrip("0123456789"), digits), (1, 5, 0))
    p, q = _or(short, p), _or(long, q)
    if count is None and not n:
        n = min(5_000, max(20, 2 * len(fixed_inputs(input_language(table), p, q)), table.transitions))
    return SamplingPlan(rule, _or(count, n), p, q, _or(steps, LIMITS.input_steps), greedy)


def _or(given: int | None, usual: int) -> int:
    return usual if given is None else given


def input_language(table: Table) -> InputLanguage:
    """The declared inputs; GridError where there are none."""
    language = language_of(table)
    if language is None:
        raise fail("G105", f"`{table.name}` declares no inputs", "use --rule worlds, or add an `input` line")
    return language


def sample(table: Table, plan: SamplingPlan, seed: int = 0, progress: OnProgress = lambda _: None) -> Sample:
    """Inputs or worlds by a plan, the same for the same seed; `progress` is told the candidates tried."""
    random = _random(seed, plan.rule)
    if plan.rule in OF_WORLDS:
        return _worlds(table, plan, random, progress)
    return _inputs(table, plan, random, progress)


def _inputs(table: Table, plan: SamplingPlan, random: Random, progress: OnProgress) -> Sample:
    language = input_language(table)
    fixed = fixed_inputs(language, plan.short, plan.long) if plan.rule == "paper" else []
    note = ""
    if plan.rule == "paper" and count_inputs(language, lengths_up_to(plan.short)) > LIMITS.listed:
        note = f"there are more than {LIMITS.listed:,} inputs of up to {plan.short}: they were not all taken"
    if len(fixed) > plan.count:
        note = f"{plan.count:,} of the {len(fixed):,} inputs that the rule would always take"
        fixed = [fixed[i] for i in sorted(random.sample(range(len(fixed)), plan.count))]
    need = plan.count - len(fixed)
    drawn = _distinct(language, lengths_up_to(plan.long), random, plan.pool(need), fixed)
    if len(drawn) < need:
        note = f"all {len(fixed) + len(drawn):,} inputs that could be found: there are no more of this length"
    if plan.greedy and len(drawn) > need:
        selection = Selection(len(table.symbols))
        rows = [ids for _, ids in _behaviours(table, [*fixed, *drawn], plan, selection, progress)]
        drawn = [drawn[i] for i in selection.spread(rows[len(fixed) :], need, rows[: len(fixed)])]
    return Sample([*fixed, *drawn], note)


def fixed_inputs(language: InputLanguage, short: int, long: int) -> list[str]:
    """What the paper's rule always takes: all short inputs, and those that repeat one symbol.

    Short inputs too many to be listed are left to chance.
    """
    inputs: dict[str, None] = {}
    if count_inputs(language, lengths_up_to(short)) <= LIMITS.listed:
        inputs.update(dict.fromkeys(all_inputs(language, short)))
    inputs.update(dict.fromkeys(islice(repeating_inputs(language, long), LIMITS.listed)))
    return list(inputs)


def _distinct(
    language: InputLanguage, lengths: Lengths, random: Random, count: int, taken: Iterable[str]
) -> list[str]:
    """Random inputs, none of them twice or taken; fewer where there are no more."""
    known = set(taken)
    drawn: list[str] = []
    draw, misses = input_drawer(language, random), 0
    while len(drawn) < count and misses < LIMITS.misses:
        text = draw(lengths)
        misses = misses + 1 if text in known else 0
        if not misses:
            known.add(text)
            drawn.append(text)
    if len(drawn) < count and count_inputs(language, lengths) <= LIMITS.listed:
        listed = dict.fromkeys(all_inputs(language, lengths(Bounds(0, None))[-1]))
        rest = [text for text in listed if text not in known]
        random.shuffle(rest)
        drawn += rest[: count - len(drawn)]
    return drawn


def _worlds(table: Table, plan: SamplingPlan, random: Random, progress: OnProgress) -> Sample:
    """Worlds on which the agent does something, and something else on each."""
    pool = plan.pool(plan.count)
    worlds = _drawn_worlds(table, plan, random)
    selection = Selection(len(table.symbols))
    by_reads: dict[bytes, tuple[World, Ids]] = {}
    barren = 0  # worlds in a row that showed hardly anything new
    while len(by_reads) < pool and barren < LIMITS.barren:
        if not (some := list(islice(worlds, max(250, pool - len(by_reads))))):
            break
        before = len(by_reads)
        behaviours = _behaviours(table, some, plan, selection, progress)
        for world, (did, ids) in zip(some, behaviours, strict=True):
            if did and len(by_reads) < pool:
                by_reads.setdefault(did, (world, ids))
        new = len(by_reads) - before
        barren = barren + len(some) if new < len(some) // 50 else 0
        if len(by_reads) >= plan.count and new < len(some) // 2:
            break  # There are enough to choose from, and more would be slow to find.
    kept = list(by_reads.values())
    note = f"only {len(kept):,} worlds showed something new" if len(kept) < plan.count else ""
    order = selection.spread([ids for _, ids in kept], plan.count) if plan.greedy else range(len(kept))
    return Sample([kept[i][0] for i in order], note)


def _drawn_worlds(table: Table, plan: SamplingPlan, random: Random) -> Iterator[World]:
    if plan.rule == "peek-worlds":
        return random_worlds(table, random, plan.steps)
    drawn = (uniform_world(table.symbols, random) for _ in count())
    return drawn if plan.greedy else islice(drawn, plan.count)  # Nothing is drawn again for what it shows.


def _random(seed: int, rule: str) -> Random:
    return Random(f"{seed} {RULES[rule]}")


def _behaviours(
    table: Table, some: Sequence[str | World], plan: SamplingPlan, selection: Selection, progress: OnProgress
) -> Iterator[tuple[bytes, Ids]]:
    """All that each run read, which says all that it did, and, for a greedy choice, what it shows."""
    done = 0
    for batch in traced(table, some, plan.steps):
        rules = rules_of(table, batch.x, batch.s, batch.m)[0]
        shown = selection.shown(rules) if plan.greedy else [NOTHING] * len(rules)
        for row, length, ids in zip(batch.x, batch.length, shown, strict=True):
            yield row[:length].tobytes(), ids
        done += len(batch.length)
        progress(done)


def make_traces(
    program: Program,
    plans: Sequence[SamplingPlan],
    seed: int = 0,
    progress: OnProgress = lambda _: None,
    *,
    strict: bool = False,
    given: Iterable[tuple[str, Sequence[str | World]]] = (),
    steps: int | None = None,
    added: Iterable[tuple[str, Traces]] = (),
) -> Traces:
    """The traces of an agent by plans, on given inputs and worlds, and added ones, equal traces once.

    What is given, cut after `steps` steps, and what is added come with the name of their file, which may be
    empty; GridError if another agent made the added ones. If `strict`, traces show where the agent is stuck.
    """
    parts = []
    for plan in plans:
        if plan.rule in OF_READS:
            parts.append(_reads(program, plan, seed))
            continue
        drawn = sample(program.table, plan, seed, progress)
        told = {**asdict(plan), "seed": seed, **({"note": drawn.note} if drawn.note else {})}
        if plan.rule in OF_WORLDS:
            del told["short"], told["long"]
        parts.append(record(program, drawn.inputs, plan.steps, told, progress, strict=strict))
    cut = steps or LIMITS.input_steps
    for file, inputs in given:
        told = {**({"file": file} if file else {}), "count": len(inputs), "steps": cut}
        parts.append(record(program, inputs, cut, told, progress, strict=strict))
    for file, traces in added:
        replay(program.table, traces, file)
        parts.append(traces)
    return join(parts) if len(parts) > 1 else parts[0]


def _reads(program: Program, plan: SamplingPlan, seed: int) -> Traces:
    """What the table does on reads."""
    made = {"rule": plan.rule, "count": plan.count, "steps": plan.steps, "seed": seed}
    random = _random(seed, plan.rule)
    draw = covering_reads if plan.rule == "peek-reads" else random_reads
    return record_reads(program, list(islice(draw(program.table, random, plan.steps), plan.count)), made)


def runs_within(table: Table, length: int, steps: int) -> bool:
    """Whether runs on inputs with repetitions of this length take fewer steps."""
    probes = list(islice(repeating_inputs(input_language(table), length), 200))
    return all((batch.length < steps).all() for batch in traced(table, probes, steps))


def default_traces(program: Program, seed: int = 0, progress: OnProgress = lambda _: None) -> Traces:
    """A good training set for any agent: at most 5,000 traces of at most 500 steps.

    These are inputs by the paper's rule, where it declares some, and worlds.
    """
    table = program.table
    plans = [
        sampling_plan(table, "peek-worlds", count=min(3_000, max(300, 10 * table.transitions)), greedy=True)
    ]
    if table.input:
        plan = sampling_plan(table, "paper", greedy=True)
        steps, lengths = LIMITS.trainable_steps, range(plan.long, plan.short, -1)
        long = next((length for length in lengths if runs_within(table, length, steps)), plan.short)
        plans.insert(0, replace(plan, count=min(plan.count, 2_000), long=long, steps=steps))
    return make_traces(program, plans, seed, progress)
