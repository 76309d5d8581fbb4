"""A model can be taught where its agent is stuck, and every engine then asks for it."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner

from gridlang.cli import main
from gridlang.compiler.extraction.extract import extract
from gridlang.compiler.judging.equivalence_query import judge
from gridlang.compiler.judging.model_mistakes import FloatMistakes
from gridlang.compiler.lockstep.alone import run_model
from gridlang.compiler.lockstep.cpu import NativeModel, NativeRun
from gridlang.compiler.lockstep.lockstep import PlainRun, matched
from gridlang.compiler.simulation.random_inputs import stuck_worlds
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.tensors.dfst import Dfst, dfst_from_bytes, dfst_to_bytes
from gridlang.compiler.verifier.verify import verify
from gridlang.diagnostics import GridError
from gridlang.learners.learning.counterexamples import first_traces
from gridlang.learners.learning.expert_questions import DECLARED, stuck_shares
from gridlang.learners.learning.learn import learn
from gridlang.learners.learning.settings import LearnConfig
from gridlang.learners.traces.choosing.coverage import coverage
from gridlang.learners.traces.dataset import Traces, traces_from_bytes, traces_to_bytes
from gridlang.learners.traces.recording import record
from gridlang.learners.train.recipes import load_recipe
from gridlang.loading import load
from gridlang.world import string_world
from tests.programs import EXAMPLES, ROOT
from tests.support.weights import rotated, strict

DIV3 = load(ROOT / "tests" / "agents" / "div3.grid")
TABLE = DIV3.table
TEXTS = [format(number, "b") for number in range(40)]


def forgetful() -> Dfst:
    """Weights that go on where `rest(2)` is stuck on the blank."""
    r2 = TABLE.states.index("rest(2)")
    entry = TABLE.rows[0][0]
    assert entry is not None
    row = (entry._replace(next=r2), *TABLE.rows[r2][1:])
    return strict(replace(TABLE, rows=(*TABLE.rows[:r2], row, *TABLE.rows[r2 + 1 :])))


@pytest.mark.parametrize("scope", ["inputs", "observed", "worlds"])
def test_nothing_is_asked_of_a_model_beyond_where_its_agent_is_stuck(scope: str) -> None:
    assert judge(rotated(TABLE), TABLE, scope).verdict.equivalent
    assert not extract(rotated(TABLE), expert=TABLE, scope="inputs").refused


@pytest.fixture(scope="module")
def traces() -> Traces:
    return first_traces(DIV3, "inputs", 100, 0, strict=True)


def test_metadata_say_that_a_model_is_strict_and_nothing_else() -> None:
    model = strict(TABLE)
    assert dfst_from_bytes(dfst_to_bytes(model)).strict and not rotated(TABLE).strict
    other = replace(model, metadata={**model.metadata, "stuck": "below 0.5"})
    with pytest.raises(GridError) as error:
        dfst_from_bytes(dfst_to_bytes(other))
    assert error.value.diagnostics[0].code == "G081"


def test_both_lockstep_engines_ask_that_a_strict_model_is_stuck() -> None:
    for model in (strict(TABLE), forgetful()):
        match = matched(model, TABLE)
        for text in TEXTS:
            plain = PlainRun(match, text)
            ended = plain.go(1_000)
            with NativeRun(NativeModel(match), text) as native:
                assert (ended, plain.mistake) == ((done := native.go(1_000)), native.outcome(done).mistake)
    assert FloatMistakes(strict(TABLE), TABLE).on("10") is None
    steps = FloatMistakes(forgetful(), TABLE).on("10")
    assert steps is not None and steps[-1].left is None and steps[-1].right is not None and len(steps) == 3
    assert FloatMistakes(replace(forgetful(), metadata=rotated(TABLE).metadata), TABLE).on("10") is None


def test_states_that_are_stuck_are_not_merged_with_states_that_are_not() -> None:
    graph = extract(strict(TABLE), expert=TABLE, scope="inputs").table
    assert graph is not None and graph.rows == TABLE.rows


def test_strict_traces_show_the_symbol_on_which_the_agent_is_stuck(traces: Traces) -> None:
    assert traces.strict and not first_traces(DIV3, "inputs", 100, 0).strict
    again = traces_from_bytes(traces_to_bytes(traces))
    assert np.array_equal(again.s, traces.s) and coverage(TABLE, again).missing == ()
    few = record(DIV3, ["1", "0"], 100, strict=True)
    assert few.ending == ("stuck", "halted") and few.length.tolist() == [2, 2]
    assert (few.x[0, 1], few.s[0, 1], few.m[0, 1]) == (0, -1, -1)
    wrong = few.s.copy()
    wrong[1, 1] = -1
    with pytest.raises(GridError):
        replace(few, s=wrong)


def test_worlds_lead_to_every_pair_without_a_rule() -> None:
    ends = {
        (done.state, done.symbol)
        for world in islice(stuck_worlds(TABLE, Random(0), 60), 60)
        if (done := run(TABLE, world, 60)).outcome == "stuck"
    }
    assert ends == {("rest(1)", "_"), ("rest(2)", "_")}
    assert not list(stuck_worlds(load(EXAMPLES / "ant.grid").table, Random(0), 60))


@pytest.mark.long
def test_an_acceptor_is_learned_with_its_rejections(tmp_path: Path) -> None:
    program = DIV3._replace(file=str(tmp_path / "div3.grid"))
    recipe = replace(load_recipe("proof"), iterations=4_000)
    config = LearnConfig(program, recipe, (0,), scope="inputs", device="cpu", strict=True)
    learned = learn(config, str(tmp_path / "run"))
    assert learned.proven == (0,)
    text = Path(learned.file(0, "certificate.json")).read_text()
    assert verify(text).valid and json.loads(text)["claim"]["stuck"] == "same"
    model, table = learned.model, learned.program
    assert model and model.strict and table and len(table.table.states) == 3
    for text in TEXTS:
        assert run_model(model, string_world(text)).outcome == run(TABLE, string_world(text)).outcome


def test_the_share_of_inputs_on_which_an_agent_is_stuck_is_told_with_its_sample() -> None:
    (share,) = stuck_shares(TABLE, "inputs", 0)
    assert share.what == DECLARED and share.drawn == 1_000 and 500 < share.stuck < 700
    assert f"({share.stuck} of 1,000 drawn)" in str(share)


def test_equiv_asks_strictly_of_models_that_were_taught_it(tmp_path: Path) -> None:
    for name, model, told in (
        ("taught", strict(TABLE), "is stuck wherever"),
        ("not", rotated(TABLE), "G143"),
    ):
        path = tmp_path / f"{name}.safetensors"
        model.save(path)
        DIV3.save(tmp_path / "div3.json")
        words = [str(tmp_path / "div3.json"), str(path), "--strict", "--scope", "inputs"]
        assert told in CliRunner().invoke(main, ["equiv", *words]).output
