"""An input clause folded from its cells upwards: how inputs are drawn, listed and counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.position_automaton import Bounds, bounds_of, cells_in
from gridlang.syntax import tree as s

Folded = TypeVar("Folded")


def fold_clause(
    language: InputLanguage,
    cell: Callable[[str], Folded],
    many: Callable[[Folded, Bounds], Folded],
    either: Callable[[list[Folded]], Folded],
    row: Callable[[list[Folded]], Folded],
    one_cell: bool = True,
) -> Folded:
    """The clause from its cells upwards; a choice between single cells is `one_cell`, or a choice."""
    cells = iter(language.cells)

    def piece(node: s.Piece) -> Folded:
        if isinstance(node, s.One):
            return cell(next(cells))
        if isinstance(node, s.Repeat | s.Times):
            body = piece(node.piece)
            for _ in range(cells_in(node) - cells_in(node.piece)):
                next(cells)  # what counts write out again
            return many(body, bounds_of(node))
        if isinstance(node, s.Choice):
            if one_cell and all(isinstance(option, s.One) for option in node.options):
                return cell("".join(dict.fromkeys("".join(next(cells) for _ in node.options))))
            return either([piece(option) for option in node.options])
        return row([piece(part.piece) for part in node.parts])

    return row([piece(part.piece) for part in language.parts])
