"""Arguments of callers: agents, models and worlds, themselves or as files.

Weights need numpy, which is imported only then: two sources are compared without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard, runtime_checkable

from gridlang.clauses.given_inputs import input_world
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.diagnostics import Fault, fail
from gridlang.file_kinds import HEAD, KINDS, kind_of
from gridlang.files import checked_path, checked_reader, piped, read_bytes, read_source
from gridlang.loading import load_source, try_load
from gridlang.options import Path as Path
from gridlang.options import Say as Say
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Table
from gridlang.terminal import notes
from gridlang.world import World, source_world

if TYPE_CHECKING:
    from gridlang.compiler.tensors.model import Model

NONE: Mapping[str, str] = MappingProxyType({})
LARGEST_FILE = 2_000_000_000  # bytes: more would not fit in the memory of most machines


@runtime_checkable
class HasTable(Protocol):
    """An object that may have a table, such as an extraction or a minimised agent."""

    @property
    def table(self) -> Table | None: ...


AgentLike: TypeAlias = "Program | Table | Model | HasTable | Path"
ModelLike: TypeAlias = "Model | Path"
Counter: TypeAlias = Callable[[str], Callable[[int], None]]  # what is counted -> progress with how many


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


def carried_agent(model: Model, file: str, hint: str, definitions: Mapping[str, str] = NONE) -> Program:
    """The agent whose source a model carries in its metadata."""
    source = model.metadata.get("source", "")
    if not source:
        raise fail("G110", "this model does not carry its source", hint, file)
    return load_source(Source(f"<source in {file}>", source), definitions)


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
            raise fail("G070", f"`{strange[0]}` is not in the alphabet, which is {' '.join(symbols[:40])}")
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


def counter(say: Say | None) -> Counter:
    """Counts aloud: given what is counted, what is called with how many there are."""
    return lambda what: notes.counting(say, what)


def counting(say: Say | None, what: str) -> Callable[[int], None]:
    """Tells a growing number in words."""
    return notes.counting(say, what)


def is_model(file: str) -> bool:
    return is_kind(file, "model")


def is_kind(file: str, kind: str) -> bool:
    """By its ending; without a known one, or piped in, by its first bytes."""
    if file == "-" and (stdin := piped.get()):
        return kind_of(file, stdin.read(HEAD)) == kind
    ending = os.path.splitext(file)[1].lower()
    if any(ending in each.endings for each in KINDS.values()) or not os.path.isfile(file):
        return ending in KINDS[kind].endings
    return kind_of(file, read_bytes(file, LARGEST_FILE, file)[:HEAD]) == kind


def load_program(file: str, definitions: Mapping[str, str]) -> Program:
    """The program in a file of any kind; GridError for learned weights."""
    if is_kind(file, "machine"):
        from gridlang.compiler.foreign import import_source

        refuse_parameters(file, definitions)
        return import_source(read_source(file)).program  # as `gridlang import` writes it
    if not is_model(file):
        return try_load(file, definitions).whole()
    from gridlang.compiler.tensors.dfst import dfst_from_bytes, dfst_to_table

    refuse_parameters(file, definitions)
    data = read_file(file)
    return Program(dfst_to_table(dfst_from_bytes(data, file), file), file, file_bytes=data)


def refuse_parameters(model: str, definitions: Mapping[str, str]) -> None:
    """GridError if parameters are given for a model."""
    for name in definitions:
        raise Fault("G026", f"a model has no parameter `{name}`", None, file=model)


def with_table(program: Program, table: Table) -> Program:
    """The program with another table, and without its source."""
    return program._replace(table=table, rules={}, definition=None, file_bytes=b"")


def read_file(path: str) -> bytes:
    """All bytes of a file; GridError where it cannot be read."""
    return read_bytes(path, LARGEST_FILE, path)
