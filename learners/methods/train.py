"""One door to all methods: a plan names one, and what comes back are models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from learners.training.methods import TABLES
from learners.training.train import Trained, TrainingPlan, TrainingProgress, train


def train_by_method(
    plan: TrainingPlan,
    folder: str | None = None,
    *,
    resume: bool = False,
    restart: bool = False,
    progress: Callable[[TrainingProgress], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
    **others: Any,
) -> list[Trained]:
    """Learns as the plan says; `progress` is told of iterations, `tell` of what has none."""
    if plan.method.name in TABLES:
        from learners.methods.tables import learned_table

        return learned_table(plan, folder, resume=resume, restart=restart, tell=tell)
    return train(plan, folder, resume=resume, restart=restart, progress=progress, **others)
