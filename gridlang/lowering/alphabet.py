"""The alphabet of an agent, its symbols in declared order with their classes, and domains of parameters."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gridlang.diagnostics import Fault, Fix, replacing
from gridlang.evaluator import Evaluator
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.table import BLANK, MAX_SYMBOLS
from gridlang.values import Env, Klass, Val, member, numbers, show
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


def in_moves(move: str, param: s.Param, evaluator: Evaluator, span: Span) -> str:
    allowed = evaluator.move_set(param.domain)
    if move not in allowed:
        message = f"`{move}` is out of range for parameter `{param.name.name}`"
        raise Fault("G030", message, span, f"this is {move}", f"it may be one of {' '.join(allowed)}")
    return move


def in_domain(value: Val, param: s.Param, evaluator: Evaluator, inner: Env, span: Span) -> Val:
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
    domain = param.domain
    return param.relation in ("<", "<=") or (isinstance(domain, s.Binary) and domain.op == "..")


def in_range(number: int, param: s.Param, bounds: tuple[int, int], span: Span) -> Val:
    (low, high), name = bounds, param.name.name
    if low <= number <= high:
        return Val(number)
    may_be = f"may be {low}..{high}" if low <= high else f"has no values here ({low}..{high})"
    message = f"{number} is out of range for parameter `{name}`"
    raise Fault("G030", message, span, f"this is {number}", f"`{name}` {may_be}")


def domain_range(param: s.Param, evaluator: Evaluator, env: Env) -> tuple[int, int]:
    if param.relation in ("<", "<="):
        return 0, evaluator.number(param.domain, env) - (param.relation == "<")
    assert isinstance(param.domain, s.Binary)
    return evaluator.number(param.domain.left, env), evaluator.number(param.domain.right, env)
