"""Where two tables differ, or may differ: both states by name, and the rules of the source behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from compiler.proofs.equivalence import Suspicion, Verdict
from compiler.terminal.profile import rule_text
from gridlang.diagnostics import counted
from gridlang.program import Program


class Named(NamedTuple):
    """A side as it is spoken of, and its program where it has a source."""

    name: str
    program: Program | None = None


def place_data(verdict: Verdict, left: Program | None, right: Program | None) -> dict[str, Any]:
    """Both states at the step that differs with the lines of their rules, and what is suspected, as JSON."""
    steps, suspicion = verdict.counterexample, verdict.suspicion
    read = steps[-1].read if steps else ""
    states = {"left_state": verdict.left_state, "right_state": verdict.right_state}
    return {
        **states,
        "left_line": _line(left, verdict.left_state, read),
        "right_line": _line(right, verdict.right_state, read),
        "suspicion": suspicion and _suspicion_data(suspicion, left, right),
    }


def _suspicion_data(suspicion: Suspicion, left: Program | None, right: Program | None) -> dict[str, Any]:
    lines = {
        "left_line": _line(left, suspicion.left_state, suspicion.symbol),
        "right_line": _line(right, suspicion.right_state, suspicion.symbol),
    }
    return {**suspicion._asdict(), **lines}


def _line(program: Program | None, state: str | None, read: str) -> int | None:
    if program is None or state is None:
        return None
    table = program.table
    return rule_text(program, table.states.index(state), table.symbols.index(read))[0] or None


def difference_lines(left: Named, right: Named, verdict: Verdict) -> Iterator[str]:
    """In which state and by which rule each side does its part of the last step."""
    read = (verdict.counterexample or ())[-1].read
    for side, state in ((left, verdict.left_state), (right, verdict.right_state)):
        if state is not None:
            yield f"{side.name} is in state `{state}`{_rule(side.program, state, read)}"


def suspicion_lines(left: Named, right: Named, suspicion: Suspicion, scope: str) -> Iterator[str]:
    """Where they may differ, by which rules, and whether any run was seen there."""
    mine, other, symbol, seen, tried = suspicion
    yield f"they may differ where both read `{symbol}`:"
    yield f"  {left.name} in state `{mine}`{_rule(left.program, mine, symbol)}"
    yield f"  {right.name} in state `{other}`{_rule(right.program, other, symbol)}"
    cases = counted(tried, "short input" if scope == "inputs" else "small world")
    if seen:
        yield f"on {cases} tried, {left.name} comes to its rule, but never with {right.name} in that state"
    else:
        yield f"on none of {cases} tried does {left.name} read `{symbol}` in state `{mine}`"


def _rule(program: Program | None, state: str, symbol: str) -> str:
    """The rule behind a pair, as the rest of a sentence; nothing where there is no source."""
    if program is None:
        return ""
    at = program.table.states.index(state), program.table.symbols.index(symbol)
    if program.table.rows[at[0]][at[1]] is None:
        return f", which has no rule for `{symbol}`"
    line, text = rule_text(program, *at)
    if not line:
        return ""
    file = program.rules[at].span.source.path
    return f", line {line}{f' of {file}' if file != program.file else ''}: {text}"
