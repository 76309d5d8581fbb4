"""Learned models judged: proofs about what they were seen to do, differences that they show, or unknown."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

import gridlang.compiler.judging.equivalence_query
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.extraction.model_exploration import ModelExploration
from gridlang.compiler.judging.equivalence_query import QueryAnswer, _Query, judge
from gridlang.compiler.judging.limits import LIMITS as JUDGING
from gridlang.compiler.judging.model_mistakes import FloatMistakes
from gridlang.compiler.proofs.equivalence import Verdict, compare_tables
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.tensors.closed_loop import run_model
from gridlang.compiler.tensors.dfst import Dfst, table_to_dfst
from gridlang.compiler.tensors.snapping import check_snapping
from gridlang.table import Entry, Table
from gridlang.table_json import table_to_json
from tests.support.pairs import changed, table_of, there_and_back
from tests.support.weights import model, rotated, with_trigger

pytestmark = pytest.mark.usefixtures("few_worlds")

ADD2 = table_of("add2")
long = partial(pytest.param, marks=pytest.mark.long)


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


@pytest.mark.long
def test_a_hidden_trigger_is_no_proof_even_if_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folded table does what the expert does, since folding guesses: that is said, and is no proof."""
    monkeypatch.setattr(gridlang.compiler.judging.equivalence_query, "questions", lambda *_: [])
    monkeypatch.setattr(_Query, "proves_any", lambda *_: False)
    dfst = rotated(with_trigger(ADD2, RARE), 24)
    few = replace(JUDGING, rounds=1)
    monkeypatch.setattr(gridlang.compiler.judging.equivalence_query, "LIMITS", few)
    answer = judge(dfst, ADD2, "inputs")
    assert answer.verdict.equivalent is None and answer.extraction.guessed > 0
    assert f"consistent with the expert; {answer.extraction.guessed} pairs guessed" in answer.verdict.reason
    assert answer.verdict.guessed == answer.extraction.guessed


@pytest.mark.parametrize("scope", ["worlds", "inputs", "table"])
def test_a_planted_difference_is_shown_on_the_model_itself(scope: str) -> None:
    dfst = rotated(changed(ADD2, "take", "1", move=0))
    verdict = judge(dfst, ADD2, scope).verdict
    assert verdict.equivalent is False and verdict.subject == "model"
    assert really_differs(dfst, ADD2, verdict)
    assert (verdict.input is not None) == (scope == "inputs")


@pytest.mark.long
def test_a_refused_model_may_still_be_shown_to_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Query, "proves_any", lambda *_: False)
    dfst = model("drifting")
    answer = judge(dfst, ADD2, "inputs", longest=300)
    assert answer.extraction.refused and answer.verdict.subject == "model" and answer.verdict.input
    assert really_differs(dfst, ADD2, answer.verdict)


def test_a_refused_model_is_unknown_where_no_difference_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Query, "_proves_closed", lambda _: False)
    short = partial(ModelExploration, budget=1)
    monkeypatch.setattr(gridlang.compiler.judging.equivalence_query, "ModelExploration", short)
    for scope in ("worlds", "inputs", "observed"):
        answer = judge(rotated(ADD2), ADD2, scope)
        assert answer.verdict.equivalent is None and answer.table is None
        assert "its hidden vectors do not settle" in answer.verdict.reason


@pytest.mark.long
def test_a_model_that_errs_by_its_float_weights_alone_is_proven_only_if_snapping_is_asked_about() -> None:
    """Its vectors shrink until float32 has no number for them."""
    dfst = rotated(ADD2)
    fading = replace(dfst, A=0.5 * dfst.A)
    by_weights = judge(fading, ADD2, "inputs")
    assert by_weights.verdict.equivalent is False and by_weights.verdict.subject == "model"
    assert "--snap asks about snapped inference" in by_weights.verdict.hint
    snapped = judge(fading, ADD2, "inputs", snapped=True)
    assert snapped.verdict.equivalent is True and snapped.verdict.subject == "snapped model"
    assert snapped.verdict.drift is not None and really_differs(fading, ADD2, snapped.verdict.drift)
    assert not check_snapping(certified(snapped), fading).problems


def test_a_model_that_cannot_be_snapped_is_proven_as_the_table_that_was_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gridlang.compiler.judging.equivalence_query, "snapping_of", lambda *_: None)
    answer = judge(model("inputs"), ADD2, "inputs")
    assert answer.verdict.equivalent is False and answer.verdict.subject == "model"
    answer = judge(rotated(ADD2), ADD2, "inputs")
    assert answer.verdict.equivalent is True and answer.verdict.subject == "table"
    assert answer.snapping is None and answer.table == answer.extraction.raw


def test_the_model_is_asked_before_a_missing_rule_is_called_a_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It settles on inputs of one digit, and carries no further."""
    few = replace(LIMITS, listed_inputs=2, inputs_a_symbol=1)
    monkeypatch.setattr("gridlang.compiler.extraction.model_exploration.LIMITS", few)
    answer = judge(rotated(ADD2), ADD2, "inputs", longest=1)
    assert answer.verdict.equivalent is True and answer.rounds > 1 and answer.extraction.asked > 0


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


@pytest.mark.long
def test_the_verdict_depends_on_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second may be a year: budgets are in steps."""
    dfst = model("inputs")
    before = judge(dfst, ADD2, "inputs")
    start, ticks = time.monotonic(), itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: start + 3e7 * next(ticks))
    after = judge(dfst, ADD2, "inputs")
    assert (after.verdict, after.table, after.rounds) == (before.verdict, before.table, before.rounds)
