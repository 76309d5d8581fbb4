"""The methods by name: ours, those that are registered, and those of other packages.

Another package offers its methods as entry points of the group `gridlang.methods`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from gridlang.learners.methods.method import Found, Method, Setting, table_method
from gridlang.learners.training.method_choice import DFST
from gridlang.terminal.notes import tell_once

if TYPE_CHECKING:
    from gridlang.learners.methods.method import Event
    from gridlang.learners.training.train import Trained, TrainingPlan

GROUP = "gridlang.methods"
AUTO = "auto"  # `learn` queries, or trains if an option of training is given
ASK, MERGE = "ask", "merge"
ORDERS = ("evidence", "breadth")
SCOPES = ("worlds", "inputs", "table")


def _train(plan: TrainingPlan, folder: str | None, **run: Any) -> list[Trained]:
    from gridlang.learners.training.train import train

    return train(plan, folder, progress=run.pop("on_event"), **run)


def _dfst(plan: TrainingPlan, folder: str | None, **run: Any) -> list[Trained]:
    models = _train(plan, folder, **run)
    if not plan.recipe.refit or plan.shares:
        return models
    from gridlang.learners.methods.refitting import refit_all

    return refit_all(models, plan.traces)


def _ask(plan: TrainingPlan, _: str | None, tell: Callable[[str], None]) -> Found:
    from gridlang.learners.methods.asking.ask import ask

    assert plan.expert is not None
    scope = plan.method.settings["scope"]
    asked = ask(
        plan.expert, scope, lambda states, queries: tell(f"asking: {states:,} states, {queries:,} queries")
    )
    return Found(asked.table, asked.costs())


def _merge(plan: TrainingPlan, _: str | None, tell: Callable[[str], None]) -> Found:
    from gridlang.learners.methods.merging.merge import merged

    order = plan.method.settings["order"]
    result = merged(plan.traces, order, lambda states: tell(f"merging: {states:,} states"))
    return Found(result.table, {"merges": result.merges})


def _network(name: str, summary: str) -> Method:
    return Method(name, summary, _train, architecture=name, recipe="network", needs="gridlang[learn]")


OURS = (
    Method(DFST, "A DFST, trained by gradients, then refitted.", _dfst, architecture=DFST),
    table_method(
        ASK,
        "Queries the expert until the prover finds no difference.",
        _ask,
        settings=(Setting("scope", "worlds", "where the prover looks for differences", SCOPES),),
        asks=True,
    ),
    table_method(
        MERGE,
        "Merges states of the traces' prefix tree.",
        _merge,
        settings=(Setting("order", ORDERS[0], "the order in which states are merged", ORDERS),),
        consistent=True,
    ),
    _network("lstm", "An LSTM."),
    _network("gru", "A GRU."),
    _network("transformer", "A transformer."),
)
METHODS: dict[str, Method] = {method.name: method for method in OURS}


def methods() -> Mapping[str, Method]:
    """All methods by name; of two with one name, ours, then the one that was registered."""
    return {**{method.name: method for method in _of_other_packages()}, **METHODS}


def register(method: Method) -> Method:
    """Adds a method for this process; ValueError if another one has its name."""
    if method.name in METHODS or method.name == AUTO:
        raise ValueError(f"there is a method `{method.name}` already")
    METHODS[method.name] = method
    return method


def method_named(name: str) -> Method:
    """The method of this name; ValueError offers the nearest one."""
    from gridlang.compiler.arguments import one_of

    known = methods()
    return known[one_of("method", name, known)]


def refuse_training(method: str, seeds: int | None, ray: str | None) -> None:
    """ValueError if a method that trains nothing is given several seeds or a cluster."""
    if method == AUTO or method_named(method).trained:
        return
    if seeds not in (None, 1):
        raise ValueError(f"{method} draws nothing at random: it has one answer, not {seeds}")
    if ray not in (None, "none"):
        raise ValueError(f"{method} trains nothing, so a Ray cluster does not help it")


def train_by_method(
    plan: TrainingPlan,
    folder: str | None = None,
    *,
    resume: bool = False,
    restart: bool = False,
    on_event: Callable[[Event], None] = lambda _: None,
    **others: Any,
) -> list[Trained]:
    """Models by the plan's method; `on_event` is told of iterations, or in words where there are none."""
    learn = method_named(plan.method.name).learn
    return learn(plan, folder, resume=resume, restart=restart, on_event=on_event, **others)


@lru_cache(maxsize=1)
def _of_other_packages() -> tuple[Method, ...]:
    loaded = (_loaded(entry) for entry in entry_points(group=GROUP))
    return tuple(method for method in loaded if method is not None)


def _loaded(entry: EntryPoint) -> Method | None:
    """The method of an entry point; a note instead of one that is broken, so that the others work."""
    package = entry.dist.name if entry.dist else entry.value
    try:
        method = entry.load()
    except Exception as error:  # foreign code may raise anything
        tell_once(f"the method `{entry.name}` of {package} cannot be loaded: {error}")
        return None
    if not isinstance(method, Method):
        tell_once(f"the method `{entry.name}` of {package} is not a Method, but {type(method).__name__}")
        return None
    if method.name in (AUTO, *(own.name for own in OURS)):
        tell_once(f"{package} offers a method `{method.name}`, which is the name of one of ours: left out")
        return None
    return method
