"""Training runs: engines that agree, and runs that lose nothing when they are stopped, killed or starved."""

from __future__ import annotations

import csv
import errno
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlang.learners.train.engine_choice
import gridlang.learners.train.journal
import gridlang.learners.train.run
from gridlang.compiler.native.build import compiler
from gridlang.diagnostics import GridError, fail
from gridlang.files import write_whole
from gridlang.learners.evaluation.evaluate import LADDER
from gridlang.learners.evaluation.quick_measures import LengthMeasure, MarginMeasure
from gridlang.learners.runtime import hardware
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.train.engine import Shape, State, flatten, fresh
from gridlang.learners.train.engine_choice import device_errors, open_engine
from gridlang.learners.train.engine_cpu import CpuEngine
from gridlang.learners.train.journal import (
    CHECKPOINT,
    read_checkpoint,
    write_checkpoint,
)
from gridlang.learners.train.limits import LIMITS
from gridlang.learners.train.measuring import measured_iterations
from gridlang.learners.train.recipes import AdamSchedule, Floats, Recipe, load_recipe
from gridlang.learners.train.run import Trained, TrainingPlan, TrainingProgress, train, write_models
from gridlang.terminal import notes
from tests.programs import EXAMPLES, load
from tests.support.lockstep import largest_passed
from tests.support.searches import searched

INCREMENT = load(EXAMPLES / "increment.grid").table
native = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
with_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
DEVICES = [pytest.param("cpu", marks=native), pytest.param("torch", marks=with_torch)]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few lines of metrics, so that most pieces end within one; notes are told anew; no GPU, even where there is one."""
    monkeypatch.setattr(gridlang.learners.train.journal, "LIMITS", replace(LIMITS, lines=9))
    monkeypatch.setattr(notes, "_printed", set())
    if find_spec("torch"):
        monkeypatch.setattr("torch.cuda.is_available", lambda: False)


@lru_cache
def traces_of(name: str, count: int | None = None) -> Traces:
    program = load(EXAMPLES / f"{name}.grid")
    return make_traces(program, [sampling_plan(program.table, "paper", count=count)])


def small(device: str = "cpu", seeds: Sequence[int] = (3, 4), **changes: Any) -> TrainingPlan:
    """A run of a fraction of a second."""
    recipe = {"lr": 1e-2, "clip": 0.1, "batch": 4, "iterations": 20 if device == "torch" else 200, **changes}
    return TrainingPlan(traces_of("increment", 12), Recipe("test", **recipe), tuple(seeds), device)


def weights(models: Sequence[Trained]) -> list[bytes]:
    return [flatten(model.model).tobytes() for model in models]


def losses_told(folder: str) -> list[tuple[int, float, list[float | None]]]:
    """The columns of metrics.jsonl that time has no part in; metrics.csv has the same numbers."""
    lines = [json.loads(line) for line in Path(folder, "metrics.jsonl").read_text().splitlines()]
    with Path(folder, "metrics.csv").open(newline="") as file:
        table = [[float(cell) if cell else None for cell in row.values()] for row in csv.DictReader(file)]
    names = ("iteration", "lr", "seconds", "rate")
    assert table == [[*(line[name] for name in names), *line["loss"]] for line in lines]
    return [(line["iteration"], line["lr"], line["loss"]) for line in lines]


class Stop(KeyboardInterrupt):
    """Somebody has seen enough."""


def stopping_at(iteration: int) -> Callable[[TrainingProgress], None]:
    def watch(at: TrainingProgress) -> None:
        if at.iteration >= iteration:
            raise Stop

    return watch


def interrupted(plan: TrainingPlan, folder: str, stops: Sequence[int], **more: Any) -> list[Trained]:
    """Trains with a new process's worth of amnesia at each stop."""
    for stop in stops:
        try:
            return train(plan, folder, resume=True, on_event=stopping_at(stop), **more)
        except Stop:
            pass
    return train(plan, folder, resume=True, **more)


# Seeds


@pytest.mark.parametrize("device", DEVICES)
def test_a_frozen_model_stays_and_the_others_are_trained_as_without_it(device: str) -> None:
    plans = small(device, (3, 4)), small(device, (4,))
    job, other = (plan.job(fresh(plan.shape, plan.seeds)) for plan in plans)
    schedule = job.recipe.adam_schedule(0, 10)
    both, alone = open_engine(device, job), open_engine(device, other)
    both.advance(schedule)
    kept = both.state().weights[0].tobytes()
    both.freeze([0])
    assert np.isnan(both.advance(schedule)[0]).all()
    assert both.state().weights[0].tobytes() == kept
    alone.advance(schedule)
    alone.advance(schedule)
    np.testing.assert_allclose(both.state().weights[1], alone.state().weights[0], rtol=1e-5, atol=1e-7)


@native
def test_a_model_that_settles_is_refitted_and_trained_no_further_wherever_the_run_is_cut(
    tmp_path: Path,
) -> None:
    traces = make_traces(load(EXAMPLES / "increment.grid"), [sampling_plan(INCREMENT, "peek-reads")])
    recipe = replace(load_recipe("proof"), iterations=4_000, dim=5)
    plan = TrainingPlan(traces, recipe, tuple(range(6)), "cpu")
    whole = train(plan, str(tmp_path / "whole"))
    settled = [model.iterations for model in whole]
    assert min(settled) < max(settled) < 1_000
    cut = interrupted(plan, str(tmp_path / "cut"), [min(settled) + 1])
    assert weights(whole) == weights(cut) == weights(train(plan, str(tmp_path / "whole"), resume=True))
    for model in whole:
        assert model.model.training["refitted"]["states"] == 3 and model.loss < 1e-9
    assert losses_told(str(tmp_path / "whole"))[-1][0] == max(settled)


@pytest.mark.parametrize("device", DEVICES)
def test_one_seed_that_diverges_is_named_and_the_others_go_on(
    device: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def poisoned(shape: Shape, seeds: tuple[int, ...]) -> State:
        state = fresh(shape, seeds)
        state.weights[seeds.index(4)] *= np.float32(3e7)
        return state

    expected = train(small(device, (3, 5)))
    monkeypatch.setattr(gridlang.learners.train.run, "fresh", poisoned)
    models = train(small(device, (3, 4, 5)), str(tmp_path))
    assert [model.diverged for model in models] == [-1, 0, -1]
    assert np.isnan(models[1].loss) and models[1].iterations == 0
    assert weights([models[0], models[2]]) == weights(expected)
    assert np.isfinite(flatten(models[1].model)).all()
    assert all(line[2][1] is None and None not in line[2][::2] for line in losses_told(str(tmp_path)))
    best = write_models(models, str(tmp_path / "best.safetensors"), str(tmp_path))
    assert best is not None and best.seed in (3, 5)
    assert not (tmp_path / "seed-4.safetensors").exists() and (tmp_path / "seed-5.safetensors").exists()


@pytest.mark.parametrize("device", DEVICES)
def test_a_rate_that_is_far_too_large_loses_all_seeds_and_says_when(device: str, tmp_path: Path) -> None:
    recipe = Recipe("wild", lr=10.0, schedule="constant", batch=3, iterations=12)
    plan = TrainingPlan(traces_of("add2"), recipe, (0, 1), device)
    models = train(plan, str(tmp_path))
    assert all(0 < model.diverged < 12 and model.iterations == model.diverged for model in models)
    state, _ = read_checkpoint(str(tmp_path)) or pytest.fail("there is no checkpoint")
    assert np.isfinite(state.variance).all()  # or else nothing could ever be learned again
    assert max(model.diverged for model in models) < state.iteration < 12  # a run that is lost ends
    assert write_models(models, str(tmp_path / "best.safetensors"), None) is None
    again = train(plan, str(tmp_path), resume=True)
    assert [model.diverged for model in again] == [model.diverged for model in models]


# Stopping, killing, going on


def check_stopped_anywhere(device: str, data: st.DataObject) -> None:
    plan = small(device, schedule=data.draw(st.sampled_from(("cosine", "constant"))))
    places = st.lists(st.integers(1, plan.recipe.iterations), max_size=4)
    stops = sorted(data.draw(places))
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        whole, parts = train(plan, one), interrupted(plan, other, stops)
        assert weights(parts) == weights(whole)
        assert [model.loss for model in parts] == [model.loss for model in whole]
        assert losses_told(other) == losses_told(one)


@native
@searched(10)
@given(st.data())
def test_a_run_stopped_anywhere_ends_with_the_weights_of_one_that_was_not(data: st.DataObject) -> None:
    check_stopped_anywhere("cpu", data)


@with_torch
@searched(3)
@given(st.data())
def test_so_does_a_run_in_plain_pytorch(data: st.DataObject) -> None:
    check_stopped_anywhere("torch", data)


@native
def test_the_loss_of_a_line_is_the_mean_of_its_iterations(tmp_path: Path) -> None:
    plan = small(iterations=50)
    train(plan, str(tmp_path))
    engine = open_engine("cpu", plan.job(fresh(plan.shape, plan.seeds)))
    losses = engine.advance(plan.recipe.adam_schedule(0, 50))
    start = 0
    for end, _, told in losses_told(str(tmp_path)):
        np.testing.assert_allclose(told, losses[:, start:end].mean(1), rtol=1e-6)
        start = end


class Kicked(CpuEngine):
    """A second Ctrl-C arrives while iterations are under way: models are left at different ones."""

    calls = 0

    def advance(self, schedule: AdamSchedule) -> Floats:
        Kicked.calls += 1
        if Kicked.calls == 8:
            self.diverged[1:] = 0  # Only the first model goes on.
            super().advance(schedule)
            raise KeyboardInterrupt
        return super().advance(schedule)


@native
def test_what_is_half_done_is_never_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    often = replace(LIMITS, lines=9, checkpoint_seconds=0.0, checkpoint_share=1e9)
    monkeypatch.setattr(gridlang.learners.train.journal, "LIMITS", often)
    whole = train(small())
    monkeypatch.setattr(gridlang.learners.train.engine_choice, "CpuEngine", Kicked)
    with pytest.raises(KeyboardInterrupt):
        train(small(), str(tmp_path))
    found = read_checkpoint(str(tmp_path))
    assert found is not None and 0 < found[0].iteration < 200
    assert weights(train(small(), str(tmp_path), resume=True)) == weights(whole)


@native
def test_training_works_outside_the_main_thread() -> None:
    found: list[list[Trained]] = []
    thread = threading.Thread(target=lambda: found.append(train(small())))
    thread.start()
    thread.join()
    assert weights(found[0]) == weights(train(small()))


@native
def test_progress_tells_all_there_is_to_know() -> None:
    seen: list[TrainingProgress] = []
    train(small(), on_event=seen.append)
    assert [at.iteration for at in seen[:4]] == [1, 3, 7, 15]
    assert seen[-1].iteration == seen[-1].iterations == 200
    assert all(at.losses.shape == (2,) and np.isfinite(at.losses).all() and at.rate > 0 for at in seen)
    assert [at.seconds for at in seen] == sorted(at.seconds for at in seen)


# Checkpoints


def state_of(seed: int, models: int = 2, size: int = 30) -> State:
    rng = np.random.default_rng(seed)
    arrays = (rng.normal(size=(models, size)).astype(np.float32) for _ in range(3))
    return State(seed, *arrays, np.full(models, -1, np.int64))


ABOUT = {"recipe": {}, "seeds": [0, 1], "losses": [0.5, 0.5], "sums": [0.0, 0.0], "seconds": 1.0}


def same(left: State, right: State) -> bool:
    names = ("weights", "mean", "variance", "diverged")
    return left.iteration == right.iteration and all(
        getattr(left, name).tobytes() == getattr(right, name).tobytes() for name in names
    )


@searched(25)
@given(st.data())
def test_a_damaged_checkpoint_is_never_taken_for_a_sound_one(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_checkpoint(folder, state_of(2), ABOUT)
        path = Path(folder, CHECKPOINT)
        content = bytearray(path.read_bytes())
        if data.draw(st.booleans()):
            content = content[: data.draw(st.integers(0, len(content) - 1))]
        else:
            content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(content)
        try:
            found = read_checkpoint(folder)
        except GridError as error:
            assert [each.code for each in error.diagnostics] == ["G121"]
        else:
            assert found is not None and same(found[0], state_of(2)), "the bit has no meaning"


@native
def test_a_damaged_checkpoint_is_told_and_a_new_beginning_is_offered(tmp_path: Path) -> None:
    plan, folder = small(), str(tmp_path)
    train(plan, folder)
    train(plan, folder, resume=True)
    (tmp_path / CHECKPOINT).write_bytes(b"PK\x03\x04 not much")
    with pytest.raises(GridError, match=r"G121.*damaged(.|\n)*--restart"):
        train(plan, folder, resume=True)
    assert weights(train(plan, folder, restart=True)) == weights(train(plan))


@native
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": (3, 5)}, "other seeds: 3 to 4, not 3 to 5"),
        ({"seeds": (3,)}, "other seeds: 3 to 4, not 3"),
        ({"lr": 1e-3, "batch": 5}, "other settings: lr 0.01, not 0.001; batch 4, not 5"),
        ({"iterations": 300}, "other settings: iterations 200, not 300"),
        ({"dim": 5}, "other settings: dim 0, not 5"),
    ],
)
def test_a_run_goes_on_only_with_what_it_was_begun_with(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(Stop):
        train(small(), str(tmp_path), on_event=stopping_at(20))
    before = (tmp_path / CHECKPOINT).read_bytes()
    with pytest.raises(GridError, match="G121") as caught:
        train(small(**changes), str(tmp_path), resume=True)
    assert message in str(caught.value)
    with pytest.raises(GridError, match=r"G121.*a run here already"):
        train(small(**changes), str(tmp_path))
    assert (tmp_path / CHECKPOINT).read_bytes() == before


@native
def test_a_run_does_not_go_on_with_other_traces(tmp_path: Path) -> None:
    plan = small()
    train(plan, str(tmp_path))
    other = replace(plan, traces=traces_of("increment", 13))
    with pytest.raises(GridError, match=r"G121.*other traces"):
        train(other, str(tmp_path), resume=True)


@native
def test_beginning_again_removes_the_run_and_nothing_else(tmp_path: Path) -> None:
    train(small(seeds=(8,)), str(tmp_path))
    (tmp_path / "seed-8.safetensors").write_bytes(b"old")
    (tmp_path / "notes.txt").write_text("mine")
    train(small(), str(tmp_path), restart=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        CHECKPOINT, "measures.jsonl", "metrics.csv", "metrics.jsonl", "notes.txt", "run.json",
    ]  # fmt: skip


@native
def test_a_run_that_cannot_begin_again_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(small(), str(tmp_path))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(hardware, "gpu_count", lambda: 0)
    with pytest.raises(GridError, match="G122"):
        train(replace(small(), device="cuda"), str(tmp_path), restart=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@native
def test_resuming_what_never_began_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(small(), str(tmp_path), resume=True)
    assert "there is no checkpoint" in capsys.readouterr().err


@native
@with_torch
def test_going_on_with_another_engine_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = small(iterations=30)
    with pytest.raises(Stop):
        train(plan, str(tmp_path), on_event=stopping_at(10))
    models = train(replace(plan, device="torch"), str(tmp_path), resume=True)
    assert "began on native and continues on torch" in capsys.readouterr().err
    for model, other in zip(models, train(plan), strict=True):
        np.testing.assert_allclose(flatten(model.model), flatten(other.model), atol=0.02)


@native
def test_metrics_that_were_cut_or_scribbled_on_are_mended(tmp_path: Path) -> None:
    plan = small()
    train(plan, str(tmp_path / "whole"))
    with pytest.raises(Stop):
        train(plan, str(tmp_path / "cut"), on_event=stopping_at(100))
    path = tmp_path / "cut" / "metrics.jsonl"
    path.write_bytes(path.read_bytes() + b'{"iteration": 3, "los\n\xff\xfe\n[]\n{"iteration": 199}\n{"iterat')
    train(plan, str(tmp_path / "cut"), resume=True)
    assert losses_told(str(tmp_path / "cut")) == losses_told(str(tmp_path / "whole"))


# Places and devices that fail


@native
@pytest.mark.parametrize(
    "error",
    [fail("G009", "cannot write here: No space left on device"), OSError(errno.ENOSPC, "No space left")],
)
def test_a_full_disk_does_not_end_a_run(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: str, data: bytes | str) -> None:
        if isinstance(data, bytes):  # a checkpoint
            raise error
        write_whole(path, data)

    often = replace(LIMITS, lines=9, checkpoint_seconds=0.0)
    monkeypatch.setattr(gridlang.learners.train.journal, "LIMITS", often)
    with pytest.raises(Stop):
        train(small(), str(tmp_path), on_event=stopping_at(100))
    with monkeypatch.context() as patch:
        patch.setattr(gridlang.learners.train.journal, "write_whole", full)
        models = train(small(), str(tmp_path), resume=True)
    told = capsys.readouterr().err
    assert told.count("no checkpoint could be written") == 1 and "No space left" in told
    assert "\n" not in told.strip()
    assert weights(models) == weights(train(small()))
    again: list[int] = []
    resumed = train(small(), str(tmp_path), resume=True, on_event=lambda at: again.append(at.iteration))
    assert again and weights(resumed) == weights(models), "the last checkpoint before is still there"


@native
def test_metrics_that_cannot_be_written_do_not_end_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def watch(at: TrainingProgress) -> None:
        path = tmp_path / "metrics.jsonl"
        if path.is_file():
            path.unlink()
            path.mkdir()

    models = train(small(), str(tmp_path), on_event=watch)
    assert "metrics cannot be written" in capsys.readouterr().err
    assert weights(models) == weights(train(small()))


def test_without_a_gpu_cuda_is_refused_and_auto_takes_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware, "gpu_count", lambda: 0)
    with pytest.raises(GridError, match=r"G122.*no CUDA device(.|\n)*--device cpu"):
        train(small("cuda"))
    if compiler():
        assert weights(train(small("auto", iterations=20))) == weights(train(small("cpu", iterations=20)))


@native
@pytest.mark.parametrize("installed", [pytest.param(True, marks=with_torch), False])
def test_a_gpu_that_pytorch_cannot_use_is_refused_or_gone_without(
    installed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not installed:
        monkeypatch.setitem(sys.modules, "torch", None)
    message = "this PyTorch has no CUDA" if installed else "the GPU needs PyTorch, which is not installed"
    monkeypatch.setattr(hardware, "gpu_count", lambda: 1)
    with pytest.raises(GridError, match=f"G122.*{message}"):
        train(small("cuda"))
    expected = train(small("cpu"))
    assert weights(train(small("auto"))) == weights(expected)
    assert f"note: {message}; training on the CPU" in capsys.readouterr().err


@native
def test_the_cpu_needs_no_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "torch" not in json.loads(train(small("cpu"))[0].model.metadata["training"])["versions"]
    with pytest.raises(GridError, match=r"G122.*--device torch needs PyTorch(.|\n)*pip install torch"):
        train(small("torch"))


@with_torch
def test_without_a_compiler_plain_pytorch_trains_and_without_both_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("GRIDLANG_CACHE", str(tmp_path))
    plan = small("cpu", dim=9, iterations=10)
    models = train(plan)
    assert json.loads(models[0].model.metadata["training"])["engine"] == "torch"
    assert "there is no C compiler; training in plain PyTorch" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(GridError, match=r"G122.*no C compiler, and PyTorch(.|\n)*pip install torch"):
        train(plan)


class OutOfMemoryError(RuntimeError):
    """As torch raises it."""


@pytest.mark.parametrize("error", [MemoryError(), OutOfMemoryError("CUDA out of memory. Tried…")])
def test_too_little_memory_is_told(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def starved(*_: object) -> CpuEngine:
        raise error

    monkeypatch.setattr(gridlang.learners.train.run, "open_engine", starved)
    with pytest.raises(GridError, match=r"G122.*too little memory for 2 models(.|\n)*fewer seeds"):
        train(small())


def test_a_mistake_of_ours_is_not_taken_for_a_device() -> None:
    with pytest.raises(RuntimeError, match="boom"), device_errors(1):
        raise RuntimeError("boom")


# What is written


@native
def test_a_model_tells_how_it_was_made(tmp_path: Path) -> None:
    traces = traces_of("increment", 12)
    (model,) = train(small(seeds=(6,)), str(tmp_path))
    training = json.loads(model.model.metadata["training"])
    assert training["recipe"] == small().recipe.as_json()
    assert (training["seed"], training["iterations"], training["dim"]) == (6, 200, traces.states)
    assert training["loss"] == model.loss and training["seconds"] == round(model.seconds, 3)
    assert (training["data"]["traces"], training["data"]["steps"]) == (12, traces.steps)
    assert training["data"]["made"] == dict(traces.data) and len(training["data"]["digest"]) == 64
    assert training["versions"].keys() >= {"gridlang", "python", "numpy"}
    assert (training["engine"], training["gpu"]) == ("native", "")
    about = json.loads((tmp_path / "run.json").read_text())
    assert about["format"] == "gridlang-run/1" and about["seeds"] == [6] and about["data"] == training["data"]
    assert model.model.metadata["source"] == traces.source and "states" not in model.model.metadata


@native
def test_models_are_measured_on_the_way_and_no_point_is_there_twice_after_a_stop(tmp_path: Path) -> None:
    def measures(folder: str) -> dict[int, dict[str, Any]]:
        lines = [json.loads(line) for line in Path(folder, "measures.jsonl").read_text().splitlines()]
        assert len({line["iteration"] for line in lines}) == len(lines)
        return {line.pop("iteration"): line for line in lines if line.pop("seconds") >= 0}

    plan = small(iterations=2000)
    train(plan, str(tmp_path / "whole"))
    interrupted(plan, str(tmp_path / "stopped"), [700, 1500])
    whole, stopped = measures(str(tmp_path / "whole")), measures(str(tmp_path / "stopped"))
    assert whole[2000] == stopped[2000] and set(whole) | set(stopped) <= measured_iterations(2000)
    assert all(whole[at] == stopped[at] for at in whole.keys() & stopped.keys())
    assert set(whole[2000]) == {"margin", "rlg", "beyond"} and min(whole[2000]["margin"]) > 0
    train(TrainingPlan(replace(plan.traces, source=""), plan.recipe, plan.seeds, "cpu"), str(tmp_path / "no"))
    assert set(measures(str(tmp_path / "no"))[2000]) == {"margin"}  # There is no expert to be held against.


@native
def test_what_is_measured_quickly_is_what_is_measured_at_length() -> None:
    (model,) = train(small(seeds=(3,), iterations=2000))
    table, traces = load(EXAMPLES / "increment.grid").table, traces_of("increment", 12)
    length, beyond = LengthMeasure(table, 10**7).of(model.model)
    assert length == largest_passed(model.model, table, LADDER) > 0 and beyond == (length == LADDER[-1])
    assert LengthMeasure(table, 5).of(model.model) == (0, True)
    A, B, C, h0 = model.model.A, model.model.B, model.model.C, model.model.h0
    leads = []
    for x, s, m, steps in zip(traces.x, traces.s, traces.m, traces.length, strict=True):
        h = h0
        for t in range(steps):
            for out, right in ((B[x[t]] @ h, s[t]), (C[x[t]] @ h, m[t])):
                leads.append(out[right] - np.delete(out, right).max())
            h = A[x[t]] @ h
    assert MarginMeasure(traces, 10**6).of(model.model) == pytest.approx(min(leads), abs=1e-5)
