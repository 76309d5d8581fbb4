"""How the league trains: all draws of a line together, with the setting that was found for its method."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.league_draws import stacked
from benchmarks.league_lines import LONGER, SEARCH
from benchmarks.timing import OutOfTime
from gridlang.compiler.traces.dataset import Traces
from gridlang.learners.methods.registry import METHODS
from gridlang.learners.training.recipes import Recipe, changed, load_recipe
from gridlang.learners.training.train import Trained, TrainingPlan, TrainingProgress, train

SETTLED = 5.0  # seconds after which the pace of training is known


def recipe_of(setting: dict[str, Any], plan: TrainingPlan | None = None) -> Recipe:
    """The recipe of a setting; `times` multiplies the rate that fits."""
    recipe = load_recipe(setting["recipe"])
    given = {name: setting[name] for name in ("dim", "lr", "iterations") if name in setting}
    recipe = changed(recipe, **given)
    return replace(recipe, lr=setting["times"] * plan.recipe.lr) if plan and "times" in setting else recipe


def trained(
    method: str,
    setting: dict[str, Any],
    parts: list[Traces],
    seeds: tuple[int, ...],
    deadline: float = float("inf"),
) -> list[Trained]:
    """A model for each part of the traces, all trained together; OutOfTime if they would not end in time."""

    def watch(at: TrainingProgress) -> None:
        left = (at.iterations - at.iteration) / max(at.rate, 1e-9)
        if at.seconds > SETTLED and time.monotonic() + left > deadline:
            raise OutOfTime

    whole, shares = stacked(parts)
    choice = METHODS["dfst" if method in ("fast", "longer") else method].choice()
    plan = TrainingPlan(whole, recipe_of(setting), seeds, "auto", method=choice, shares=shares)
    recipe = recipe_of(setting, plan)
    if method == "longer":
        recipe = replace(recipe, iterations=LONGER * plan.recipe.iterations)
    return train(replace(plan, recipe=recipe), progress=watch)


def chosen_settings(results: Path) -> dict[str, dict[str, Any]]:
    """Of each method the setting with the fewest wrong steps on fresh traces; of equals the first."""
    found = json.loads((results / "league_search.json").read_text())["tried"]
    best = {}
    for method, settings in SEARCH.items():
        wrong = [each["steps_wrong"] for each in found[method]]
        best[method] = settings[wrong.index(min(wrong))]
    by_fast = [each for each in SEARCH["dfst"] if each["recipe"] == "fast"]
    return {
        **best,
        "longer": best["dfst"],
        "fast": next((each for each in by_fast if each["dim"] == best["dfst"]["dim"]), by_fast[0]),
    }
