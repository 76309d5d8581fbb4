"""From a parsed file to its program, or to all that is wrong with it.

Broken lines and wrong rules are left out, so that an error hides as few others as can be.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gridlang.checking.against_table import check_clauses, check_tests
from gridlang.checking.checker import Checked, check_header, check_partial
from gridlang.diagnostics import Diagnostic, GridError
from gridlang.imported import Imported, with_used_states
from gridlang.lowering.parameters import constants, given_arguments, home_of
from gridlang.lowering.rows import lower
from gridlang.program import Program
from gridlang.syntax import tree as s
from gridlang.syntax.parser import Parsed
from gridlang.syntax.recovery import Partial, lacks
from gridlang.syntax.unparse import state_name
from gridlang.table import MAX_STATES, Table
from gridlang.values import Arg, Val, show
from gridlang.vocabulary import HALT

Rules = Mapping[tuple[int, int], s.Rule]
MOST_ROWS = 300  # states of a file with errors that are looked at: some 10 ms
_IN_CLAUSES = ("agent", "use", "let", "class", "alphabet", "input", "output")
_IN_FRAME = ("agent", "let", "class", "alphabet", "start")


class Resolved(NamedTuple):
    """A program, or None where something is wrong: in the file, or with the definitions alone."""

    program: Program | None
    diagnostics: list[Diagnostic]
    misused: bool = False

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.is_error]

    def also(self, found: Iterable[Diagnostic]) -> Resolved:
        """Adds what a later check found: once there are errors only more of them, one a place."""
        places = {d.place for d in self.errors}
        kept = [d for d in found if not places or (d.is_error and d.place not in places)]
        return self._replace(diagnostics=self.diagnostics + kept)


def resolve(parsed: Parsed, definitions: Mapping[str, str], most: int = MAX_STATES) -> Resolved:
    """Follows `from` and `use`, checks, lowers to `most` states, then checks clauses and tests."""
    partial, found = parsed.partial, Resolved(None, list(parsed.diagnostics))
    agent, doubt, header = partial.agent, partial.doubt, partial.agent.header
    if parsed.diagnostics and not (agent.states or agent.uses):  # reported already
        agent = agent._replace(start=None)
    home = file = Imported(os.path.realpath(parsed.source.path), parsed, agent)
    arguments, bound, stated = dict[str, Arg](), dict[str, Arg](), True
    chain: tuple[str, ...] = (file.path,)
    try:
        if not (header.library or lacks(partial.broken, "agent")):
            arguments = bound = given_arguments(header, definitions)
    except GridError as error:
        found = found.also(error.diagnostics)
        found, stated = found._replace(misused=bool(definitions)), False
    try:
        if header.origin:
            found = found.also(check_header(header))
            home, chain, bound = home_of(file, arguments) if stated else (file, chain, bound)
        home = with_used_states(home, chain, {})
        agent = home.agent
    except GridError as error:
        found = found.also(error.diagnostics)
        if header.origin:
            return found
        doubt = doubt._replace(names=doubt.names | {name.name for use in agent.uses for name in use.names})
        agent = agent._replace(uses=())
    checked = check_partial(agent, doubt, not lacks(partial.broken, *_IN_CLAUSES))
    found = found.also(_own(checked.diagnostics, home))
    if header.library or not stated:
        return found
    if found.errors:
        framed = agent.start and checked.frame_holds and not lacks(partial.broken, *_IN_FRAME)
        if header.origin or not framed:
            return found
        agent, most = _sound(agent, partial, checked), min(most, MOST_ROWS)
    try:
        env = {**bound, **constants(agent, bound)}
    except GridError as error:
        return found.also(error.diagnostics)
    agent = agent._replace(header=agent.header._replace(name=header.name))
    tests = () if definitions else file.agent.tests
    table, rules, found = _lowered(agent, env, most, tests, found)
    if table is None or found.errors:
        return found
    warnings = () if definitions or header.origin else tuple(found.diagnostics)
    program = Program(
        table=table,
        file=parsed.source.path,
        arguments=_plain(arguments),
        bound=_plain(bound),
        tests=file.agent.tests,
        rules=rules,
        warnings=warnings,
        definition=home.parsed._replace(agent=agent),
        overridden=bool(definitions),
    )
    return Resolved(program, list(warnings))


def _lowered(
    agent: s.Agent, env: Mapping[str, Arg], most: int, tests: tuple[s.Test, ...], found: Resolved
) -> tuple[Table | None, Rules, Resolved]:
    """The table and its rules; clauses and tests are checked without states where it has errors."""
    table, rules, lowering = lower(agent, env, most)
    frame = None if found.errors else table
    states: tuple[s.StateDecl, ...] | None = agent.states
    found = found.also(lowering)
    if frame is None:
        halting = s.StartLine(agent.header.span, s.Name(agent.header.span, HALT))
        frame, states = lower(agent._replace(states=(), uses=(), start=halting), env).table, None
    if frame:
        found = found.also(check_clauses(agent, frame, env)).also(check_tests(tests, frame, states))
    return table, rules, found


def refused_library(parsed: Parsed) -> Diagnostic:
    """That a library is not an agent."""
    header, first = parsed.partial.agent.header, parsed.partial.agent.states[0].header.names[0].name
    message = f"`{header.name.name}` is a library: it holds states, not an agent"
    used = f'use {state_name(first)} from "{os.path.basename(parsed.source.path)}"'
    return Diagnostic("G055", message, header.span, "", f"use them in the file of an agent: {used}")


def _own(diagnostics: Iterable[Diagnostic], home: Imported) -> list[Diagnostic]:
    """All errors, but warnings about this file alone: those about a library are its own matter."""
    source = home.parsed.source
    return [d for d in diagnostics if d.is_error or d.span is None or d.span.source is source]


def _sound(agent: s.Agent, partial: Partial, checked: Checked) -> s.Agent:
    """The agent without wrong rules, and without the `else` of states that lack one: it would match more."""
    states = []
    for place, state in enumerate(agent.states):
        rules = tuple(rule for rule in state.rules if id(rule) not in checked.wrong_rules)
        if place in partial.holes or len(rules) < len(state.rules):
            rules = tuple(rule for rule in rules if rule.pattern.members is not None)
        if state.header.names:
            states.append(state._replace(rules=rules))
    whole = checked.clauses_hold and not lacks(partial.broken, "input", "output")
    clauses = (agent.input, agent.output) if whole else (None, None)
    return agent._replace(states=tuple(states), input=clauses[0], output=clauses[1])


def _plain(arguments: Mapping[str, Arg]) -> dict[str, int | str]:
    return {
        name: value.number if isinstance(value, Val) else show(value) for name, value in arguments.items()
    }
