"""From the text of an `input` clause to the language of its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from gridlang.clauses.clause_lowering import Values
from gridlang.clauses.conditions import make_condition
from gridlang.clauses.inputs import InputLanguage, InputPart
from gridlang.clauses.position_automaton import PositionBuilder, cells_of, check_size
from gridlang.diagnostics import fail
from gridlang.evaluator import Evaluator
from gridlang.source import Source
from gridlang.syntax import tree as s
from gridlang.syntax.parser import parse_line
from gridlang.table import Table


def language_of(
    table: Table, condition: s.Expr | None = None, values: Values | None = None
) -> InputLanguage | None:
    """The declared inputs of a table, if it declares any; GridError for symbols that it does not know.

    A condition is that of the clause as its file has it, where complaints are to have places in the file.
    """
    if not table.input:
        return None
    if condition is None and values is None:
        return _language(table.input, table.classes, table.symbols)
    return parse_language(table.input, dict(table.classes), table.symbols, condition, values)


@lru_cache(maxsize=64)
def _language(text: str, classes: tuple[tuple[str, str], ...], symbols: tuple[str, ...]) -> InputLanguage:
    return parse_language(text, dict(classes), symbols)


def parse_language(
    text: str,
    classes: Mapping[str, str],
    symbols: tuple[str, ...],
    condition: s.Expr | None = None,
    values: Values | None = None,
) -> InputLanguage:
    """The language of an input clause; its condition is given where it has names of `values`."""
    clause: s.InputClause = parse_line("input", Source("<input clause>", f"input {text}"))
    check_size(clause)
    evaluator = Evaluator.of(symbols, classes.items())
    positions = PositionBuilder(evaluator)
    whole = positions.sequence([positions.piece(part.piece) for part in clause.parts])
    # A part's own expression, used to split an input, has its own copy of the positions.
    parts = tuple(
        InputPart(
            part.name.name if part.name else "",
            positions.piece(part.piece),
            tuple(evaluator.cell(cell.members) for cell in cells_of(part.piece)),
            part.piece,
        )
        for part in clause.parts
    )
    foreign = next((c for c in "".join(dict.fromkeys(positions.cells)) if c not in symbols), None)
    if foreign is not None:
        hint = f"the alphabet is {' '.join(symbols[:40])}"
        raise fail("G070", f"the input clause has `{foreign}`, which is not in the alphabet", hint)
    node, named = condition or clause.condition, [(part.name, part.members) for part in parts]
    made = make_condition(node, named, [*classes.values()], symbols, values) if node else None
    return InputLanguage(text, parts, tuple(positions.cells), whole, made)
