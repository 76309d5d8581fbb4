"""A round of learning on a Ray cluster: blocks of seeds are trained, and models judged, on its nodes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gridlang.diagnostics import fail
from gridlang.files import read_bytes, write_whole
from gridlang.learners.learning.seed_verdicts import CRASHED, SeedQuery, SeedResult, seed_results
from gridlang.learners.learning.training_further import train_seeds
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.sweeps.jobs import MARK, JobSpec, ModelResult
from gridlang.learners.sweeps.pools import Lost, Pool, RayPool, cluster_address
from gridlang.learners.sweeps.sweep import Standing, Sweep, begun_blocks, blocks, opened, run_jobs, span
from gridlang.learners.traces.dataset import traces_to_bytes
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.training.train import TrainedFurther, TrainingPlan

SEEDS = "seeds"  # first part of the name of a job's folder
POLL_SECONDS = 0.2  # until Ctrl-C is noticed


class TrainedSeeds(NamedTuple):
    """The result of a round's training; the weights are in the round's folder."""

    models: Sequence[ModelResult]
    seconds: float
    further: int  # seeds that were trained further
    asked: Mapping[str, Any] = {}  # the counts of a method that queries the expert


@dataclass(frozen=True, slots=True, eq=False)
class SeedsJob(JobSpec):
    """The training of a block of seeds in a round."""

    goes_on: bool = False  # where models have not converged

    def train(self, folder: str, resume: bool) -> TrainedFurther:
        return train_seeds(self.plan, self.goes_on, folder, resume)


class JudgingJob(NamedTuple):
    """The judging of one model, in a process of its own as everywhere."""

    query: SeedQuery
    patience: float

    def run(self) -> SeedResult:
        (result,) = seed_results([self.query], self.patience, at_once=1)
        return result


class Cluster(NamedTuple):
    """Trains with one GPU a job where there are any, else one core; judges with one core a model.

    What is learned is the same as on one machine.
    """

    training: Pool
    judging: Pool

    def close(self) -> None:
        """Waits for running training, and leaves the cluster; running judgements are dropped."""
        self.judging.stop()
        self.judging.close()
        self.training.close()

    def trained(
        self, plan: TrainingPlan, goes_on: bool, folder: str, tell: Callable[[str], None]
    ) -> TrainedSeeds:
        """All seeds of a plan; blocks that have ended before are not trained again."""
        folder = os.path.abspath(folder)
        with held(folder, MARK) as mark:
            sweep = opened(folder, self._jobs(plan, goes_on, folder, mark))
            run_jobs(sweep, self.training, lambda at: tell(_standing(at)))
        for lost in sweep.failed:
            raise fail("G133", f"{lost.name} could not be trained: {lost.problem}", "--resume tries again")
        return _collected(sweep, plan.seeds)

    def _jobs(self, plan: TrainingPlan, goes_on: bool, folder: str, mark: str) -> Iterator[SeedsJob]:
        """Even shares of the seeds; blocks that were begun before stay as they are."""
        traces, size = traces_to_bytes(plan.traces), -(-len(plan.seeds) // self.training.at_once)
        for block in blocks(plan.seeds, size, begun_blocks(folder, SEEDS, lambda some: _part(plan, some))):
            name, part = f"{SEEDS}-{span(block)}", _part(plan, block)
            yield SeedsJob(
                name,
                os.path.join(folder, name),
                mark,
                plan.traces.name,
                traces,
                plan.recipe,
                block,
                plan.device,
                command=plan.command,
                method=plan.method,
                begun=part.begun,
                goes_on=goes_on,
            )

    def judged(self, queries: Sequence[SeedQuery], patience: float) -> Iterator[SeedResult]:
        """Asks about all models; the results come as they are known."""
        futures = self.judging.submit([JudgingJob(query, patience) for query in queries])
        waiting = dict(zip(futures, queries, strict=True))
        try:
            while waiting:
                for future in wait(waiting, POLL_SECONDS, FIRST_COMPLETED).done:
                    query = waiting.pop(future)
                    try:
                        result = future.result()
                    except Lost as lost:
                        result = SeedResult(query.seed, CRASHED, query.loss, str(lost), scope=query.scope)
                    yield result
        except BaseException:
            self.judging.stop()
            raise


def open_cluster(ray: str | None, device: str) -> Cluster | None:
    """The cluster that is asked for, by the user or RAY_ADDRESS; None is this machine."""
    address = cluster_address(ray)
    return Cluster(RayPool(address, device), RayPool(address, "cpu")) if address else None


def _part(plan: TrainingPlan, block: Sequence[int]) -> TrainingPlan:
    """The plan for some of its seeds."""
    places = [place for place, seed in enumerate(plan.seeds) if seed in block]
    begun = None if plan.begun is None else plan.begun[places]
    return replace(plan, seeds=tuple(plan.seeds[place] for place in places), begun=begun)


def _standing(at: Standing) -> str:
    doing = "stopping" if at.stopping else "running"
    return f"training: {at.done} of {at.all} jobs done, {at.running} {doing}"


def _collected(sweep: Sweep, seeds: Sequence[int]) -> TrainedSeeds:
    """Copies the weights into the round's folder; the time is that of the longest job."""
    models = {}
    for job in sweep.jobs:
        for model in sweep.result(job).models:
            models[model.seed] = model
            if model.diverged is None:
                name = f"seed-{model.seed}.safetensors"
                path = os.path.join(job.folder, name)
                write_whole(os.path.join(sweep.folder, name), read_bytes(path, TRACE_LIMITS.most_bytes, path))
    results = sweep.results.values()
    seconds, further = max(each.seconds for each in results), sum(each.further for each in results)
    return TrainedSeeds([models[seed] for seed in seeds], seconds, further)
