"""The way in to traces: record them, read them, and see what they show."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeAlias

from compiler.arguments import AgentLike, Path, Say, as_program, as_world, at_least, counting, one_of
from gridlang.inputs import language_of
from gridlang.program import Program
from gridlang.world import World
from learners.traces.coverage import Coverage, replay
from learners.traces.coverage import coverage as coverage_of
from learners.traces.dataset import Traces, read_traces
from learners.traces.joining import join
from learners.traces.recording import record
from learners.traces.sampling import INPUT_STEPS, RULES, default_plans, make_traces, sampling_plan

TracesLike: TypeAlias = Traces | Path


def load_traces(path: Path) -> Traces:
    """The traces in an `.npz` file.

    >>> import gridlang as gl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "add2.npz")
    >>> gl.trace("examples/add2.grid").save(path)
    >>> gl.load_traces(path)
    Traces(add2: 20 traces, 896 steps, 63 in the longest)
    """
    return as_traces(path)


def as_traces(traces: TracesLike) -> Traces:
    """The traces that are meant by themselves, or by the path of an `.npz` file."""
    if isinstance(traces, Traces):
        return traces
    if isinstance(traces, str | os.PathLike):
        return read_traces(os.fspath(traces))
    raise TypeError(f"traces are what `gridlang.trace` gives, or a path, not {type(traces).__name__}")


def trace(
    agent: AgentLike,
    rule: str | Iterable[str] | None = None,
    count: int | None = None,
    *,
    short: int | None = None,
    long: int | None = None,
    steps: int | None = None,
    greedy: bool = False,
    inputs: Iterable[str | World] = (),
    add: TracesLike | Iterable[TracesLike] = (),
    seed: int = 0,
    progress: Say | None = None,
) -> Traces:
    """Records what an agent reads, writes and moves, to learn from.

    The `rule` says on what: `paper` (all inputs of up to `short`, one symbol repeated `long` times, and
    random ones of up to `long`), `inputs` (random declared inputs) or `worlds` (random grids); several rules
    are a list, and `worlds:2000` is a rule with its own count. By default it is `paper`, or `worlds` for an
    agent that declares no inputs. The `inputs` given are recorded too, or alone if no rule is. A trace is cut
    after so many `steps`: 60 in random worlds, else 1000. `add` joins traces that were made before.

    >>> import gridlang as gl
    >>> gl.trace("examples/increment.grid", rule="worlds", count=30)
    Traces(increment: 30 traces, 381 steps, 60 in the longest)
    >>> traces = gl.trace("examples/add10.grid", inputs=["1+1", "99+1"])
    >>> traces.x.shape, traces.length.tolist()
    ((2, 32), [25, 32])
    """
    at_least(0, count=count, short=short)
    at_least(1, long=long, steps=steps)
    program = as_program(agent)
    table = program.table
    given = [inputs] if isinstance(inputs, str | World) else list(inputs)
    added = [as_traces(add)] if isinstance(add, Traces | str | os.PathLike) else list(map(as_traces, add))
    default = () if given or added else ("paper" if table.input else "worlds",)
    rules = default if rule is None else (rule,) if isinstance(rule, str) else tuple(rule)
    plans = []
    for text in rules:
        name, number = _rule(text)
        plans.append(
            sampling_plan(
                table, name, count=number or count, short=short, long=long, steps=steps, greedy=greedy
            )
        )
    if not (plans or given or added):
        raise ValueError("there is nothing to record: give a rule, or inputs")
    counted = counting(progress, f"runs of {program.name}")
    parts = [make_traces(program, [plan], seed, counted) for plan in plans]
    if given:
        language, cut = language_of(table), steps or INPUT_STEPS
        worlds = [as_world(one, table.symbols, language) for one in given]  # GridError if one is none
        kept = [one if _is_line(one) else world for one, world in zip(given, worlds, strict=True)]
        parts.append(record(program, kept, cut, {"count": len(kept), "steps": cut}, counted))
    for more in added:
        replay(table, more)  # GridError if another agent made them
    whole = [*parts, *added]
    return whole[0] if len(whole) == 1 else join(whole)


def _is_line(input: str | World) -> bool:
    """Whether this is an input, and no picture of a world."""
    return isinstance(input, str) and "\n" not in input


def _rule(text: str) -> tuple[str, int]:
    """`worlds:2000` as a rule and a count; 0 where it has none."""
    name, colon, number = text.partition(":")
    one_of("rule", name, RULES)
    if colon and not number.isdigit():
        raise ValueError(f"a rule with a count is written as in 'worlds:2000', not {text!r}")
    return name, int(number or 0)


def coverage(agent: AgentLike, traces: TracesLike) -> Coverage:
    """What traces show of the agent that made them: rules exercised, and states told apart.

    >>> import gridlang as gl
    >>> gl.coverage("examples/add2.grid", gl.trace("examples/add2.grid"))
    Coverage(38 of 38 rules exercised, 66 of 66 pairs of states told apart)
    """
    return coverage_of(as_program(agent).table, as_traces(traces))


def training_set(program: Program, seed: int, progress: Say | None) -> Traces:
    """A good training set for any agent, as `train` makes it of one."""
    counted = counting(progress, f"runs of {program.name}")
    return make_traces(program, default_plans(program.table), seed, counted)
