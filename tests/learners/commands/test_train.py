"""`gridlang train`: what it writes and says, its exit statuses, and processes that are stopped or killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from inspect import stack
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import gridlang.learners.commands.train as command
import gridlang.learners.train.engine_choice
import gridlang.learners.train.journal
import gridlang.learners.train.run
from gridlang.cli import main
from gridlang.compiler.native.build import compiler
from gridlang.compiler.tensors.dfst import read_dfst
from gridlang.diagnostics import fail
from gridlang.files import write_whole
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.traces.dataset import read_traces, traces_to_bytes
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.train.engine_cpu import CpuEngine
from gridlang.learners.train.recipes import AdamSchedule, Floats
from gridlang.learners.train.run import TrainingProgress
from gridlang.terminal import notes
from tests.programs import EXAMPLES, ROOT
from tests.support import command_line

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")

SOURCE, TRACES = str(EXAMPLES / "increment.grid"), "increment.npz"
# A real process, with a checkpoint every few milliseconds.
PROCESS = """
from dataclasses import replace
import gridlang.learners.train.journal
from gridlang.learners.train.limits import LIMITS
gridlang.learners.train.journal.LIMITS = replace(LIMITS, checkpoint_seconds=0.01, checkpoint_share=1.0)
from gridlang.cli import main
main()
"""
RUN = ["train", "add2.npz", "--device", "cpu", "--iterations", "2500", "--seeds", "2"]


@pytest.fixture(scope="module")
def increment(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("traces") / TRACES
    traced = CliRunner().invoke(main, ["trace", SOURCE, "--rule", "paper:40", "-o", str(path)])
    assert traced.exit_code == 0
    return path.read_bytes()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, increment: bytes) -> None:
    """An empty folder with traces of `increment`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(notes, "_printed", set())
    Path(TRACES).write_bytes(increment)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("unbroken")
    write_add2(folder)
    before = os.getcwd()
    os.chdir(folder)
    try:
        assert CliRunner().invoke(main, RUN).exit_code == 0
    finally:
        os.chdir(before)
    return folder


def write_add2(folder: Path) -> None:
    traced = CliRunner().invoke(main, ["trace", str(EXAMPLES / "add2.grid"), "-o", str(folder / "add2.npz")])
    assert traced.exit_code == 0


invoke = partial(command_line.invoke, "train", "--device", "cpu")
answer = partial(command_line.answer, "train", "--device", "cpu")
refused = partial(command_line.refused, "train", "--device", "cpu")


def outcome(folder: Path) -> tuple[list[list[bytes]], list[Any]]:
    """All weights of a run, bit by bit, and the losses told on its way."""
    models = [read_dfst(str(folder / "add2.run" / f"seed-{seed}.safetensors")) for seed in (0, 1)]
    weights = [[array.tobytes() for array in (m.A, m.B, m.C, m.h0)] for m in models]
    lines = (folder / "add2.run" / "metrics.jsonl").read_text().splitlines()
    return weights, [(line["iteration"], line["loss"]) for line in map(json.loads, lines)]


# A process and its end


def started(folder: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROCESS, *RUN, *more],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def has_begun(run: Path, kept: bool) -> bool:
    """Whether a run has told some of its losses and, if that is asked, has kept a checkpoint by itself."""
    told = run / "metrics.jsonl"
    lines = told.read_text().count("\n") if told.exists() else 0
    return lines >= 20 and (not kept or (run / "checkpoint.npz").exists())


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped_or_killed_and_resumed_has_the_same_bits(
    number: signal.Signals, unbroken: Path, tmp_path: Path
) -> None:
    write_add2(tmp_path)
    process = started(tmp_path)
    while process.poll() is None and not has_begun(tmp_path / "add2.run", number == signal.SIGKILL):
        time.sleep(0.005)
    process.send_signal(number)
    _, errors = process.communicate()
    if number == signal.SIGKILL:
        assert process.returncode == -number
    else:
        told = r"interrupted; the run is in add2.run up to iteration [\d,]+, continue with --resume"
        assert process.returncode == 130 and "Traceback" not in errors and re.search(told, errors)
    assert (tmp_path / "add2.run" / "checkpoint.npz").exists()
    last = started(tmp_path, "--resume")
    output, errors = last.communicate()
    assert last.returncode == 0 and "no checkpoint" not in errors, errors
    assert output.count("loss") == 2 and "wrote add2.safetensors" in output
    assert outcome(tmp_path) == outcome(unbroken)


# What it does


@pytest.mark.long
def test_an_agent_is_learned_from_its_source_and_generalises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "gridlang.learners.traces.choosing.sampling.LIMITS", replace(TRACE_LIMITS, pool=1_000)
    )
    data = answer(SOURCE, "--iterations", "3000", "--dim", "4")  # with a state to spare, any seed gets there
    assert data["output"] == "increment.safetensors" and data["run"] == "increment.run"
    (model,) = data["models"]
    assert model.keys() >= {"loss", "iterations", "seconds", "seed", "diverged"}
    assert (model["seed"], model["diverged"]) == (0, None) and 0 < model["iterations"] <= 3000
    assert model["loss"] < 1e-4 and model["seconds"] > 0
    runner = CliRunner()
    shown = runner.invoke(main, ["run", "increment.safetensors", "1011", "--json"])
    assert json.loads(shown.stdout)["result"] == "1100"
    tested = runner.invoke(main, ["eval", "increment.safetensors", "--digits", "20", "--json"])
    assert json.loads(tested.stdout)["rlg"] is True
    training = json.loads(read_dfst("increment.safetensors").metadata["training"])
    assert [part["rule"] for part in training["data"]["made"]["joined"]] == ["paper", "peek-worlds"]
    viewed = runner.invoke(main, ["compile", "increment.safetensors", "--to", "table"])
    assert viewed.exit_code == 2 and "G082" in viewed.stderr


def test_the_best_of_several_seeds_is_the_model_and_all_are_kept() -> None:
    data = answer(TRACES, "--iterations", "60", "--seed", "3", "--seeds", "3", "-o", "out/m.safetensors")
    assert [model["seed"] for model in data["models"]] == [3, 4, 5]
    best = min(data["models"], key=lambda model: model["loss"])["seed"]
    assert Path("out/m.safetensors").read_bytes() == Path(f"out/m.run/seed-{best}.safetensors").read_bytes()
    lines = [json.loads(line) for line in Path("out/m.run/metrics.jsonl").read_text().splitlines()]
    assert len(lines) == 60 and lines[-1]["iteration"] == 60
    assert lines[-1].keys() == {"iteration", "lr", "loss", "seconds", "rate"} and len(lines[-1]["loss"]) == 3
    text = invoke(TRACES, "--iterations", "60", "--seed", "3", "--seeds", "3", "-o", "again.safetensors")
    assert f"wrote again.safetensors (seed {best}," in text.stdout
    assert "recipe proof, 60 iterations, 3 seeds" in text.stderr


def test_a_run_is_begun_once_and_then_resumed_or_begun_again() -> None:
    first = answer(TRACES, "--iterations", "50")
    there = refused(TRACES, "--iterations", "50")
    assert there["code"] == "G121" and "--resume" in there["hint"] and "--restart" in there["hint"]
    assert refused(TRACES, "--iterations", "60", "--resume")["code"] == "G121"
    again = answer(TRACES, "--iterations", "50", "--resume")
    assert again["models"][0]["loss"] == first["models"][0]["loss"]
    other = answer(TRACES, "--iterations", "50", "--seed", "1", "--restart")
    assert other["models"][0]["seed"] == 1 and not Path("increment.run/seed-0.safetensors").exists()
    assert invoke(TRACES, "--resume", "--restart").exit_code == 2


def test_recipes_are_changed_on_the_command_line_or_given_in_a_file() -> None:
    Path("mine.toml").write_text("lr = 0.25\niterations = 7\n", encoding="utf-8")
    answer(TRACES, "--recipe", "mine.toml", "--dim", "5")
    recipe = json.loads(read_dfst("increment.safetensors").metadata["training"])["recipe"]
    assert (recipe["name"], recipe["lr"], recipe["iterations"], recipe["dim"]) == ("mine", 0.25, 7, 5)
    assert read_dfst("increment.safetensors").h0.shape == (5,)
    answer(TRACES, "--recipe", "mine.toml", "--iterations", "8", "--restart")
    recipe = json.loads(read_dfst("increment.safetensors").metadata["training"])["recipe"]
    assert (recipe["lr"], recipe["iterations"], recipe["dim"]) == (0.25, 8, 0)


def test_seeds_that_diverge_are_told_and_without_any_left_the_answer_is_no() -> None:
    write_add2(Path())
    Path("wild.toml").write_text(
        "lr = 10\nschedule = 'constant'\nwarmup = 0\nclip = 0\niterations = 9\n", encoding="utf-8"
    )
    result = invoke("add2.npz", "--recipe", "wild.toml", "--seeds", "2")
    assert result.exit_code == 1
    assert "seed 0     diverged at iteration " in result.stdout
    assert "2 of 2 seeds diverged" in result.stderr and "no model was written" in result.stderr
    assert not Path("add2.safetensors").exists()
    data = answer("add2.npz", "--recipe", "wild.toml", "--seeds", "2", "--resume", code=1)
    assert data["output"] is None
    assert all(model["loss"] is None and 0 < model["diverged"] < 9 for model in data["models"])


def test_from_the_command_to_an_engine_are_three_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    advance, calls = CpuEngine.advance, list[str]()

    def noted(engine: CpuEngine, schedule: AdamSchedule) -> Floats:
        ours = [frame for frame in reversed(stack()) if "/learners/" in frame.filename]
        calls[:] = [frame.function for frame in ours if "/tests/" not in frame.filename]
        return advance(engine, schedule)

    monkeypatch.setattr(CpuEngine, "advance", noted)
    answer(TRACES, "--iterations", "1", "--device", "cpu")
    assert calls == ["command", "train", "train"], "and then the engine"


# What it refuses


def test_traces_that_do_not_tell_the_states_need_a_dimension() -> None:
    write_add2(Path())
    traces = read_traces("add2.npz")
    bare = traces_to_bytes(
        type(traces)(**{n: getattr(traces, n) for n in traces.__slots__} | {"states": None})
    )
    Path("bare.npz").write_bytes(bare)
    found = refused("bare.npz", "--iterations", "3")
    assert (found["code"], found["hint"]) == ("G123", "give --dim N")
    answer("bare.npz", "--dim", "6", "--iterations", "3", "--restart")
    assert read_dfst("add2.safetensors").h0.shape == (6,)


def test_models_that_cannot_be_written_are_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, _: bytes) -> None:
        raise fail("G009", "cannot write here: No space left on device", file=path)

    with monkeypatch.context() as patch:
        patch.setattr(gridlang.learners.train.run, "write_whole", full)
        result = invoke(TRACES, "--iterations", "50")
    assert result.exit_code == 2 and "G009" in result.stderr
    assert "could not be written; the run is in increment.run, write them with --resume" in result.stderr
    seen: list[int] = []
    monkeypatch.setattr(command, "_show", lambda at: seen.append(at.iteration))
    assert invoke(TRACES, "--iterations", "50", "--resume").exit_code == 0
    assert Path("increment.safetensors").exists() and not seen


def test_where_no_checkpoint_could_be_kept_nobody_is_told_to_resume(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, data: bytes | str) -> None:
        if isinstance(data, bytes):  # a checkpoint, or a model
            raise fail("G009", "cannot write here: No space left on device", file=path)
        write_whole(path, data)

    monkeypatch.setattr(gridlang.learners.train.run, "write_whole", full)
    monkeypatch.setattr(gridlang.learners.train.journal, "write_whole", full)
    result = invoke(TRACES, "--iterations", "50")
    assert result.exit_code == 2 and "G009" in result.stderr
    assert "--resume" not in result.stderr and "nothing of the run was kept" in result.stderr


def test_two_trainings_do_not_share_a_folder() -> None:
    with held("increment.run", ".train"):
        result = invoke(TRACES, "--iterations", "50")
    assert result.exit_code == 2
    assert f"another `train` is at work in this folder: process {os.getpid()} on" in result.stderr
    assert os.listdir("increment.run") == [".train"]
    assert invoke(TRACES, "--iterations", "50").exit_code == 0


# What it shows


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_tells_iterations_loss_rate_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    command._show(TrainingProgress(25_000, 100_000, np.array([3e-4, np.nan], np.float32), 20.0, 1250.0))
    shown = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert "█████░" in shown and "25,000/100,000" in shown
    assert "loss 3.00e-04, 1 diverged" in shown and "1,250 it/s" in shown and "1:00 left" in shown
    command._show(TrainingProgress(1, 10**9, np.array([np.nan], np.float32), 1.0, 100.0))
    assert "all diverged" in sys.stderr.getvalue() and "2777:46:39 left" in sys.stderr.getvalue()  # type: ignore[attr-defined]


def test_nothing_moves_where_there_is_no_terminal() -> None:
    result = invoke(TRACES, "--iterations", "30")
    assert "\r" not in result.stderr and len(result.stderr.splitlines()) == 1
