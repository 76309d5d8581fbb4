"""Benchmarks end: their clocks, a smoke run of each, and what they say when they are stopped."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import paper
from benchmarks.timing import DOUBLINGS, seconds_an_iteration
from gridlang.compiler.native.build import compiler
from tests.programs import ROOT

BENCHMARKS = sorted(
    path.stem for path in (ROOT / "benchmarks").glob("*.py") if "__main__" in path.read_text(encoding="utf-8")
)
LIMIT = 600  # seconds of a smoke run, which takes a few: more is a hang, not a busy machine
SMALL = "--seeds 1 --iterations 30 --device cpu --work . --results ."
SMALL_PROOFS = f"add2 --worlds 20 {SMALL}"
SMOKE = {
    "gallery": "--only ant --to .",
    "paper": f"add2 --only fast --pictures . {SMALL}",
    "league": "--only palindrome-reads --methods merge --sizes 4000 --draws 1 --results l.json",
    "rivals": "increment gru gated --rules inputs:60 --iterations 200",
    "phase": "--results phase.json --only reads/10/3/merged",
    "proofs": f"{SMALL_PROOFS} --seconds 0",
    "commands": "'check examples/add2.grid' --repeat 1",
    "readable": "increment --models .",
    "simulators": "--smoke",
    "suite": f"--tasks parity_check --rounds 1 {SMALL} --results suite.json",
    "training": "--device cpu --seconds 0.02 --work 100000",
}
SAID = {
    "gallery": "gridlang view examples/ant.grid",
    "league": "palindrome/reads/merge/4000 {'draw': 0",
    "paper": "0 of 1 seeds pass 100 digits",
    "rivals": "gated: 3,968 weights",
    "phase": "reads/10/3/merged {'merging': 10",
    "proofs": "add2: out of time; call again to go on",
    "commands": "check examples/add2.grid",
    "readable": "lines: median",
    "simulators": "agents that nobody tuned for: x the better peer",
    "suite": "of 1 proven on every input in 1 round",
    "training": "12, 4, 1, 64",
}


def test_the_best_seed_is_chosen_at_a_tenth_of_the_length_that_it_is_tested_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    margins = {"long": 0.1, "sure": 0.5, "wrong": None, "lost": None}

    class At(NamedTuple):
        name: str
        table: None

        def at(self, digits: int) -> SimpleNamespace:
            asked.append(digits)
            margin = margins[self.name]
            return SimpleNamespace(passed=margin is not None, margin=SimpleNamespace(value=margin or 0.9))

    monkeypatch.setattr(paper, "Evaluator", At)
    seeds = [SimpleNamespace(model=name, diverged=-1, loss=0.0) for name in margins]
    add2, agent = paper.TASKS["add2"], SimpleNamespace(table=None)
    assert paper.best_seed(add2, agent, seeds, [300, 100, 300, 10]) == 1
    assert paper.best_seed(add2, agent, seeds[2:], [40, 10]) == 0
    assert set(asked) == {385}


class Clock:
    """A clock that only work moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@given(st.floats(1e-9, 1e3), st.floats(1e-3, 1e3), st.integers(1, 100))
def test_an_iteration_is_timed_in_pieces_that_double_until_one_is_long_enough(
    each: float, seconds: float, first: int
) -> None:
    """Also where a piece takes between a quarter and a half of the time, which once went on for ever."""
    clock, counts = Clock(), []

    def advance(count: int) -> None:
        counts.append(count)
        clock.now += each * count

    assert seconds_an_iteration(advance, seconds, first, clock) == pytest.approx(each, rel=1e-3)
    assert counts == [first << doubling for doubling in range(len(counts))]
    assert counts[-1] * each >= 0.499 * seconds
    assert len(counts) == 1 or counts[-2] * each <= 0.501 * seconds


def test_timing_ends_where_the_clock_stands_still() -> None:
    pieces: list[int] = []
    assert seconds_an_iteration(pieces.append, 1.0, 1, Clock()) == 0.0
    assert len(pieces) == DOUBLINGS


def command(name: str, arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *shlex.split(arguments)]


@pytest.mark.long
@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_runs_and_ends(name: str, tmp_path: Path) -> None:
    if name == "simulators" and compiler() is None:
        pytest.skip("there is no C compiler")
    done = subprocess.run(
        command(name, SMOKE[name]), cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT
    )
    assert SAID[name] in done.stdout + done.stderr and "Traceback" not in done.stderr
    assert name != "rivals" or done.stdout.count("Verdict(proven") == 2
    assert done.returncode == (1 if "out of time" in SAID[name] else 0), done.stderr


@pytest.mark.long
def test_a_small_run_of_proofs_leaves_a_record(tmp_path: Path) -> None:
    words = command("proofs", f"{SMALL_PROOFS} --rounds 1")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "add2.proofs.json").read_text(encoding="utf-8"))["task"] == "add2"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_benchmark_that_is_stopped_says_so_in_a_line(number: signal.Signals) -> None:
    script = (
        "import time; from benchmarks.timing import ends_with\n"
        "def main():\n    print('begun', flush=True)\n    while True: time.sleep(0.01)\n"
        "ends_with(main, '; the same command goes on')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
        process.send_signal(number)
        _, said = process.communicate(timeout=LIMIT)
    assert said.strip() == "stopped; the same command goes on" and process.returncode == 130
