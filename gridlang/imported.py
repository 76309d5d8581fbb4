"""Files that a file names, and `use walk from "walks.grid"`: states of others, put among its own.

A used state brings the states of its file that it leads to, and nothing else; its classes are parameters.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from gridlang.checking.checker import check_agent
from gridlang.clauses.functions import names_in
from gridlang.diagnostics import Fault, GridError, Label, replacing, respelt
from gridlang.files import is_source, read_source
from gridlang.syntax import tree as s
from gridlang.syntax.parser import Parsed, ParsedLine, parse
from gridlang.syntax.unparse import state_name
from gridlang.vocabulary import quote_text


class Imported(NamedTuple):
    """A file by its real path, with its parsed content."""

    path: str
    parsed: Parsed
    agent: s.Agent


def parse_origin(origin: s.Origin, chain: tuple[str, ...]) -> Imported:
    """Reads the file that an agent is taken from."""
    inner = parse_import(origin.path, import_path(origin.path, chain))
    name = inner.agent.header.name.name
    if inner.agent.header.library:
        message = f'"{origin.path.value}" is a library: it holds states, not an agent'
        raise Fault("G053", message, origin.path.span, "", f'write `use STATE from "{origin.path.value}"`')
    if name != origin.agent.name:
        message = f'"{origin.path.value}" defines `{name}`, not `{origin.agent.name}`'
        fixes = (replacing(origin.agent.span, name),)
        raise Fault("G053", message, origin.agent.span, hint=f"write `{name}`", fixes=fixes)
    return inner


MOST_IMPORTS = 20  # files in a chain of `from`; each costs a parse
MOST_OFFERED = 8  # states of a library in a hint
CURE = "one file must declare the states"


def import_path(named: s.Text, chain: tuple[str, ...]) -> str:
    """The real path of a named file; it lies in the folder of the importing file or below.

    `chain` are the files that lead here, each imported by the one before it.
    """
    span, here = named.span, os.path.dirname(chain[-1])
    try:
        path = os.path.realpath(os.path.join(here, named.value))
        inside = os.path.commonpath([here, path]) == here
        exists = is_source(path)
    except (OSError, ValueError):
        path, inside, exists = "", True, False
    if not inside:
        hint = "move it beside this file, or below"
        raise Fault("G052", "this file lies outside the importing file's folder", span, hint=hint)
    if path in chain:
        if path == chain[-1]:
            raise Fault("G051", "this file imports itself", span, "", CURE)
        way = " -> ".join(map(os.path.basename, [*chain[chain.index(path) :], path]))
        message = f"these files import each other: {way}"
        raise Fault("G051", message, span, "closes the cycle here", CURE)
    if not exists:
        near = [name for name in os.listdir(here) if name.endswith(".grid")] if os.path.isdir(here) else []
        relative = "paths are relative to the folder of this file"
        hint, fixes = respelt(os.path.basename(named.value), near, span, relative, quote_text)
        raise Fault("G050", f'there is no file "{named.value}"', span, "", hint, fixes)
    if path.endswith(".json"):
        raise Fault("G050", "this is a table: states are taken from a `.grid` file", span)
    if len(chain) >= MOST_IMPORTS:
        raise Fault("G051", f"more than {MOST_IMPORTS} files import each other", span)
    return path


def parse_import(named: s.Text, path: str) -> Imported:
    """The parsed file at a path; messages show the name that was given."""
    parsed = parse(read_source(path, os.path.join(os.path.dirname(named.span.source.path), named.value)))
    if parsed.agent is None:
        raise GridError(parsed.diagnostics)
    return Imported(path, parsed, parsed.agent)


Files = dict[str, Imported]  # real path -> file, with the states it uses
Declared = Mapping[str, s.StateDecl]


def with_used_states(file: Imported, chain: tuple[str, ...], files: Files) -> Imported:
    """The file with the states that it uses among its own, in its agent and in its lines.

    Raises Fault or GridError where a state cannot be used.
    """
    agent = file.agent
    declared = _by_name(agent.states)
    used: list[tuple[s.StateDecl, list[ParsedLine]]] = []
    for use in agent.uses:
        library = _library(use, chain, files)
        places = {id(line.node): number for number, line in enumerate(library.parsed.lines)}
        for name in use.names:
            for state in _needed(name, use, library.agent):
                if _is_new(state, name, declared):
                    declared |= _by_name([state])
                    used.append((state, _lines_of(state, library.parsed.lines, places[id(state.header)])))
    taken = {*declared, *_own_names(agent)}
    states = list(agent.states)
    lines = [line for line in file.parsed.lines if not isinstance(line.node, s.Use)]
    for state, theirs in used:
        renamed = _apart(state, taken)
        states.append(renamed)
        nodes: Iterator[s.Node] = iter([renamed.header, *renamed.rules])
        lines += [line._replace(node=next(nodes)) if line.node else line for line in theirs]
    parsed = file.parsed._replace(lines=tuple(lines))
    return Imported(file.path, parsed, agent._replace(states=tuple(states)))


def _own_names(agent: s.Agent) -> dict[str, str]:
    """The classes, constants and parameters of a file, and how one is declared as a parameter of a state."""
    params = {param.name.name: " in 0..9" for param in agent.header.params}
    constants = {let.name.name: " in 0..9" for let in agent.lets}
    return params | constants | {decl.name.name: ": class" for decl in agent.classes if decl.name}


def _apart(state: s.StateDecl, taken: Collection[str]) -> s.StateDecl:
    """Renames parameters and bound symbols of a state whose names the file has taken."""
    variables = [rule.pattern.variable.name for rule in state.rules if rule.pattern.variable]
    bound = {param.name.name for param in state.header.params}.union(variables)
    names: dict[str, str] = {}
    for name in sorted(bound.intersection(taken)):
        names[name] = name + "_"
        while names[name] in taken or names[name] in bound:
            names[name] += "_"
    if not names:
        return state
    header = state.header._replace(params=_with_names(state.header.params, names))
    return s.StateDecl(header, _with_names(state.rules, names))


def _with_names(node: Any, names: Mapping[str, str]) -> Any:
    """The tree with other names; in a state nothing else has the name of a parameter."""

    def renamed(part: Any) -> Any:
        return part._replace(name=names.get(part.name, part.name)) if isinstance(part, s.Name) else part

    return s.rebuilt(node, renamed)


def _by_name(states: Iterable[s.StateDecl]) -> dict[str, s.StateDecl]:
    return {name.name: state for state in states for name in state.header.names}


def _library(use: s.Use, chain: tuple[str, ...], files: Files) -> Imported:
    """The file that states are used from, itself without errors."""
    path = import_path(use.path, chain)
    if path in files:
        return files[path]
    file = parse_import(use.path, path)
    if file.agent.header.origin:
        message = f'"{use.path.value}" declares no states'
        hint = f'they are in "{file.agent.header.origin.path.value}": use them from there'
        raise Fault("G020", message, use.path.span, "", hint)
    library = with_used_states(file, (*chain, path), files)
    errors = [d for d in check_agent(library.agent) if d.is_error]
    if errors:
        raise GridError(errors)
    files[path] = library
    return library


def _needed(name: s.Name, use: s.Use, library: s.Agent) -> list[s.StateDecl]:
    """The state of a name and all that it leads to, each once."""
    states = _by_name(library.states)
    if name.name not in states:
        some = ", ".join(map(state_name, list(states)[:MOST_OFFERED]))
        message = f'there is no state named `{name.name}` in "{use.path.value}"'
        hint, fixes = respelt(name.name, states, name.span, f"its states: {some}", state_name)
        raise Fault("G020", message, name.span, "not a state of that file", hint, fixes)
    own = _own_names(library)
    needed = [states[name.name]]
    known = {id(needed[0])}
    for state in needed:  # grows in the loop
        for mentioned, is_state in _mentions(state, states):
            if not is_state and mentioned.name in own:
                raise _not_free(name, use, state, mentioned, own[mentioned.name])
            other = states.get(mentioned.name) if is_state else None
            if other and id(other) not in known:
                known.add(id(other))
                needed.append(other)
    return needed


def _not_free(name: s.Name, use: s.Use, state: s.StateDecl, needs: s.Name, kind: str) -> Fault:
    message = f'`{name.name}` cannot be used here: it needs `{needs.name}`, which "{use.path.value}" declares'
    called = state_name(state.header.names[0].name)
    hint = f"make it a parameter, as in `state {called}({needs.name}{kind})`"
    return Fault("G054", message, name.span, "", hint, also=(Label(needs.span, "needed here"),))


def _is_new(state: s.StateDecl, name: s.Name, declared: Declared) -> bool:
    """Whether no `use` before has brought this state; GridError where another state has its name."""
    for each in state.header.names:
        other = declared.get(each.name)
        if other and other.header.span == state.header.span:
            return False
        if other:
            also = (Label(each.span, f"comes along with `{name.name}`"), Label(name.span, "used here"))
            message, first = f"`{each.name}` is declared twice", other.header.names[0].span
            raise Fault("G022", message, first, "one of them", "rename one of them", also=also)
    return True


_Mention: TypeAlias = tuple[s.Name, bool]  # a name, and whether it is that of a state


def _mentions(state: s.StateDecl, states: Declared) -> Iterator[_Mention]:
    bound = {param.name.name for param in state.header.params}
    for param in state.header.params:
        if param.relation != ":":
            yield from _values(param.domain, bound)
    for rule in state.rules:
        action = rule.action
        inner = bound | {name.name for name in [rule.pattern.variable] if name}
        steps = [action.write, action.move] if isinstance(action, s.Step) else []
        for node in (rule.pattern.members, rule.guard, *steps):
            yield from _values(node, inner)
        if not isinstance(action, s.Halt) and action.target:
            yield from _target(action.target, inner, states)


def _values(node: s.Expr | None, bound: set[str]) -> Iterator[_Mention]:
    names = names_in(node, functions=True) if node else ()
    yield from ((name, False) for name in names if name.name not in bound)


def _target(node: s.Expr, bound: set[str], states: Declared) -> Iterator[_Mention]:
    """The state that is named, and what its arguments mention."""
    named = s.state_of(node)
    if named and not (isinstance(node, s.Name) and node.name in bound):
        name, args = named
        yield name, True
        declared = states.get(name.name)
        for param, arg in zip(declared.header.params if declared else (), args, strict=False):
            yield from _target(arg, bound, states) if param.kind == "state" else _values(arg, bound)


def _lines_of(state: s.StateDecl, lines: tuple[ParsedLine, ...], first: int) -> list[ParsedLine]:
    """The lines of a state from its first one on, with the comments among them and right above it."""
    last, left = first, len(state.rules)
    while left:
        last += 1
        left -= lines[last].node is not None
    while first and lines[first - 1].node is None and lines[first - 1].comments:
        first -= 1
    return list(lines[first : last + 1])
