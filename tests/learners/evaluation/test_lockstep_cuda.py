"""Lockstep on a GPU: outcomes are those of the CPU, bit for bit.

Where there is no GPU, the kernel's own source runs on the CPU, a block at a time (see cuda_block.h).
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from compiler.simulation.native.build import THIS_CPU, CannotBuild, load_library  # noqa: E402
from compiler.tensors.dfst import Dfst, dfst_to_bytes, table_to_dfst  # noqa: E402
from gridlang.cli import main  # noqa: E402
from gridlang.table import Entry, Table  # noqa: E402
from gridlang.world import World  # noqa: E402
from learners.evaluation import lockstep_cuda, lockstep_kernel  # noqa: E402
from learners.evaluation.limits import LIMITS  # noqa: E402
from learners.evaluation.lockstep import (  # noqa: E402
    DIFFERS,
    MEMORY,
    Backend,
    BatchProgress,
    Case,
    LockstepOutcome,
    Match,
    Until,
    matched,
    nobody,
)
from learners.evaluation.lockstep_cpu import cpu_backend  # noqa: E402
from learners.evaluation.lockstep_cuda import backend_on, gpu_backend  # noqa: E402
from learners.evaluation.lockstep_kernel import DeviceModel, Job, kernel_layout  # noqa: E402
from learners.evaluation.suites import suite_of  # noqa: E402
from learners.runtime import cuda, hardware  # noqa: E402
from learners.runtime.cuda import CannotLaunch  # noqa: E402
from learners.runtime.hardware import gpu_count  # noqa: E402
from tests.programs import EXAMPLES  # noqa: E402
from tests.strategies import tables, worlds  # noqa: E402
from tests.support.lockstep import evaluate  # noqa: E402
from tests.support.searches import LONG, searched, searching  # noqa: E402
from tests.support.weights import TABLES, one_rule, planted, turned, widened  # noqa: E402

KERNEL = Path(lockstep_cuda.__file__).with_name("lockstep.cu").read_text("utf-8")
BLOCK = Path(__file__).with_name("cuda_block.h").read_text("utf-8")
RUN = """
#ifdef RESIDENT
float4 resident[K * D4 * ROWS];
#endif
extern "C" bool run_blocks(const Job *job, int blocks, bool reversed) {
  for (int i = 0; i < blocks; i++) {
    memset(pieces, 0xAB, sizeof pieces); /* nothing that was there before is relied on */
    memset(sums, 0xAB, sizeof sums);
    if (!run_block(lockstep, *job, i, FOLLOWERS + 1, reversed)) return false;
  }
  return true;
}
"""


@lru_cache
def host_library(dim: int, symbols: int, moves: int, resident: bool) -> ctypes.CDLL:
    """The kernel for one size, for the CPU, with no more threads than there are rows."""
    macros = kernel_layout(dim, symbols, moves, 1 << 30 if resident else 0).macros
    macros |= {"FOLLOWERS": dim + symbols + moves}
    given = [f"-D{name}" if value is None else f"-D{name}={value}" for name, value in macros.items()]
    flags = ("-xc++", "-std=c++17", "-O1", "-Wno-unknown-pragmas", *THIS_CPU, *given)
    try:
        return load_library(BLOCK + KERNEL + RUN, flags, ("run_blocks",))
    except CannotBuild as error:
        pytest.skip(f"there is no C++ compiler: {error}")


def on_host(
    match: Match,
    reversed: bool = False,
    resident: bool = True,
    room: int = 1 << 30,
    watch: Callable[[int], None] = nobody,
) -> Backend:
    """The backend of the GPU with the kernel run on the CPU; its threads take turns in either order.

    `watch` is told the blocks of each launch.
    """
    library = host_library(len(match.model.h0), len(match.writes), len(match.moves), resident)

    def launch(blocks: int, job: Job) -> None:
        watch(blocks)
        assert library.run_blocks(ctypes.byref(job), blocks, reversed), "threads wait for one another"

    return backend_on(DeviceModel(match, launch, "cpu"), lambda: room)


def on_cores(match: Match, cases: list[Case], limits: Until) -> list[LockstepOutcome | None]:
    return cpu_backend(match, 1)(cases, limits, nobody)


def assert_same(
    dfst: Dfst,
    table: Table,
    cases: list[Case],
    limits: Until = Until(),  # noqa: B008
) -> list[LockstepOutcome]:
    """The outcomes, which are the same on cores and by the kernel, whoever goes first in it."""
    match = matched(dfst, table)
    wanted = on_cores(match, cases, limits)
    for reversed in (False, True):
        assert on_host(match, reversed)(cases, limits, nobody) == wanted
    return [outcome for outcome in wanted if outcome is not None]


@given(st.data(), st.integers(0, 10**6), st.sampled_from([0.0, 0.0, 0.01, 0.03]), st.integers(1, 300))
@searched(20)
def test_the_kernel_does_what_the_cores_do(data: st.DataObject, seed: int, noise: float, steps: int) -> None:
    table: Table = data.draw(tables())
    cases: list[Case] = [data.draw(worlds(table)) for _ in range(2)]
    assert_same(turned(widened(table_to_dfst(table)), seed, noise), table, cases, Until(steps))


def models_of(name: str) -> list[Dfst]:
    """Exact ones, in other coordinates too, some that err late or soon, and one with a planted error."""
    exact = table_to_dfst(TABLES[name])
    state, symbol, _ = list(TABLES[name].entries())[-1]
    noisy = [turned(exact, seed, noise) for seed in range(2) for noise in (0.003, 0.02)]
    return [exact, turned(exact, 1), *noisy, planted(name, state, symbol)]


def cases_of(name: str, digits: int, count: int) -> list[Case]:
    return list(suite_of(TABLES[name], digits, "rlg", 0).cases())[:count]


@searching
@pytest.mark.parametrize(("name", "digits"), [("add2", 9), ("add10", 6), ("mult2", 4), ("mult10", 3)])
def test_exact_noisy_and_planted_models_of_the_tasks_end_as_on_cores(name: str, digits: int) -> None:
    cases = cases_of(name, digits, 7 if LONG else 3)
    found = [assert_same(dfst, TABLES[name], cases) for dfst in models_of(name)]
    assert all(outcome.passed for outcomes in found[:2] for outcome in outcomes)
    assert sum(outcome.ending == DIFFERS for outcomes in found for outcome in outcomes) > (3 if LONG else 2)


def test_weights_may_stay_out_of_shared_memory() -> None:
    table = TABLES["add2"]
    match = matched(turned(table_to_dfst(table), 3, 0.01), table)
    cases = cases_of("add2", 8, 6)
    assert on_host(match, resident=False)(cases, Until(), nobody) == on_cores(match, cases, Until())


@searching
@pytest.mark.parametrize(
    ("dim", "symbols"), [(1, 2), (33, 123), pytest.param(128, 64, marks=pytest.mark.long)]
)
def test_models_of_any_size_are_summed_rightly(dim: int, symbols: int) -> None:
    names = ("_", *map(chr, range(0x4E00, 0x4E00 + symbols - 1)))
    row = tuple(Entry((x + 1) % symbols, 3, 0) for x in range(symbols))
    table = Table("wide", names, ("a",), (row,))
    dfst = turned(widened(table_to_dfst(table), dim), 5)
    text = names[1:] if LONG else names[1::3]
    (outcome,) = assert_same(dfst, table, ["".join(text)], Until(len(text)))
    assert outcome.steps == len(text)


def odd_models() -> Iterator[tuple[str, Dfst, Table]]:
    """Models whose outputs tie, vanish, overflow, or lack a move or a choice."""
    ones, zeros = np.ones((2, 2, 1), np.float32), np.zeros((2, 2, 1), np.float32)
    yield "ties", *one_rule(B=ones)
    yield "nothing", *one_rule(B=zeros, C=np.zeros((2, 5, 1), np.float32))
    yield "only moves", *one_rule(B=zeros)
    yield "growing", *one_rule(A=np.full((2, 1, 1), 2, np.float32))
    for value in (3e38, -3e38):
        yield f"{value}", *one_rule(h0=np.full(1, 2, np.float32), B=np.full((2, 2, 1), value, np.float32))
    yield "wide apart", *one_rule(B=np.array([[[-3e38], [3e38]]] * 2, np.float32))
    dfst, table = one_rule(moves=("U", "D", "L", "S"))
    yield (
        "no move",
        replace(dfst, C=np.delete(dfst.C, 3, axis=1) + np.eye(4, 1, dtype=np.float32)[None]),
        table,
    )
    table = Table("still", ("_",), ("a",), ((Entry(0, 3, 0),),))
    yield "no choice", table_to_dfst(table), table


@pytest.mark.parametrize("name", [name for name, *_ in odd_models()])
def test_odd_outputs_are_judged_as_on_cores(name: str) -> None:
    dfst, table = next((dfst, table) for other, dfst, table in odd_models() if other == name)
    assert_same(dfst, table, [World({}), World({(2, 0): table.symbols[-1]})], Until(200))


def limit(monkeypatch: pytest.MonkeyPatch, **changes: float) -> None:
    for module in (lockstep_cuda, lockstep_kernel):
        monkeypatch.setattr(module, "LIMITS", replace(LIMITS, **changes))  # type: ignore[arg-type]


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows that begin with the input alone, and launches of seven steps."""
    limit(monkeypatch, first_window=1, beside=1, above=1, first_launch=7, slice_seconds=0.0)


@pytest.mark.usefixtures("tight")
@given(st.data(), st.integers(0, 10**6), st.sampled_from([0.0, 0.01]))
@searched(14)
def test_windows_grow_and_runs_are_cut_into_launches_without_a_trace(
    data: st.DataObject, seed: int, noise: float
) -> None:
    table: Table = data.draw(tables())
    cases: list[Case] = [data.draw(worlds(table)) for _ in range(3)]
    assert_same(turned(widened(table_to_dfst(table)), seed, noise), table, cases, Until(150))


@pytest.mark.usefixtures("tight")
def test_agents_that_wander_leave_their_windows_on_every_side() -> None:
    ant, walk = TABLES["ant"], one_rule()
    assert_same(turned(table_to_dfst(ant), 2), ant, [World({}), World({(3, 4): "#"}, (-7, 9))], Until(2000))
    assert_same(*walk, [World({(90, 0): "a"})], Until(500))


def test_memory_is_bounded_by_what_was_visited() -> None:
    still = Table("still", ("_", "a"), ("q",), ((Entry(1, 4, 0), Entry(0, 4, 0)),))
    match = matched(table_to_dfst(still), still)
    (outcome,) = on_host(match, room=40_000)([""], Until(30_000), nobody)
    assert outcome and (outcome.ending, outcome.steps) == ("budget", 30_000)


@pytest.mark.usefixtures("tight")
def test_with_little_memory_fewer_cases_run_at_a_time() -> None:
    ant = TABLES["ant"]
    match = matched(table_to_dfst(ant), ant)
    cases: list[Case] = [World({(n, 0): "#"}) for n in range(5)]
    wanted = on_cores(match, cases, Until(600))
    launches = []
    for room in (1 << 30, 4000, 2500):
        blocks: list[int] = []
        assert on_host(match, room=room, watch=blocks.append)(cases, Until(600), nobody) == wanted
        launches.append(len(blocks))
    assert launches[0] < launches[1] < launches[2]
    ended = on_host(match, room=300)(cases, Until(600), nobody)
    assert {outcome.ending for outcome in ended if outcome} == {MEMORY} and len(ended) == 5
    assert not any(outcome.mistake for outcome in ended if outcome)


def test_the_first_failing_case_is_the_one_that_cores_find(monkeypatch: pytest.MonkeyPatch) -> None:
    table = TABLES["add10"]
    match = matched(planted("add10", 3, 2), table)
    cases, limits = cases_of("add10", 5, 60), Until(stop_early=True)
    wanted = on_cores(match, cases, limits)
    failed = next(number for number, one in enumerate(wanted) if one and one.mistake)
    for at_once in (1, 4, 1000):
        limit(monkeypatch, blocks=at_once)
        drawn: list[Case] = []
        found = on_host(match)((drawn.append(case) or case for case in cases), limits, nobody)  # type: ignore[func-returns-value]
        assert found[: failed + 1] == wanted[: failed + 1]
        assert len(drawn) <= failed + at_once


def test_time_ends_a_run_that_has_no_end_and_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ant = TABLES["ant"]
    backend = on_host(matched(table_to_dfst(ant), ant))
    limit(monkeypatch, first_launch=100)
    told: list[BatchProgress] = []

    def watch(progress: BatchProgress) -> None:
        told.append(progress)
        if len(told) == 4:
            monkeypatch.setattr("learners.evaluation.lockstep_cuda.time.monotonic", lambda: 1e18)

    assert backend([World({})], Until(deadline=1e17), watch) == [None]
    assert [one.cases for one in told] == [0] * 4
    assert [one.steps for one in told][:3] == sorted({one.steps for one in told[:3]})


def test_models_too_large_for_the_kernel_are_refused_and_others_are_not() -> None:
    assert kernel_layout(128, 64, 5, 227 * 1024).shared == 0
    assert kernel_layout(32, 4, 5, 227 * 1024).shared == 4 * 8 * 41 * 16
    assert (
        kernel_layout(24, 12, 5, 227 * 1024).shared > 48 * 1024
    )  # just below, but not with what lies beside it
    for dim, symbols in ((129, 4), (128, 124)):
        with pytest.raises(CannotLaunch, match="up to 128 states"):
            kernel_layout(dim, symbols, 5, 227 * 1024)


def pretend_cuda(monkeypatch: pytest.MonkeyPatch, backend: object) -> None:
    monkeypatch.setattr(hardware, "gpu_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(lockstep_cuda, "gpu_backend", backend)


def test_where_the_kernel_cannot_serve_the_cores_do_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_: Match) -> Backend:
        raise CannotLaunch("the kernel cannot serve this test")

    pretend_cuda(monkeypatch, refuse)
    assert evaluate(table_to_dfst(TABLES["add2"]), TABLES["add2"], 3, device="cuda").rlg
    assert "the kernel cannot serve this test; evaluating on the CPU" in capsys.readouterr().err


def test_a_suite_says_the_same_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_cuda(monkeypatch, on_host)
    table = TABLES["add10"]
    for dfst in (table_to_dfst(table), planted("add10", 3, 2)):
        found = [evaluate(dfst, table, 4, "plg", device=device) for device in ("cpu", "cuda")]
        assert replace(found[0], seconds=0) == replace(found[1], seconds=0)


def eval_on_cuda(path: Path) -> str:
    path.write_bytes(dfst_to_bytes(table_to_dfst(TABLES["add2"])))
    arguments = ["eval", str(path), "--against", str(EXAMPLES / "add2.grid"), "--digits", "3"]
    result = CliRunner().invoke(main, [*arguments, "--device", "cuda", "--json"])
    assert result.exit_code == 2, result.output
    (diagnostic,) = json.loads(result.stdout)["diagnostics"]
    assert diagnostic["code"] == "G122" and diagnostic["hint"]
    message: str = diagnostic["message"]
    return message


def test_no_gpu_no_cuda_in_torch_and_no_torch_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(hardware, "gpu_count", lambda: 0)
    assert eval_on_cuda(tmp_path / "a.safetensors") == "there is no CUDA device here"
    monkeypatch.setattr(hardware, "gpu_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert eval_on_cuda(tmp_path / "a.safetensors") == "this PyTorch has no CUDA"
    monkeypatch.setitem(sys.modules, "torch", None)
    assert eval_on_cuda(tmp_path / "a.safetensors") == "the GPU needs PyTorch, which is not installed"


@pytest.mark.parametrize(("dim", "symbols"), [(12, 4), (20, 12), (95, 12), (128, 64)])
def test_the_kernel_compiles_where_there_is_nvrtc(dim: int, symbols: int) -> None:
    try:
        library = cuda._nvrtc()
    except CannotLaunch as error:
        pytest.skip(str(error))
    macros = kernel_layout(dim, symbols, 5, 227 * 1024).macros
    options = [f"-D{name}" if value is None else f"-D{name}={value}" for name, value in macros.items()]
    image = cuda._compile(library, KERNEL, ["--gpu-architecture=sm_90", "--std=c++17", *options])
    assert b"lockstep" in image


@pytest.mark.parametrize(("name", "digits"), [("add2", 300), ("add10", 100), ("mult2", 60), ("mult10", 30)])
@pytest.mark.gpu
@pytest.mark.skipif(not gpu_count(), reason="there is no CUDA device")
def test_a_gpu_ends_every_case_as_cores_do(name: str, digits: int) -> None:
    cases = cases_of(name, digits, 40)
    for dfst in models_of(name):
        match = matched(dfst, TABLES[name])
        assert gpu_backend(match)(cases, Until(), nobody) == cpu_backend(match)(cases, Until(), nobody)


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_count(), reason="there is no CUDA device")
@pytest.mark.usefixtures("tight")
@pytest.mark.parametrize("name", ["add2", "mult2", "ant"])
def test_windows_on_a_gpu_grow_without_a_trace(name: str) -> None:
    table = TABLES[name]
    dfst = turned(table_to_dfst(table), 4)
    found = [evaluate(dfst, table, 6, steps=1000, device=device) for device in ("cpu", "cuda")]
    assert replace(found[0], seconds=0) == replace(found[1], seconds=0)
