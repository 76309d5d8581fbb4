"""Checks against an agent's table: its clauses and tests, and what is never reached."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice
from typing import TYPE_CHECKING

from gridlang.diagnostics import Diagnostic, GridError, Label, replacing
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.table import Table
from gridlang.values import Arg, Klass, clause_values, members, numbers
from gridlang.vocabulary import quote
from gridlang.world import out_of_line

if TYPE_CHECKING:
    from gridlang.clauses.inputs import InputLanguage


_COUNTING = {"+", "-", "*", "div", "mod", "^", "<", "<=", ">", ">="}


def warnings_of(
    agent: s.Agent,
    states: Mapping[str, s.StateDecl],
    classes: Mapping[str, Klass],
    visited: Set[int],
    fired: Set[int],
) -> Iterator[Diagnostic]:
    """Unreachable states, rules of reachable ones that never fire, and symbols that count alike.

    States that were visited and rules that fired are known by their ids.
    """
    yield from _shared_numbers(agent, classes)
    own = [(state, state.header.names[0]) for state in agent.states if _is_own(agent, state)]
    used = [(states[name.name], name) for use in agent.uses for name in use.names]
    for state, name in [*own, *used]:
        if id(state) not in visited:
            message = f"state `{name.name}` cannot be reached"
            label = "no rule leads here from the start state"
            yield Diagnostic("G060", message, name.span, label, severity="warning")
            continue
        if agent.header.params or not _is_own(agent, state):
            continue  # with other arguments the rule may fire
        for rule in state.rules:
            if id(rule) not in fired:
                message = f"this rule of `{name.name}` can never fire"
                label = "matches no symbol in any state that is reached"
                yield Diagnostic("G062", message, rule.pattern.span, label, severity="warning")


def _is_own(agent: s.Agent, state: s.StateDecl) -> bool:
    """Whether a state is declared in the file of the agent, not used from another."""
    return state.header.span.source is agent.header.span.source


def _shared_numbers(agent: s.Agent, classes: Mapping[str, Klass]) -> Iterator[Diagnostic]:
    """Warns of classes in which two symbols count alike, where rules first count with them."""
    for decl in agent.classes:
        klass = classes.get(decl.name.name) if decl.name and not s.is_marked(decl.members) else None
        alike = (members(klass, number) for number in numbers(klass).values()) if klass else iter(())
        shared = next((chars for chars in alike if len(chars) > 1), [])
        place = next(_uses(agent, klass.name), None) if klass and shared else None
        if klass and place:
            message = f"{' and '.join(map(quote, shared))} of class `{klass.name}` count as the same number"
            order = " | ".join(map(quote, _in_order(klass.chars)))
            hint = f"write `{klass.name} = {order}`, where no two do, or name the symbols"
            also = (Label(decl.span, "a digit counts as itself, any other symbol by its place, from 0"),)
            fixes = (replacing(decl.members.span, order, sure=False),)
            yield Diagnostic("G067", message, place, "counted here", hint, fixes, "warning", also)


def _in_order(chars: str) -> list[str]:
    """Reorders symbols so that every digit stands at its own place, and all count differently."""
    digits = {int(c): c for c in chars if c.isascii() and c.isdigit()}
    others = iter([c for c in chars if not (c.isascii() and c.isdigit())])
    late = iter([c for number, c in digits.items() if number >= len(chars)])
    return [digits.get(place) or next(others, "") or next(late) for place in range(len(chars))]


def _uses(agent: s.Agent, name: str) -> Iterator[Span]:
    for state in agent.states:
        params = {p.name.name for p in state.header.params if p.relation == "in" and _is(p.domain, name)}
        for rule in state.rules:
            pattern = rule.pattern
            bound = {pattern.variable.name} if pattern.variable and _is(pattern.members, name) else set()
            for part in (rule.guard, rule.action):
                yield from _counted(part, params | bound, name)


def _is(node: s.Expr | None, name: str) -> bool:
    return isinstance(node, s.Name) and node.name == name


def _counted(whole: s.Expr | s.Action | None, names: set[str], klass: str) -> Iterator[Span]:
    for node in s.inside(whole) if whole else ():
        if isinstance(node, s.Binary):
            sides = (node.left, node.right)
            mine = any(isinstance(side, s.Name) and side.name in names for side in sides)
            compared = node.op in ("==", "!=") and any(isinstance(side, s.Number) for side in sides)
            if mine and (node.op in _COUNTING or compared):
                yield node.span
        elif isinstance(node, s.Call) and node.name.name == klass:
            yield node.span


MOST_TRIED = 1_000  # shortest inputs tried for a `where`: 10 ms


def check_clauses(agent: s.Agent, table: Table, env: Mapping[str, Arg]) -> Iterable[Diagnostic]:
    """Complaints about the input and output clauses, with places in the file itself."""
    from gridlang.clauses.input_clauses import language_of
    from gridlang.clauses.outputs import make_rule

    if agent.input is None:
        return []
    values = clause_values(env)
    try:
        language = language_of(table, agent.input.condition, values)
        if agent.output and language:
            make_rule(agent.output.value, table, language, values)
    except GridError as error:
        return [d._replace(span=_in_file(d.span, agent.input)) for d in error.diagnostics]
    return _check_condition(agent.input.condition, language_of(table))


def _in_file(inner: Span | None, clause: s.InputClause) -> Span:
    """The place in the file of an error in the table's text of a clause; else the whole clause."""
    if inner and not inner.source.path.startswith("<"):
        return inner
    source, start, _ = clause.span
    word = rf"(?<!\w){re.escape(inner.text)}(?!\w)" if inner and inner.text else "$."
    found = re.search(word, clause.span.text)
    return Span(source, start + found.start(), start + found.end()) if found else clause.span


def _check_condition(condition: s.Expr | None, language: InputLanguage | None) -> Iterable[Diagnostic]:
    """A warning where the condition of the inputs excludes all that were tried."""
    if condition is None or language is None:
        return
    tried = list(islice(language.shortest_texts(), MOST_TRIED))
    if not any(map(language.allows, tried)):
        message = f"none of the {len(tried):,} shortest texts of this form meets the condition"
        hint = "inputs that meet it may be too rare to be drawn: say more in the parts and less in `where`"
        yield Diagnostic("G066", message, condition.span, "", hint, severity="warning")


def check_tests(
    tests: tuple[s.Test, ...], table: Table, states: tuple[s.StateDecl, ...] | None
) -> Iterable[Diagnostic]:
    """Checks the worlds and results of tests, and the states they name if `states` are known."""
    from gridlang.clauses.cases import expected_result, expected_state, test_world

    for test in tests:
        try:
            test_world(test, table.symbols)
            expected_result(test, table.symbols)
            if states is not None:
                expected_state(test, table, states)
        except GridError as error:
            yield from error.diagnostics
        for drawn in (test.world, test.result):
            if isinstance(drawn, s.Picture) and (warning := out_of_line(drawn.inside)):
                yield warning
