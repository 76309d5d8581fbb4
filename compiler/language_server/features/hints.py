"""What an editor writes between the words: what is not written, and not seen at a glance.

Values of constants and classes that are computed, how many states a family has, the names of parameters
that get a plain value, and the move of a rule that names none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from compiler.language_server.analysis import Summary
from compiler.language_server.project import Project
from gridlang.diagnostics import counted
from gridlang.syntax import tree as s
from gridlang.vocabulary import quote

_PLAIN = (s.Number, s.Symbol, s.Text, s.Direction)
_MOST = 12  # symbols of a class: more would push the line off the screen


class Hint(NamedTuple):
    """A text at an offset, which is not part of the file; `names` a parameter or tells a value."""

    offset: int
    text: str
    names: bool = False


def hints(project: Project, path: str, summary: Summary, start: int, end: int) -> list[Hint]:
    """The hints between two offsets."""
    names = project.names(path)
    found: list[Hint] = []
    for line in names.lines if names else ():
        if line.line.span.end >= start and line.line.span.start <= end and line.node is not None:
            found += _of_line(line.node, project, path, summary)
    return sorted(hint for hint in found if start <= hint.offset <= end)


def _of_line(node: s.Node, project: Project, path: str, summary: Summary) -> Iterator[Hint]:
    if isinstance(node, s.Let) and not isinstance(node.value, _PLAIN):
        if node.name.name in summary.values:
            yield Hint(node.value.span.end, f" = {summary.values[node.name.name]}")
    elif isinstance(node, s.ClassDecl) and node.name and _computed(node.members):
        chars = summary.classes.get(node.name.name, "")
        if chars:
            yield Hint(node.members.span.end, f" = {_symbols(chars)}")
    elif isinstance(node, s.StateLine) and node.params:
        reached = summary.states.get(node.names[0].name)
        if reached:
            yield Hint(node.span.end, f" {counted(reached.number, 'state')}")
    elif isinstance(node, s.StartLine):
        yield from _arguments(node.target, project, path)
    elif isinstance(node, s.Rule):
        yield from _of_rule(node, project, path)


def _of_rule(rule: s.Rule, project: Project, path: str) -> Iterator[Hint]:
    action = rule.action
    if isinstance(action, s.Step) and action.move is None:
        place = action.write.span.end if action.write else action.span.start
        yield Hint(place, ", S" if action.write else "S ")
    if not isinstance(action, s.Halt):
        yield from _arguments(action.target, project, path)


def _arguments(target: s.Expr | None, project: Project, path: str) -> Iterator[Hint]:
    """The names of the parameters that get a plain value: a name often says itself what it is."""
    declared = project.state(path, target.name.name) if isinstance(target, s.Call) else None
    if declared is None or not isinstance(target, s.Call):
        return
    for param, argument in zip(declared[1].params, target.args, strict=False):
        if isinstance(argument, _PLAIN):
            yield Hint(argument.span.start, f"{param.name.name}: ", True)
        elif isinstance(argument, s.Call):
            yield from _arguments(argument, project, path)


def _computed(members: s.Expr) -> bool:
    """Whether a name or a sum stands in a class, so that its symbols are not seen in it."""
    if isinstance(members, s.Name | s.Call | s.Index | s.Unary | s.Conditional):
        return True
    if isinstance(members, s.Union):
        return any(map(_computed, members.parts))
    if isinstance(members, s.Binary):
        return members.op not in ("..", "except") or _computed(members.left) or _computed(members.right)
    return False


def _symbols(chars: str) -> str:
    return " ".join(map(quote, chars[:_MOST])) + (" …" if len(chars) > _MOST else "")
