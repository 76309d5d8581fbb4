"""For tests: `assert_equivalent(agent, model)`, on short inputs, and what hypothesis draws and shrinks.

It tests; `gridlang equiv` proves. A model is tested with its float weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.given import AgentLike, ModelLike, as_any_model, as_program, is_weights
from gridlang.compiler.judging.model_mistakes import FloatMistakes
from gridlang.compiler.proofs.differences.shrink import replay
from gridlang.compiler.proofs.equivalence import Observation, aligned
from gridlang.compiler.simulation.random_worlds import FreshCell, Growth
from gridlang.compiler.testing.input_search import strings
from gridlang.table import Table
from gridlang.world import World, string_world, world_picture

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

Differs = Callable[[World], tuple[Observation, ...] | None]
LISTED_LENGTH = 64  # inputs that are longer are drawn, not listed one by one
SHOWN = 12  # steps of a failure, the last ones


def assert_equivalent(
    agent: AgentLike,
    model: AgentLike | ModelLike,
    *,
    scope: str = "worlds",
    examples: int = 200,
    steps: int = 1_000,
    cells: int = 24,
    length: int = 8,
) -> None:
    """AssertionError, with the smallest world that was found, if the model does not do what the agent does.

    Nothing is asked where the agent halts or is stuck. Worlds have up to `cells` cells, each of which the
    agent reads; inputs have repetitions of up to `length`, and scope `inputs` leaves worlds out. A run is
    compared for `steps` steps. `examples` cases are drawn, after as many of the shortest inputs.

    >>> import gridlang as gl
    >>> gl.assert_equivalent("examples/add2.grid", gl.compile("examples/add2.grid"), examples=20)
    """
    from hypothesis import HealthCheck, given, settings
    from hypothesis.strategies import one_of

    expert = as_program(agent).table
    differs = _comparison(expert, model, steps)
    language = language_of(expert)
    drawn = [_worlds(expert, cells)] if scope == "worlds" else []
    if language:
        drawn.append(strings(language, length).map(string_world))
    if not drawn:
        raise ValueError(f"{expert.name} declares no inputs: test it on worlds")

    def check(world: World) -> None:
        shown = differs(world)
        if shown:
            raise AssertionError(_message(world, shown))

    for text in islice(language.shortest(LISTED_LENGTH), examples) if language else ():
        check(string_world(text))
    quiet = settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    quiet(given(one_of(drawn))(check))()


def _comparison(expert: Table, model: AgentLike | ModelLike, steps: int) -> Differs:
    """Runs a world to find a difference: by the equations for weights, the simulator for tables."""
    if is_weights(model):
        return partial(FloatMistakes(as_any_model(model), expert).on, steps=steps)
    right = as_program(model).table
    aligned(expert, right)  # raises if the alphabets differ
    return lambda world: replay(expert, right, world, steps)


def _worlds(table: Table, most: int) -> SearchStrategy[World]:
    """Worlds whose cells are drawn when the agent first reads them, among symbols with a rule there."""
    from hypothesis.strategies import composite, sampled_from

    @composite
    def grown(draw: DrawFn) -> World:
        def choose(fresh: FreshCell) -> int | None:
            return draw(sampled_from(fresh.known)) if fresh.known and fresh.number < most else None

        return Growth(table, steps=10 * most).world(choose)

    return grown()


def _message(world: World, steps: tuple[Observation, ...]) -> str:
    picture = world_picture(world) or "(a world too large to draw)"
    first = max(0, len(steps) - SHOWN)
    lines = [
        f"  step {first + at}: read {step.read}: {_does(step)}" for at, step in enumerate(steps[first:], 1)
    ]
    shown = "\n".join(f"    {line}" for line in picture.split("\n"))
    return f"the model differs from the agent at step {len(steps)} on this world:\n{shown}\n" + "\n".join(
        lines
    )


def _does(step: Observation) -> str:
    mine, theirs = (f"write {a[0]}, {a[1]}" if a else "stuck" for a in (step.left, step.right))
    return mine if mine == theirs else f"{mine}, but the model: {theirs}"
