"""The alphabet of an agent: its symbols in declared order, and its classes."""

from __future__ import annotations

from gridlang.lowering.values import Env, Evaluator, Fault, Klass
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.table import BLANK, MAX_SYMBOLS
from gridlang.vocabulary import is_symbol


def build_alphabet(agent: s.Agent, env: Env) -> Evaluator:
    """The symbols in declared order, blank first; raises Fault."""
    chars = [BLANK]
    for decl in agent.classes:
        chars += _literals(decl.members, env)
    symbols = tuple(dict.fromkeys(chars))
    if len(symbols) > MAX_SYMBOLS:
        span = agent.classes[-1].span
        raise Fault("G033", f"the alphabet has {len(symbols):,} symbols", span, f"at most {MAX_SYMBOLS:,}")
    classes: dict[str, Klass] = {}
    for decl in agent.classes:
        evaluator = Evaluator(symbols, classes)
        members = evaluator.klass(decl.members, env).chars
        if not members:
            raise Fault(
                "G033", "this class has no symbols", decl.span, "empty", "a range goes upwards, as in 0..9"
            )
        if decl.name:
            classes[decl.name.name] = Klass(decl.name.name, members)
    return Evaluator(symbols, classes)


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
        everything = _Universe()
        return everything.symbol_range(node, env)
    return []


class _Universe(Evaluator):
    """Knows every printable character: used only while an alphabet is being declared."""

    def __init__(self) -> None:
        super().__init__((), {})

    def _known(self, char: str, span: Span) -> str:
        if not is_symbol(char):
            raise Fault("G004", "this range holds characters that cannot be symbols", span)
        return char
