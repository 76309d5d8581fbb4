"""Learned models judged: proofs about their tables, differences that they show themselves, or unknown."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import learners.learning.equivalence_query
import learners.learning.model_mistakes
from compiler.closed_loop import run_dfst
from compiler.dfst import Dfst, table_to_dfst
from compiler.proofs.equivalence import Verdict
from compiler.simulate import run
from gridlang.table import Entry, Table
from gridlang.world import World
from learners.extraction.extract import Extraction, extract
from learners.extraction.refusals import Refusal
from learners.learning.equivalence_query import judge
from learners.learning.model_mistakes import steps_to_mistake
from tests.support.pairs import changed, table_of, there_and_back
from tests.support.weights import model

pytestmark = pytest.mark.usefixtures("few_worlds")

ADD2 = table_of("add2")
REFUSED = Extraction(refusal=Refusal("G151", "its hidden vectors do not settle", "train longer"))


def blurred(table: Table) -> Dfst:
    """The exact weights in another basis: the same behaviour, but no table."""
    dfst = table_to_dfst(table)
    size = len(table.states)
    basis = np.eye(size) + 0.1 * np.random.default_rng(1).standard_normal((size, size))
    inverse = np.linalg.inv(basis)
    tensors = {"A": basis @ dfst.A @ inverse, "B": dfst.B @ inverse, "C": dfst.C @ inverse}
    floats = {name: tensor.astype(np.float32) for name, tensor in tensors.items()}
    metadata = {key: value for key, value in dfst.metadata.items() if key != "states"}
    h0 = (basis @ dfst.h0).astype(np.float32)
    return Dfst(**floats, h0=h0, symbols=dfst.symbols, moves=dfst.moves, metadata=metadata)


@lru_cache
def right_extraction() -> Extraction:
    """Of a model that is right."""
    return extract(blurred(ADD2), expert=ADD2, scope="worlds")


def really_differs(dfst: Dfst, expert: Table, verdict: Verdict) -> bool:
    """By the reference simulator and the model's equations, on the world that is shown."""
    assert verdict.world is not None and verdict.counterexample is not None
    last = len(verdict.counterexample)
    mine = run(expert, verdict.world, last, trace=True).trace or ()
    theirs = run_dfst(dfst, verdict.world, last, trace=True).trace or ()
    return (
        len(mine) == last
        and mine[: last - 1] == theirs[: last - 1]
        and mine[last - 1 :] != theirs[last - 1 :]
    )


@pytest.mark.parametrize("scope", ["worlds", "inputs", "observed", "table"])
def test_a_model_that_learned_from_worlds_is_proven(scope: str) -> None:
    found = judge(model("worlds"), ADD2, scope)
    assert found.verdict.equivalent is True and found.verdict.subject == "table"
    assert found.table is not None and found.rounds == 1


def test_a_model_that_learned_from_inputs_is_proven_on_them_and_different_elsewhere() -> None:
    dfst = model("inputs")
    assert judge(dfst, ADD2, "inputs").verdict.equivalent is True
    verdict = judge(dfst, ADD2, "worlds").verdict
    assert verdict.equivalent is False and verdict.subject == "model"
    assert really_differs(dfst, ADD2, verdict)


@pytest.mark.parametrize("scope", ["worlds", "inputs", "table"])
def test_a_table_that_guessed_right_proves_nothing_of_a_model_that_fails(
    scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    guessed = right_extraction()
    monkeypatch.setattr(learners.learning.equivalence_query, "extract", lambda *_, **__: guessed)
    dfst = blurred(changed(ADD2, "take", "1", move=0))
    verdict = judge(dfst, ADD2, scope).verdict
    assert verdict.equivalent is False and verdict.subject == "model"
    assert really_differs(dfst, ADD2, verdict)


def test_what_is_extracted_with_a_planted_difference_differs_on_the_model() -> None:
    dfst = blurred(changed(ADD2, "take", "1", move=0))
    for scope in ("worlds", "inputs"):
        verdict = judge(dfst, ADD2, scope).verdict
        assert verdict.equivalent is False and verdict.subject == "model"
        assert really_differs(dfst, ADD2, verdict)
        assert (verdict.input is not None) == (scope == "inputs")


def test_a_refused_model_may_still_be_shown_to_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    dfst = model("drifting")
    monkeypatch.setattr(learners.learning.equivalence_query, "extract", lambda *_, **__: REFUSED)
    verdict = judge(dfst, ADD2, "inputs").verdict
    assert verdict.equivalent is False and verdict.subject == "model" and verdict.input is not None
    assert really_differs(dfst, ADD2, verdict)


def test_a_refused_model_is_unknown_where_no_difference_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners.learning.equivalence_query, "extract", lambda *_, **__: REFUSED)
    for scope in ("worlds", "inputs", "observed"):
        found = judge(blurred(ADD2), ADD2, scope)
        assert found.verdict.equivalent is None and found.table is None
        assert "its hidden vectors do not settle" in found.verdict.reason


class Forgetful:
    """An extraction that misses one rule until it is asked about the world where that is used."""

    def __init__(self, state: str, symbol: str, learns: bool) -> None:
        self.state, self.symbol, self.learns = state, symbol, learns
        self.asked: list[int] = []

    def __call__(self, _: Dfst, worlds: list[World], **__: object) -> Extraction:
        self.asked.append(len(worlds))
        table = right_extraction().table
        assert table is not None
        if worlds and self.learns:
            return Extraction(table=table, raw=table)
        gap = changed(table, self.state, self.symbol)
        return Extraction(table=gap, raw=gap)


def test_the_model_is_asked_before_a_missing_rule_is_called_a_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forgetful = Forgetful("carry(1)", "0", learns=True)
    monkeypatch.setattr(learners.learning.equivalence_query, "extract", forgetful)
    found = judge(blurred(ADD2), ADD2, "worlds")
    assert found.verdict.equivalent is True
    assert found.rounds == 2 and forgetful.asked == [0, 1] and len(found.worlds) == 1
    assert steps_to_mistake(blurred(ADD2), ADD2, found.worlds[0]) is None


def test_a_table_that_stays_wrong_about_its_model_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        learners.learning.equivalence_query, "extract", Forgetful("carry(1)", "0", learns=False)
    )
    found = judge(blurred(ADD2), ADD2, "worlds")
    assert found.verdict.equivalent is None and found.verdict.counterexample is None
    assert "the model itself does not" in found.verdict.reason
    assert judge(blurred(ADD2), ADD2, "worlds", rounds=1).verdict.equivalent is None


def test_reads_that_no_world_shows_are_asked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """They read a blank where an x was just written."""
    expert, gap, other = (there_and_back(1, read) for read in (Entry(0, 0, 0), None, Entry(1, 1, 0)))
    monkeypatch.setattr(
        learners.learning.equivalence_query, "extract", lambda *_, **__: Extraction(table=gap, raw=gap)
    )
    same = judge(blurred(expert), expert, "table").verdict
    assert same.equivalent is None and "on reads that no world shows" in same.reason
    different = judge(blurred(other), expert, "table").verdict
    assert different.equivalent is False and different.subject == "model" and different.world is None
    assert different.counterexample and different.counterexample[-1].right == ("x", "D")


def test_exact_weights_need_no_asking() -> None:
    found = judge(table_to_dfst(changed(ADD2, "carry(1)", "0")), ADD2, "worlds")
    assert found.verdict.equivalent is False and found.verdict.subject == "table" and found.rounds == 1
