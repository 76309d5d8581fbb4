"""Clauses and tests of a file, held against its table: their symbols, numbers and states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from gridlang.diagnostics import Diagnostic, GridError
from gridlang.lowering.values import Arg, Val
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.table import Table

if TYPE_CHECKING:
    from gridlang.clauses.inputs import InputLanguage

MOST_TRIED = 1_000  # shortest inputs tried for a `where`: 10 ms


def check_clauses(agent: s.Agent, table: Table, env: Mapping[str, Arg]) -> Iterable[Diagnostic]:
    """Complaints about the input and output clauses, with places in the file itself."""
    from gridlang.clauses.inputs import language_of
    from gridlang.clauses.outputs import make_rule

    if agent.input is None:
        return []
    values = {name: value.number for name, value in env.items() if isinstance(value, Val)}
    try:
        language = language_of(table, agent.input.condition, values)
        if agent.output and language and not isinstance(agent.output.value, s.Oracle):
            make_rule(agent.output.value, table, language, values)
    except GridError as error:
        return [
            d
            if d.span and not d.span.source.path.startswith("<")
            else d._replace(span=_in_file(d.span, agent.input))
            for d in error.diagnostics
        ]
    return _check_condition(agent.input.condition, language_of(table))


def _in_file(inner: Span | None, clause: s.InputClause) -> Span:
    """Where the file says what is wrong in the table's own text of the clause; else all of the clause."""
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
        yield Diagnostic("G066", message, condition.span, "", hint, "warning")


def check_tests(
    tests: tuple[s.Test, ...], table: Table, states: tuple[s.StateDecl, ...] | None
) -> Iterable[Diagnostic]:
    """Complaints about the worlds and results of tests, and about the states they name if those are known."""
    from gridlang.clauses.cases import expected_result, expected_state, test_world

    for test in tests:
        try:
            test_world(test, table.symbols)
            expected_result(test, table.symbols)
            if states is not None:
                expected_state(test, table, states)
        except GridError as error:
            yield from error.diagnostics
