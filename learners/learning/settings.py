"""What to learn and how, and the events that a run reports."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from gridlang.clauses.input_clauses import language_of
from gridlang.learners.learning.cluster import Cluster, open_cluster
from gridlang.learners.learning.counterexamples import world_count
from gridlang.learners.learning.expert_questions import UnseenRules
from gridlang.learners.learning.limits import LIMITS
from gridlang.learners.learning.rounds import RoundResult
from gridlang.learners.learning.seed_verdicts import SeedResult
from gridlang.learners.learning.training_further import Unconverged
from gridlang.learners.methods.registry import ASK, AUTO, method_named
from gridlang.learners.sweeps.pools import NONE
from gridlang.learners.training.method_choice import BY_DFST, DFST, MethodChoice
from gridlang.learners.training.recipes import Recipe, changed, load_recipe
from gridlang.learners.training.train import TrainingProgress
from gridlang.program import Program
from gridlang.table_json import table_to_json


@dataclass(frozen=True, slots=True, eq=False)
class LearnConfig:
    """What is to be learned, and how."""

    program: Program
    recipe: Recipe
    seeds: tuple[int, ...]
    scope: str = "worlds"
    rounds: int = 8
    worlds: int | None = None  # random worlds to begin with; None for a number that fits the agent
    device: str = "auto"
    any: bool = False  # whether one seed is enough
    radius: int | None = None
    length: int = LIMITS.length
    patience: float = LIMITS.patience
    strict: bool = False  # whether a model must be stuck where the expert is
    command: str = ""  # that learns it again
    method: MethodChoice = BY_DFST
    cluster: Cluster | None = None  # where seeds are trained and judged; None is this machine

    def identity(self) -> dict[str, Any]:
        """All that affects a round; a resumed run must agree."""
        return {
            "expert": hashlib.sha256(table_to_json(self.program.table, families=False).encode()).hexdigest(),
            "recipe": self.recipe.as_json(),
            "seeds": list(self.seeds),
            "scope": self.scope,
            "worlds": self.many_worlds,
            "radius": self.radius,
            "length": self.length,
            "strict": self.strict,
            "method": self.method.as_json(),
        }

    @property
    def declares_inputs(self) -> bool:
        return language_of(self.program.table) is not None

    @property
    def many_worlds(self) -> int:
        return world_count(self.program.table, self.scope) if self.worlds is None else self.worlds


def learn_config(
    program: Program,
    *,
    recipe: str | None,
    iterations: int | None,
    dim: int | None,
    seed: int,
    seeds: int | None,
    method: str = AUTO,
    ray: str | None = None,
    **others: Any,
) -> LearnConfig:
    """The settings as a user gives them: the recipe by its name or file, `seeds` seeds from `seed` on.

    Without a number of seeds there are four, or one if nothing is random. With AUTO, any option of
    training means training.
    """
    said = (recipe, iterations, dim, seeds, others.get("worlds"), None if ray == NONE else ray)
    trains = others.get("device", "auto") != "auto" or any(given is not None for given in said)
    usual_method = DFST if trains else ASK
    how = method_named(usual_method if method == AUTO else method)
    settings = {"scope": others.get("scope")} if how.asks else {}
    count = seeds or (LIMITS.seeds if how.trained else 1)
    usual = load_recipe(recipe or how.recipe or "proof", program.name)
    return LearnConfig(
        program,
        changed(usual, iterations=iterations, dim=dim),
        tuple(range(seed, seed + count)),
        method=how.choice(**settings),
        **others,
    )


@contextmanager
def on_cluster(config: LearnConfig, ray: str | None) -> Iterator[LearnConfig]:
    """The settings with the requested cluster, if anything is trained; closed at the end."""
    cluster = open_cluster(ray, config.device) if method_named(config.method.name).trained else None
    try:
        yield replace(config, cluster=cluster)
    finally:
        if cluster:
            cluster.close()


# In the order of a run: its settings, what it does now in words, rules that no training can settle, how
# training goes, a model about to be trained further, the verdict on a seed, the end of a round.
Event: TypeAlias = LearnConfig | str | UnseenRules | TrainingProgress | Unconverged | SeedResult | RoundResult
OnEvent: TypeAlias = Callable[[Event], None]  # a KeyboardInterrupt raised here ends the run, resumable


def unheard(_: Event) -> None:
    """Ignores events."""
