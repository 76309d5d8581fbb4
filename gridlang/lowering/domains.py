"""The domains of parameters: ranges of numbers, classes of symbols, sets of moves."""

from __future__ import annotations

from gridlang.lowering.evaluator import Evaluator
from gridlang.lowering.values import Env, Fault, Val, member, show
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
    if is_range(param):
        return in_range(value.number, param, domain_range(param, evaluator, inner), span)
    name, klass = param.name.name, evaluator.klass(param.domain, inner)
    char = value.char or member(klass, value.number)
    if char and char in klass.chars:
        return evaluator.symbol_value(char, klass)
    message = f"{show(value)} is out of range for parameter `{name}`"
    raise Fault(
        "G030", message, span, f"this is {show(value)}", f"`{name}` may be one of {' '.join(klass.chars)}"
    )


def is_range(param: s.Param) -> bool:
    """Whether a parameter is a number, not a symbol."""
    domain = param.domain
    return param.relation in ("<", "<=") or (isinstance(domain, s.Binary) and domain.op == "..")


def in_range(number: int, param: s.Param, bounds: tuple[int, int], span: Span) -> Val:
    """The number, if it is between the bounds."""
    (low, high), name = bounds, param.name.name
    if low <= number <= high:
        return Val(number)
    may_be = f"may be {low}..{high}" if low <= high else f"has no values here ({low}..{high})"
    message = f"{number} is out of range for parameter `{name}`"
    raise Fault("G030", message, span, f"this is {number}", f"`{name}` {may_be}")


def domain_range(param: s.Param, evaluator: Evaluator, env: Env) -> tuple[int, int]:
    """The lowest and highest number of a parameter."""
    if param.relation in ("<", "<="):
        return 0, evaluator.number(param.domain, env) - (param.relation == "<")
    assert isinstance(param.domain, s.Binary)
    return evaluator.number(param.domain.left, env), evaluator.number(param.domain.right, env)
