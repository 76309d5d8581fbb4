"""Reductions of the grammar, as syntax nodes; one method a rule or alias of `grid.lark`."""

from __future__ import annotations

from typing import Any

from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.scanner import Token

Children = list[Any]


def _span(children: Children) -> Span:
    first: Span = children[0].span
    return first.to(children[-1].span)


def _only(children: Children, *types: type) -> tuple[Any, ...]:
    return tuple(c for c in children if isinstance(c, types))


def _name(token: Token) -> s.Name:
    return s.Name(token.span, token.value)


def _titled(children: Children) -> Children:
    """A `test` line without its first word, its name in the first place; None if it has none."""
    return children[1:] if isinstance(children[1], s.Name) else [None, *children[1:]]


def _rows(children: Children, span: Span) -> s.Expr:
    """Expressions between commas, and rows of them between semicolons."""
    rows: list[list[Any]] = [[]]
    for child in children:
        if isinstance(child, Token) and child.value == ";":
            rows.append([])
        elif not isinstance(child, Token):
            rows[-1].append(child)
    laid = [row[0] if len(row) == 1 else s.Row(_span(row), tuple(row)) for row in rows]
    return laid[0] if len(laid) == 1 else s.Rows(span, tuple(laid))


class Builder:
    """Stateless; every token and node carries its own span."""

    def agent_line(self, c: Children) -> s.Header:
        params = c[2].items if len(c) > 2 else ()
        return s.Header(_span(c), _name(c[1]), params, None)

    def instance_line(self, c: Children) -> s.Header:
        at = next(i for i, child in enumerate(c) if isinstance(child, Token) and child.value == "=")
        bindings = c[at + 2].items if isinstance(c[at + 2], Items) else ()
        path = s.Text(c[-1].span, c[-1].value)
        origin = s.Origin(_span(c[at:]), _name(c[at + 1]), bindings, path)
        return s.Header(_span(c), _name(c[1]), c[2].items if at == 3 else (), origin)

    def library_line(self, c: Children) -> s.Header:
        return s.Header(_span(c), _name(c[1]), (), None, library=True)

    def use_line(self, c: Children) -> s.Use:
        return s.Use(_span(c), _only(c, s.Name), s.Text(c[-1].span, c[-1].value))

    def alphabet_line(self, c: Children) -> s.AlphabetLine:
        return s.AlphabetLine(_span(c))

    def named_class(self, c: Children) -> s.ClassDecl:
        return s.ClassDecl(_span(c), _name(c[0]), c[2])

    def anonymous_class(self, c: Children) -> s.ClassDecl:
        return s.ClassDecl(_span(c), None, c[0])

    def input_line(self, c: Children) -> s.InputClause:
        has_condition = not isinstance(c[-1], s.Part)
        return s.InputClause(_span(c), _only(c, s.Part), c[-1] if has_condition else None)

    def output_line(self, c: Children) -> s.OutputClause:
        return s.OutputClause(_span(c), _rows(c[1:], _span(c[1:])))

    def oracle_line(self, c: Children) -> s.OutputClause:
        return s.OutputClause(_span(c), s.Oracle(_span(c[1:]), self.text(c[2:])))

    def let_line(self, c: Children) -> s.Let:
        return s.Let(_span(c), _name(c[1]), c[3])

    def helper_line(self, c: Children) -> s.Let:
        return s.Let(_span(c), _name(c[1]), c[-1], tuple(map(_name, c[3:-3:2])))

    def start_line(self, c: Children) -> s.StartLine:
        return s.StartLine(_span(c), c[1])

    def state_line(self, c: Children) -> s.StateLine:
        params = c[-1].items if isinstance(c[-1], Items) else ()
        return s.StateLine(_span(c), _only(c, s.Name), params)

    def state_name(self, c: Children) -> s.Name:
        return _name(c[0])

    def rule_line(self, c: Children) -> s.Rule:
        return s.Rule(_span(c), c[0], None, c[2])

    def guarded_rule(self, c: Children) -> s.Rule:
        return s.Rule(_span(c), c[0], c[2], c[4])

    def result_test(self, c: Children) -> s.Test:
        name, world, _, result, *limit = _titled(c)
        return s.Test(_span(c), world, "result", result, next(iter(limit), None), None, name)

    def halts_test(self, c: Children) -> s.Test:
        name, world, ending, *limit = _titled(c)
        return s.Test(_span(c), world, ending.value, None, next(iter(limit), None), None, name)

    stuck_test = loops_test = halts_test

    def state_test(self, c: Children) -> s.Test:
        name, world, _, _, _, state, *limit = _titled(c)
        return s.Test(_span(c), world, "halts", None, next(iter(limit), None), state, name)

    def after_test(self, c: Children) -> s.Test:
        name, world, after, steps, unit, _, result = _titled(c)
        limit = s.Limit(after.span.to(unit.span), "after", self.number([steps]))
        return s.Test(_span(c), world, "after", result, limit, None, name)

    def title(self, c: Children) -> s.Name:
        return _name(c[0])

    def limit(self, c: Children) -> s.Limit:
        return s.Limit(_span(c), c[0].value, self.number([c[1]]))

    def parameters(self, c: Children) -> Items:
        return Items(_span(c), _only(c, s.Param))

    def parameter(self, c: Children) -> s.Param:
        default = c[4] if len(c) > 4 else None
        return s.Param(_span(c), _name(c[0]), c[1].value, c[2], default)

    def word_parameter(self, c: Children) -> s.Param:
        return s.Param(_span(c), _name(c[0]), "=", c[2], c[2])

    def bindings(self, c: Children) -> Items:
        return Items(_span(c), _only(c, s.Binding))

    def named_binding(self, c: Children) -> s.Binding:
        return s.Binding(_span(c), _name(c[0]), c[2])

    def plain_binding(self, c: Children) -> s.Binding:
        return s.Binding(_span(c), None, c[0])

    def named_part(self, c: Children) -> s.Part:
        return s.Part(_span(c), _name(c[0]), c[2])

    def plain_part(self, c: Children) -> s.Part:
        return s.Part(_span(c), None, c[0])

    def choice(self, c: Children) -> s.Choice:
        return s.Choice(_span(c), tuple(c[::2]))

    def repeat(self, c: Children) -> s.Repeat:
        return s.Repeat(_span(c), c[0], c[1].value)

    def exactly(self, c: Children) -> s.Times:
        return s.Times(_span(c), c[0], c[2], c[2])

    def between(self, c: Children) -> s.Times:
        return s.Times(_span(c), c[0], c[2], c[4] if len(c) == 6 else None)

    def group(self, c: Children) -> s.Sequence:
        return s.Sequence(_span(c), _only(c, s.Part))

    def one(self, c: Children) -> s.One:
        return s.One(_span(c), c[0])

    def one_range(self, c: Children) -> s.One:
        return s.One(_span(c), s.Binary(_span(c), "..", c[0], c[2]))

    def one_except(self, c: Children) -> s.One:
        return s.One(_span(c), s.Binary(_span(c), "except", s.AnySymbol(c[0].span), c[2]))

    def simple(self, c: Children) -> s.Expr:
        if c[0].type == "word":
            return self.any_symbol(c) if c[0].value == "any" else self.name(c)
        return self.number(c) if c[0].type == "INT" else self.symbol(c)

    def else_pattern(self, c: Children) -> s.Pattern:
        return s.Pattern(_span(c), None, None)

    def binding_pattern(self, c: Children) -> s.Pattern:
        return s.Pattern(_span(c), _name(c[0]), c[2])

    def plain_pattern(self, c: Children) -> s.Pattern:
        return s.Pattern(_span(c), None, c[0])

    def halt(self, c: Children) -> s.Halt:
        return s.Halt(_span(c))

    def as_action(self, c: Children) -> s.As:
        return s.As(_span(c), c[1])

    def write_step(self, c: Children) -> s.Step:
        rest = dict(zip((t.value for t in c[2::2]), c[3::2], strict=True))
        return s.Step(_span(c), c[1], rest.get(","), rest.get("->"))

    def move_step(self, c: Children) -> s.Step:
        return s.Step(_span(c), None, c[0], c[2] if len(c) > 2 else None)

    def bare_step(self, c: Children) -> s.Step:
        return s.Step(_span(c), None, None, c[1])

    def picture(self, c: Children) -> s.Picture:
        return s.Picture(c[0].span, c[0].value)

    def expr(self, c: Children) -> s.Conditional:
        return s.Conditional(_span(c), c[0], c[2], c[4])

    def binary(self, c: Children) -> s.Expr:
        node: s.Expr = c[0]
        for op, right in zip(c[1::2], c[2::2], strict=True):
            node = s.Binary(node.span.to(right.span), op.value, node, right)
        return node

    either = both = comparison = set = range = sum = product = power = binary

    def union(self, c: Children) -> s.Union:
        return s.Union(_span(c), tuple(c[::2]))

    def row(self, c: Children) -> s.Row:
        return s.Row(_span(c), tuple(c[1:-1:2]))

    def rows(self, c: Children) -> s.Expr:
        return _rows(c[1:-1], _span(c))

    def unary(self, c: Children) -> s.Unary:
        return s.Unary(_span(c), c[0].value, c[1])

    negation = unary

    def name(self, c: Children) -> s.Name:
        return _name(c[0])

    def call(self, c: Children) -> s.Expr:
        """Empty parentheses mean nothing."""
        return s.Call(_span(c), _name(c[0]), c[2].items) if len(c) == 4 else _name(c[0])

    def index(self, c: Children) -> s.Index:
        return s.Index(_span(c), c[0], c[2])

    def tail(self, c: Children) -> s.Tail:
        return s.Tail(_span(c), c[0], c[2])

    def each(self, c: Children) -> s.Each:
        state, start = (_name(c[8]), c[10]) if len(c) > 9 else (None, None)
        return s.Each(_span(c), _name(c[0]), c[2], _name(c[4]), c[6], state, start)

    def arguments(self, c: Children) -> Items:
        return Items(_span(c), tuple(c[::2]))

    def number(self, c: Children) -> s.Number:
        return s.Number(c[0].span, int(c[0].value))

    def symbol(self, c: Children) -> s.Symbol:
        return s.Symbol(c[0].span, c[0].value)

    def text(self, c: Children) -> s.Text:
        return s.Text(c[0].span, c[0].value)

    def direction(self, c: Children) -> s.Direction:
        return s.Direction(c[0].span, c[0].value)

    def any_symbol(self, c: Children) -> s.AnySymbol:
        return s.AnySymbol(c[0].span)

    def parenthesised(self, c: Children) -> s.Expr:
        node: s.Expr = c[1]
        whole = isinstance(node, s.Binary | s.Unary | s.Union | s.Conditional)
        return node._replace(span=_span(c)) if whole else node


class Items:
    """A bracketed list on its way into its owner."""

    __slots__ = ("items", "span")

    def __init__(self, span: Span, items: tuple[Any, ...]) -> None:
        self.span = span
        self.items = items
