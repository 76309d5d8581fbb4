"""From syntax back to text, in the one canonical spelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from gridlang.syntax import tree as s
from gridlang.vocabulary import is_name, is_state_name, quote, quote_text

# higher binds tighter; unary operators and atoms bind tightest
_LEVEL = {
    "or": 1, "and": 2, "not": 3,
    "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "in": 4,
    "except": 5, "|": 6, "..": 7, "+": 8, "-": 8, "*": 9, "div": 9, "mod": 9, "^": 11,
}  # fmt: skip
Values: TypeAlias = Mapping[str, int | str]  # name -> its value
_UNARY = 10
_ATOM = 12


def expression(node: s.Expr, values: Values | None = None, level: int = 0, tight: bool = False) -> str:
    """Prints an expression with the fewest parentheses; names in `values` become numbers and words.

    Without values, numbers keep their groups of digits. `tight` writes short sums
    without blanks, as within a larger expression.
    """
    text, own = _expression(node, values, tight)
    return f"({text})" if own < level else text


def _expression(node: s.Expr, values: Values | None, tight: bool) -> tuple[str, int]:
    if isinstance(node, s.Number):
        return number(node) if values is None else str(node.value), _ATOM
    if isinstance(node, s.Symbol):
        return (f"'{node.char}'" if node.char.isdecimal() else quote(node.char)), _ATOM
    if isinstance(node, s.Text):
        return quote_text(node.value), _ATOM
    if isinstance(node, s.Direction):
        return node.move, _ATOM
    if isinstance(node, s.AnySymbol):
        return "any", _ATOM
    if isinstance(node, s.Name):
        value = (values or {}).get(node.name)
        if value is None:
            return node.name, _ATOM
        if isinstance(value, str):
            return quote_text(value), _ATOM
        return str(value), _ATOM if value >= 0 else _UNARY
    if isinstance(node, s.Call):
        arguments = (expression(arg, values, tight=True) for arg in node.args)
        return f"{node.name.name}({', '.join(arguments)})", _ATOM
    if isinstance(node, s.Index):
        return f"{expression(node.word, values, _ATOM)}[{expression(node.place, values, tight=True)}]", _ATOM
    if isinstance(node, s.Slice):
        ends = (expression(end, values, _LEVEL["+"], True) if end else "" for end in (node.first, node.last))
        return f"{expression(node.word, values, _ATOM)}[{'..'.join(ends)}]", _ATOM
    return _compound(node, values, tight)


def _compound(
    node: s.Unary | s.Binary | s.Union | s.Conditional, values: Values | None, tight: bool
) -> tuple[str, int]:
    if isinstance(node, s.Unary):
        level = _LEVEL["not"] if node.op == "not" else _UNARY
        gap = " " if node.op == "not" else ""
        return f"{node.op}{gap}{expression(node.operand, values, level, True)}", level
    if isinstance(node, s.Union):
        parts = (expression(part, values, _LEVEL["|"] + 1) for part in node.parts)
        return " | ".join(parts), _LEVEL["|"]
    if isinstance(node, s.Conditional):
        then, test = expression(node.then, values, 1), expression(node.condition, values, 1)
        return f"{then} if {test} else {expression(node.otherwise, values)}", 0
    level = _LEVEL[node.op]
    if node.op == "^":
        return f"{expression(node.left, values, _ATOM)}^{expression(node.right, values, _UNARY)}", level
    chains = level not in (4, 7)  # comparisons and ranges do not associate
    inner = level > _LEVEL["+"] or node.op == ".."
    left = expression(node.left, values, level if chains else level + 1, inner or _is_product(node.left))
    right = expression(node.right, values, level + 1, inner or _is_product(node.right))
    close = node.op == ".." or (tight and (node.op == "*" or (level == _LEVEL["+"] and _plain(node))))
    gap = "" if close else " "
    return f"{left}{gap}{node.op}{gap}{right}", level


def number(node: s.Number) -> str:
    """A number; one that was written in groups of digits is written in groups of three."""
    spelt = node.span.text
    grouped = "_" in spelt and spelt.replace("_", "").isdigit()
    return f"{node.value:_}" if grouped else str(node.value)


def _is_product(node: s.Expr) -> bool:
    return isinstance(node, s.Binary) and node.op == "*"


def _plain(node: s.Binary) -> bool:
    """A sum of two names or numbers, such as `n-1`."""
    return isinstance(node.left, s.Name | s.Number) and isinstance(node.right, s.Name | s.Number)


def parameters(params: tuple[s.Param, ...]) -> str:
    """`(m in digit, next: state)`, or nothing."""
    return f"({', '.join(map(parameter, params))})" if params else ""


def parameter(param: s.Param) -> str:
    if param.relation == "=":
        return f"{param.name.name} = {expression(param.domain)}"
    relation = ": " if param.relation == ":" else f" {param.relation} "
    level = _LEVEL["except"] if param.relation in ("in", ":") else _LEVEL["+"]
    default = f" = {expression(param.default)}" if param.default else ""
    return f"{param.name.name}{relation}{expression(param.domain, level=level)}{default}"


def state_name(name: str) -> str:
    """A state's name, quoted unless it is a plain word or the letter of a move."""
    return name if is_state_name(name) else quote_text(name)


def state_names(names: tuple[s.Name, ...]) -> str:
    return ", ".join(state_name(name.name) for name in names)


def target(node: s.Expr, values: Values | None = None) -> str:
    return state_name(node.value) if isinstance(node, s.Text) else expression(node, values)


def piece(node: s.Piece) -> str:
    if isinstance(node, s.One):
        return expression(node.members)
    if isinstance(node, s.Times):
        return f"{piece(node.piece)}{{{_counts(node)}}}"
    if isinstance(node, s.Choice):
        return " | ".join(piece(option) for option in node.options)
    if isinstance(node, s.Sequence):
        return f"({', '.join(map(part, node.parts))})"
    return f"{piece(node.piece)}{node.quantifier}"


def _counts(node: s.Times) -> str:
    least, most = expression(node.least, level=_LEVEL["+"]), ""
    if node.most is not None:
        most = expression(node.most, level=_LEVEL["+"])
    return least if least == most else f"{least},{most}"


def part(node: s.Part) -> str:
    return f"{node.name.name} = {piece(node.piece)}" if node.name else piece(node.piece)


def input_clause(node: s.InputClause, values: Values | None = None) -> str:
    """The clause without the word `input`; names in `values` become numbers in its condition."""
    parts = ", ".join(map(part, node.parts))
    return f"{parts} where {expression(node.condition, values, 1)}" if node.condition else parts


def pattern(rule: s.Rule) -> str:
    members = rule.pattern.members
    if members is None:
        text = "else"
    else:
        variable = f"{rule.pattern.variable.name} in " if rule.pattern.variable else ""
        text = variable + expression(members, level=_LEVEL["except"])
    return f"{text} if {expression(rule.guard, level=1)}" if rule.guard else text


def action(node: s.Action) -> str:
    if isinstance(node, s.Halt):
        return "halt"
    if isinstance(node, s.As):
        return f"as {target(node.target)}"
    write = f"write {expression(node.write)}" if node.write else ""
    move = expression(node.move, level=_ATOM) if node.move else ""
    act = ", ".join(filter(None, (write, move)))
    arrow = f"-> {target(node.target)}" if node.target else ""
    return " ".join(filter(None, (act, arrow)))


def header(node: s.Header) -> str:
    text = f"{'library' if node.library else 'agent'} {node.name.name}{parameters(node.params)}"
    if node.origin is None:
        return text
    bindings = ", ".join(
        (f"{b.name.name} = " if b.name else "") + expression(b.value) for b in node.origin.bindings
    )
    given = f"({bindings})" if bindings else ""
    return f"{text} = {node.origin.agent.name}{given} from {quote_text(node.origin.path.value)}"


def use(node: s.Use) -> str:
    return f"use {state_names(node.names)} from {quote_text(node.path.value)}"


def test(node: s.Test) -> str:
    name = node.name.name if node.name else ""
    title = f"{name if is_name(name) else quote_text(name)}:" if node.name else ""
    parts = ["test", title, world(node.world)]
    limit = f"{node.limit.relation} {number(node.limit.steps)} steps" if node.limit else ""
    if node.expected == "after":
        parts += [limit, "=", world(node.result)]
    elif node.expected == "result":
        parts += ["=", world(node.result), limit]
    else:
        state = f"in state {target(node.state)}" if node.state else ""
        parts += [node.expected, state, limit]
    return " ".join(filter(None, parts))


def world(node: s.Text | s.Picture | None) -> str:
    """A string, or a picture with each row on a line of its own."""
    if isinstance(node, s.Text):
        return quote_text(node.value)
    rows = [row.strip() for row in node.value.split("\n")] if node else []
    while rows and not rows[0]:
        rows.pop(0)
    while rows and not rows[-1]:
        rows.pop()
    return "\n".join(['"""', *(f"  {row}".rstrip() for row in rows), '"""'])
