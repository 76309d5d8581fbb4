"""What else is wrong with a file that has errors, and which fixes help: they are tried on the whole file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from gridlang.checking.checker import Checked, check_header, check_partial
from gridlang.diagnostics import Diagnostic, Fix, GridError, edited
from gridlang.lowering.against_table import check_clauses, check_tests
from gridlang.lowering.lower import lower
from gridlang.lowering.parameters import constants, given_arguments, home_of
from gridlang.lowering.uses import Imported, with_used_states
from gridlang.source import Source
from gridlang.syntax import tree as s
from gridlang.syntax.parser import Parsed
from gridlang.syntax.recovery import Partial
from gridlang.vocabulary import HALT

LONGEST_TRIED = 20_000  # characters of a file
MOST_TRIED = 24  # fixes of a file, about 5 ms each
MOST_ERRORS = 12  # of a file whose fixes are tried; with more, reading it again takes long too
OF_VALUES = "G030"  # the first code about values, which come after names and kinds
MOST_OFFERED = 3  # fixes of one error
Errors = Callable[[str], Sequence[Diagnostic]]
Told = Counter[tuple[str, str]]  # code, message


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
    checked = check_partial(agent, doubt, not partial.lacks(*_IN_CLAUSES))
    found += checked.diagnostics
    if agent.header.library or not agent.start or not checked.frame_holds:
        return found
    if partial.lacks("agent", "let", "class", "alphabet", "start"):
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
    whole = checked.clauses_hold and not partial.lacks("input", "output")
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


def tried(found: Sequence[Diagnostic], source: Source, errors_of: Errors) -> list[Diagnostic]:
    """The diagnostics with fixes that help; `errors_of` finds the errors of a changed text."""
    before = Counter(_told(d) for d in found if d.is_error)
    if len(source.text) > LONGEST_TRIED or before.total() > MOST_ERRORS:
        return list(found)
    left, result = MOST_TRIED, []
    for diagnostic in found:
        own = all(edit.span.source is source for fix in diagnostic.fixes for edit in fix.edits)
        if not diagnostic.is_error or not diagnostic.fixes or not own or left <= 0:
            result.append(diagnostic)
            continue
        fixes = diagnostic.fixes[:left]
        left -= len(fixes)
        result.append(_with_helpful(diagnostic, fixes, before, source, errors_of))
    return result


def _told(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code, diagnostic.message


def _with_helpful(
    diagnostic: Diagnostic,
    fixes: Iterable[Fix],
    before: Told,
    source: Source,
    errors_of: Errors,
) -> Diagnostic:
    whole, part = list[Fix](), list[Fix]()
    for fix in fixes:
        after = errors_of(edited(source.text, fix.edits))
        told = Counter(map(_told, after))
        gone = told[_told(diagnostic)] < before[_told(diagnostic)]
        new = [d for d in after if _told(d) not in before]
        if gone and not (_beside(fix, new) if before.total() > 1 else new):
            whole.append(fix)
        elif gone and fix.sure and _is_apart(fix, new):
            part.append(fix)
    kept = tuple((whole or part)[:MOST_OFFERED])
    hint = diagnostic.hint
    if kept and kept[0] != diagnostic.fixes[0]:
        hint = kept[0].title
    elif not kept and diagnostic.otherwise is not None:
        hint = diagnostic.otherwise
    return diagnostic._replace(fixes=kept, hint=hint)


def _beside(fix: Fix, new: Sequence[Diagnostic]) -> bool:
    """Whether the line of a fix has an error that was not there; others may have been hidden before."""
    lines = {edit.span.line for edit in fix.edits}
    return any(d.code < OF_VALUES and d.span and d.span.line in lines for d in new)


def _is_apart(fix: Fix, new: Sequence[Diagnostic]) -> bool:
    """Whether the only new error after a fix is elsewhere on its line."""
    edit = max(fix.edits, key=lambda edit: edit.span.end)
    end = edit.span.start + len(edit.replacement)
    return len(new) == 1 and all(
        d.span is not None
        and d.span.line == edit.span.line
        and (d.span.start > end or d.span.end < edit.span.start)
        for d in new
    )
