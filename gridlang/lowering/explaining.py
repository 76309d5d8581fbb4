"""Faults of one instance, told with the values that lead to them and with what to type instead."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gridlang.diagnostics import Diagnostic, Edit, Fix, replacing
from gridlang.lowering.values import Env, Fault, Klass, Val, numbers, show
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import expression
from gridlang.vocabulary import quote

_WORD = re.compile(r"[^\W\d]\w*")


def with_values(fault: Fault, names: Iterable[str], env: Env) -> Diagnostic:
    """What a fault says, with the values of the names that it is about: `this is 10 for d = 9`."""
    diagnostic = fault.diagnostic
    if not diagnostic.label.startswith("this is ") or diagnostic.span is None:
        return diagnostic
    used = set(_WORD.findall(diagnostic.span.text))
    values = [f"{name} = {show(env[name])}" for name in names if name in used and name in env]
    return diagnostic._replace(label=f"{diagnostic.label} for {', '.join(values)}") if values else diagnostic


def not_in_class(value: Val, span: Span, decl: s.ClassDecl | None) -> Fault:
    """The fault of a computed number that is none of its class; if that counts, `mod` brings it back."""
    home = value.home
    assert home is not None
    message, label = f"{value.number} is not a symbol of class `{home.name}`", f"this is {value.number}"
    shared = _shared(home, value.number)
    if shared:
        message = f"{shared} of class `{home.name}` both count as {value.number}"
        return Fault("G031", message, span, label, f"write one of them itself, as in {shared[:3].strip()}")
    members = f"its symbols are {' '.join(home.chars[:40])}"
    if sorted(numbers(home).values()) != list(range(len(home.chars))):
        return Fault("G031", message, span, label, members)
    wrapped = f"({span.text}) mod {_size(home, decl)}"
    hint = f"`{wrapped}` wraps around; or exclude the symbols for which it is not in 0..{len(home.chars) - 1}"
    return Fault("G031", message, span, label, hint, (replacing(span, wrapped, sure=False),))


def _shared(home: Klass, number: int) -> str:
    """The symbols of a class that count as a number, if there are two."""
    chars = [char for char, count in numbers(home).items() if count == number]
    return " and ".join(map(quote, chars)) if len(chars) > 1 else ""


def _size(home: Klass, decl: s.ClassDecl | None) -> str:
    """How many symbols a class has: by a parameter where it is declared `0..base-1`."""
    members = decl.members if decl else None
    if isinstance(members, s.Binary) and members.op == "..":
        right = members.right
        if isinstance(right, s.Binary) and right.op == "-" and right.right == s.Number(right.right.span, 1):
            return expression(right.left)
    return str(len(home.chars))


def idle(rule: s.Rule, char: str, target: str) -> Fault:
    """The fault of a step that keeps its symbol and stays, but goes to another state."""
    action = rule.action
    assert isinstance(action, s.Step) and action.target is not None
    message = f"this rule is idle on `{char}`, so it halts and cannot go to `{target}`"
    named = action.target.span.text
    hint = f"`as {named}` does what `{named}` would do here, and costs no step"
    stays = action.move is None or (isinstance(action.move, s.Direction) and action.move.move == "S")
    fixes: tuple[Fix, ...] = ()
    if not stays:
        hint = f"`{expression(action.move)}` is S here; move another way" if action.move else ""
    elif action.write is None or _matches_only(rule, char):
        fixes = (replacing(action.span, f"as {named}"),)
    else:
        hint, fixes = _in_two(rule, action.write, named)
    return Fault("G041", message, action.span, "keeps the symbol and stays", hint, fixes)


def _matches_only(rule: s.Rule, char: str) -> bool:
    members = rule.pattern.members
    return (isinstance(members, s.Symbol) and members.char == char) or (
        isinstance(members, s.Number) and str(members.value) == char
    )


def _in_two(rule: s.Rule, write: s.Expr, named: str) -> tuple[str, tuple[Fix, ...]]:
    """Where a rule writes what it read for some symbols alone: these get a rule of their own."""
    pattern, written = rule.pattern, write.span.text
    guard = f" and ({expression(rule.guard)})" if rule.guard else ""
    simple = isinstance(write, s.Name | s.Number | s.Symbol)
    if pattern.variable:
        compared = f"({expression(write)})" if isinstance(write, s.Conditional) else written
        first = f"{pattern.span.text} if {compared} != {pattern.variable.name}{guard}"
        own = f"{pattern.span.text} if {compared} == {pattern.variable.name}{guard}"
    elif simple:
        own = written + (f" if {expression(rule.guard)}" if rule.guard else "")
        narrow = pattern.span.text if pattern.members is None else f"{pattern.span.text} except {written}"
        first = narrow + (f" if {expression(rule.guard)}" if rule.guard else "")
    else:
        return "where nothing changes it must move, or be a rule of its own with `as`", ()
    source = rule.span.source
    head = rule.pattern.span if rule.guard is None else rule.pattern.span.to(rule.guard.span)
    column = source.position(rule.span.start)[1] - 1
    edits = (Edit(head, first), Edit(rule.span.after(), f"\n{' ' * column}{own} : as {named}"))
    hint = f"let this rule match `{first}`, and add `{own} : as {named}`, which costs no step"
    return hint, (Fix(f"add `{own} : as {named}`", edits, sure=False),)
