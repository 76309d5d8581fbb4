"""`TrainedModels`: what `train` gives: models, what can be claimed of them, and what to log next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from compiler.tensors.dfst import dfst_to_table
from compiler.tensors.model import Model
from learners.evaluation.prediction import LogClaims, cases_of, claims_of
from learners.extraction.extract import extract
from learners.methods.asking.next_words import NextWords, is_of_words, next_words
from learners.methods.registry import method_named
from learners.traces.dataset import Traces
from learners.training.growing import has_expert
from learners.training.train import Trained, TrainingPlan


class TrainedModels(list[Model]):
    """The models of a run, the best first; `trained` has them by seed, with their losses."""

    def __init__(self, plan: TrainingPlan, trained: Sequence[Trained], held_out: Traces | None) -> None:
        ranked = sorted(trained, key=lambda each: (each.diverged >= 0, each.loss))
        super().__init__(each.model for each in ranked)
        self.plan, self.trained, self.held_out = plan, tuple(trained), held_out
        self.best = ranked[0] if ranked and ranked[0].diverged < 0 else None

    @cached_property
    def claims(self) -> LogClaims | None:
        """What can be claimed of the best model if nobody knows the expert."""
        if self.best is None or (self.held_out is None and has_expert(self.plan.traces)):
            return None
        return claims_of(self.best.model, self.plan.traces, self.held_out)

    @cached_property
    def next_words(self) -> NextWords | None:
        """What a log of words leaves open about the machine that was learned, and which words to log next.

        None without a machine that does what the log shows: of other traces, and of a model that is not
        consistent with the log, or that follows no table there.
        """
        traces = self.plan.traces
        if self.best is None or not is_of_words(traces):
            return None
        if self.claims is None or not self.claims.learned_from.consistent:
            return None
        model = self.best.model
        if method_named(self.plan.method.name).consistent:
            return next_words(dfst_to_table(self.best.dfst), traces)
        table = extract(model, seen=cases_of(model, traces)).table
        return None if table is None else next_words(table, traces)
