"""Learned models judged: proofs about what they were seen to do, differences that they show, or unknown."""

from __future__ import annotations

import itertools
import json
import time
from functools import partial
from typing import Any

import pytest

import gridlang.compiler.judging.equivalence_query
from gridlang.compiler.extraction.extract import Extraction
from gridlang.compiler.extraction.refusals import Refusal
from gridlang.compiler.judging.equivalence_query import QueryAnswer, judge
from gridlang.compiler.judging.model_mistakes import FloatMistakes
from gridlang.compiler.lockstep.alone import run_model
from gridlang.compiler.proofs.equivalence import Verdict, compare_tables
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.tensors.dfst import Dfst, table_to_dfst
from gridlang.compiler.tensors.snapping import check_snapping
from gridlang.table import Entry, Table
from gridlang.table_json import table_to_json
from tests.support.pairs import changed, table_of, there_and_back
from tests.support.weights import model, rotated, with_trigger

pytestmark = pytest.mark.usefixtures("few_worlds")

ADD2 = table_of("add2")
long = partial(pytest.param, marks=pytest.mark.long)


def only_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are judged as those are whose states along the expert's runs prove nothing."""
    name = "gridlang.compiler.judging.equivalence_query.closed_clusters"
    monkeypatch.setattr(name, lambda *_: iter(()))


def certified(answer: QueryAnswer) -> dict[str, Any]:
    """The side of a certificate that says what was snapped."""
    assert answer.table is not None
    return {"table": json.loads(table_to_json(answer.table, families=False)), "snapping": answer.snapping}


def really_differs(dfst: Dfst, expert: Table, verdict: Verdict) -> bool:
    """By the reference simulator and the model's equations, on the world that is shown."""
    assert verdict.world is not None and verdict.counterexample is not None
    last = len(verdict.counterexample)
    mine = run(expert, verdict.world, last, trace=True).trace or ()
    theirs = run_model(dfst, verdict.world, last, trace=True).trace or ()
    return (
        len(mine) == last
        and mine[: last - 1] == theirs[: last - 1]
        and mine[last - 1 :] != theirs[last - 1 :]
    )


@pytest.mark.parametrize("scope", ["worlds", "observed", long("table")])
def test_a_model_that_learned_from_worlds_is_proven_with_snapped_inference(scope: str) -> None:
    dfst = model("worlds")
    answer = judge(dfst, ADD2, scope)
    assert answer.verdict.equivalent is True and answer.verdict.subject == "snapped model"
    assert answer.table is not None and not check_snapping(certified(answer), dfst).problems
    assert answer.verdict.guessed == 0 and compare_tables(answer.table, answer.table).equivalent


def test_a_model_that_learned_from_inputs_is_proven_on_them_and_different_elsewhere() -> None:
    dfst = model("inputs")
    answer = judge(dfst, ADD2, "inputs", snapped=True)
    assert answer.verdict.equivalent is True and answer.verdict.subject == "snapped model"
    assert answer.table == answer.extraction.raw, "nothing is guessed"
    verdict = judge(dfst, ADD2, "worlds", snapped=True).verdict
    assert verdict.equivalent is False and verdict.subject == "model"
    assert really_differs(dfst, ADD2, verdict)


RARE = "100000001011000111101011"  # One input in sixteen million has these bits in a row.


@pytest.mark.long
@pytest.mark.parametrize(
    ("trigger", "state", "scope"),
    [("01101001", "", "worlds"), (RARE, "", "inputs"), ("01010011000111100111", "home", "inputs")],
    ids=["on worlds", "that no random input shows", "on the way back"],
)
def test_a_hidden_trigger_is_climbed_by_asking_and_shown(trigger: str, state: str, scope: str) -> None:
    dfst = rotated(with_trigger(ADD2, trigger, state), len(trigger))
    assert trigger != RARE or FloatMistakes(dfst, ADD2, "inputs").first is None
    answer = judge(dfst, ADD2, scope)
    assert answer.verdict.equivalent is False and answer.verdict.subject == "model"
    assert really_differs(dfst, ADD2, answer.verdict)
    assert trigger != RARE or (answer.rounds > 1 and answer.extraction.asked > 0)


@pytest.mark.parametrize("scope", ["worlds", "inputs", "table"])
def test_a_planted_difference_is_shown_on_the_model_itself(scope: str) -> None:
    dfst = rotated(changed(ADD2, "take", "1", move=0))
    verdict = judge(dfst, ADD2, scope).verdict
    assert verdict.equivalent is False and verdict.subject == "model"
    assert really_differs(dfst, ADD2, verdict)
    assert (verdict.input is not None) == (scope == "inputs")


def test_a_refused_model_is_unknown_where_no_difference_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    only_explored(monkeypatch)
    refused = Extraction(refusal=Refusal("G151", "its hidden vectors do not settle", ""))
    monkeypatch.setattr(gridlang.compiler.judging.equivalence_query, "extract", lambda *_, **__: refused)
    for scope in ("worlds", "inputs", "observed"):
        answer = judge(rotated(ADD2), ADD2, scope)
        assert answer.verdict.equivalent is None and answer.table is None
        assert "its hidden vectors do not settle" in answer.verdict.reason


@pytest.mark.long
def test_a_model_that_errs_by_its_float_weights_alone_is_proven_only_if_snapping_is_asked_about() -> None:
    """Its vectors drift on long inputs."""
    drifting = model("inputs")
    by_weights = judge(drifting, ADD2, "inputs")
    assert by_weights.verdict.equivalent is False and by_weights.verdict.subject == "model"
    assert "asks about snapped inference" in by_weights.verdict.hint
    snapped = judge(drifting, ADD2, "inputs", snapped=True)
    assert snapped.verdict.equivalent is True and snapped.verdict.subject == "snapped model"
    assert snapped.verdict.drift is not None and really_differs(drifting, ADD2, snapped.verdict.drift)
    assert not check_snapping(certified(snapped), drifting).problems


def test_a_model_that_cannot_be_snapped_is_proven_as_the_table_that_was_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gridlang.compiler.judging.equivalence_query, "snapping_of", lambda *_: None)
    answer = judge(model("inputs"), ADD2, "inputs")
    assert answer.verdict.equivalent is False and answer.verdict.subject == "model"
    answer = judge(rotated(ADD2), ADD2, "inputs")
    assert answer.verdict.equivalent is True and answer.verdict.subject == "table"
    assert answer.snapping is None and answer.table == answer.extraction.raw


def test_reads_that_no_world_shows_are_asked_too() -> None:
    """They read a blank where an x was just written."""
    expert, other = (there_and_back(1, read) for read in (Entry(0, 0, 0), Entry(1, 1, 0)))
    same = judge(rotated(expert), expert, "table").verdict
    assert same.equivalent is True and same.subject == "snapped model", "computed at the centres"
    different = judge(rotated(other), expert, "table").verdict
    assert different.equivalent is False and different.subject == "model" and different.world is None
    assert different.counterexample and different.counterexample[-1].right == ("x", "D")


def test_exact_weights_need_no_asking() -> None:
    answer = judge(table_to_dfst(changed(ADD2, "carry(1)", "0")), ADD2, "worlds")
    assert answer.verdict.equivalent is False and answer.verdict.subject == "table" and answer.rounds == 1


def test_a_model_is_judged_by_its_own_runs_where_those_of_the_expert_prove_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only_explored(monkeypatch)
    dfst = rotated(ADD2)
    answer = judge(dfst, ADD2, "inputs")
    assert answer.verdict.equivalent is True and answer.verdict.subject == "snapped model"
    assert answer.table == answer.extraction.raw and not check_snapping(certified(answer), dfst).problems


@pytest.mark.long
def test_the_verdict_depends_on_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second may be a year: budgets are in steps."""
    dfst = model("inputs")
    before = judge(dfst, ADD2, "inputs")
    start, ticks = time.monotonic(), itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: start + 3e7 * next(ticks))
    after = judge(dfst, ADD2, "inputs")
    assert (after.verdict, after.table, after.rounds) == (before.verdict, before.table, before.rounds)
