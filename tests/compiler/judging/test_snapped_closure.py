"""Codebooks found by following the expert: proofs about models whose float vectors never settle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gridlang.compiler.judging.equivalence_query import SNAPPED, judge
from gridlang.compiler.proofs.prove import prove
from tests.support.pairs import changed, table_of
from tests.support.weights import rotated

pytestmark = pytest.mark.usefixtures("few_worlds")


@pytest.mark.parametrize("scope", ["inputs", "worlds"])
@pytest.mark.parametrize("name", ["add2", "brackets"])
def test_weights_that_err_as_floats_are_proven_with_snapped_inference(name: str, scope: str) -> None:
    expert = table_of(name)
    model = rotated(expert, 3, 0.02)
    assert judge(model, expert, scope).verdict.equivalent is False  # the float weights err
    answer = judge(model, expert, scope, snapped=True)
    assert answer.verdict.equivalent and answer.verdict.subject == SNAPPED and answer.snapping is not None
    assert answer.table is not None
    assert answer.verdict.stray is not None and answer.verdict.stray.decision > 0


def test_a_model_of_another_agent_is_never_proven() -> None:
    expert = table_of("brackets")
    tried = 0
    for state, symbol, entry in list(expert.entries())[::9]:
        after = (entry.next + 1) % len(expert.states)
        if entry.is_idle(symbol):
            continue
        other = changed(expert, expert.states[state], expert.symbols[symbol], next=after)
        if prove(expert, other, "worlds").equivalent is False:
            tried += 1
            assert not judge(rotated(other, 3, 0.02), expert, "worlds", snapped=True).verdict.equivalent
    assert tried > 2


def test_weights_without_a_direction_are_not_followed() -> None:
    expert = table_of("brackets")
    model = rotated(expert, 3, 0.02)
    assert not judge(replace(model, h0=np.zeros_like(model.h0)), expert, "inputs").verdict.equivalent
