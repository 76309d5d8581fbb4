"""Fixtures of tests that judge learned models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import pytest

import gridlang.compiler.judging.model_mistakes
import gridlang.compiler.judging.trials
import gridlang.learners.learning.seed_verdicts
from gridlang.compiler.judging.limits import LIMITS
from gridlang.compiler.lockstep import cpu
from gridlang.learners.runtime.processes import Answer, Done, Task
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from tests.support.searches import LONG

if not LONG:  # Lockstep is compiled for each size of a model, so in a quarter of the time.
    cpu.FLAGS = tuple(flag for flag in cpu.FLAGS if flag != "-O3")


@pytest.fixture
def few_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer worlds are drawn, and models asked about fewer, than by a user; as many with GRIDLANG_LONG."""
    if LONG:
        return
    monkeypatch.setattr(
        "gridlang.learners.traces.choosing.sampling.LIMITS", replace(TRACE_LIMITS, pool=1_000)
    )
    few = replace(LIMITS, tried=200, short_steps=1_000_000, long_steps=4_000_000, worlds_tried=300)
    monkeypatch.setattr(gridlang.compiler.judging.model_mistakes, "LIMITS", few)
    monkeypatch.setattr(gridlang.compiler.judging.trials, "LIMITS", few)


@pytest.fixture
def judged_here(few_worlds: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are judged in this process, so that they too are asked about few worlds; not with GRIDLANG_LONG."""
    if not LONG:
        _judge_here(monkeypatch)


@pytest.fixture
def always_judged_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are judged in this process, however long the searches are: a test breaks what judges them."""
    _judge_here(monkeypatch)


def _judge_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gridlang.learners.learning.seed_verdicts, "in_processes", _in_this_process)


def _in_this_process(
    work: Callable[[Task], Answer], tasks: Iterable[Task], *_: object, **__: object
) -> Iterator[Done[Task, Answer]]:
    for task in tasks:
        try:
            yield Done(task, work(task), "", 0.0)
        except ValueError as error:
            yield Done(task, None, f"ValueError: {error}", 0.0)
