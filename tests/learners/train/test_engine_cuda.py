"""The GPU's kernels: how they are cut to any size and compiled anywhere, and, on a GPU, what they compute."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

import gridlang.learners.train.run  # noqa: E402
from gridlang.learners.evaluation.quick_measures import MarginMeasure  # noqa: E402
from gridlang.learners.runtime import cuda  # noqa: E402
from gridlang.learners.runtime.cuda import CannotLaunch  # noqa: E402
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan  # noqa: E402
from gridlang.learners.traces.dataset import Traces  # noqa: E402
from gridlang.learners.train.dfst import Batch, batch_of, loss  # noqa: E402
from gridlang.learners.train.engine import (  # noqa: E402
    Shape,
    State,
    TrainingJob,
    batches,
    flatten,
    fresh,
)
from gridlang.learners.train.engine_choice import open_engine  # noqa: E402
from gridlang.learners.train.engine_cuda import (  # noqa: E402
    STUCK,
    CudaEngine,
    KernelPlan,
    Room,
    kernel_plan,
    sorted_by_symbol,
    source_of,
)
from gridlang.learners.train.engine_torch import TorchEngine, weights_of  # noqa: E402
from gridlang.learners.train.limits import LIMITS  # noqa: E402
from gridlang.learners.train.measuring import measured_iterations  # noqa: E402
from gridlang.learners.train.recipes import Recipe  # noqa: E402
from gridlang.learners.train.run import TrainingPlan, TrainingProgress, train  # noqa: E402
from gridlang.terminal import notes  # noqa: E402
from tests.programs import EXAMPLES, load  # noqa: E402
from tests.support.random_traces import random_traces  # noqa: E402
from tests.support.searches import searched  # noqa: E402

H200 = Room(227 * 1024, {1: 132, 2: 66, 4: 30, 8: 15})
SMALLER = Room(99 * 1024, {1: 46, 2: 16, 4: 8, 8: 4})


# How the work is cut


@searched(100)
@given(st.integers(1, 64), st.integers(1, 128), st.integers(1, 64), st.integers(1, 1000))
@example(4, 12, 20, 132)
@example(12, 20, 32, 132)
@example(4, 32, 32, 1)
@example(12, 108, 32, 1)
@example(64, 128, 32, 1)
@example(64, 128, 64, 1000)
def test_every_model_of_up_to_128_states_and_64_symbols_has_a_kernel(
    symbols: int, dim: int, batch: int, models: int
) -> None:
    for pitch in (16, 360):
        check(kernel_plan(Shape(symbols, dim), batch, models, pitch, H200), batch, models, H200)


@given(st.integers(1, 200), st.integers(1, 200), st.integers(1, 4096), st.integers(1, 4096))
def test_elsewhere_a_kernel_fits_or_is_refused(symbols: int, dim: int, batch: int, models: int) -> None:
    try:
        found = kernel_plan(Shape(symbols, dim), batch, models, 64, SMALLER)
    except CannotLaunch:
        assert max(symbols, dim, batch, models) > 16
    else:
        check(found, batch, models, SMALLER)


def check(found: KernelPlan, batch: int, models: int, room: Room) -> None:
    assert found.shared <= room.shared
    assert 1 <= found.clusters <= found.groups <= batch <= found.slots * found.groups, (
        "each trace has a place"
    )
    most = room.clusters[found.cluster]
    assert found.clusters == 1 or models * found.clusters <= most, "blocks that wait for each other all run"
    assert found.kernel in ("narrow", "wide") and (found.kernel == "wide") == (found.cluster > 1)
    assert 32 * found.warps <= 1024 and found.parts >= 1 and found.cluster in (1, 2, 4, 8)


def test_one_model_has_all_the_processors_and_many_share_them() -> None:
    alone, crowd = (kernel_plan(Shape(4, 12), 32, models, 72, H200) for models in (1, 132))
    assert (alone.clusters, alone.slots, crowd.clusters) == (32, 1, 1)


@pytest.mark.parametrize("shape", [Shape(4, 129), Shape(129, 4), Shape(4, 4096)])
def test_larger_models_are_left_to_pytorch(shape: Shape) -> None:
    with pytest.raises(CannotLaunch):
        kernel_plan(shape, 32, 1, 64, H200)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6), st.integers(1, 20), st.booleans())
def test_steps_are_sorted_by_the_symbol_they_read_and_tell_where_an_agent_is_stuck(
    seed: int, symbols: int, count: int, steps: int, strict: bool
) -> None:
    traces = random_traces(np.random.default_rng(seed), symbols, count, steps, strict)
    found = sorted_by_symbol(traces, steps + 9)
    for row in range(count):
        start = found["starts"][row]
        for symbol in range(symbols):
            listed = found["sorted"][row, start[symbol] : start[symbol + 1]]
            at = np.flatnonzero(traces.x[row] == symbol)
            assert (listed & 65_535).tolist() == at.tolist()
            going = traces.s[row, at] >= 0
            assert (listed[going] >> 16 & 255).tolist() == traces.s[row, at[going]].tolist()
            assert (listed[going] >> 24).tolist() == traces.m[row, at[going]].tolist()
        assert start[0] == 0 and start[-1] == traces.length[row]
    ends = {(row, int(traces.length[row]) - 1) for row in range(0, count if strict else 0, 2)}
    assert {*zip(*map(np.ndarray.tolist, np.nonzero(found["s"] == STUCK)), strict=True)} == ends


@pytest.mark.long
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("symbols", "dim", "batch", "models"),
    [(4, 12, 20, 132), (12, 108, 32, 1), (64, 128, 32, 1), (2, 1, 1, 1)],
)
def test_the_kernels_compile_where_there_is_no_gpu(
    symbols: int, dim: int, batch: int, models: int, strict: bool
) -> None:
    engine = CudaEngine.__new__(CudaEngine)
    engine.shape, engine.batch, engine.models, engine.strict = Shape(symbols, dim), batch, models, strict
    engine.bands, engine.plan = 8, kernel_plan(engine.shape, batch, models, 72, H200)
    macros = [
        f"-D{name}" if value is None else f"-D{name}={value}" for name, value in engine._macros().items()
    ]
    source, options = source_of(engine.plan.kernel), ["--gpu-architecture=sm_90", "--std=c++17", *macros]
    image = compiled(source, options)
    assert image[:4] == b"\x7fELF"
    assert b"train" in image


def compiled(source: str, options: list[str]) -> bytes:
    """By NVRTC, or by the compiler of a toolkit."""
    try:
        cuda._nvrtc()
    except CannotLaunch:
        if not shutil.which("nvcc"):
            pytest.skip("there is neither NVRTC nor nvcc")
        command = ["nvcc", "-cubin", "-x", "cu", *options, "-o", "/dev/stdout", "-"]
        ours = f"#define static static __device__\n{source}"  # what NVRTC's -default-device means
        return subprocess.run(command, input=ours.encode(), capture_output=True, check=True).stdout
    return cuda._cubin(source, [*options, "-default-device"])


def test_a_kernel_that_does_not_compile_is_told() -> None:
    try:
        library = cuda._nvrtc()
    except CannotLaunch:
        pytest.skip("there is no NVRTC")
    with pytest.raises(CannotLaunch, match="do not compile"):
        cuda._compile(library, "this is no C", ["--gpu-architecture=sm_90"])


# On a GPU

on_a_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

SIZES = [  # symbols, dimension, batch, models; narrow kernels, then wide ones
    (2, 1, 3, 1),
    (2, 3, 1, 2),
    (4, 12, 20, 1),
    (4, 12, 32, 140),
    (12, 20, 32, 3),
    (3, 17, 5, 1),
    (4, 32, 32, 1),
    (4, 33, 7, 1),
    (64, 5, 32, 2),
    (12, 64, 32, 1),
    (70, 1, 5, 3),
    (64, 33, 32, 1),
    (12, 108, 32, 2),
    (12, 108, 32, 8),
    (12, 108, 32, 40),
    (64, 128, 9, 1),
]


def random_state(rng: np.random.Generator, shape: Shape, models: int) -> State:
    """Weights under which hidden vectors neither explode nor fade within a short trace."""
    size = (models, shape.parameters)
    weights = (rng.normal(size=size) / np.sqrt(shape.dim)).astype(np.float32)
    return State(0, weights, np.zeros_like(weights), np.zeros_like(weights), np.full(models, -1, np.int64))


def exact_gradient(traces: Traces, shape: Shape, weights: Any, rows: Any) -> tuple[float, Any]:
    """Loss and gradient in float64, by autograd."""
    batch = Batch(*(part[rows] for part in batch_of(traces)))
    flat = torch.tensor(weights, dtype=torch.float64, requires_grad=True)
    value = loss(weights_of(shape, flat), batch)
    return float(value.detach()), torch.autograd.grad(value, flat)[0].numpy()


@pytest.mark.gpu
@on_a_gpu
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("symbols", "dim", "batch", "models"), SIZES)
def test_gradients_are_those_of_float64(
    symbols: int, dim: int, batch: int, models: int, strict: bool
) -> None:
    """With beta1 = 0 the mean of the gradients is the gradient."""
    rng = np.random.default_rng(symbols * dim)
    shape, seeds = Shape(symbols, dim), tuple(range(7, 7 + models))
    traces = random_traces(rng, symbols, batch + 3, 40, strict)
    state = random_state(rng, shape, models)
    recipe = Recipe("test", lr=1e-3, batch=batch, beta1=0.0)
    engine = CudaEngine(TrainingJob(traces, shape, recipe, seeds, state))
    losses = engine.advance(recipe.adam_schedule(0, 1))
    found = engine.state()
    assert found.iteration == 1 and (found.diverged == -1).all()
    for model in {0, models // 2, models - 1}:
        rows = batches(seeds[model], len(traces), 0, 1, batch)[0]
        value, gradient = exact_gradient(traces, shape, state.weights[model], rows)
        assert losses[model, 0] == pytest.approx(value, rel=1e-4)
        largest = np.abs(gradient).max()
        np.testing.assert_allclose(found.mean[model], gradient, rtol=1e-3, atol=3e-5 * largest)


@pytest.mark.gpu
@on_a_gpu
@pytest.mark.parametrize("changes", [{}, {"clip": 0.05}, {"decay": 0.3, "warmup": 20}, {"bands": 2}])
@pytest.mark.parametrize("dim", [6, 40])
def test_trajectories_are_those_of_float64(dim: int, changes: dict[str, Any]) -> None:
    rng = np.random.default_rng(dim)
    shape, seeds = Shape(4, dim), (3, 4)
    traces, state = random_traces(rng, 4, 12, 15), random_state(rng, shape, 2)
    recipe = Recipe("test", lr=3e-4, batch=5, iterations=60, epsilon=1e-4, **changes)
    ours = CudaEngine(TrainingJob(traces, shape, recipe, seeds, state))
    exact = TorchEngine(TrainingJob(traces, shape, recipe, seeds, state), dtype=torch.float64)
    schedule = recipe.adam_schedule(0, 60)
    losses = exact.advance(schedule)
    np.testing.assert_allclose(ours.advance(schedule), losses, rtol=1e-3)
    np.testing.assert_allclose(ours.state().weights, exact.state().weights, atol=1e-4)
    assert (losses[:, -5:].mean(1) < losses[:, :5].mean(1)).all()


@pytest.mark.gpu
@on_a_gpu
@pytest.mark.parametrize(("dim", "bands"), [(12, 1), (40, 1), (12, 2)])
def test_repeated_or_cut_into_pieces_training_gives_the_same_bits(dim: int, bands: int) -> None:
    rng = np.random.default_rng(dim)
    shape, seeds = Shape(4, dim), (1, 2, 3)
    traces, start = random_traces(rng, 4, 20, 30), random_state(rng, shape, 3)
    recipe = Recipe("test", lr=1e-3, clip=0.1, batch=8, bands=bands, iterations=200)

    def trained(pieces: Sequence[int], anew: bool) -> list[bytes]:
        engine = CudaEngine(TrainingJob(traces, shape, recipe, seeds, start))
        at, losses = 0, []
        for piece in pieces:
            losses.append(engine.advance(recipe.adam_schedule(0, 200).between(at, at + piece)))
            at += piece
            if anew:
                engine = CudaEngine(TrainingJob(traces, shape, recipe, seeds, engine.state()))
        last = engine.state()
        arrays = (last.weights, last.mean, last.variance, np.concatenate(losses, 1))
        return [array.tobytes() for array in arrays]

    once = trained([200], anew=False)
    assert trained([200], anew=False) == once
    assert trained([1, 19, 20, 33, 127], anew=False) == once
    assert trained([60, 7, 133], anew=True) == once


@lru_cache
def increment() -> Traces:
    program = load(EXAMPLES / "increment.grid")
    return make_traces(program, [sampling_plan(program.table, "paper", count=40)])


@pytest.mark.gpu
@on_a_gpu
def test_a_run_on_the_gpu_is_resumed_bit_for_bit(tmp_path: Path) -> None:
    class Stop(KeyboardInterrupt):
        pass

    def stop(at: TrainingProgress) -> None:
        if at.iteration >= 300:
            raise Stop

    todo = TrainingPlan(increment(), Recipe("test", lr=3e-3, clip=0.1, iterations=2_000), (0, 1), "cuda")
    whole = train(todo)
    with pytest.raises(Stop):
        train(todo, str(tmp_path), on_event=stop)
    resumed = train(todo, str(tmp_path), resume=True)
    assert [flatten(m.model).tobytes() for m in resumed] == [flatten(m.model).tobytes() for m in whole]
    assert [m.loss for m in resumed] == [m.loss for m in whole]
    assert max(m.loss for m in whole) < 0.05
    measures = [json.loads(line) for line in (tmp_path / "measures.jsonl").read_text().splitlines()]
    points = [line["iteration"] for line in measures]
    assert points == sorted(set(points)) and points[-1] == 2_000 and set(points) <= measured_iterations(2_000)
    assert measures[-1].keys() == {"iteration", "seconds", "margin", "rlg", "beyond"}
    assert measures[-1]["margin"] == [
        MarginMeasure(increment(), LIMITS.margin_steps).of(m.model) for m in whole
    ]


@pytest.mark.gpu
@on_a_gpu
def test_a_seed_that_diverges_on_the_gpu_is_named_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def poisoned(shape: Shape, seeds: tuple[int, ...]) -> State:
        state = fresh(shape, seeds)
        state.weights[1] *= np.float32(3e7)
        return state

    todo = TrainingPlan(increment(), Recipe("test", lr=3e-3, clip=0.1, iterations=100), (3, 4, 5), "cuda")
    sound = train(todo)
    monkeypatch.setattr(gridlang.learners.train.run, "fresh", poisoned)
    models = train(todo)
    assert [m.diverged for m in models] == [-1, 0, -1] and np.isnan(models[1].loss)
    assert np.isfinite(flatten(models[1].model)).all()
    for model in (0, 2):
        assert flatten(models[model].model).tobytes() == flatten(sound[model].model).tobytes()


@pytest.mark.gpu
@on_a_gpu
def test_a_model_too_large_for_the_kernels_is_trained_by_pytorch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(notes, "_printed", set())
    traces, shape = increment(), Shape(len(increment().symbols), 130)
    recipe = Recipe("test", lr=1e-3, iterations=3)
    engine = open_engine("cuda", TrainingJob(traces, shape, recipe, (0,), fresh(shape, (0,))))
    assert engine.name == "torch" and "training in PyTorch on the GPU" in capsys.readouterr().err
    losses = engine.advance(recipe.adam_schedule(0, 3))
    assert np.isfinite(losses).all() and losses[0, 2] < losses[0, 0]
    assert str(engine.weights.device).startswith("cuda")  # type: ignore[attr-defined]
