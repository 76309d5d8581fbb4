"""The traces of a round: random worlds and inputs, and later the models' mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.judging.trials import trial_cases
from gridlang.compiler.lockstep.cpu import cpu_backend
from gridlang.compiler.lockstep.lockstep import Until, matched, nobody
from gridlang.compiler.simulation.random_inputs import (
    count_inputs,
    lengths_up_to,
    stuck_worlds,
    text_world,
    world_text,
)
from gridlang.compiler.simulation.random_worlds import FreshCell, Growth
from gridlang.compiler.tensors.model import Model
from gridlang.learners.learning.limits import LIMITS
from gridlang.learners.traces.choosing.coverage import rules_of
from gridlang.learners.traces.choosing.sampling import (
    OnProgress,
    SamplingPlan,
    input_language,
    make_traces,
    runs_within,
    sampling_plan,
)
from gridlang.learners.traces.choosing.telling_worlds import telling_worlds
from gridlang.learners.traces.dataset import Traces, chosen, cut
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.traces.recording import join, record, without_duplicates
from gridlang.program import Program
from gridlang.table import Table
from gridlang.world import World, string_world


class HardExample(NamedTuple):
    """A world (its picture) or an input on which a model goes wrong, and the step at which it does."""

    text: str
    step: int


def world_count(table: Table, scope: str) -> int:
    """How many random worlds to begin with.

    For a proof on inputs a few tell the states apart that inputs do not. Large tables need more: of 16 seeds
    of mult10, with 929 rules, 7 are proven after one round with 600 worlds, and 15 with 2,400.
    """
    few, many = (100, table.transitions) if scope == "inputs" else (400, 10 * table.transitions)
    return min(max(600, 5 * table.transitions // 2), max(few, many))


def first_traces(
    program: Program,
    scope: str,
    worlds: int,
    seed: int,
    *,
    strict: bool = False,
    progress: OnProgress = lambda _: None,
) -> Traces:
    """Reads that show all pairs of rules, random worlds, and declared inputs where there are any.

    If `strict`, also worlds on which the agent is stuck, and all traces show where it is.
    """
    table = program.table
    plans = [sampling_plan(table, "peek-reads")]
    if worlds:
        plans.append(sampling_plan(table, "peek-worlds", count=worlds, greedy=True))
    if table.input:
        many = LIMITS.inputs if scope == "inputs" else LIMITS.inputs_a_rule * table.transitions
        longest, most = input_length(table), min(LIMITS.inputs, many)
        plans.append(SamplingPlan("paper", most, long=longest, steps=LIMITS.reach, greedy=True))
    traces, steps = make_traces(program, plans, seed, progress, strict=strict), TRACE_LIMITS.world_steps
    few = len(traces) < LIMITS.few_traces
    # States are told apart where other traces are few or show that late.
    telling = telling_worlds(table, Random(f"{seed} telling"), steps, always=few)
    stuck = list(islice(stuck_worlds(table, Random(f"{seed} stuck"), steps), worlds)) if strict else []
    parts = [traces]
    for rule, cases in (("telling", telling), ("stuck", stuck)):
        made = {"rule": rule, "count": len(cases), "steps": steps, "seed": seed}
        parts += [record(program, cases, steps, made, strict=strict)] if cases else []
    whole = join(parts)
    return cut_when_shown(table, whole) if len(table.states) > LIMITS.many_states and not strict else whole


def cut_when_shown(table: Table, traces: Traces) -> Traces:
    """The traces, cut where all together have shown every rule often: long ones of many states diverge."""
    rules = rules_of(table, traces.x, traces.s, traces.m)[0]

    def shown(steps: int) -> npt.NDArray[np.int64]:
        part = rules[:, :steps]
        return np.bincount(part[part >= 0], minlength=len(table.states) * len(table.symbols))

    longest = rules.shape[1]
    enough = np.minimum(shown(longest), LIMITS.often)
    steps = next(at for at in range(1, longest + 1) if at == longest or (shown(at) >= enough).all())
    return without_duplicates(cut(traces, steps))


def input_length(table: Table) -> int:
    """The longest repetitions in inputs whose runs are short; where there are few such, longer ones."""
    length = _length_within(table, LIMITS.short)
    few = count_inputs(input_language(table), lengths_up_to(length)) <= LIMITS.few_inputs
    return _length_within(table, LIMITS.reach) if few else length


def _length_within(table: Table, steps: int) -> int:
    """The longest repetitions in inputs whose runs take fewer steps."""
    length = 1
    while length < LIMITS.most_length and runs_within(table, length + 1, steps):
        length += 1
    return length


def next_traces(
    program: Program,
    before: Traces,
    hard: Iterable[HardExample],
    fresh: int,
    seed: int,
    *,
    strict: bool = False,
) -> Traces:
    """The random worlds and inputs of the round before, `fresh` more worlds, and all hard examples so far.

    A hard example among thousands of others is seldom drawn, so that these are repeated; they come last.
    """
    base = _base(before)
    if fresh:
        plan = sampling_plan(program.table, "peek-worlds", count=fresh)
        base = join([base, make_traces(program, [plan], seed, strict=strict)])
    parts = []
    for steps, some in _by_steps(list(dict.fromkeys(hard))).items():
        worlds = [world for case in some for world in _with_variants(program.table, case, steps)]
        made = {"rule": "hard", "count": len(worlds), "steps": steps}
        parts.append(record(program, worlds, steps, made, strict=strict))
    whole = join([base, *parts])
    return replace(repeated(whole, len(base)), data={**whole.data, "base": len(base)})


def _base(traces: Traces) -> Traces:
    """The random traces: the first rows, counted in the metadata."""
    many = traces.data.get("base")
    if not isinstance(many, int):
        return traces
    rest = {key: value for key, value in traces.data.items() if key != "base"}
    return replace(chosen(traces, np.arange(many)), data=rest)


def _by_steps(cases: Sequence[HardExample]) -> dict[int, list[HardExample]]:
    """Hard examples by the steps after which their traces are cut: few different numbers."""
    by_steps: dict[int, list[HardExample]] = {}
    for case in cases:
        whole = TRACE_LIMITS.world_steps
        steps = max(whole, -(-(case.step + LIMITS.after) // whole) * whole)
        by_steps.setdefault(steps, []).append(case)
    return by_steps


def _with_variants(table: Table, case: HardExample, steps: int) -> Iterator[str | World]:
    """The case, and worlds on which the agent does the same up to the mistake, and then anything."""
    given = case.text if not case.text.endswith("\n") else text_world(case.text, table.symbols)
    yield given
    world = string_world(given) if isinstance(given, str) else given
    # spelled out, so that the seed of a resumed run is the same whatever this class is called
    random = Random(f"variants Hard(text={case.text!r}, step={case.step!r})")
    for _ in range(LIMITS.variants):
        yield grown_from(table, world, case.step, random, steps)


def grown_from(table: Table, world: World, kept: int, random: Random, steps: int) -> World:
    """A world that is read like `world` for `kept` steps; cells first read later hold any known symbol."""
    numbers = {symbol: number for number, symbol in enumerate(table.symbols)}

    def choose(fresh: FreshCell) -> int:
        if fresh.step < kept or not fresh.known:
            return numbers[world.cells.get(fresh.cell, table.symbols[0])]
        return random.choice(fresh.known)

    return Growth(table, steps).world(choose, world.start)


def repeated(traces: Traces, known: int) -> Traces:
    """The traces after the first `known` several times, until they are a fair share of all."""
    many = len(traces) - known
    times = min(LIMITS.repeated, -(-known // (many * (LIMITS.share - 1)))) if many else 1
    again = [np.arange(known, len(traces))] * (times - 1)
    return chosen(traces, np.concatenate([np.arange(len(traces)), *again]))


def teachable(step: int) -> bool:
    """Whether a mistake comes soon enough: long traces make training slow and unstable."""
    return step + LIMITS.after <= LIMITS.reach


def hard_examples(dfst: Model, table: Table, scope: str, seed: int) -> list[HardExample]:
    """Worlds and inputs on which a model goes wrong, the earliest mistakes first."""
    cases = list(trial_cases(table, scope, Random(f"{seed} hard")))
    outcomes = cpu_backend(matched(dfst, table), 1)(cases, Until(LIMITS.reach), nobody)
    mistaken = {
        HardExample(world_text(case), outcome.mistake.step)
        for case, outcome in zip(cases, outcomes, strict=True)
        if outcome and outcome.mistake and teachable(outcome.mistake.step)
    }
    return sorted(mistaken, key=lambda case: (case.step, len(case.text), case.text))[: LIMITS.kept]
