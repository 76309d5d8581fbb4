"""What the API accepts: agents, models and worlds in any unambiguous form.

Weights need numpy, which is imported only then: two sources are compared without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard, runtime_checkable

from gridlang.clauses.given_inputs import input_world
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.program_files import is_model, load_program
from gridlang.diagnostics import did_you_mean, fail, listing
from gridlang.files import checked_path, checked_reader
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Table
from gridlang.terminal import notes
from gridlang.world import World, source_world

if TYPE_CHECKING:
    from gridlang.compiler.tensors.model import Model

NONE: Mapping[str, str] = MappingProxyType({})
CALLED = {"gpu": "cuda"}  # what is often said, and its name here


@runtime_checkable
class HasTable(Protocol):
    """What holds a table, such as an extraction or a minimised agent; None where there is none."""

    @property
    def table(self) -> Table | None: ...


Path: TypeAlias = str | os.PathLike[str]
AgentLike: TypeAlias = "Program | Table | Model | HasTable | Path"
ModelLike: TypeAlias = "Model | Path"
Say: TypeAlias = Callable[[str], object]
Counter: TypeAlias = Callable[[str], Callable[[int], None]]  # given what is counted, who is told how many


def as_program(agent: AgentLike, definitions: Mapping[str, str] = NONE) -> Program:
    """The agent that is meant by a program, a table, exact weights, what holds a table, or a path.

    Definitions are for an agent that is read from a path: they give its parameters values, as `-D` does.
    """
    if isinstance(agent, Program):
        return agent
    if isinstance(agent, Table):
        return Program(agent, f"<{agent.name}>")
    if isinstance(agent, str | os.PathLike):
        return load_program(checked_path(agent), definitions)
    if isinstance(agent, HasTable):
        if agent.table is None:
            why = getattr(agent, "refused", "")
            raise fail("G150", f"there is no table here{f': {why}' if why else ''}")
        return as_program(agent.table)
    from gridlang.compiler.tensors.dfst import Dfst, dfst_to_table

    if isinstance(agent, Dfst):
        return as_program(dfst_to_table(agent))
    wanted = "what `gridlang.load` gives, a Table, or the path of a file"
    raise TypeError(f"an agent is {wanted}, not {type(agent).__name__}")


def as_any_model(model: ModelLike) -> Model:
    """The model of any kind that is meant by a model or by the path of a `.safetensors` file."""
    from gridlang.compiler.tensors.dfst import read_dfst
    from gridlang.compiler.tensors.model import Model

    if isinstance(model, str | os.PathLike):
        return read_dfst(checked_reader(checked_path(model), "load_model"))
    if isinstance(model, Model):
        return model
    hint = "; `gridlang.compile` makes one of an agent" if isinstance(model, Program | Table) else ""
    raise TypeError(f"a model is a Dfst or the path of a .safetensors file, not {type(model).__name__}{hint}")


def is_weights(thing: object) -> TypeGuard[ModelLike]:
    """Whether this is a model, itself or as a path."""
    if isinstance(thing, str | os.PathLike):
        return is_model(os.fspath(thing))
    if isinstance(thing, HasTable | Table):
        return False
    from gridlang.compiler.tensors.model import Model

    return isinstance(thing, Model)


def model_file(model: ModelLike) -> str:
    """The file of a model; what never was a file has its name in angle brackets."""
    if isinstance(model, str | os.PathLike):
        return os.fspath(model)
    return f"<{model.metadata.get('name', 'model')}>"


def as_world(input: str | World, symbols: tuple[str, ...], language: InputLanguage | None) -> World:
    """A world; one line of text is an input, several lines are a picture, its start cell in brackets."""
    if isinstance(input, World):
        strange = sorted(input.used() - set(symbols))
        if strange:
            raise fail("G070", f"`{strange[0]}` is not in the alphabet", f"it is {' '.join(symbols[:40])}")
        return input
    if not isinstance(input, str):
        raise TypeError(f"an input is a text or a World, not {type(input).__name__}")
    if "\n" in input:
        return source_world(Source("<world>", input), symbols)
    return input_world(input, symbols, language)


def alphabet_of(agent: Program | Model) -> tuple[tuple[str, ...], InputLanguage | None]:
    """The symbols of an agent or a model, and its declared inputs."""
    if isinstance(agent, Program):
        return agent.table.symbols, language_of(agent.table)
    from gridlang.compiler.tensors.model import model_language, symbols_of

    return symbols_of(agent), model_language(agent)


def one_of(name: str, value: str, known: Iterable[str]) -> str:
    """The value, if it is one of those that are known; ValueError says which there are."""
    names = list(known)
    if value not in names:
        near = did_you_mean(CALLED.get(str(value), str(value)), names)
        raise ValueError(f"{name} is {listing(names)}, not {value!r}{f'; {near}' if near else ''}")
    return value


def whole(least: int | None = None, most: int | None = None, /, **numbers: int | None) -> None:
    """TypeError for a number that is not whole, ValueError for one out of bounds; None is one not given."""
    for name, value in numbers.items():
        if value is None:
            continue
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{name} is a whole number, not {value!r}")
        if least is not None and value < least:
            raise ValueError(f"{name} is {least} or more, not {value}")
        if most is not None and value > most:
            raise ValueError(f"{name} is {most} or less, not {value}")


def positive(**numbers: float | None) -> None:
    """TypeError for the first of these that is not a number, ValueError if it is not above 0."""
    for name, value in numbers.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
            raise TypeError(f"{name} is a number, not {value!r}")
        if value is not None and not value > 0:
            raise ValueError(f"{name} is above 0, not {value}")


def listener(progress: Say | None) -> Say | None:
    """Who is told how far a long computation is; TypeError if nothing can be told to it."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is a function that takes a text, as in progress=print, not {progress!r}")
    return progress


def counting(say: Say | None, what: str) -> Callable[[int], None]:
    """Tells a growing number in words; TypeError if nothing can be told to the listener."""
    return notes.counting(listener(say), what)
