"""`gridlang learn`: what it writes and says, its exit statuses, and runs that are gone on with."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import gridlang.learners.learning.settings
import gridlang.learners.methods.merging.merge
import gridlang.learners.train.run
from gridlang.cli import main
from gridlang.compiler.native.build import compiler
from gridlang.compiler.verifier.verify import verify
from gridlang.learners.learning.seed_verdicts import VERDICTS
from gridlang.learners.train.run import TrainingProgress
from gridlang.loading import load
from tests.programs import EXAMPLES

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")

EXPERT = str(EXAMPLES / "increment.grid")
QUICK = [EXPERT, "--device", "cpu", "--seeds", "1", "--recipe", "quick.toml"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rounds(1)


def rounds(number: int) -> None:
    Path("quick.toml").write_text(f"worlds = 300\nrounds = {number}\n", encoding="utf-8")


def learn(*words: str) -> Result:
    return CliRunner().invoke(main, ["learn", *words])


@pytest.mark.long
@pytest.mark.usefixtures("few_worlds")
def test_a_proven_model_is_written_with_its_certificate_and_told_in_json() -> None:
    done = learn(*QUICK, "--iterations", "2000", "--certificate", "proof.json", "--json")
    assert done.exit_code == 0, done.output
    data: dict[str, Any] = json.loads(done.stdout)
    assert data["proven"] and data["scope"] == "worlds" and data["seeds_proven"] == 1 and data["best"] == 0
    assert (data["output"], data["certificate"]) == ("increment.learned.safetensors", "proof.json")
    assert data["run"] == "increment.learn" and data["rounds"] == len(data["history"])
    (seed,) = data["seeds"]
    assert seed["verdict"] == "proven" and seed["round"] == data["rounds"]
    assert seed["states"] <= 3 and seed["followed_up_to"] >= 12
    assert set(VERDICTS) <= data["history"][0].keys()
    assert verify(Path("proof.json").read_text()).valid
    assert (
        Path("increment.learned.safetensors").read_bytes()
        == Path(f"increment.learn/round-{data['rounds']}/seed-0.safetensors").read_bytes()
    )


@pytest.mark.usefixtures("judged_here")
def test_what_falls_short_is_told_and_trained_afresh_on_what_it_got_wrong() -> None:
    done = learn(*QUICK, "--iterations", "20")
    assert done.exit_code == 1
    assert "round 1: 0 of 1 proven, 1 refuted" in done.output and "seed 0: refuted in round 1" in done.output
    assert not Path("increment.learned.safetensors").exists()
    rounds(2)
    more = learn(*QUICK, "--iterations", "20", "--resume", "--json")
    data = json.loads(more.stdout)
    assert more.exit_code == 1 and data["rounds"] == 2
    assert not data["proven"] and data["best"] is None
    first, second = data["history"]
    assert second["traces"] > first["traces"] and second["hard"] > 0


@pytest.mark.usefixtures("judged_here")
def test_compiled_and_learned_weights_lie_side_by_side() -> None:
    for words in (["compile", EXPERT], ["learn", EXPERT], ["compile", EXPERT]):
        assert CliRunner().invoke(main, words).exit_code == 0
    assert {"increment.safetensors", "increment.learned.safetensors"} <= {
        path.name for path in Path().iterdir()
    }
    exact = Path("increment.safetensors").read_bytes()
    for words in (["learn", EXPERT, "-o", "increment.safetensors"], ["train", EXPERT, "--iterations", "1"]):
        refused = CliRunner().invoke(main, words)
        assert refused.exit_code == 2 and "written by `compile`" in refused.stderr
    assert Path("increment.safetensors").read_bytes() == exact


def test_missing_pytorch_is_all_that_is_told_and_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for command in ("learn", "train"):
        done = CliRunner().invoke(main, [command, EXPERT, "--device", "torch"])
        assert done.exit_code == 2 and done.output.startswith("error[G122]")
    assert os.listdir() == ["quick.toml"]


@pytest.mark.parametrize(
    "said", [{"recipe": {"worlds": 9}}, {"iterations": 4}, {"seeds": 2}, {"device": "cpu"}, {}]
)
def test_whoever_says_how_to_train_means_training(said: dict[str, Any]) -> None:
    config = gridlang.learners.learning.settings.learn_config(load(EXPERT), **said)
    assert config.method.name == ("dfst" if said else "ask")


@pytest.mark.usefixtures("judged_here")
def test_an_interrupted_run_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(at: TrainingProgress) -> None:
        raise KeyboardInterrupt

    words = [*QUICK, "--iterations", "20"]
    train = gridlang.learners.train.run.train
    with monkeypatch.context() as patched:
        patched.setattr(
            "gridlang.learners.learning.learn.train",
            lambda *a, **k: train(*a, **{**k, "on_event": interrupt}),
        )
        stopped = learn(*words)
    assert stopped.exit_code not in (0, 2) and "continue with --resume" in stopped.output
    assert not Path("increment.learn/round-1/round.json").exists()
    again = learn(*words)
    assert again.exit_code == 2 and "G160" in again.output
    gone_on = learn(*words, "--resume")
    assert gone_on.exit_code in (0, 1) and "round 1:" in gone_on.output
