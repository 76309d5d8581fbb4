"""What no run of an expert shows is found before anything is learned, and told as what no training can settle."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import gridlang as gl
import gridlang.learners.learning.expert_questions
import gridlang.learners.learning.learn
import gridlang.learners.learning.seed_verdicts
from gridlang.cli import main
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.learners.learning.expert_questions import ALL_SEEN, UnseenRules, unseen_from_json, unseen_rules
from gridlang.learners.learning.learn import learn
from gridlang.learners.learning.learn_text import claim_line, learned_data, round_line, unproven_lines
from gridlang.learners.learning.rounds import ROUND, Learned, read_kept, round_from_json
from gridlang.learners.learning.seed_verdicts import (
    CRASHED,
    ON_INPUTS,
    UNKNOWN,
    SeedQuery,
    result_or_refusal,
)
from gridlang.learners.learning.settings import LearnConfig
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.traces.recording import record
from gridlang.learners.train.recipes import load_recipe
from gridlang.loading import load
from gridlang.program import Program
from tests.programs import EXAMPLES, ROOT
from tests.support.events import on

INCREMENT = load(EXAMPLES / "increment.grid")
RECIPE = replace(load_recipe("proof"), iterations=2_000)
RARE = load(ROOT / "tests" / "agents" / "rare.grid")


def unknown(left: object, right: object, scope: str, **_: object) -> Verdict:
    return Verdict(None, scope, 0, 0, reason="stubbed")


def nobody(_: int) -> None:
    """Is told, and does nothing."""


def test_a_rule_that_a_rare_world_shows_is_found_and_its_world_is_taught() -> None:
    few = record(RARE, ["b", "a", "aa"], 20)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(gridlang.learners.learning.expert_questions, "trial_cases", lambda *_: iter(()))
        unseen = unseen_rules(RARE, few, "worlds", 0, nobody)
    assert [(rule.state, rule.symbol, rule.line) for rule in unseen.rules] == [("three", "b", 16)]
    assert unseen.excluded and len(unseen.examples) >= 1
    assert unseen_from_json(json.loads(json.dumps(unseen.as_json()))) == unseen


def on_worlds(program: Program, scope: str, worlds: int, seed: int, **_: object) -> Traces:
    """Traces of runs alone: reads would show every rule."""
    plans = [sampling_plan(program.table, rule, count=worlds, steps=60) for rule in ("peek-worlds", "paper")]
    return make_traces(program, plans, seed)


@pytest.fixture(scope="module")
def unsettled(tmp_path_factory: pytest.TempPathFactory) -> tuple[LearnConfig, Learned]:
    """A run on an agent of which it is not known whether a world shows a certain rule."""
    config = LearnConfig(INCREMENT, RECIPE, (0, 1), worlds=300, device="cpu", rounds=4)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            "gridlang.learners.traces.choosing.sampling.LIMITS", replace(TRACE_LIMITS, pool=1_000)
        )
        patched.setattr(gridlang.learners.learning.expert_questions, "prove", unknown)
        patched.setattr(gridlang.learners.learning.learn, "first_traces", on_worlds)
        told: list[UnseenRules] = []
        folder = str(tmp_path_factory.mktemp("unsettled") / "run")
        learned = learn(config, folder, on_event=on(UnseenRules, told.append))
        assert told == [learned.unseen]
        return config, learned


@pytest.mark.long
def test_what_no_training_can_settle_is_asked_on_inputs_and_not_in_another_round(
    unsettled: tuple[LearnConfig, Learned],
) -> None:
    _, learned = unsettled
    assert len(learned.rounds) == 1 and not learned.unfinished
    assert learned.proven == () and learned.proven_on_inputs == (0, 1)
    for _, result in learned.last.values():
        assert (result.verdict, result.scope) == (ON_INPUTS, "inputs") and result.finished
        assert "was ever seen to use `halt` on `1`" in result.reason
    assert learned.best is not None and learned.program is not None
    claim = json.loads(Path(learned.file(learned.best, "certificate.json")).read_text())["claim"]
    assert claim["scope"] == "inputs"
    kept = os.path.join(learned.folder, "round-1", ROUND)
    assert read_kept(kept, round_from_json, number=1) == learned.rounds[0]


def test_both_scopes_are_told_in_words_and_as_data(unsettled: tuple[LearnConfig, Learned]) -> None:
    config, learned = unsettled
    worlds, inputs = claim_line(config, learned, ()).split("\n")
    assert worlds.startswith("0 of 2 proven") and worlds.endswith("on every world")
    assert inputs.startswith("2 of 2 proven") and inputs.endswith("on every declared input")
    assert "0 of 2 proven, 2 proven on inputs (none of" in round_line(learned.rounds[0], 2)
    for line in unproven_lines(learned):
        assert "proven on inputs in round 1: none of" in line and "would change nothing" in line
    unproven = gl.prove(gl.loads(INCREMENT.to_source().replace("output a + 1", "output a + 2")))
    data = json.loads(json.dumps(learned_data(config, learned, "x.safetensors", None, (), unproven)))
    assert not data["weights"]["proven"]
    assert not data["proven"] and data["seeds_proven_on_inputs"] == 2
    assert data["unseen"]["excluded"] is None and data["seeds"][0]["verdict"] == ON_INPUTS


def broken(*_: object, **__: object) -> None:
    raise ValueError("max() iterable argument is empty")


@pytest.mark.usefixtures("always_judged_here")
def test_a_crash_is_no_verdict_and_gives_a_command_that_asks_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gridlang.learners.learning.learn, "unseen_rules", lambda *_: ALL_SEEN)
    config = LearnConfig(INCREMENT, replace(RECIPE, iterations=20), (0,), worlds=50, device="cpu", rounds=1)
    monkeypatch.setattr(gridlang.learners.learning.seed_verdicts, "judge", broken)
    (crashed,) = learn(config, str(tmp_path / "run")).rounds[0].results
    assert crashed.verdict == CRASHED and not crashed.finished
    reason, command = crashed.reason.split("; to see it again: ")
    assert reason == "ValueError: max() iterable argument is empty"
    asked = CliRunner().invoke(main, command.split()[1:])
    assert command.startswith(f"gridlang equiv {INCREMENT.file} ") and asked.exit_code in (0, 1), asked.output


def test_what_cannot_be_asked_is_unknown_with_its_reason() -> None:
    table = RARE.table
    query = SeedQuery(0, "m", b"no model", table.to_json(), "rare.grid", b"", {}, "worlds", None, 300, 1)
    answer = result_or_refusal(query)
    assert answer.verdict == UNKNOWN and "not a model" in answer.reason
