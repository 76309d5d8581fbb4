"""The API to traces: record them, read them, see what they show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeGuard

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.arguments import (
    AgentLike,
    Path,
    Say,
    as_program,
    as_world,
    counting,
    whole,
)
from gridlang.compiler.program_files import is_kind
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.files import checked_reader
from gridlang.learners.traces.choosing.coverage import Coverage
from gridlang.learners.traces.choosing.coverage import coverage as coverage_of
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces, TracesLike, as_traces
from gridlang.table import Table
from gridlang.world import World


def load_traces(path: Path) -> Traces:
    """The traces in an `.npz` file, or in a file of JSON lines, `.jsonl`, which any program can write.

    >>> import gridlang as gl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "add2.npz")
    >>> gl.trace("examples/add2.grid").save(path)
    >>> gl.load_traces(path)
    Traces(add2: 20 traces, 896 steps, 63 in the longest)
    """
    if isinstance(path, str | os.PathLike):
        checked_reader(path, "load_traces")
    return as_traces(path)


def is_traces(data: object) -> TypeGuard[TracesLike]:
    """Whether this is traces, or the path of a file that holds some."""
    if isinstance(data, str | os.PathLike):
        return is_kind(os.fspath(data), "traces")
    return isinstance(data, Traces)


def trace(
    agent: AgentLike,
    rule: str | Iterable[str] | None = None,
    count: int | None = None,
    *,
    short: int | None = None,
    long: int | None = None,
    steps: int | None = None,
    peek_greedy: bool = False,
    strict: bool = False,
    inputs: Iterable[str | World] | Mapping[str, Sequence[str | World]] = (),
    add: TracesLike | Iterable[TracesLike] = (),
    seed: int = 0,
    progress: Say | None = None,
) -> Traces:
    """Records what an agent reads, writes and moves, to learn from.

    The `rule` says on what: `paper` (all inputs of up to `short`, one symbol repeated `long` times, and
    random ones of up to `long`), `inputs` (random declared inputs), `uniform` or `scrambled` (random grids),
    `random-reads`, or one that looks at the agent's states, `peek-worlds` or `peek-reads`. Several rules are
    a list, and `uniform:2000` is a rule with its own count. The default is `paper`, or `scrambled` for an
    agent that declares no inputs. `peek_greedy` picks those of many candidates that show most rules. The
    `inputs` given are recorded too, or alone if there is no rule; a mapping names the file of each. A trace
    is cut after `steps` steps: 60 in random worlds, else 1000. With `strict`, traces show where the agent is
    stuck. `add` joins earlier traces.

    >>> import gridlang as gl
    >>> gl.trace("examples/increment.grid", rule="scrambled", count=30)
    Traces(increment: 9 traces, 47 steps, 7 in the longest)
    >>> traces = gl.trace("examples/add10.grid", inputs=["1+1", "99+1"])
    >>> traces.x.shape, traces.length.tolist()
    ((2, 32), [25, 32])
    """
    whole(0, short=short)
    whole(1, count=count, long=long)
    whole(1, MAX_STEPS, steps=steps)
    whole(seed=seed)
    program = as_program(agent)
    table = program.table
    named: Mapping[str, Iterable[str | World]] = (
        inputs
        if isinstance(inputs, Mapping)
        else {"": [inputs] if isinstance(inputs, str | World) else inputs}
    )
    given = [(file, some) for file, each in named.items() if (some := _checked(table, each))]
    added = [add] if isinstance(add, Traces | str | os.PathLike) else list(add)
    default = () if given or added else ("paper" if table.input else "scrambled",)
    rules = default if rule is None else (rule,) if isinstance(rule, str) else tuple(rule)
    if not (rules or given or added):
        raise ValueError("there is nothing to record: give a rule, or inputs")
    return make_traces(
        program,
        [
            sampling_plan(table, each, count=count, short=short, long=long, steps=steps, greedy=peek_greedy)
            for each in rules
        ],
        seed,
        counting(progress, f"runs of {program.name}"),
        strict=strict,
        given=given,
        steps=steps,
        added=[("" if isinstance(more, Traces) else os.fspath(more), as_traces(more)) for more in added],
    )


def _checked(table: Table, given: Iterable[str | World]) -> list[str | World]:
    """Inputs as they are, and pictures as worlds; GridError if one is not of the declared form."""
    language = language_of(table)
    worlds = [(one, as_world(one, table.symbols, language)) for one in given]
    return [one if isinstance(one, str) and "\n" not in one else world for one, world in worlds]


def coverage(agent: AgentLike, traces: TracesLike) -> Coverage:
    """What traces show of the agent that made them: rules exercised, and states told apart.

    >>> import gridlang as gl
    >>> gl.coverage("examples/add2.grid", gl.trace("examples/add2.grid"))
    Coverage(38 of 38 rules exercised, 66 of 66 pairs of states told apart)
    """
    return coverage_of(as_program(agent).table, as_traces(traces))
