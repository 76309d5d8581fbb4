"""Choosing an engine: short runs on the reference, long ones natively, models by their equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gridlang.compiler.native.build import CannotBuild
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.simulate import Column, Record, Run, run
from gridlang.outcomes import Outcome, outcome_of
from gridlang.table import Table
from gridlang.terminal.notes import tell_once
from gridlang.world import World


def by_weights(engine: str, *, with_states: bool) -> bool:
    """Whether a model is run by its equations; what is wanted with states is done by its table."""
    return engine in ("auto", "dfst") and not with_states


def execute(
    table: Table,
    world: World,
    steps: int,
    engine: str = "auto",
    *,
    trace: bool = False,
    detect_loops: bool = False,
    progress: Callable[[int], None] = lambda _: None,
    record: Record | None = None,
) -> Run:
    """Runs a table on the engine that fits; all of them give the same answer.

    `progress` is told the steps done now and then in a long run, and `record` all steps, many at a time.
    """
    told: dict[str, Any] = {"trace": trace, "progress": progress, "record": record}
    if engine == "dfst":
        from gridlang.compiler.lockstep.alone import run_model
        from gridlang.compiler.tensors.dfst import table_to_dfst

        return run_model(table_to_dfst(table), world, steps, **told)
    if engine == "reference" or detect_loops:
        return run(table, world, steps, detect_loops=detect_loops, **told)
    if engine == "auto":
        short = _short_run(table, world, steps, LIMITS.short, trace, record)
        if short is None:
            from gridlang.compiler.simulation.native.agents import is_built

            short = None if is_built(table) else _short_run(table, world, steps, LIMITS.probe, trace, record)
        if short is not None:
            return short
    try:
        from gridlang.compiler.simulation.native.engine import run_native

        return run_native(table, world, steps, **told)
    except CannotBuild as error:
        tell_once(f"{error}; running on the reference engine, which is slower")
        return run(table, world, steps, **told)


def ending(table: Table, world: World, steps: int) -> tuple[int, Outcome]:
    """After how many steps a run ends, and how; what it leaves, which may be much, is not kept."""
    from gridlang.compiler.simulation.native.engine import NativeWorld

    try:
        with NativeWorld(table, world) as machine:
            outcome, _ = outcome_of(machine.go(steps))
            return machine.where()[0], outcome
    except CannotBuild as error:
        tell_once(f"{error}; running on the reference engine, which is slower")
        done = run(table, world, steps)
        return done.steps, done.outcome


def _short_run(
    table: Table, world: World, steps: int, most: int, trace: bool, record: Record | None
) -> Run | None:
    """A run on the reference if it ends within a bound on steps and on the size of its world."""
    if len(world.cells) > most:
        return None
    kept: list[tuple[Column, ...]] = []

    def keep(*columns: Column) -> None:
        kept.append(columns)

    told = keep if record else None
    done = run(table, world, min(steps, most), trace=trace, record=told)
    if done.outcome == Outcome.BUDGET and steps > most:
        return None
    if record and kept:
        record(*kept[0])
    return done
