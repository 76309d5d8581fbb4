"""A model that has not converged on its own traces is told of and trained on, and is not extracted from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gridlang.compiler.tensors.dfst import read_dfst
from gridlang.learners.learning.learn import learn
from gridlang.learners.learning.rounds import Learned
from gridlang.learners.learning.seed_verdicts import PROVEN, SeedResult
from gridlang.learners.learning.settings import LearnConfig, OnEvent, unheard
from gridlang.learners.learning.training_further import Unconverged
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.training.limits import LIMITS
from gridlang.learners.training.recipes import load_recipe
from gridlang.learners.training.train import TrainingProgress
from gridlang.loading import load
from tests.programs import EXAMPLES
from tests.support.events import on

INCREMENT = load(EXAMPLES / "increment.grid")


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Formulas that give too few iterations, and no proofs, which are not asked about here."""
    monkeypatch.setattr("gridlang.learners.training.recipes.LIMITS", replace(LIMITS, effort=1, grain=10))
    monkeypatch.setattr("gridlang.learners.traces.choosing.sampling.LIMITS", replace(TRACE_LIMITS, pool=500))
    monkeypatch.setattr(
        "gridlang.learners.learning.learn.Round.judged",
        lambda _, models: tuple(SeedResult(model.seed, PROVEN, float(model.loss)) for model in models),
    )


def learned_in(folder: Path, on_event: OnEvent, *, resume: bool = False) -> Learned:
    recipe = replace(load_recipe("proof"), least=60)
    config = LearnConfig(INCREMENT, recipe, (0, 1), worlds=40, rounds=1, device="cpu")
    return learn(config, str(folder), resume=resume, on_event=on_event)


@pytest.mark.long
@pytest.mark.usefixtures("short")
def test_what_was_trained_too_shortly_is_told_trained_on_and_resumed_in_the_middle_of_that(
    tmp_path: Path,
) -> None:
    told: list[Unconverged] = []
    learned = learned_in(tmp_path / "whole", on(Unconverged, told.append))
    (done,) = learned.rounds
    assert {each.seed for each in told} == {0, 1} and done.trained_on == 2
    assert all(each.reason in str(each) and each.recipe.iterations > done.iterations for each in told)
    assert all((result.loss or 0) < 1e-6 for result in done.results)

    def in_the_middle(at: TrainingProgress) -> None:
        if at.iterations > done.iterations and at.iteration > at.iterations // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learned_in(tmp_path / "cut", on(TrainingProgress, in_the_middle))
    again = learned_in(tmp_path / "cut", unheard, resume=True)
    assert again.rounds[0].trained_on == 2
    for seed in (0, 1):
        one, other = (read_dfst(each.file(seed, "safetensors")) for each in (learned, again))
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("A", "B", "C", "h0"))
