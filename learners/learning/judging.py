"""Judges the models of a round, each in its own process; results are kept in the folder of the round."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from compiler.proofs.joint_step import STRICT, UNASKED
from gridlang.files import read_bytes, write_whole
from gridlang.table_json import table_to_json
from learners.learning.expert_questions import UnseenRules
from learners.learning.rounds import read_result
from learners.learning.seed_verdicts import (
    CRASHED,
    DIVERGED,
    UNKNOWN,
    SeedQuery,
    SeedResult,
    query_to_json,
    seed_results,
)
from learners.learning.settings import LearnConfig
from learners.traces.limits import LIMITS as TRACE_LIMITS
from learners.training.train import Trained


@dataclass(frozen=True, slots=True)
class RoundJudge:
    """Asks about the models of a round; `last` are the results of the round before, by their seeds."""

    config: LearnConfig
    number: int
    folder: str
    unseen: UnseenRules
    last: Mapping[int, SeedResult]
    judged: Callable[[SeedResult], None]

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def results(self, models: list[Trained]) -> tuple[SeedResult, ...]:
        """Asks about the models that have not been asked about yet; every result is kept as it comes.

        Where all worlds cannot be settled, declared inputs are asked about.
        """
        results: dict[int, SeedResult] = {}
        queries = {model.seed: self._query(model) for model in models if model.diverged < 0}
        for model in models:
            kept = self.path(f"seed-{model.seed}.json")
            if model.diverged >= 0:
                reason = f"it diverged at iteration {model.diverged:,}"
                results[model.seed] = SeedResult(model.seed, DIVERGED, reason=reason)
            elif os.path.exists(kept):
                results[model.seed] = read_result(kept, model.seed)
        for result in self._answers([queries[seed] for seed in queries if seed not in results]):
            results[result.seed] = self._kept(result)
            self.judged(result)
        for result in self._answers_on_inputs(queries, results):
            narrower = self._kept(result, "inputs.")
            results[result.seed] = self._kept(
                replace(results[result.seed], inputs=narrower, hard=result.hard)
            )
            self.judged(result)
        return tuple(results[model.seed] for model in models)

    def _answers(self, queries: list[SeedQuery]) -> Iterator[SeedResult]:
        """The results at the scope asked for; on all worlds they are known where nothing can settle it."""
        if self._narrows and not self.unseen.excluded:
            for seed, loss in ((query.seed, query.loss) for query in queries):
                yield SeedResult(seed, UNKNOWN, loss, self.unseen.reason, scope="worlds", settled=True)
            return
        by_seed = {query.seed: query for query in queries}
        for result in seed_results(queries, self.config.patience):
            yield self._settled(self._repeatable(by_seed[result.seed], result))

    def _answers_on_inputs(
        self, queries: dict[int, SeedQuery], results: dict[int, SeedResult]
    ) -> Iterator[SeedResult]:
        """The results on declared inputs for seeds that stay unknown on all worlds in this run."""
        last_round = self.number == self.config.rounds
        stay = [
            seed
            for seed, result in results.items()
            if result.verdict == UNKNOWN and (result.settled or last_round) and result.inputs is None
        ]
        narrower = {seed: queries[seed]._replace(scope="inputs") for seed in stay if self._narrows}
        for result in seed_results(list(narrower.values()), self.config.patience):
            before = self.last.get(result.seed)
            same = result.is_unknown_as(before.inputs if before else None)
            yield replace(self._repeatable(narrower[result.seed], result), settled=same)

    @property
    def _narrows(self) -> bool:
        """Whether there is a smaller question than the one that was asked."""
        return self.config.scope == "worlds" and self.config.declares_inputs

    def _repeatable(self, query: SeedQuery, result: SeedResult) -> SeedResult:
        """The result; of a crash with the command that repeats it, and its traceback is put into a file."""
        if result.verdict != CRASHED:
            return result
        path = self.path(f"seed-{query.seed}.crash.json")
        write_whole(path, query_to_json(query))
        if result.traceback:
            write_whole(self.path(f"seed-{query.seed}.crash.txt"), result.traceback)
        return replace(
            result, reason=f"{result.reason}; repeat it with `python -m learners.learning.judge_again {path}`"
        )

    def _settled(self, result: SeedResult) -> SeedResult:
        """The result, with whether another round can change it."""
        same = result.is_unknown_as(self.last.get(result.seed))
        unsettled = not self.unseen.excluded and not result.hard
        return replace(result, settled=result.verdict == UNKNOWN and (same or unsettled))

    def _query(self, model: Trained) -> SeedQuery:
        program, path = self.config.program, self.path(f"seed-{model.seed}.safetensors")
        return SeedQuery(
            seed=model.seed,
            file=path,
            model=read_bytes(path, TRACE_LIMITS.most_bytes, path),
            expert=table_to_json(program.table),
            expert_file=program.file,
            expert_source=program.as_read(),
            expert_arguments=program.argument_texts(),
            scope=self.config.scope,
            radius=self.config.radius,
            length=self.config.length,
            round=self.number,
            loss=None if np.isnan(model.loss) else float(model.loss),
            stuck=STRICT if self.config.strict else UNASKED,
        )

    def _kept(self, result: SeedResult, of: str = "") -> SeedResult:
        """Writes the source and the certificate; the result goes on without them."""
        texts = ("grid", result.source), ("certificate.json", result.certificate)
        for ending, text in texts:
            if text:
                write_whole(self.path(f"seed-{result.seed}.{of}{ending}"), text)
        if not of:
            write_whole(self.path(f"seed-{result.seed}.json"), json.dumps(result.as_json()) + "\n")
        return replace(result, source="", certificate="", traceback="")
