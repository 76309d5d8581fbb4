"""The API to files: worlds, and machines of other tools."""

from __future__ import annotations

import os
from typing import Annotated

from gridlang.compiler import given
from gridlang.compiler.foreign import FORMATS, ImportedFile, import_source
from gridlang.compiler.given import AgentLike, ModelLike, Path
from gridlang.compiler.simulation.worlds.files import read_world, write_world
from gridlang.files import read_source, write_whole
from gridlang.options import Option, checked
from gridlang.source import Source
from gridlang.table import BLANK
from gridlang.world import World


@checked
def import_file(
    file: Path | Source,
    *,
    origin: Annotated[
        str | None,
        Option(
            "Format of FILE.", choices=tuple(FORMATS), usual="known by its ending or text", spelt=("--from",)
        ),
    ] = None,
    output: Path | None = None,
) -> ImportedFile:
    """Turns a file of another tool into an agent that does the same.

    Machines of turingmachine.io (.yaml) and bbchallenge.org (.bb, one line) can be read. One that does not
    fit is refused, with the reason. `compile --to` writes these formats.

    In Python, the source is written to `output`.

    >>> import gridlang as gl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "beaver.bb")
    >>> _ = open(path, "w").write("1RB1LB_1LA1RZ")
    >>> gl.import_file(path).program.run().steps
    7
    """
    source = file if isinstance(file, Source) else read_source(os.fspath(file))
    imported = import_source(source, origin)
    if output is not None:
        write_whole(os.fspath(output), imported.source)
    return imported


def load_world(path: Path, agent: AgentLike | ModelLike) -> World:
    """The world in a `.txt` file, whose symbols are those of an agent or a model.

    >>> import gridlang as gl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "world.txt")
    >>> gl.save_world(gl.string_world("12+34"), path, "examples/add10.grid")
    >>> gl.load_world(path, "examples/add10.grid")
    World([1]2+34, start (0, 0))
    """
    return read_world(os.fspath(path), _symbols(agent))


def save_world(world: World, path: Path, agent: AgentLike | ModelLike | None = None) -> None:
    """Writes a world to a `.txt` or `.png` file, whole or not at all.

    Symbols have the numbers, and the colours, of the agent's alphabet; without one, of their order here.

    >>> import gridlang as gl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "ant.png")
    >>> gl.save_world(gl.run("examples/ant.grid", steps=11_000).world, path, "examples/ant.grid")
    >>> open(path, "rb").read(4)
    b'\\x89PNG'
    """
    if not isinstance(world, World):
        raise TypeError(f"what is saved is a World, such as `run(…).world`, not {type(world).__name__}")
    symbols = _symbols(agent) if agent is not None else (BLANK, *sorted(world.used()))
    write_world(os.fspath(path), world, (*symbols, *sorted(world.used() - set(symbols))))


def _symbols(agent: AgentLike | ModelLike) -> tuple[str, ...]:
    known = given.as_any_model(agent) if given.is_weights(agent) else given.as_program(agent)
    return given.alphabet_of(known)[0]
