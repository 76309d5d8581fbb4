"""`Method`: a way to learn an agent from traces; what commands and functions ask of it.

A method that gives a table at once is made by `table_method` of a function from traces to a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gridlang.diagnostics import did_you_mean, listing
from gridlang.learners.training.method_choice import MethodChoice

if TYPE_CHECKING:
    from gridlang.learners.training.train import Trained, TrainingPlan, TrainingProgress
    from gridlang.table import Table

    Event: TypeAlias = TrainingProgress | str  # of iterations, or in words


# (plan, folder, *, resume, restart, on_event, **others); with a folder, the run is kept there, resumable
Learn: TypeAlias = "Callable[..., list[Trained]]"
FindTable: TypeAlias = "Callable[[TrainingPlan, str | None, Callable[[str], None]], Found]"


@dataclass(frozen=True, slots=True)
class Setting:
    """An option of one method: `order` is --order on the command line."""

    name: str
    default: str | int | float
    help: str
    choices: tuple[str, ...] = ()  # of a text
    least: float | None = None  # of a number; a float must be above it

    def checked(self, value: Any) -> Any:
        """The value as its type; TypeError or ValueError says what it should be."""
        kind: type = type(self.default)
        fitting: Any = (int, float) if kind is float else kind
        if isinstance(value, bool) or not isinstance(value, fitting):
            noun = {int: "a whole number", float: "a number", str: "a text"}[kind]
            raise TypeError(f"{self.name} is {noun}, not {value!r}")
        if self.choices and value not in self.choices:
            raise ValueError(f"{self.name} is {listing(self.choices)}, not {value!r}")
        if self.least is not None and not (value >= self.least if kind is int else value > self.least):
            bound = f"{self.least:g} or more" if kind is int else f"above {self.least:g}"
            raise ValueError(f"{self.name} is {bound}, not {value}")
        return kind(value)


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn: `learn` gives models, the other fields say how it is offered."""

    name: str
    summary: str  # one line of --help
    learn: Learn
    settings: tuple[Setting, ...] = ()
    trained: bool = True  # by iterations, with seeds and recipes; else one table at once, without chance
    architecture: str = ""  # of the models, where `training.train` trains them: dfst, lstm, gru, transformer
    recipe: str = ""  # where none is named; empty leaves it to the command
    asks: bool = False  # whether it queries the expert, and gets no traces
    consistent: bool = False  # whether its tables do what every trace shows
    needs: str = ""  # to be installed, as in gridlang[learn]

    @property
    def network(self) -> bool:
        """Whether it trains networks."""
        return self.choice().network

    def choice(self, **settings: Any) -> MethodChoice:
        """The method with settings, None for a default; ValueError for one that it does not have."""
        own = {setting.name: setting for setting in self.settings}
        given = {name: value for name, value in settings.items() if value is not None}
        for name in given:
            if name not in own:
                known = f"it has {listing(own, 'and')}" if own else "it has no settings"
                raise ValueError(f"{self.name} does not read {name}: {did_you_mean(name, own, known)}")
        values = {name: one.checked(given.get(name, one.default)) for name, one in own.items()}
        return MethodChoice(self.name, self.architecture, values)


class Found(NamedTuple):
    """The table that a method found, None if it found none, and what the model tells of it."""

    table: Table | None
    about: Mapping[str, Any] = {}


def table_method(
    name: str,
    summary: str,
    find: FindTable,
    *,
    settings: tuple[Setting, ...] = (),
    asks: bool = False,
    consistent: bool = False,
) -> Method:
    """The method of a function that finds a table; models, run folders and reports are made of it."""

    def learn(plan: TrainingPlan, folder: str | None, **run: Any) -> list[Trained]:
        from gridlang.learners.methods.tables import learned_table

        return learned_table(find, plan, folder, **run)

    return Method(name, summary, learn, settings, trained=False, asks=asks, consistent=consistent)
