"""`learn` on a cluster: what is learned is what one machine learns, whatever happens on the way."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gridlang as gl
from gridlang.compiler.tensors.dfst import read_dfst
from gridlang.diagnostics import GridError
from gridlang.learners.learning.cluster import Cluster, SeedsJob, open_cluster
from gridlang.learners.learning.learn import learn
from gridlang.learners.learning.rounds import Learned
from gridlang.learners.learning.seed_verdicts import SeedResult
from gridlang.learners.learning.settings import LearnConfig
from gridlang.learners.reports.run_folders import read_run_records
from gridlang.learners.runtime.folder_lock import is_held
from gridlang.learners.sweeps.pools import Job, Lost, Pool
from gridlang.learners.training.recipes import load_recipe
from gridlang.learners.training.train import LOCK
from gridlang.loading import load
from tests.programs import EXAMPLES
from tests.support import command_line
from tests.support.events import on

CONFIG = LearnConfig(
    load(EXAMPLES / "increment.grid"),
    replace(load_recipe("proof"), iterations=150),
    (0, 1, 2),
    worlds=100,
    device="cpu",
    rounds=2,
)


class Here(Pool):
    """A cluster of two nodes in this process; `lost` says of a job why it is lost, or nothing."""

    def __init__(self, lost: Callable[[Job[Any]], str] = lambda _: "") -> None:
        super().__init__(2, False, "two nodes")
        self.lost = lost

    def _start(self, job: Job[Any]) -> Any:
        return partial(self._done, job)

    def _result(self, handle: Any) -> Any:
        return handle()

    def _done(self, job: Job[Any]) -> Any:
        if problem := self.lost(job):
            raise Lost(problem)
        return job.run()

    def _end(self, handle: Any, at_once: bool) -> None:
        """What was begun is done to its end."""


def here(lost: Callable[[Job[Any]], str] = lambda _: "") -> LearnConfig:
    return replace(CONFIG, cluster=Cluster(Here(lost), Here(lost)))


def same(one: Learned, other: Learned) -> bool:
    """Whether two runs have the same verdicts, and the same weights bit for bit."""

    def timeless(learned: Learned) -> list[tuple[object, ...]]:
        rounds = learned.rounds
        results = [[replace(each, seconds=0.0) for each in done.results] for done in rounds]
        return [(done.traces, done.loss, found) for done, found in zip(rounds, results, strict=True)]

    def weights(learned: Learned) -> Iterator[Any]:
        for path in sorted(Path(learned.folder).glob("round-*/seed-*.safetensors")):
            model = read_dfst(str(path))
            yield from (model.A, model.B, model.C, model.h0)

    return timeless(one) == timeless(other) and all(
        np.array_equal(mine, theirs) for mine, theirs in zip(weights(one), weights(other), strict=True)
    )


@pytest.mark.usefixtures("judged_here")
def test_a_cluster_learns_what_one_machine_learns_and_a_lost_job_is_done_by_the_next_run(
    tmp_path: Path,
) -> None:
    alone, far = str(tmp_path / "alone"), str(tmp_path / "far")

    def second_block_lost(job: Job[Any]) -> str:
        return "its node burnt" if isinstance(job, SeedsJob) and 2 in job.seeds else ""

    with pytest.raises(GridError, match="seeds-2 could not be trained: its node burnt") as refused:
        learn(here(second_block_lost), far)
    assert refused.value.diagnostics[0].code == "G133"
    done = Path(far, "round-1", "seeds-0-1", "result.json")
    before = done.stat().st_mtime_ns
    learned = learn(here(), far, resume=True)
    assert done.stat().st_mtime_ns == before
    assert same(learned, learn(CONFIG, alone))
    (record,) = read_run_records([far])
    assert [outcome.seed for outcome in record.outcomes] == [0, 1, 2] and len(record.losses) == 2


def test_a_method_that_trains_nothing_takes_no_cluster() -> None:
    agent = str(EXAMPLES / "increment.grid")
    with pytest.raises(ValueError, match="merge trains nothing"):
        gl.learn(agent, method="merge", ray="local")
    result = command_line.invoke("learn", agent, "--method", "ask", "--ray", "10.0.0.1:6379")
    assert result.exit_code == 2 and "--method ask trains nothing" in result.stderr


@pytest.mark.long
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
def test_nodes_lost_while_seeds_are_trained_and_judged_and_an_interrupt_change_nothing(
    tmp_path: Path,
) -> None:
    found = importlib.import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    nodes = [found.add_node(num_cpus=1) for _ in range(3)]
    found.wait_for_nodes()
    folder, config = str(tmp_path / "far"), replace(CONFIG, recipe=replace(CONFIG.recipe, iterations=10_000))
    lost: list[str] = []

    def training() -> int:
        return sum(is_held(str(job), LOCK) for job in Path(folder).glob("round-1/seeds-*"))

    def interrupt(_: str) -> None:
        if training():
            raise KeyboardInterrupt

    def lose_one(event: object) -> None:
        judging = isinstance(event, SeedResult)
        when = "judging" if judging else "training"
        # Where one job ends before the last begins, that is late enough, too.
        if when not in lost and (judging or training() == 3 or " 1 of 3 jobs" in str(event)):
            lost.append(when)
            found.remove_node(nodes.pop(), allow_graceful=False)

    try:
        for listener in (on(str, interrupt), lose_one):
            cluster = open_cluster(found.address, "cpu")
            assert cluster
            try:
                learned = learn(
                    replace(config, cluster=cluster), folder, resume=listener is lose_one, on_event=listener
                )
            except KeyboardInterrupt:
                lost.append("interrupted")
            finally:
                cluster.close()
    finally:
        found.shutdown()
    assert lost == ["interrupted", "training", "judging"]
    assert same(learned, learn(config, str(tmp_path / "alone")))
