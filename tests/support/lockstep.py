"""A model in lockstep with its expert by the engine of this machine: on cases, and at growing lengths."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from gridlang.compiler.lockstep.cpu import cpu_backend
from gridlang.compiler.lockstep.lockstep import NO_LIMIT, Case, LockstepOutcome, Until, matched, nobody
from gridlang.compiler.tensors.model import Model
from gridlang.learners.evaluation.evaluate import RLG, Evaluation, Evaluator, SuiteListener
from gridlang.table import Table


def run_lockstep(
    dfst: Model, table: Table, worlds: Iterable[Case], steps: int = NO_LIMIT
) -> list[LockstepOutcome]:
    """The outcomes in order."""
    outcomes = cpu_backend(matched(dfst, table))(worlds, Until(steps), nobody)
    return [outcome for outcome in outcomes if outcome is not None]


def evaluate(
    dfst: Model,
    table: Table,
    digits: int,
    suite: str = RLG,
    seed: int = 0,
    *,
    seconds: float = math.inf,
    watch: SuiteListener = nobody,
    **options: Any,
) -> Evaluation:
    """A suite at one length."""
    evaluator = Evaluator(dfst, table, suite, seed, **options)
    return evaluator.at(digits, time.monotonic() + seconds, watch)


def largest_passed(dfst: Model, table: Table, lengths: Iterable[int], suite: str = RLG) -> int:
    """The last of ascending lengths that passes before the first that does not; 0 if none does."""
    evaluator = Evaluator(dfst, table, suite)
    return max(takewhile(lambda digits: bool(evaluator.at(digits).passed), lengths), default=0)
