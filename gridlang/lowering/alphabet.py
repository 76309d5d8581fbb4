"""The alphabet of an agent: its symbols in declared order, with their classes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gridlang.diagnostics import Fault, Fix, replacing
from gridlang.evaluator import Evaluator
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.table import BLANK, MAX_SYMBOLS
from gridlang.values import Env, Klass, numbers
from gridlang.vocabulary import MARKED, is_symbol, quote

FIRST_MARK = "A"
# first letters of other scripts, where a marked class may start
OTHER_MARKS = "Aaαа一"


def build_alphabet(agent: s.Agent, env: Env) -> Evaluator:
    """The symbols in declared order, blank first; raises Fault."""
    chars = [_literals(decl.members, env) for decl in agent.classes]
    copies: dict[int, Klass] = {}
    for number, decl in enumerate(agent.classes):
        if s.is_marked(decl.members):
            above = _with_classes(agent.classes[:number], chars, env, copies)
            taken = {BLANK, *(char for line in chars for char in line)}
            copies[number] = _copies(decl, above, env, taken)
            chars[number] = list(copies[number].chars)
    evaluator = _with_classes(agent.classes, chars, env, copies)
    if len(evaluator.symbols) > MAX_SYMBOLS:
        message = f"the alphabet has {len(evaluator.symbols):,} symbols"
        raise Fault("G033", message, agent.classes[-1].span, f"at most {MAX_SYMBOLS:,}")
    return evaluator


def _with_classes(
    decls: Sequence[s.ClassDecl], chars: Sequence[Sequence[str]], env: Env, copies: dict[int, Klass]
) -> Evaluator:
    """An evaluator that knows all symbols, and these classes."""
    symbols = tuple(dict.fromkeys([BLANK, *(char for line in chars for char in line)]))
    evaluator = Evaluator(symbols)
    for number, decl in enumerate(decls):
        members = copies[number].chars if number in copies else evaluator.klass(decl.members, env).chars
        if not members:
            raise Fault(
                "G033", "this class has no symbols", decl.span, "empty", "a range goes upwards, as in 0..9"
            )
        if number in copies and len(_original(decl, evaluator, env).chars) != len(members):
            message = "the class that is marked holds its own marked symbols"
            raise Fault("G037", message, decl.members.span, "", "name its symbols instead of `any`")
        if decl.name:
            counts = copies[number].counts if number in copies else ()
            evaluator.declare(Klass(decl.name.name, members, counts))
    return evaluator


def _original(decl: s.ClassDecl, evaluator: Evaluator, env: Env) -> Klass:
    assert isinstance(decl.members, s.Call)
    return evaluator.klass(decl.members.args[0], env)


def _copies(decl: s.ClassDecl, above: Evaluator, env: Env, taken: Collection[str]) -> Klass:
    """As many new symbols as the marked class has, in a row, each with the number of its original."""
    original = _original(decl, above, env)
    assert isinstance(decl.members, s.Call)
    given = decl.members.args[1:]
    first = _literals(given[0], env)[0] if given else FIRST_MARK
    marks = _row(first, len(original.chars))
    span = given[0].span if given else decl.members.span
    rows = {start: _row(start, len(marks)) for start in OTHER_MARKS}
    free = next((c for c, row in rows.items() if all(map(is_symbol, row)) and not {*row} & {*taken}), "")
    hint, fixes = "start elsewhere", tuple[Fix, ...]()
    if free:
        meant = f"{MARKED}({decl.members.args[0].span.text}, {quote(free)})"
        hint += f", as in {meant}"
        fixes = (replacing(decl.members.span, meant, sure=False),)
    for char, mark in zip(original.chars, marks, strict=True):
        if not is_symbol(mark):
            message = f"there are not {len(marks)} symbols in a row from {quote(first)} on"
            raise Fault("G037", message, span, "", hint, fixes)
        if mark in taken:
            message = f"the marked copy of {quote(char)} would be {quote(mark)}, which is a symbol already"
            raise Fault("G037", message, span, f"from {quote(first)} on", hint, fixes)
    return Klass(decl.name.name if decl.name else "", marks, tuple(numbers(original).values()))


def _row(first: str, size: int) -> str:
    return "".join(chr(min(ord(first) + place, 0x10FFFF)) for place in range(size))


def _literals(node: s.Expr, env: Env) -> list[str]:
    """The symbols that a declaration brings into the alphabet; classes bring none."""
    if isinstance(node, s.Union):
        return [c for part in node.parts for c in _literals(part, env)]
    if isinstance(node, s.Binary) and node.op == "except":
        return _literals(node.left, env)
    if isinstance(node, s.Symbol):
        return [node.char]
    if isinstance(node, s.Number):
        if node.value > 9:
            raise Fault(
                "G031", f"{node.value} is not a symbol", node.span, hint="a symbol is a single character"
            )
        return [str(node.value)]
    if isinstance(node, s.Binary) and node.op == "..":
        return _Universe().symbol_range(node, env)
    return []


class _Universe(Evaluator):
    """Knows every printable character: used only while an alphabet is being declared."""

    def known(self, char: str, span: Span) -> str:
        if not is_symbol(char):
            raise Fault("G004", "this range holds characters that cannot be symbols", span)
        return char
