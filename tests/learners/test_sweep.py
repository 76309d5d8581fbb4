"""`gridlang sweep`: independent jobs, on local processes and on Ray, that survive being killed."""

from __future__ import annotations

import fcntl
import importlib
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang import __version__
from gridlang.compiler.tensors.dfst import read_dfst
from gridlang.learners import sweeps
from gridlang.learners.runtime.processes import Done, shares
from gridlang.learners.sweeps import Job, Place, place_named, run_sweep, work_afar
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces, traces_to_bytes
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.train.journal import read_checkpoint
from gridlang.learners.train.recipes import Recipe, changed, load_recipe
from gridlang.learners.train.run import LOCK, Trained, TrainingPlan, TrainingProgress, train
from gridlang.loading import load
from tests.programs import EXAMPLES, ROOT
from tests.support import command_line

ADD2 = EXAMPLES / "add2.grid"
FEW, MANY = 200, 60_000  # iterations: a moment, and seconds in which to interrupt
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
    return train(TrainingPlan(traces, long_recipe(), (0, 1), "cpu"))


def long_recipe() -> Recipe:
    """One that does all its iterations; `proof` ends when it can be refitted."""
    return changed(load_recipe("fast", "add2"), iterations=MANY)


def trained(traces: Traces, iterations: int, seeds: tuple[int, ...]) -> list[Trained]:
    return train(TrainingPlan(traces, short(iterations), seeds, "cpu"))


def short(iterations: int) -> Recipe:
    return changed(load_recipe("proof", "add2"), iterations=iterations)


def same_weights(folder: str, models: list[Trained]) -> bool:
    """Whether the models in the folders of jobs, named by their seeds, are these, bit for bit."""
    for model in models:
        found = read_dfst(os.path.join(folder.format(model.seed), f"seed-{model.seed}.safetensors"))
        for name in ("A", "B", "C", "h0"):
            if getattr(found, name).tobytes() != getattr(model.model, name).tobytes():
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
    data = answer(add2, "-o", "runs", "--seeds", "2", "--iterations", str(FEW))
    assert [(line["folder"], line["seed"]) for line in data["models"]] == [
        ("add2-proof-0", 0),
        ("add2-proof-1", 1),
    ]
    models = trained(traces, FEW, (0, 1))
    assert [line["loss"] for line in data["models"]] == [model.loss for model in models]
    assert same_weights("runs/add2-proof-{}", models)
    kept = {"run.json", "metrics.jsonl", "metrics.csv", "checkpoint.npz", "result.json"}
    assert kept <= set(os.listdir("runs/add2-proof-1"))
    summary = json.loads(Path("runs/sweep.json").read_text())
    assert summary["format"] == "gridlang-sweep/1"
    assert summary["models"] == data["models"]
    first = summary["models"][0]
    told = ("add2", "proof", FEW, None, None)
    assert tuple(first[key] for key in ("data", "recipe", "iterations", "diverged", "passed")) == told
    assert first["seconds"] > 0


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
    assert [line.split()[:2] for line in lines[1:-1]] == [
        ["add2-fast", "2"], ["add2-slow", "2"], ["other-fast", "2"], ["other-slow", "2"],
    ]  # fmt: skip
    assert lines[-1] == "wrote runs/sweep.json"
    assert len(list(Path("runs").glob("*/result.json"))) == 8


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
    assert "2 at 30" in result.stdout
    assert [line["passed"] for line in json.loads(Path("runs/sweep.json").read_text())["models"]] == [
        True,
        True,
    ]


def test_models_that_generalise_to_nothing_do_not_pass(add2: str) -> None:
    common = (add2, "-o", "runs", "--seeds", "2", "--iterations", "20")
    assert answer(*common)["models"][0]["passed"] is None
    before = Path("runs/sweep.json").read_text()
    models = answer(*common, "--digits", "5")["models"]
    assert [line["passed"] for line in models] == [False, False]
    assert [line["loss"] for line in models] == [line["loss"] for line in json.loads(before)["models"]]


# Going on


@pytest.mark.long
def test_a_second_call_trains_nothing_again_and_more_seeds_are_added(add2: str) -> None:
    common = (add2, "-o", "runs", "--iterations", str(FEW), "--seeds")
    first = answer(*common, "2")["models"]
    times = {path: path.stat().st_mtime_ns for path in Path("runs/add2-proof-0").iterdir()}
    assert answer(*common, "2")["models"] == first
    assert answer(*common, "3")["models"][:2] == first
    assert times == {path: path.stat().st_mtime_ns for path in Path("runs/add2-proof-0").iterdir()}


def test_seeds_are_shared_among_gpus_and_those_with_a_result_are_left_out(
    traces: Traces, tmp_path: Path
) -> None:
    done = ["add2-few-0-3"]

    def do(jobs: Sequence[Job]) -> Iterator[Done[Job, str]]:
        assert [os.path.basename(job.folder) for job in jobs] == done
        yield from (Done(job, sweeps.work(job), "", 0.0) for job in jobs)

    class Gpus(Place):
        does = staticmethod(do)

    wanted = Job("add2", TrainingPlan(traces, Recipe("few", iterations=1), (), "cpu"))
    place = Gpus(2, ["0", "1"])
    done = ["add2-few-0-1", "add2-few-2"]
    assert len(run_sweep(str(tmp_path), [wanted], range(3), place)["models"]) == 3
    done = ["add2-few-3-4", "add2-few-5-6"]
    assert len(run_sweep(str(tmp_path), [wanted], range(7), place)["models"]) == 7


@pytest.mark.long
def test_a_job_whose_process_is_killed_is_reported_and_goes_on_with_the_next_call(
    add2: str, traces: Traces, long_run: list[Trained]
) -> None:
    stop_at(MANY // 4, traces, "runs/add2-fast-0")
    arguments = (add2, "-o", "runs", "--seeds", "2", "--recipe", "fast", "--iterations", str(MANY))
    killed: list[int] = []

    def kill_the_first_job() -> None:
        wait_until(lambda: has_begun("runs/add2-fast-0", lines=300))
        children = [child.pid or 0 for child in multiprocessing.active_children()]
        victim = next(pid for pid in children if holds(pid, "add2-fast-0"))
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)

    killer = threading.Thread(target=kill_the_first_job)
    killer.start()
    data = answer(*arguments, code=1)
    killer.join()
    assert killed
    assert [line["job"] for line in data["failed"]] == ["add2-fast-0"]
    assert "killed by SIGKILL" in data["failed"][0]["message"]
    assert [line["seed"] for line in data["models"]] == [1]
    assert MANY // 4 <= iteration_of("runs/add2-fast-0") < MANY
    assert [line["seed"] for line in answer(*arguments)["models"]] == [0, 1]
    assert same_weights("runs/add2-fast-{}", long_run)


def stop_at(iteration: int, traces: Traces, folder: str) -> None:
    """Leaves a job of seed 0 with a checkpoint in its midst."""

    def stop(at: TrainingProgress) -> None:
        if at.iteration >= iteration:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TrainingPlan(traces, long_recipe(), (0,), "cpu"), folder, on_event=stop)


def holds(pid: int, folder: str) -> bool:
    """Whether a process holds the lock of this folder."""
    links = Path(f"/proc/{pid}/fd")
    return any(os.path.realpath(link).endswith(f"{folder}/{LOCK}") for link in links.iterdir())


@pytest.fixture
def driver(add2: str) -> Iterator[subprocess.Popen[str]]:
    """A sweep of two long jobs that is under way."""
    arguments = [add2, "-o", "runs", "--seeds", "2", "--recipe", "fast", "--iterations", str(MANY)]
    with subprocess.Popen(
        [sys.executable, "-m", "gridlang.cli", "sweep", *arguments, "--device", "cpu", "--ray", "none"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        wait_until(lambda: has_begun("runs/add2-fast-0"))
        yield process
        process.kill()


def finish(long_run: list[Trained]) -> None:
    """Ends what the driver began; the weights are as if nothing had happened."""
    answer("add2.npz", "-o", "runs", "--seeds", "2", "--recipe", "fast", "--iterations", str(MANY))
    assert same_weights("runs/add2-fast-{}", long_run)


@pytest.mark.long
def test_ctrl_c_ends_jobs_with_a_checkpoint_from_which_they_go_on(
    driver: subprocess.Popen[str], long_run: list[Trained]
) -> None:
    driver.send_signal(signal.SIGINT)
    output, _ = driver.communicate(timeout=120)
    assert driver.returncode == 130
    assert "the same command goes on from what was kept" in output
    assert "Traceback" not in output
    assert 0 < iteration_of("runs/add2-fast-0") < MANY
    names = ["add2-fast-0", "add2-fast-1"]
    assert json.loads(Path("runs/sweep.json").read_text())["unfinished"] == names
    finish(long_run)


@pytest.mark.long
def test_the_jobs_of_a_sweep_that_is_killed_stop_by_themselves(
    driver: subprocess.Popen[str], long_run: list[Trained]
) -> None:
    driver.kill()
    driver.wait()
    handle = os.open("runs/add2-fast-0/.train", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)  # held by the job as long as it lives
    os.close(handle)
    assert 0 < iteration_of("runs/add2-fast-0") < MANY
    finish(long_run)


# What goes wrong


def test_a_job_that_fails_is_told_and_the_others_end(add2: str) -> None:
    arguments = (add2, "-o", "runs", "--seeds", "2", "--iterations", "50")
    Path("runs/add2-proof-0").mkdir(parents=True)
    Path("runs/add2-proof-0/checkpoint.npz").write_bytes(b"cut in the midd")
    result = invoke(*arguments, "--ray", "none")
    assert result.exit_code == 1
    assert "add2-proof-0 failed: " in result.stderr
    assert "--restart" not in result.stderr
    assert Path("runs/add2-proof-1/result.json").exists()
    Path("runs/add2-proof-0/checkpoint.npz").unlink()
    assert len(answer(*arguments)["models"]) == 2


def test_results_that_cannot_be_written_fail_their_job_alone(add2: str) -> None:
    Path("runs/add2-proof-0/result.json/in the way").mkdir(parents=True)
    arguments = (add2, "-o", "runs", "--seeds", "2", "--iterations", "50")
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


def test_a_worker_elsewhere_sends_all_files_back(traces: Traces, tmp_path: Path) -> None:
    plan = TrainingPlan(traces, Recipe("few", iterations=FEW), (0, 1), "cpu")
    job = Job("add2", plan, folder=str(tmp_path / "not" / "here"))
    problem, files = work_afar(job, __version__)
    assert not problem and not (tmp_path / "not").exists()
    assert set(files) == {
        "run.json", "metrics.jsonl", "metrics.csv", "measures.jsonl", "result.json",
        "seed-0.safetensors", "seed-1.safetensors",
    }  # fmt: skip
    assert "install the same version" in work_afar(job, "0.0.0")[0]


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
    monkeypatch.setattr(sweeps, "find_spec", lambda _: True)
    (tmp_path / "ray").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        (tmp_path / "ray" / "ray_current_cluster").write_text(f"127.0.0.1:{server.getsockname()[1]}")
        assert place_named(None, "cpu").ray is None
        with pytest.raises(TimeoutError):
            server.accept()
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    monkeypatch.setattr(sweeps, "find_spec", lambda _: None)
    assert place_named(None, "cpu").ray is None


def test_a_cluster_that_cannot_be_had_is_told(
    add2: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.setattr(sweeps, "find_spec", lambda _: None)
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
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A cluster of two nodes with one core each; what they train is under `tmp_path`."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("RAY_TMPDIR", tempfile.gettempdir())
    soon = {
        "health_check_period_ms": 500,
        "health_check_timeout_ms": 2_000,
        "health_check_failure_threshold": 2,
    }
    found = importlib.import_module("ray.cluster_utils").Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "include_dashboard": False, "_system_config": soon},
    )
    found.add_node(num_cpus=1)
    yield found
    found.shutdown()


@pytest.mark.long
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
def test_a_node_that_is_lost_on_the_way_changes_no_weight(
    cluster: Any, traces: Traces, tmp_path: Path, long_run: list[Trained]
) -> None:
    folder = tmp_path / "ray"
    wanted = Job("add2", TrainingPlan(traces, long_recipe(), (), "cpu"), 3)

    def begun() -> int:
        return len(list(tmp_path.glob("tmp*/metrics.jsonl")))

    def lose_one() -> None:
        wait_until(lambda: begun() == 2)
        cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)

    place = place_named(cluster.address, "cpu")
    try:
        assert place.at_once == 2
        losing = threading.Thread(target=lose_one)
        losing.start()
        told = run_sweep(str(folder), [wanted], range(2), place)
        losing.join()
    finally:
        place.ray.shutdown()
    assert not told["failed"] and not cluster.worker_nodes
    assert begun() == 1  # that of the lost node; others are removed when their job ends
    assert same_weights(str(folder / "add2-fast-{}"), long_run)
    assert [line["loss"] for line in told["models"]] == [model.loss for model in long_run]
