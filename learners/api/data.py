"""The API to traces: record them, read them, see what they show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypeGuard

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.given import AgentLike, Path, Say, as_program, as_world, counting, is_kind
from gridlang.files import checked_reader
from gridlang.options import Option, Seed, checked
from gridlang.table import Table
from gridlang.world import World

if TYPE_CHECKING:
    from gridlang.learners.traces.choosing.coverage import Coverage
    from gridlang.learners.traces.dataset import Traces, TracesLike


def load_traces(path: Path) -> Traces:
    """The traces in an `.npz` file, or in a file of JSON lines, `.jsonl`, which any program can write.

    >>> import gridlang as gl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "add2.npz")
    >>> gl.trace("examples/add2.grid").save(path)
    >>> gl.load_traces(path)
    Traces(add2: 20 traces, 896 steps, 63 in the longest)
    """
    from gridlang.learners.traces.dataset import as_traces

    if isinstance(path, str | os.PathLike):
        checked_reader(path, "load_traces")
    return as_traces(path)


def is_traces(data: object) -> TypeGuard[TracesLike]:
    """Whether this is traces, or the path of a file that holds some."""
    if isinstance(data, str | os.PathLike):
        return is_kind(os.fspath(data), "traces")
    from gridlang.learners.traces.dataset import Traces

    return isinstance(data, Traces)


@checked
def trace(
    agent: AgentLike,
    rule: Annotated[
        str | Iterable[str] | None,
        Option(
            "What to run the agent on, and how often: paper, inputs, worlds, reads, peek-worlds or "
            "peek-reads; may be repeated.",
            usual="paper, or worlds for an agent that declares no inputs",
            metavar="RULE[:N]",
        ),
    ] = None,
    count: Annotated[int | None, Option("", 1)] = None,
    *,
    short: Annotated[int | None, Option("paper: take all inputs up to this length (p).", 0, 100)] = None,
    long: Annotated[
        int | None, Option("paper, inputs: length of the longest random inputs (q).", 1, 10_000)
    ] = None,
    steps: Annotated[
        int | None,
        Option("Length at which traces are cut.", 1, 10_000_000, usual="60 in random worlds, else 1000"),
    ] = None,
    greedy: Annotated[bool, Option("Pick, from many candidates, those that show the most rules.")] = False,
    strict: Annotated[bool, Option("Show where the agent is stuck, so that a model learns it.")] = False,
    inputs: Iterable[str | World] | Mapping[str, Sequence[str | World]] = (),
    add: Annotated[TracesLike | Iterable[TracesLike], Option("Add the traces in this file.")] = (),
    seed: Seed = 0,
    progress: Say | None = None,
) -> Traces:
    """Records what an agent reads, writes and moves, to learn from.

    Lengths are those of each repetition in the agent's input line. Rule paper takes all inputs up to `short`,
    all that repeat one symbol `long` times, and random ones up to `long`; the defaults are those of the paper
    for its four tasks. Rule inputs draws random inputs. Rule worlds runs the agent on random grids, whether
    declared as inputs or not, rule reads on random read sequences, which need not fit any world. Rules whose
    names begin with peek look at the agent's states, and choose worlds that lead to rarely used rules, or
    read sequences that cover every pair of consecutive rules four times.

    In Python, several rules are a list, and `count` is for those without a count of their own. The `inputs`
    given are recorded too, or alone if there is no rule; a mapping names the file of each.

    >>> import gridlang as gl
    >>> gl.trace("examples/increment.grid", rule="worlds", count=30)
    Traces(increment: 18 traces, 109 steps, 11 in the longest)
    >>> traces = gl.trace("examples/add10.grid", inputs=["1+1", "99+1"])
    >>> traces.x.shape, traces.length.tolist()
    ((2, 32), [25, 32])
    """
    from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
    from gridlang.learners.traces.dataset import Traces, as_traces

    program = as_program(agent)
    table = program.table
    named: Mapping[str, Iterable[str | World]] = (
        inputs
        if isinstance(inputs, Mapping)
        else {"": [inputs] if isinstance(inputs, str | World) else inputs}
    )
    given = [(file, some) for file, each in named.items() if (some := _checked(table, each))]
    added = [add] if isinstance(add, Traces | str | os.PathLike) else list(add)
    default = () if given or added else ("paper" if table.input else "worlds",)
    rules = default if rule is None else (rule,) if isinstance(rule, str) else tuple(rule)
    if not (rules or given or added):
        raise ValueError("there is nothing to record: give a rule, or inputs")
    return make_traces(
        program,
        [
            sampling_plan(table, each, count=count, short=short, long=long, steps=steps, greedy=greedy)
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
    """Measures how much traces show of their agent: rules exercised, and states told apart.

    >>> import gridlang as gl
    >>> gl.coverage("examples/add2.grid", gl.trace("examples/add2.grid"))
    Coverage(38 of 38 rules exercised, 66 of 66 pairs of states told apart)
    """
    from gridlang.learners.traces.choosing.coverage import coverage as coverage_of
    from gridlang.learners.traces.dataset import as_traces

    return coverage_of(as_program(agent).table, as_traces(traces))
