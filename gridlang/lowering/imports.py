"""`from "file.grid"`: the file that an agent takes its states from, found and parsed."""

from __future__ import annotations

import os

from gridlang.diagnostics import GridError, did_you_mean
from gridlang.files import read_source
from gridlang.lowering.values import Fault
from gridlang.syntax import tree as s
from gridlang.syntax.parser import Parsed, parse

MAX_IMPORTS = 20  # A longer chain of files is a mistake; each of them costs a parse.


def parse_import(origin: s.Origin, seen: list[str]) -> tuple[Parsed, s.Agent]:
    """The file that an agent is taken from; it lies in the importing file's folder or below."""
    span = origin.path.span
    here = os.path.dirname(seen[-1])
    try:
        path = os.path.realpath(os.path.join(here, origin.path.value))
        inside = os.path.commonpath([here, path]) == here
        exists = os.path.isfile(path)
    except (OSError, ValueError):
        path, inside, exists = "", True, False
    if not inside:
        hint = "move it beside this file, or below"
        raise Fault("G052", "this file lies outside the importing file's folder", span, hint=hint)
    if path in seen:
        circle = " -> ".join(map(os.path.basename, [*seen[seen.index(path) :], path]))
        message = f"these files import each other: {circle}" if len(seen) > 1 else "this file imports itself"
        raise Fault("G051", message, span, "closes the circle here", "let one of them declare the states")
    if not exists:
        near = [name for name in os.listdir(here) if name.endswith(".grid")] if os.path.isdir(here) else []
        hint = did_you_mean(
            os.path.basename(origin.path.value), near, "paths are relative to the folder of this file"
        )
        raise Fault("G050", f'there is no file "{origin.path.value}"', span, "", hint)
    if path.endswith(".json"):
        raise Fault("G050", "this is a table: an agent is taken from a `.grid` file", span)
    if len(seen) >= MAX_IMPORTS:
        raise Fault("G051", f"more than {MAX_IMPORTS} files import each other", span)
    shown = os.path.join(os.path.dirname(span.source.path), origin.path.value)
    parsed = parse(read_source(path, shown))
    seen.append(path)
    if parsed.agent is None:
        raise GridError(parsed.diagnostics)
    name = parsed.agent.header.name.name
    if name != origin.agent.name:
        message = f'"{origin.path.value}" defines `{name}`, not `{origin.agent.name}`'
        raise Fault("G053", message, origin.agent.span, hint=f"write `{name}`")
    return parsed, parsed.agent
