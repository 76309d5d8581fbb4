"""The cells of an input clause: which symbols each may hold."""

from __future__ import annotations

from collections.abc import Mapping

from gridlang.diagnostics import Diagnostic, GridError
from gridlang.syntax import tree as s
from gridlang.table import MAX_SYMBOLS


def symbols_of(node: s.Expr, classes: Mapping[str, str], everything: str) -> str:
    """The symbols of a cell of a clause, which are never none."""
    if isinstance(node, s.AnySymbol):
        return everything
    if isinstance(node, s.Name):
        if node.name not in classes:
            message = f"the input clause names a class `{node.name}` that does not exist"
            raise GridError([Diagnostic("G021", message, node.span)])
        return classes[node.name]
    if isinstance(node, s.Number | s.Symbol):
        return _symbol(node)
    assert isinstance(node, s.Binary)
    if node.op == "except":
        without = symbols_of(node.right, classes, everything)
        chars = "".join(c for c in everything if c not in without)
    else:
        codes = range(ord(_symbol(node.left)), ord(_symbol(node.right)) + 1)
        if len(codes) > MAX_SYMBOLS:
            message = f"this range has {len(codes):,} symbols"
            raise GridError([Diagnostic("G033", message, node.span, f"at most {MAX_SYMBOLS:,}")])
        chars = "".join(map(chr, codes))
    if not chars:
        raise GridError([Diagnostic("G033", "no symbol can stand here", node.span, "this is empty")])
    return chars


def _symbol(node: s.Expr) -> str:
    """The one symbol that is written here."""
    if isinstance(node, s.Symbol):
        return node.char
    if not isinstance(node, s.Number):
        message = "a range goes from number to number or from symbol to symbol"
        raise GridError([Diagnostic("G025", message, node.span)])
    if node.value > 9:
        hint = "numbers are symbols only from 0 to 9; name others, as in 'a'..'z'"
        raise GridError([Diagnostic("G031", f"{node.value} is not a symbol", node.span, hint=hint)])
    return str(node.value)
