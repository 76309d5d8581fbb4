"""Warnings about an agent that has a table: what is never reached, and what counts alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from gridlang.diagnostics import Diagnostic
from gridlang.lowering.shared_numbers import shared_numbers
from gridlang.lowering.values import Klass
from gridlang.source import Span
from gridlang.syntax import tree as s


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
    yield from shared_numbers(agent, classes)
    own = [(state, state.header.names[0]) for state in agent.states if _is_own(agent, state)]
    used = [(states[name.name], name) for use in agent.uses for name in use.names]
    for state, name in [*own, *used]:
        if id(state) not in visited:
            message = f"state `{name.name}` cannot be reached"
            yield _warning("G060", message, name.span, "no rule leads here from the start state")
            continue
        if agent.header.params or not _is_own(agent, state):
            continue  # with other arguments the rule may fire
        for rule in state.rules:
            if id(rule) not in fired:
                message = f"this rule of `{name.name}` can never fire"
                label = "matches no symbol in any state that is reached"
                yield _warning("G062", message, rule.pattern.span, label)


def _is_own(agent: s.Agent, state: s.StateDecl) -> bool:
    """Whether a state is declared in the file of the agent, not used from another."""
    return state.header.span.source is agent.header.span.source


def _warning(code: str, message: str, span: Span, label: str) -> Diagnostic:
    return Diagnostic(code, message, span, label, severity="warning")
