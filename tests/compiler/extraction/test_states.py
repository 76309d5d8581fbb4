"""Hidden vectors become states along known steps: as few as keep apart what does different things."""

from __future__ import annotations

import numpy as np
import pytest

from gridlang.compiler.automata.acts import UNSEEN
from gridlang.compiler.extraction.clusters import FARTHEST
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.extraction.states import Acts, States, decided_at, known_steps, states
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.table import MOVES
from gridlang.world import string_world
from tests.support.pairs import changed, table_of
from tests.support.weights import inputs_of, rotated

ADD2 = table_of("add2")


def acts(text: str) -> Acts:
    trace = run(ADD2, string_world(text), trace=True).trace or ()
    place = {symbol: number for number, symbol in enumerate(ADD2.symbols)}
    rows = [(place[step.read], place[step.write], MOVES.index(step.move)) for step in trace]
    read, write, move = np.array(rows).T
    return Acts(read, write * len(MOVES) + move)


def errs(dfst: Dfst, found: States) -> bool:
    return not np.array_equal(decided_at(dfst, found).act, found.act[found.act != UNSEEN])


STEPS = known_steps([acts(text) for text in inputs_of(ADD2, 60, 6)])


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_weights_that_drift_lead_through_the_states_of_their_agent(noise: float) -> None:
    dfst = rotated(ADD2, 3, noise)
    found = states(dfst, STEPS, LIMITS.state_tolerances[0])
    assert found is not None and len(found.centres) == len(ADD2.states) and not errs(dfst, found)


def test_a_tolerance_that_takes_different_states_for_one_shows_no_states() -> None:
    assert states(rotated(ADD2), STEPS, FARTHEST) is None


def test_a_model_that_errs_on_the_steps_is_told() -> None:
    wrong = rotated(changed(ADD2, "take", "1", move=0))
    found = states(wrong, STEPS, LIMITS.state_tolerances[0])
    assert found is not None and errs(wrong, found)
