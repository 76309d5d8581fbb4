"""Noise is put in as stated, and taken out without anything that is clean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from compiler.dfst import table_to_dfst
from compiler.program_files import load_program
from compiler.proofs.prove import prove
from gridlang.diagnostics import GridError
from learners.noise.cleaning import CleaningPlan, cleaned
from learners.noise.corruption import Rates, corrupted, kinds_of, rate_of
from learners.noise.decoding import Decoded, decode
from learners.noise.estimate import compared, judgement
from learners.noise.learning import _anonymous
from learners.noise.tabulation import followed, reading_of
from learners.traces.collection import collected, plans_of
from learners.traces.dataset import Traces
from learners.training.recipes import changed, load_recipe
from tests.programs import ROOT

RATE = 0.05


@pytest.fixture(scope="module")
def clean() -> Traces:
    program = load_program(str(ROOT / "examples" / "increment.grid"), {})
    return collected(program, plans_of(program.table, ["worlds:200"]), seed=3)


@pytest.fixture(scope="module")
def noisy(clean: Traces) -> Traces:
    return corrupted(clean, RATE, seed=5)


def decoded_by_expert(noisy: Traces) -> Decoded:
    expert = load_program(str(ROOT / "examples" / "increment.grid"), {}).table
    machine = table_to_dfst(expert)
    return decode(machine, noisy, Rates(0.1, 0.1, 0.1), reading_of(followed(machine, noisy), noisy))


def test_each_kind_is_corrupted_at_its_rate_by_the_seed_and_nothing_clean_stays(clean: Traces) -> None:
    noisy = corrupted(clean, 0.2, ("reads", "moves"), seed=1)
    valid = clean.x >= 0
    shares = [(getattr(noisy, row) != getattr(clean, row))[valid].mean() for row in "xsm"]
    assert shares[1] == 0
    assert all(abs(share - 0.2) < 0.02 for share in (shares[0], shares[2]))
    assert (noisy.x[~valid] == -1).all()
    assert noisy.data["noise"] == {"rate": 0.2, "in": ["reads", "moves"], "seed": 1}
    assert not noisy.source
    assert not any(noisy.inputs)
    again = corrupted(clean, 0.2, ("reads",), seed=1)
    assert np.array_equal(again.x, noisy.x)  # The noise in reads does not hang on what else is chosen.
    assert not np.array_equal(corrupted(clean, 0.2, seed=2).x, noisy.x)
    with pytest.raises(GridError, match="corrupted already") as refused:
        corrupted(noisy, 0.1)
    assert refused.value.diagnostics[0].code == "G220"


def test_rates_and_kinds_are_read_as_they_are_written() -> None:
    assert rate_of("5%") == rate_of("0.05") == 0.05
    assert kinds_of("moves, reads") == ("reads", "moves")
    for wrong in ("120%", "-0.1", "nan", "many"):
        with pytest.raises(ValueError):
            rate_of(wrong)
    with pytest.raises(ValueError, match="looks"):
        kinds_of("looks")


def test_given_the_agent_the_wrong_steps_are_found_and_the_rates_are_right(
    clean: Traces, noisy: Traces
) -> None:
    decoded = decoded_by_expert(noisy)
    told, measured = judgement(noisy, decoded), compared(noisy, decoded, clean)
    assert measured.precision > 0.97
    assert measured.recall > 0.97
    assert all(abs(rate - RATE) < 0.015 for rate in told.rates)
    for kind, (low, high) in told.bounds.items():
        assert low < getattr(told.rates, kind) < high


def test_the_learner_uses_nothing_but_what_was_recorded(clean: Traces, noisy: Traces) -> None:
    # Inputs, source and metadata tell the truth, or lie: what is learned from is the same.
    telling = replace(noisy, inputs=clean.inputs, source=clean.source)
    for name in ("x", "s", "m", "length", "inputs", "source", "data"):
        one, other = getattr(_anonymous(telling), name), getattr(_anonymous(noisy), name)
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other
    bare = replace(noisy, data={}, classes=(), input="")
    assert np.array_equal(decoded_by_expert(bare).x, decoded_by_expert(telling).x)


def test_increment_is_recovered_from_noisy_traces_alone() -> None:
    program = load_program(str(ROOT / "examples" / "increment.grid"), {})
    noisy = corrupted(collected(program, plans_of(program.table, ["worlds:200"]), seed=0), RATE, seed=0)
    plan = CleaningPlan(changed(load_recipe("proof"), iterations=6000), rounds=1, device="cpu")
    learned = cleaned(_anonymous(noisy), plan)
    assert prove(program.table, learned.best.table, "worlds").equivalent
    assert all(abs(rate - RATE) < 0.015 for rate in learned.judgement.rates)


def test_traces_that_show_where_an_agent_is_stuck_are_refused(noisy: Traces) -> None:
    s, m = noisy.s.copy(), noisy.m.copy()
    s[0, noisy.length[0] - 1] = m[0, noisy.length[0] - 1] = -1
    strict = replace(noisy, s=s, m=m, ending=("stuck", *noisy.ending[1:]))
    with pytest.raises(GridError, match="stuck") as refused:
        cleaned(strict, CleaningPlan(load_recipe("proof")))
    assert refused.value.diagnostics[0].code == "G221"


def test_traces_that_no_table_can_be_read_off_from_are_refused(
    noisy: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("learners.noise.cleaning._Cleaning.round", lambda *_: None)
    with pytest.raises(GridError, match="too strong") as refused:
        cleaned(noisy, CleaningPlan(load_recipe("proof")))
    assert refused.value.diagnostics[0].code == "G222"
