"""The folded tape of the checker, which also says where a step cannot be made."""

from __future__ import annotations

from gridlang.compiler.verifier.folds.folded_tape import Cells
from gridlang.compiler.verifier.folds.folded_tape import FoldedTape as CheckedTape
from gridlang.compiler.verifier.tables import MOVES


class LeftRows(Exception):
    """The head may come to a row outside of the strip."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class MayBeStuck(Exception):
    """LEFT may come to a symbol that it has no rule for."""

    def __init__(self, state: int, symbol: int) -> None:
        super().__init__(state, symbol)
        self.state, self.symbol = state, symbol


class FoldedTape(CheckedTape):
    def act(self, p: int, row: int, cells: Cells) -> tuple[int, int, Cells, int] | None:
        symbol = cells[row - self.low]
        step = self.left.does.get((p, symbol))
        if step is None:
            raise MayBeStuck(p, symbol)
        later = row + MOVES[step[1]][1]
        if not self.low <= later <= self.high:
            raise LeftRows(later)
        return super().act(p, row, cells)
