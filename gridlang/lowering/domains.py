"""The domains of parameters: ranges of numbers, classes of symbols, sets of moves."""

from __future__ import annotations

from gridlang.lowering.values import Env, Evaluator, Fault, Val, member, show
from gridlang.source import Span
from gridlang.syntax import tree as s


def in_moves(move: str, param: s.Param, evaluator: Evaluator, span: Span) -> str:
    allowed = evaluator.move_set(param.domain)
    if move not in allowed:
        message = f"`{move}` is out of range for parameter `{param.name.name}`"
        raise Fault("G030", message, span, f"this is {move}", f"it may be one of {' '.join(allowed)}")
    return move


def in_domain(value: Val, param: s.Param, evaluator: Evaluator, inner: Env, span: Span) -> Val:
    """A number in a range, or a symbol of a class."""
    name = param.name.name
    if param.relation in ("<", "<=") or (isinstance(param.domain, s.Binary) and param.domain.op == ".."):
        low, high = domain_range(param, evaluator, inner)
        if low <= value.number <= high:
            return Val(value.number)
        hint = (
            f"`{name}` may be {low}..{high}"
            if low <= high
            else f"`{name}` has no values here ({low}..{high})"
        )
        message = f"{value.number} is out of range for parameter `{name}`"
        raise Fault("G030", message, span, f"this is {value.number}", hint)
    klass = evaluator.klass(param.domain, inner)
    char = value.char or member(klass, value.number)
    if char and char in klass.chars:
        return evaluator.symbol_value(char, klass)
    message = f"{show(value)} is out of range for parameter `{name}`"
    raise Fault(
        "G030", message, span, f"this is {show(value)}", f"`{name}` may be one of {' '.join(klass.chars)}"
    )


def domain_range(param: s.Param, evaluator: Evaluator, env: Env) -> tuple[int, int]:
    """The lowest and highest number of a parameter."""
    if param.relation in ("<", "<="):
        return 0, evaluator.value(param.domain, env).number - (param.relation == "<")
    assert isinstance(param.domain, s.Binary)
    return evaluator.value(param.domain.left, env).number, evaluator.value(param.domain.right, env).number
