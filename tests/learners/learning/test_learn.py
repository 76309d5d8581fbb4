"""Learning until proven: every round is kept, what a model gets wrong is taught, and a proof is one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
import gridlang.learners.learning.learn
from gridlang.compiler.simulation.random_inputs import text_world
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.tensors.dfst import dfst_to_bytes, read_dfst
from gridlang.compiler.verifier.verify import verify
from gridlang.diagnostics import GridError
from gridlang.learners.learning.counterexamples import (
    HardExample,
    first_traces,
    grown_from,
    hard_examples,
    next_traces,
)
from gridlang.learners.learning.learn import Round, learn
from gridlang.learners.learning.limits import LIMITS
from gridlang.learners.learning.rounds import ABOUT, ROUND, UNSEEN, Learned, RoundResult
from gridlang.learners.learning.seed_verdicts import (
    PROVEN,
    REFUSED,
    REFUTED,
    SeedQuery,
    SeedResult,
    result_from_json,
    seed_result,
)
from gridlang.learners.learning.settings import LearnConfig, unheard
from gridlang.learners.runtime.processes import in_processes
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.traces.recording import without_duplicates
from gridlang.learners.train.engine import Shape
from gridlang.learners.train.recipes import load_recipe
from gridlang.learners.train.run import TrainingProgress
from gridlang.loading import load
from gridlang.program import Program
from gridlang.table_json import table_to_json
from gridlang.world import string_world
from tests.programs import EXAMPLES
from tests.strategies import tables, worlds
from tests.support.chores import chore
from tests.support.events import on
from tests.support.lockstep import run_lockstep
from tests.support.searches import searched
from tests.support.weights import model, rotated

INCREMENT, ADD2 = load(EXAMPLES / "increment.grid"), load(EXAMPLES / "add2.grid")
RECIPE = replace(load_recipe("proof"), iterations=2_000)


def config(**changes: Any) -> LearnConfig:
    usual = LearnConfig(INCREMENT, RECIPE, (0, 1), worlds=300, device="cpu")
    return replace(usual, **changes)


def query(data: bytes, file: str = "model.safetensors", **changes: Any) -> SeedQuery:
    source = (EXAMPLES / "add2.grid").read_bytes()
    usual = SeedQuery(
        3, file, data, table_to_json(ADD2.table), "add2.grid", source, {}, "worlds", None, 300, 1
    )
    return usual._replace(**changes)


@pytest.fixture(scope="module", autouse=True)
def few_worlds_to_choose_from() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            "gridlang.learners.traces.choosing.sampling.LIMITS", replace(TRACE_LIMITS, pool=1_000)
        )
        yield


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Learned:
    """A run of an agent whose file is edited while it is learned."""
    folder = tmp_path_factory.mktemp("learned")
    file = folder / "increment.grid"
    file.write_bytes((EXAMPLES / "increment.grid").read_bytes())
    edited = on(str, lambda _: file.write_text("agent another\n"))
    return learn(config(program=load(file)), str(folder / "run"), on_event=edited)


@pytest.mark.long
def test_a_certificate_is_about_what_was_read_and_says_how_the_table_was_extracted(learned: Learned) -> None:
    for seed in learned.proven:
        checked = verify(Path(learned.file(seed, "certificate.json")).read_text())
        assert checked.left and checked.right
        assert checked.left["source_sha256"] == hashlib.sha256(INCREMENT.as_read()).hexdigest()
        origin = checked.right["extraction"]
        weights = Path(learned.file(seed, "safetensors")).read_bytes()
        assert origin["weights_sha256"] == hashlib.sha256(weights).hexdigest()
        assert origin["seed"] == seed and origin["worlds"] + origin["inputs"] > 0
        assert origin["merging"] == "none" and origin["clusters"] >= origin["states"]
        assert gl.verify(learned.file(seed, "certificate.json"), INCREMENT, learned.file(seed, "safetensors"))
        other = learned.file(1 - seed, "safetensors")
        assert not gl.verify(learned.file(seed, "certificate.json"), INCREMENT, other)


def test_a_small_agent_is_learned_and_its_certificates_are_valid(learned: Learned) -> None:
    assert learned.proven == (0, 1)
    for seed in learned.proven:
        certificate = Path(learned.file(seed, "certificate.json")).read_text()
        checked = verify(certificate)
        assert checked.valid and checked.right and checked.right["extracted"]
        table = load(learned.file(seed, "grid")).table
        for number in range(20):
            world = string_world(format(number, "b"))
            assert run(table, world).result == run(INCREMENT.table, world).result


@pytest.mark.long
def test_a_run_that_was_interrupted_ends_as_one_that_was_not(learned: Learned, tmp_path: Path) -> None:
    folder = str(tmp_path / "run")

    def halfway(at: TrainingProgress) -> None:
        if at.iteration > 100:
            raise KeyboardInterrupt

    def at_once(_: SeedResult) -> None:
        raise KeyboardInterrupt

    for number, listener in enumerate((on(TrainingProgress, halfway), on(SeedResult, at_once))):
        with pytest.raises(KeyboardInterrupt):
            learn(config(), folder, resume=number > 0, on_event=listener)
    again = learn(config(), folder, resume=True)
    assert [_timeless(r) for r in again.rounds] == [_timeless(r) for r in learned.rounds]
    for seed in learned.seeds:
        one, other = (read_dfst(each.file(seed, "safetensors")) for each in (learned, again))
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("A", "B", "C", "h0"))


def _timeless(done: RoundResult) -> dict[str, Any]:
    data = done.as_json()
    del data["training_seconds"], data["judging_seconds"]
    return {**data, "results": [{**result, "seconds": 0} for result in data["results"]]}


def test_a_finished_run_is_read_and_not_done_again(learned: Learned) -> None:
    begun: list[TrainingProgress] = []
    again = learn(config(), learned.folder, resume=True, on_event=on(TrainingProgress, begun.append))
    assert again.rounds == learned.rounds and not begun


@pytest.mark.long
def test_a_run_is_gone_on_with_only_if_asked_and_only_as_it_was_begun(learned: Learned) -> None:
    for changes, resume, told in (
        ({}, False, "already"),
        ({"scope": "inputs"}, True, "another scope"),
        ({"seeds": (0, 2)}, True, "another seeds"),
    ):
        with pytest.raises(GridError) as error:
            learn(config(**changes), learned.folder, resume=resume)
        (found,) = error.value.diagnostics
        assert found.code == "G160" and told in found.message


def test_a_damaged_file_of_a_run_is_named(learned: Learned, tmp_path: Path) -> None:
    (tmp_path / "round-1").mkdir()
    (tmp_path / ABOUT).write_bytes((Path(learned.folder) / ABOUT).read_bytes())
    unseen = (Path(learned.folder) / UNSEEN).read_text()
    for name, text in ((UNSEEN, "{}"), (f"round-1/{ROUND}", "[1, 2"), (f"round-1/{ROUND}", '{"number": 1}')):
        (tmp_path / UNSEEN).write_text(unseen)
        (tmp_path / name).write_text(text)
        with pytest.raises(GridError) as error:
            learn(config(), str(tmp_path), resume=True)
        assert error.value.diagnostics[0].code == "G161"
        assert error.value.diagnostics[0].file.endswith(name)


def on_inputs(program: Program, scope: str, worlds: int, seed: int, **_: object) -> Traces:
    return make_traces(program, [sampling_plan(program.table, "paper", greedy=True)], seed)


@pytest.mark.long
def test_an_agent_known_from_inputs_only_is_refuted_taught_and_then_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gridlang.learners.learning.learn, "first_traces", on_inputs)
    plain = replace(RECIPE, refit=False)  # A refitted model is proven in the first round.
    done = learn(config(seeds=(0,), worlds=0, recipe=plain), str(tmp_path / "run"))
    first, *_, last = done.rounds
    assert first.count(PROVEN) == 0 and first.results[0].hard and last.hard > 0
    assert done.proven == (0,)


@pytest.mark.usefixtures("few_worlds")
def test_a_model_that_is_right_is_proven_and_one_that_errs_on_most_worlds_is_refuted() -> None:
    right = seed_result(query(dfst_to_bytes(rotated(ADD2.table))))
    assert right.verdict == PROVEN and right.states == 12 and not right.hard
    assert verify(right.certificate).valid and right.source
    wrong = seed_result(query(dfst_to_bytes(model("drifting"))))
    assert wrong.verdict == REFUTED and "random worlds" in wrong.reason
    assert result_from_json(json.loads(json.dumps(wrong.as_json()))) == wrong


@pytest.mark.usefixtures("few_worlds")
def test_hard_cases_are_what_the_model_gets_wrong_and_when() -> None:
    wrong = rotated(ADD2.table, noise=0.05)
    found = hard_examples(wrong, ADD2.table, "worlds", 0)
    assert found and found == hard_examples(wrong, ADD2.table, "worlds", 0)
    for case in found:
        given = case.text if not case.text.endswith("\n") else text_world(case.text, ADD2.table.symbols)
        (outcome,) = run_lockstep(wrong, ADD2.table, [given], steps=LIMITS.reach)
        assert outcome.mistake and outcome.mistake.step == case.step


@searched(20)
@given(st.data())
def test_a_variant_is_read_alike_up_to_the_mistake(data: st.DataObject) -> None:
    table = data.draw(tables())
    world = data.draw(worlds(table))
    kept = data.draw(st.integers(0, 12))
    variant = grown_from(table, world, kept, Random(data.draw(st.integers(0, 99))), 30)
    before, after = (run(table, each, kept, trace=True).trace for each in (world, variant))
    assert before == after


def test_hard_cases_are_taught_often_and_random_worlds_stay(tmp_path: Path) -> None:
    before = first_traces(ADD2, "worlds", 200, 0)
    hard = [HardExample("1+1", 4), HardExample("11+10", 9)]
    after = next_traces(ADD2, before, hard, 50, 1)
    assert set(before.inputs) <= set(after.inputs) and "11+10" in after.inputs
    base = after.data["base"]
    assert isinstance(base, int) and len(before) < base < len(after)
    assert len(without_duplicates(after)) < len(after)
    later = next_traces(ADD2, after, hard, 0, 2)
    assert later.data["base"] == base and len(later) == len(after)


@pytest.mark.usefixtures("judged_here")
def test_a_seed_whose_first_weights_are_hopeless_starts_from_others_and_is_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Shape.initial

    def dead_at_zero(shape: Shape, seed: int) -> Any:
        """No gradient ever leaves the origin."""
        weights = first(shape, seed)
        return weights * np.float32(0) if seed == 0 else weights

    monkeypatch.setattr(Shape, "initial", dead_at_zero)
    done = learn(config(seeds=(0,), rounds=2), str(tmp_path / "run"))
    assert [each.count(PROVEN) for each in done.rounds] == [0, 1]


def test_another_start_on_the_same_traces_is_tried_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(queries: list[SeedQuery], _: float) -> list[SeedResult]:
        return [SeedResult(query.seed, REFUSED, 0.0, f"no graph in round {query.round}") for query in queries]

    monkeypatch.setattr(gridlang.learners.learning.learn, "seed_results", refused)
    done = learn(config(seeds=(0,), recipe=replace(RECIPE, iterations=1)), str(tmp_path / "run"))
    first, second = done.rounds
    assert first.traces == second.traces and not done.unfinished
    assert [result.settled for result in (*first.results, *second.results)] == [False, True]


def test_work_that_fails_dies_or_lasts_takes_no_other_with_it() -> None:
    ended = {done.task: done for done in in_processes(chore, ["fine", "fails", "dies"], 3, 60)}
    assert ended["fine"].answer == "FINE" and not ended["fine"].problem
    assert "no such luck" in ended["fails"].problem
    assert "status 7" in ended["dies"].problem
    (late,) = in_processes(chore, ["lasts"], 1, 0.1)
    assert "given up" in late.problem and late.answer is None


def test_where_no_seed_settled_the_next_round_trains_at_a_lower_rate(tmp_path: Path) -> None:
    traces = make_traces(INCREMENT, [sampling_plan(INCREMENT.table, "paper")])

    def rate(*losses: float | None) -> float:
        results = tuple(SeedResult(seed, REFUTED, loss) for seed, loss in enumerate(losses))
        done = RoundResult(1, 9, 9, 0, 9, None, 1.0, 1.0, results)
        before = Learned(str(tmp_path), (0, 1), (done,))
        return Round(config(), before, unheard)._plan(traces).recipe.lr

    assert rate(1e-5, None) == pytest.approx(rate(1e-5, 1e-9) / LIMITS.slower)
