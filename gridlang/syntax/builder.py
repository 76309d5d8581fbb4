"""Builds a syntax node for each rule or alias of `grid.lark`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.scanner import Token

Children = list[Any]  # tokens and nodes, each with its own span


class Items(NamedTuple):
    """A bracketed list on its way into its owner."""

    span: Span
    items: tuple[Any, ...]


def build(rule: str, children: Children) -> Any:
    """The node of a rule or alias, of what stands in it from left to right."""
    return BUILDS[rule](_span(children), children)


def _span(children: Children) -> Span:
    first: Span = children[0].span
    return first.to(children[-1].span)


def _only(children: Children, *types: type) -> tuple[Any, ...]:
    return tuple(c for c in children if isinstance(c, types))


def _name(token: Token) -> s.Name:
    return s.Name(token.span, token.value)


def _text(token: Token) -> s.Text:
    return s.Text(token.span, token.value)


def _number(token: Token) -> s.Number:
    return s.Number(token.span, int(token.value))


def _instance_line(at: Span, c: Children) -> s.Header:
    equals = next(i for i, child in enumerate(c) if isinstance(child, Token) and child.value == "=")
    bindings = c[equals + 2].items if isinstance(c[equals + 2], Items) else ()
    origin = s.Origin(_span(c[equals:]), _name(c[equals + 1]), bindings, _text(c[-1]))
    return s.Header(at, _name(c[1]), c[2].items if equals == 3 else (), origin)


def _test(at: Span, c: Children) -> s.Test:
    """A world, perhaps behind a name, and what is expected: a result, in the end or before, or an ending."""
    name, world, word, *rest = c[1:] if isinstance(c[1], s.Name) else [None, *c[1:]]
    limit = next((each for each in rest if isinstance(each, s.Limit)), None)
    if word.value == "after":
        steps, unit, _, result = rest
        limit = s.Limit(word.span.to(unit.span), "after", _number(steps))
        return s.Test(at, world, "after", result, limit, None, name)
    if word.value == "=":
        return s.Test(at, world, "result", rest[0], limit, None, name)
    state = rest[2] if rest and isinstance(rest[0], Token) else None
    return s.Test(at, world, word.value, None, limit, state, name)


def _simple(at: Span, c: Children) -> s.Expr:
    token = c[0]
    if token.type == "word":
        return s.AnySymbol(at) if token.value == "any" else _name(token)
    return _number(token) if token.type == "INT" else s.Symbol(at, token.value)


def _write_step(at: Span, c: Children) -> s.Step:
    rest = dict(zip((t.value for t in c[2::2]), c[3::2], strict=True))
    return s.Step(at, c[1], rest.get(","), rest.get("->"))


def _binary(_: Span, c: Children) -> s.Expr:
    node: s.Expr = c[0]
    for op, right in zip(c[1::2], c[2::2], strict=True):
        node = s.Binary(node.span.to(right.span), op.value, node, right)
    return node


def _call(at: Span, c: Children) -> s.Expr:
    return s.Call(at, _name(c[0]), c[2].items) if len(c) == 4 else _name(c[0])


def _index(at: Span, c: Children) -> s.Expr:
    place = c[2]
    ranged = isinstance(place, s.Binary) and place.op == ".."
    return s.Slice(at, c[0], place.left, place.right) if ranged else s.Index(at, c[0], place)


def _parenthesised(at: Span, c: Children) -> s.Expr:
    node: s.Expr = c[1]
    whole = isinstance(node, s.Binary | s.Unary | s.Union | s.Conditional)
    return node._replace(span=at) if whole else node


LEVELS = ("either", "both", "comparison", "set", "range", "sum", "product", "power")  # of operators
TESTS = ("result", "halts", "stuck", "loops", "state", "after")
BUILDS: dict[str, Callable[[Span, Children], Any]] = {
    "agent_line": lambda at, c: s.Header(at, _name(c[1]), c[2].items if len(c) > 2 else (), None),
    "instance_line": _instance_line,
    "library_line": lambda at, c: s.Header(at, _name(c[1]), (), None, library=True),
    "use_line": lambda at, c: s.Use(at, _only(c, s.Name), _text(c[-1])),
    "alphabet_line": lambda at, _: s.AlphabetLine(at),
    "named_class": lambda at, c: s.ClassDecl(at, _name(c[0]), c[2]),
    "anonymous_class": lambda at, c: s.ClassDecl(at, None, c[0]),
    "input_line": lambda at, c: s.InputClause(
        at, _only(c, s.Part), None if isinstance(c[-1], s.Part) else c[-1]
    ),
    "output_line": lambda at, c: s.OutputClause(at, c[1]),
    "let_line": lambda at, c: s.Let(at, _name(c[1]), c[3]),
    "start_line": lambda at, c: s.StartLine(at, c[1]),
    "state_line": lambda at, c: s.StateLine(
        at, _only(c, s.Name), c[-1].items if isinstance(c[-1], Items) else ()
    ),
    "rule_line": lambda at, c: s.Rule(at, c[0], None, c[2]),
    "guarded_rule": lambda at, c: s.Rule(at, c[0], c[2], c[4]),
    **dict.fromkeys((f"{each}_test" for each in TESTS), _test),
    "limit": lambda at, c: s.Limit(at, c[0].value, _number(c[1])),
    "parameters": lambda at, c: Items(at, _only(c, s.Param)),
    "parameter": lambda at, c: s.Param(at, _name(c[0]), c[1].value, c[2], c[4] if len(c) > 4 else None),
    "word_parameter": lambda at, c: s.Param(at, _name(c[0]), "=", c[2], c[2]),
    "bindings": lambda at, c: Items(at, _only(c, s.Binding)),
    "named_binding": lambda at, c: s.Binding(at, _name(c[0]), c[2]),
    "plain_binding": lambda at, c: s.Binding(at, None, c[0]),
    "named_part": lambda at, c: s.Part(at, _name(c[0]), c[2]),
    "plain_part": lambda at, c: s.Part(at, None, c[0]),
    "choice": lambda at, c: s.Choice(at, tuple(c[::2])),
    "repeat": lambda at, c: s.Repeat(at, c[0], c[1].value),
    "exactly": lambda at, c: s.Times(at, c[0], c[2], c[2]),
    "between": lambda at, c: s.Times(at, c[0], c[2], c[4] if len(c) == 6 else None),
    "group": lambda at, c: s.Sequence(at, _only(c, s.Part)),
    "one": lambda at, c: s.One(at, c[0]),
    "one_range": lambda at, c: s.One(at, s.Binary(at, "..", c[0], c[2])),
    "one_except": lambda at, c: s.One(at, s.Binary(at, "except", s.AnySymbol(c[0].span), c[2])),
    "simple": _simple,
    "else_pattern": lambda at, _: s.Pattern(at, None, None),
    "binding_pattern": lambda at, c: s.Pattern(at, _name(c[0]), c[2]),
    "plain_pattern": lambda at, c: s.Pattern(at, None, c[0]),
    "halt": lambda at, _: s.Halt(at),
    "as_action": lambda at, c: s.As(at, c[1]),
    "write_step": _write_step,
    "move_step": lambda at, c: s.Step(at, None, c[0], c[2] if len(c) > 2 else None),
    "bare_step": lambda at, c: s.Step(at, None, None, c[1]),
    "picture": lambda at, c: s.Picture(at, c[0].value),
    "expr": lambda at, c: s.Conditional(at, c[0], c[2], c[4]),
    **dict.fromkeys(LEVELS, _binary),
    "union": lambda at, c: s.Union(at, tuple(c[::2])),
    **dict.fromkeys(("unary", "negation"), lambda at, c: s.Unary(at, c[0].value, c[1])),
    **dict.fromkeys(("name", "title", "state_name"), lambda _, c: _name(c[0])),
    "call": _call,
    "index": _index,
    "tail": lambda at, c: s.Slice(at, c[0], c[2], None),
    "arguments": lambda at, c: Items(at, tuple(c[::2])),
    "number": lambda _, c: _number(c[0]),
    "symbol": lambda at, c: s.Symbol(at, c[0].value),
    "text": lambda _, c: _text(c[0]),
    "direction": lambda at, c: s.Direction(at, c[0].value),
    "any_symbol": lambda at, _: s.AnySymbol(at),
    "parenthesised": _parenthesised,
}
