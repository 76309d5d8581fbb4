"""`gridlang sweep`: independent jobs, on local processes and on Ray, that survive being killed."""

from __future__ import annotations

import errno
import fcntl
import importlib
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.tensors.dfst import read_dfst
from gridlang.learners.methods.registry import train_by_method
from gridlang.learners.runtime.processes import shares
from gridlang.learners.sweeps import pools
from gridlang.learners.sweeps.jobs import MARK, JobSpec
from gridlang.learners.sweeps.pools import LocalPool, Lost, RayPool, open_pool, run_job
from gridlang.learners.sweeps.sweep import Settings, Task, blocks, run_sweep
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces, traces_to_bytes
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.training.journal import read_checkpoint
from gridlang.learners.training.recipes import Recipe, changed, load_recipe
from gridlang.learners.training.train import LOCK, Trained, TrainingPlan, TrainingProgress, train
from gridlang.loading import load
from tests.programs import EXAMPLES, ROOT
from tests.support import command_line

FEW, MANY = 200, 6_000  # iterations: a moment, and seconds in which to interrupt
FLIP = """
agent flip

alphabet
  digit = 0..1

input digit+

start flip

state flip
  d in digit : write 1-d, R
  _          : halt
"""

# A process that holds the lock of a sweep until its input ends.
HOLDER = """
import sys
from gridlang.learners.runtime.folder_lock import held
with held("runs", ".sweep"):
    print("held", flush=True)
    sys.stdin.read()
"""


invoke = partial(command_line.invoke, "sweep", "--device", "cpu")
answer = partial(command_line.answer, "sweep", "--device", "cpu", "--ray", "none")
refused = partial(command_line.refused, "sweep", "--device", "cpu", "--ray", "none")


@pytest.fixture(scope="module")
def traces() -> Traces:
    program = load(EXAMPLES / "add2.grid")
    return make_traces(program, [sampling_plan(program.table, "paper")], 0)


@pytest.fixture
def add2(traces: Traces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "add2.npz").write_bytes(traces_to_bytes(traces))
    return "add2.npz"


@pytest.fixture(scope="module")
def long_run(traces: Traces) -> list[Trained]:
    """What a sweep of MANY iterations must give, however often it is interrupted."""
    return trained(traces, MANY, (0, 1))


def trained(traces: Traces, iterations: int, seeds: tuple[int, ...]) -> list[Trained]:
    return train_by_method(TrainingPlan(traces, short(iterations), seeds, "cpu"))


def short(iterations: int) -> Recipe:
    return changed(load_recipe("proof", "add2"), iterations=iterations)


def same_weights(folder: str, models: list[Trained]) -> bool:
    """Whether the models in a job's folder are these, bit for bit."""
    for model in models:
        found = read_dfst(os.path.join(folder, f"seed-{model.seed}.safetensors"))
        for name in ("A", "B", "C", "h0"):
            if getattr(found, name).tobytes() != getattr(model.dfst, name).tobytes():
                return False
    return True


def wait_until(happened: Callable[[], object]) -> None:
    end = time.monotonic() + 300
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def has_begun(folder: str, lines: int = 20) -> bool:
    path = Path(folder, "metrics.jsonl")
    return path.exists() and path.read_text().count("\n") >= lines


def iteration_of(folder: str) -> int:
    found = read_checkpoint(folder)
    return found[0].iteration if found else 0


# What a sweep leaves


@pytest.mark.long
def test_each_job_leaves_what_training_leaves_and_the_models_are_those_of_train(
    add2: str, traces: Traces
) -> None:
    data = answer(add2, "-o", "runs", "--seeds", "4", "--together", "2", "--iterations", str(FEW))
    assert [(line["folder"], line["seed"]) for line in data["models"]] == [
        ("add2-proof-0-1", 0), ("add2-proof-0-1", 1), ("add2-proof-2-3", 2), ("add2-proof-2-3", 3),
    ]  # fmt: skip
    models = trained(traces, FEW, (0, 1, 2, 3))
    assert [line["loss"] for line in data["models"]] == [model.loss for model in models]
    assert same_weights("runs/add2-proof-0-1", models[:2])
    assert same_weights("runs/add2-proof-2-3", models[2:])
    kept = {"run.json", "metrics.jsonl", "checkpoint.npz", "result.json"}
    assert kept <= set(os.listdir("runs/add2-proof-2-3"))
    summary = json.loads(Path("runs/sweep.json").read_text())
    assert summary["format"] == "gridlang-sweep/1"
    assert summary["models"] == data["models"]
    first = summary["models"][0]
    assert (first["data"], first["recipe"], first["iterations"], first["diverged"]) == (
        "add2",
        "proof",
        FEW,
        None,
    )
    assert first["seconds"] > 0
    assert "passed" not in first


@pytest.mark.long
def test_data_files_and_recipes_are_crossed_and_told_in_a_table(add2: str) -> None:
    Path("other.npz").write_bytes(Path(add2).read_bytes())
    Path("slow.toml").write_text("lr = 1e-4")
    result = invoke(
        *(add2, "other.npz", "-o", "runs", "--recipe", "fast", "--recipe", "slow.toml"),
        *("--seeds", "2", "--seed", "5", "--iterations", "50", "--ray", "none"),
    )
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:-1]] == [
        ["add2", "fast", "2"], ["add2", "slow", "2"], ["other", "fast", "2"], ["other", "slow", "2"],
    ]  # fmt: skip
    assert len({len(line) for line in lines[:-1]}) == 1
    assert "loss < 1e-07" in lines[0]
    assert lines[-1] == "wrote runs/sweep.json"
    assert "2 data files × 2 recipes × 2 seeds" in result.stderr
    assert len(list(Path("runs").glob("*/result.json"))) == 4


@pytest.mark.long
def test_an_agent_may_be_given_instead_of_traces_and_models_are_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "gridlang.learners.traces.choosing.sampling.LIMITS", replace(TRACE_LIMITS, pool=1_000)
    )
    Path("flip.grid").write_text(FLIP)
    result = invoke(
        "flip.grid", "-o", "runs", "--seeds", "2", "--digits", "30", "--iterations", "500", "--ray", "none"
    )
    assert result.exit_code == 0, result.output
    assert "passed at 30" in result.stdout
    assert "2/2 100%" in result.stdout
    assert [line["passed"] for line in json.loads(Path("runs/sweep.json").read_text())["models"]] == [
        True,
        True,
    ]


def test_models_that_generalise_to_nothing_do_not_pass(add2: str) -> None:
    common = (add2, "-o", "runs", "--seeds", "2", "--iterations", "20")
    assert "passed" not in answer(*common)["models"][0]
    before = Path("runs/sweep.json").read_text()
    models = answer(*common, "--digits", "5", "--against", str(EXAMPLES / "add2.grid"))["models"]
    assert [line["passed"] for line in models] == [False, False]
    assert [line["loss"] for line in models] == [line["loss"] for line in json.loads(before)["models"]]


# Going on


@pytest.mark.long
def test_a_second_call_trains_nothing_again_and_more_seeds_are_added(add2: str) -> None:
    common = (add2, "-o", "runs", "--iterations", str(FEW), "--seeds")
    first = answer(*common, "3", "--together", "3")["models"]
    times = {path: path.stat().st_mtime_ns for path in Path("runs/add2-proof-0-2").iterdir()}
    assert answer(*common, "3", "--jobs", "1")["models"] == first
    more = answer(*common, "5", "--together", "1")["models"]
    assert more[:3] == first
    assert [line["folder"] for line in more[3:]] == ["add2-proof-3", "add2-proof-4"]
    assert times == {path: path.stat().st_mtime_ns for path in Path("runs/add2-proof-0-2").iterdir()}


@given(
    st.integers(0, 30), st.integers(1, 30), st.integers(1, 10),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=8),
)  # fmt: skip
def test_blocks_hold_each_seed_once_and_keep_what_was_begun(
    first: int, count: int, size: int, known: list[tuple[int, int]]
) -> None:
    seeds = range(first, first + count)
    begun = [tuple(range(start, start + length)) for start, length in known]
    found = blocks(seeds, size, begun)
    assert sorted(seed for block in found for seed in block) == list(seeds)
    assert all(block == tuple(range(block[0], block[-1] + 1)) for block in found)
    assert all(len(block) <= size or block in begun for block in found)
    wanted = [block for block in begun if set(block) <= set(seeds)]
    if wanted:
        assert wanted[0] in found


@pytest.mark.long
def test_a_job_whose_process_is_killed_is_reported_and_goes_on_with_the_next_call(
    add2: str, traces: Traces, long_run: list[Trained]
) -> None:
    stop_at(MANY // 4, traces, "runs/add2-proof-0-1")
    arguments = (add2, "-o", "runs", "--seeds", "3", "--jobs", "2", "--iterations", str(MANY))
    killed: list[int] = []

    def kill_the_first_job() -> None:
        wait_until(lambda: has_begun("runs/add2-proof-0-1", lines=300))
        children = [child.pid or 0 for child in multiprocessing.active_children()]
        victim = next(pid for pid in children if holds(pid, "add2-proof-0-1"))
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)

    killer = threading.Thread(target=kill_the_first_job)
    killer.start()
    data = answer(*arguments, code=1)
    killer.join()
    assert killed
    assert [line["job"] for line in data["failed"]] == ["add2-proof-0-1"]
    assert "killed by SIGKILL" in data["failed"][0]["message"]
    assert [line["seed"] for line in data["models"]] == [2]
    assert MANY // 4 <= iteration_of("runs/add2-proof-0-1") < MANY
    assert [line["seed"] for line in answer(*arguments)["models"]] == [0, 1, 2]
    assert same_weights("runs/add2-proof-0-1", long_run)


def stop_at(iteration: int, traces: Traces, folder: str) -> None:
    """Leaves a job of seeds 0 and 1 with a checkpoint in its midst."""

    def stop(at: TrainingProgress) -> None:
        if at.iteration >= iteration:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TrainingPlan(traces, short(MANY), (0, 1), "cpu"), folder, progress=stop)


def holds(pid: int, folder: str) -> bool:
    """Whether a process holds the lock of this folder."""
    links = Path(f"/proc/{pid}/fd")
    return any(os.path.realpath(link).endswith(f"{folder}/{LOCK}") for link in links.iterdir())


@pytest.fixture
def driver(add2: str) -> Iterator[subprocess.Popen[str]]:
    """A sweep of one long job that is under way."""
    arguments = [add2, "-o", "runs", "--seeds", "2", "--together", "2", "--iterations", str(MANY)]
    with subprocess.Popen(
        [sys.executable, "-m", "gridlang.cli", "sweep", *arguments, "--device", "cpu", "--ray", "none"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        wait_until(lambda: has_begun("runs/add2-proof-0-1"))
        yield process
        process.kill()


def finish(long_run: list[Trained]) -> None:
    """Ends what the driver began; the weights are as if nothing had happened."""
    answer("add2.npz", "-o", "runs", "--seeds", "2", "--iterations", str(MANY))
    assert same_weights("runs/add2-proof-0-1", long_run)


@pytest.mark.long
def test_ctrl_c_ends_jobs_with_a_checkpoint_from_which_they_go_on(
    driver: subprocess.Popen[str], long_run: list[Trained]
) -> None:
    driver.send_signal(signal.SIGINT)
    output, _ = driver.communicate(timeout=120)
    assert driver.returncode == 130
    assert "the same command goes on from what was kept" in output
    assert "Traceback" not in output
    assert 0 < iteration_of("runs/add2-proof-0-1") < MANY
    assert json.loads(Path("runs/sweep.json").read_text())["unfinished"] == ["add2-proof-0-1"]
    finish(long_run)


@pytest.mark.long
def test_the_jobs_of_a_sweep_that_is_killed_stop_by_themselves(
    driver: subprocess.Popen[str], long_run: list[Trained]
) -> None:
    driver.kill()
    driver.wait()
    handle = os.open("runs/add2-proof-0-1/.train", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)  # held by the job as long as it lives
    os.close(handle)
    assert 0 < iteration_of("runs/add2-proof-0-1") < MANY
    finish(long_run)


# What goes wrong


def test_what_cannot_be_swept_is_told_before_anything_starts(add2: str, traces: Traces) -> None:
    whole, other = Path(add2).read_bytes(), str(EXAMPLES / "mult2.grid")
    Path("bare.npz").write_bytes(traces_to_bytes(replace(traces, source="")))
    Path("cut.npz").write_bytes(whole[:-100])
    Path("again").mkdir()
    Path("again/add2.npz").write_bytes(whole)
    for words, code in (
        (["bare.npz", "--digits", "5"], "G110"),
        ([add2, "--digits", "5", "--against", other], "G085"),
        ([add2, "cut.npz"], "G100"),
        ([add2, "--recipe", "fsat"], "G120"),
        ([add2, "again/add2.npz"], "G134"),
        ([add2, "--recipe", "fast", "--recipe", "fast"], "G134"),
    ):
        assert refused(*words, "-o", "runs")["code"] == code
    assert invoke(add2, "-o", "runs", "--against", other).exit_code == 2
    assert not Path("runs").exists()


def test_a_job_that_fails_is_told_and_the_others_end(add2: str) -> None:
    arguments = (add2, "-o", "runs", "--seeds", "2", "--together", "1", "--iterations", "50")
    Path("runs/add2-proof-0").mkdir(parents=True)
    Path("runs/add2-proof-0/checkpoint.npz").write_bytes(b"cut in the midd")
    result = invoke(*arguments, "--ray", "none")
    assert result.exit_code == 1
    assert "add2-proof-0 failed: " in result.stderr
    assert "--restart" not in result.stderr
    assert "1 of 2 jobs failed" in result.stderr
    assert Path("runs/add2-proof-1/result.json").exists()
    Path("runs/add2-proof-0/checkpoint.npz").unlink()
    assert len(answer(*arguments)["models"]) == 2


def test_results_that_cannot_be_written_fail_their_job_alone(add2: str) -> None:
    Path("runs/add2-proof-0/result.json/in the way").mkdir(parents=True)
    arguments = (add2, "-o", "runs", "--seeds", "2", "--together", "1", "--iterations", "50")
    data = answer(*arguments, code=1)
    assert [line["job"] for line in data["failed"]] == ["add2-proof-0"]
    assert "cannot write here" in data["failed"][0]["message"]
    assert [line["seed"] for line in data["models"]] == [1]


def test_a_folder_with_other_settings_is_left_alone(add2: str) -> None:
    answer(add2, "-o", "runs", "--seeds", "1", "--iterations", "50")
    before = Path("runs/sweep.json").read_text()
    assert refused(add2, "-o", "runs", "--seeds", "1", "--iterations", "60")["code"] == "G130"
    assert Path("runs/sweep.json").read_text() == before


def test_a_lock_of_a_process_that_died_is_taken_over_and_the_message_names_the_holder(add2: str) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout and holder.stdout.readline()
    result = invoke(add2, "-o", "runs", "--iterations", "1")
    assert result.exit_code == 2 and "[G131]" in result.stderr
    assert f"another `sweep` is at work in this folder: process {holder.pid} on" in result.stderr
    holder.kill()
    holder.communicate()
    answer(add2, "-o", "runs", "--seeds", "1", "--iterations", "1")


def test_a_full_disk_is_told(add2: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    assert refused(add2, "-o", "runs", "--iterations", "1")["code"] == "G009"


def a_job(traces: Traces, folder: Path) -> JobSpec:
    recipe = Recipe("few", iterations=FEW)
    where = ("add2-few-0-1", str(folder / "add2-few-0-1"), "mark", "add2")
    return JobSpec(*where, traces_to_bytes(traces), recipe, (0, 1), "cpu")


def test_a_worker_that_does_not_see_the_folder_sends_all_files_back_and_leaves_none(
    traces: Traces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRIDLANG_CACHE", str(tmp_path / "cache"))
    spec = a_job(traces, tmp_path / "elsewhere")
    far = spec.run()
    assert {name for name, _ in far.files} == {
        "run.json", "metrics.jsonl", "measures.jsonl", "seed-0.safetensors", "seed-1.safetensors",
    }  # fmt: skip
    assert list((tmp_path / "cache" / "sweeps").iterdir()) == []
    assert not (tmp_path / "elsewhere").exists()
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / MARK).write_text("mark")
    near = a_job(traces, tmp_path / "here").run()
    assert (tmp_path / "here" / "add2-few-0-1" / "checkpoint.npz").exists()
    assert [model.loss for model in near.models] == [model.loss for model in far.models]


def test_a_worker_of_another_version_refuses(traces: Traces, tmp_path: Path) -> None:
    with pytest.raises(Lost, match="install the same version"):
        run_job(a_job(traces, tmp_path), "0.0.0")


@given(st.integers(1, 40), st.integers(0, 40), st.integers(0, 5))
def test_processes_share_cores_and_gpus_evenly(count: int, cores: int, gpus: int) -> None:
    found = shares(count, list(range(100, 100 + cores)), [str(gpu) for gpu in range(gpus)])
    used = [core for share in found for core in share.cores]
    assert len(found) == count
    if 0 < count <= cores:
        assert len(used) == len(set(used)) > cores - count
    elif cores:
        assert {used.count(core) for core in used} <= {count // cores, -(-count // cores)}
    given_gpus = [share.gpu for share in found]
    assert given_gpus.count(None) == (0 if gpus else count)
    assert all(
        given_gpus.count(gpu) - given_gpus.count(other) <= 1
        for gpu in set(given_gpus)
        for other in set(given_gpus)
    )


def test_an_address_that_the_user_did_not_give_is_never_dialled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.setattr(pools, "find_spec", lambda _: True)
    (tmp_path / "ray").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        (tmp_path / "ray" / "ray_current_cluster").write_text(f"127.0.0.1:{server.getsockname()[1]}")
        assert isinstance(open_pool(None, "cpu", 3), LocalPool)
        with pytest.raises(TimeoutError):
            server.accept()
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    monkeypatch.setattr(pools, "find_spec", lambda _: None)
    assert isinstance(open_pool(None, "cpu", 3), LocalPool)


def test_a_cluster_that_cannot_be_had_is_told(
    add2: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.setattr(pools, "find_spec", lambda _: None)
    result = invoke(add2, "-o", "runs", "--ray", "127.0.0.1:1")
    assert result.exit_code == 2 and "G132" in result.stderr and "Ray is not installed" in result.stderr
    assert not Path("runs").exists()


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "ray://127.0.0.1:1"])
def test_an_address_where_nobody_answers_is_told_at_once(add2: str, address: str) -> None:
    result = invoke(add2, "-o", "runs", "--ray", address)
    assert result.exit_code == 2
    assert f"no Ray cluster answers at {address}" in result.stderr


@pytest.fixture
def cluster() -> Iterator[str]:
    """The address of a cluster of two nodes with one core each."""
    found = importlib.import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    found.add_node(num_cpus=1)
    yield found.address
    found.shutdown()


@pytest.mark.long
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
def test_a_ray_cluster_of_two_nodes_gives_the_same_weights_bit_for_bit(
    cluster: str, traces: Traces, tmp_path: Path
) -> None:
    task = Task("add2", traces, (short(FEW),), load(EXAMPLES / "add2.grid").table)
    settings = Settings((0, 1, 2, 3), device="cpu", digits=3)
    local = LocalPool("cpu", 2)
    here = run_sweep(str(tmp_path / "local"), [task], settings, local)
    local.close()
    pool = RayPool(cluster, "cpu")
    try:
        assert pool.at_once == 2
        assert "2 nodes" in pool.about
        there = run_sweep(str(tmp_path / "ray"), [task], settings, pool)
        unseen = replace(there.jobs[1], mark="of another machine")
        sent = pool.submit([unseen])[0].result()
    finally:
        pool.close()
    assert not there.failed
    models = trained(traces, FEW, settings.seeds)
    for folder in ("local", "ray"):
        assert same_weights(str(tmp_path / folder / "add2-proof-0-1"), models[:2])
        assert same_weights(str(tmp_path / folder / "add2-proof-2-3"), models[2:])
    assert _losses(here.as_json()) == _losses(there.as_json()) == [model.loss for model in models]
    assert dict(sent.files).keys() == dict(run_files(tmp_path / "ray" / unseen.name)).keys()
    assert [model.loss for model in sent.models] == [model.loss for model in models[2:]]


def _losses(summary: dict[str, Any]) -> list[float]:
    return [line["loss"] for line in summary["models"]]


def run_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """What a job sends back."""
    for path in folder.iterdir():
        if path.name != "result.json" and not path.name.startswith(("checkpoint.", ".")):
            yield path.name, path


def test_a_definition_is_for_the_agents_among_the_data() -> None:
    from gridlang.learners.sweeps.sweep import tasks_of

    (task,) = tasks_of([str(EXAMPLES / "increment.grid")], ["fast"], definitions={"base": "3"})
    assert task.traces.symbols == ("_", "0", "1", "2")
