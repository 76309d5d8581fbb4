"""A loss of one's own: it trains, no engine trains another one, and a wrong one is told with its line."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from gridlang.cli import main
from gridlang.compiler.tensors.dfst import Dfst, read_dfst
from gridlang.terminal import notes
from tests.programs import EXAMPLES

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")

LOSSES = """
def absolute(said, wanted):
    return (said - wanted).abs().sum(2)

def whole(said, wanted):
    return (said - wanted).abs().sum()

def a_list(said, wanted):
    return [0.0]

def fails(said, wanted):
    return said / wanted.size(7)
"""
NOTE = "PyTorch trains the loss losses.py:absolute"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(notes, "_printed", set())
    Path("losses.py").write_text(LOSSES, encoding="utf-8")
    recipe("losses.py:absolute")
    assert CliRunner().invoke(main, ["trace", str(EXAMPLES / "increment.grid")]).exit_code == 0


def recipe(loss: str) -> None:
    Path("own.toml").write_text(f'base = "fast"\nloss = "{loss}"\niterations = 20\n', encoding="utf-8")


def trained(*words: str) -> Result:
    return CliRunner().invoke(main, ["train", "increment.npz", "--recipe", "own.toml", *words])


def model(*words: str) -> Dfst:
    done = trained("--restart", *words)
    assert done.exit_code == 0, done.stderr
    return read_dfst("increment.safetensors")


@pytest.mark.parametrize("device", ["auto", "cpu", "torch"])
def test_it_is_the_loss_that_is_trained_whatever_the_device(device: str) -> None:
    own = model("--device", device)
    assert (
        own.training["engine"].startswith("torch") and own.training["recipe"]["loss"] == "losses.py:absolute"
    )
    recipe("squares")
    squares = model("--device", "torch")
    assert np.abs(own.B - squares.B).max() > 1e-3
    Path("losses.py").write_text(
        "from gridlang.learners.train.dfst import squares as again", encoding="utf-8"
    )
    recipe("losses.py:again")
    assert np.array_equal(model("--device", device).B, squares.B)


def test_an_engine_that_hands_over_says_so_once() -> None:
    assert trained("--device", "cpu").stderr.count(NOTE) == 1
    assert NOTE not in trained("--device", "torch", "--restart").stderr


def test_cuda_without_a_gpu_is_refused_and_no_other_device_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlang.learners.runtime.hardware.gpu_count", lambda: 0)
    done = trained("--device", "cuda")
    assert done.exit_code == 2 and "[G122]" in done.stderr and NOTE not in done.stderr


def test_a_resumed_run_keeps_its_loss() -> None:
    model("--device", "cpu")
    assert trained("--resume").exit_code == 0
    recipe("squares")
    other = trained("--resume")
    assert other.exit_code == 2 and "loss losses.py:absolute, not squares" in other.stderr
    about = json.loads(Path("increment.run/run.json").read_text())
    assert about["recipe"]["loss"] == "losses.py:absolute"


@pytest.mark.parametrize(
    ("name", "place", "told"),
    [
        ("losses.py:whole", "losses.py:5:1", "gives (), not a number for each of (2, 3)"),
        ("losses.py:a_list", "losses.py:8:1", "gives list"),
        ("losses.py:fails", "losses.py:12:5", "the loss fails: IndexError"),
        ("losses.py:absolut", "losses.py", "did you mean `absolute`?"),
        ("losses.py", "losses.py", "does not name a loss"),
    ],
)
def test_a_wrong_loss_is_refused_with_its_place_before_any_other_word(
    name: str, place: str, told: str
) -> None:
    recipe(name)
    done = trained("--device", "cpu")
    assert done.exit_code == 2 and "[G120]" in done.stderr and "PyTorch trains" not in done.stderr
    assert place in done.stderr and told in done.stderr and "Traceback" not in done.output
