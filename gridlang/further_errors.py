"""Further errors of a file with errors: the rest of it is checked and lowered."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gridlang.checking.against_table import check_clauses, check_tests
from gridlang.checking.checker import Checked, check_header, check_partial
from gridlang.diagnostics import Diagnostic, GridError
from gridlang.imported import Imported, with_used_states
from gridlang.lowering.parameters import constants, given_arguments, home_of
from gridlang.lowering.rows import lower
from gridlang.syntax import tree as s
from gridlang.syntax.parser import Parsed
from gridlang.syntax.recovery import Partial, lacks
from gridlang.vocabulary import HALT

MOST_ROWS = 300  # states that are looked at: some 10 ms
_IN_CLAUSES = ("agent", "use", "let", "class", "alphabet", "input", "output")


def errors_besides(parsed: Parsed, definitions: Mapping[str, str]) -> list[Diagnostic]:
    """The errors in what is left of a file without its broken lines and wrong rules."""
    try:
        return [d for d in _found(parsed, definitions) if d.is_error]
    except GridError as error:
        return error.diagnostics


def _found(parsed: Parsed, definitions: Mapping[str, str]) -> list[Diagnostic]:
    partial = parsed.partial
    agent, doubt, found = partial.agent, partial.doubt, list[Diagnostic]()
    if not (agent.states or agent.uses):  # a file without states is reported already
        agent = agent._replace(start=None)
    path = os.path.realpath(parsed.source.path)
    if agent.header.origin:
        home_of(Imported(path, parsed, agent), given_arguments(agent.header, definitions))
        return check_header(agent.header)
    try:
        agent = with_used_states(Imported(path, parsed, agent), (path,), {}).agent
    except GridError as error:
        found += error.diagnostics
        doubt = doubt._replace(names=doubt.names | {name.name for use in agent.uses for name in use.names})
        agent = agent._replace(uses=())
    checked = check_partial(agent, doubt, not lacks(partial.broken, *_IN_CLAUSES))
    found += checked.diagnostics
    if agent.header.library or not agent.start or not checked.frame_holds:
        return found
    if lacks(partial.broken, "agent", "let", "class", "alphabet", "start"):
        return found
    return [*found, *_lowered(_sound(agent, partial, checked), definitions)]


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


def _lowered(agent: s.Agent, definitions: Mapping[str, str]) -> list[Diagnostic]:
    bound = given_arguments(agent.header, definitions)
    env = {**bound, **constants(agent, bound)}
    found = list(lower(agent, env, most=MOST_ROWS).diagnostics)
    span = agent.header.span
    halting = s.StartLine(span, s.Name(span, HALT))
    frame = lower(agent._replace(states=(), uses=(), start=halting), env).table
    if frame:
        found += check_clauses(agent, frame, env)
        found += [] if definitions else check_tests(agent.tests, frame, None)
    return found
