"""`agent add2 = add(base = 2) from "add.grid"`: the file that defines the states, and what it is given."""

from __future__ import annotations

from gridlang.lowering.imports import Imported, parse_origin
from gridlang.lowering.parameters import imported_arguments
from gridlang.lowering.values import Arg


def home_of(
    file: Imported, arguments: dict[str, Arg], asking: tuple[str, ...] = ()
) -> tuple[Imported, tuple[str, ...], dict[str, Arg]]:
    """The file that defines the states, the paths that lead there, and the arguments it is given.

    `asking` are the files whose `output as` led here.
    """
    chain: tuple[str, ...] = (*asking, file.path)
    while file.agent.header.origin:
        inner = parse_origin(file.agent.header.origin, chain)
        arguments = imported_arguments(file.agent.header.origin, inner.agent, arguments)
        file, chain = inner, (*chain, inner.path)
    return file, chain, arguments
