"""What to learn and how, and the events that a run reports."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.automata.merging import minimize_table
from gridlang.diagnostics import fail
from gridlang.learners.learning.counterexamples import world_count
from gridlang.learners.learning.expert_questions import UnseenRules
from gridlang.learners.learning.limits import LIMITS
from gridlang.learners.learning.rounds import RoundResult
from gridlang.learners.learning.seed_verdicts import SeedResult
from gridlang.learners.train.method import ASK, AUTO, BY_DFST, DFST, Method, method_named
from gridlang.learners.train.recipes import Recipe, RecipeLike, changed, load_recipe
from gridlang.learners.train.run import TrainingProgress
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
    patience: float = LIMITS.patience
    strict: bool = False  # whether a model must be stuck where the expert is
    method: Method = BY_DFST

    def identity(self) -> dict[str, Any]:
        """All that affects a round; a resumed run must agree."""
        return {
            "expert": hashlib.sha256(table_to_json(self.program.table, families=False).encode()).hexdigest(),
            "recipe": self.recipe.as_json(),
            "seeds": list(self.seeds),
            "scope": self.scope,
            "worlds": self.many_worlds,
            "radius": self.radius,
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
    recipe: RecipeLike | None = None,
    iterations: int | None = None,
    seed: int = 0,
    seeds: int | None = None,
    method: str = AUTO,
    **others: Any,
) -> LearnConfig:
    """The settings as a user gives them: a recipe, and `seeds` seeds from `seed` on.

    Without a number of seeds there are four, or one if nothing is random. With AUTO, any option of
    training means training.
    """
    said = (recipe, iterations, seeds)
    trains = others.get("device", "auto") != "auto" or any(given is not None for given in said)
    usual_method = DFST if trains else ASK
    name = usual_method if method == AUTO else method
    refuse_large(program)
    how = method_named(name, scope=others.get("scope") if name == ASK else None)
    count = seeds or (LIMITS.seeds if how.trained else 1)
    chosen = changed(load_recipe(recipe, program.name), iterations=iterations)
    return LearnConfig(
        program,
        chosen,
        tuple(range(seed, seed + count)),
        method=how,
        rounds=chosen.rounds,
        worlds=None if chosen.worlds < 0 else chosen.worlds,
        radius=None if chosen.radius < 0 else chosen.radius,
        **others,
    )


def refuse_large(program: Program) -> None:
    """GridError for an agent of which no model is learned in an hour."""
    table = program.table
    if len(table.states) > LIMITS.most_states:
        needed = len(minimize_table(table).table.states)
        if needed > LIMITS.most_states:
            size = f"{needed:,} states when minimised"
            message = f"`{table.name}` has {size}, and at most {LIMITS.most_states:,} are learned"
            hint = "time and memory grow with their square; `gridlang compile` makes weights of up to 4,000"
            raise fail("G083", message, hint, program.file)


# In the order of a run: its settings, what it does now in words, rules that no training can settle, how
# training goes, the verdict on a seed, the end of a round.
Event: TypeAlias = LearnConfig | str | UnseenRules | TrainingProgress | SeedResult | RoundResult
OnEvent: TypeAlias = Callable[[Event], None]  # a KeyboardInterrupt raised here ends the run, resumable


def unheard(_: Event) -> None:
    """Ignores events."""
