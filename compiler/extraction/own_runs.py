"""The runs of a model itself, many side by side, of which the states that it goes through are extracted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.acts import STUCK
from gridlang.compiler.automata.merging import RuleGraph
from gridlang.compiler.extraction.states import (
    DOUBT,
    FAINT,
    Acts,
    Numbers,
    decisions,
    outputs_on,
    placed,
    stepped,
)
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.tensors.dfst import Dfst, Floats
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.table import BLANK, DELTAS, MOVES
from gridlang.world import Cell, string_world

Bools = npt.NDArray[np.bool_]
SELDOM = 0.25  # A symbol that would end the run is drawn so much less often.
# For runs in fresh cells a symbol, by how likely each reads which (runs, symbols); None if it reads none.
Draw = Callable[[list["OwnRun"], Floats], list[int | None]]


@dataclass(slots=True)
class OwnRun:
    """Where one run stands; a world that grows has weights for its symbols."""

    case: Case
    steps: int  # at most
    weights: Sequence[float] = ()
    at: int = 0  # the state that its first steps lead to, of those known; -1 if none
    walked: int = 0  # these steps
    cells: dict[Cell, int] = field(default_factory=dict)
    head: Cell = (0, 0)
    rules: int = 0  # state of the expert; -1 where that no longer counts
    read: list[int] = field(default_factory=list)
    act: list[int] = field(default_factory=list)

    @property
    def acts(self) -> Acts:
        return Acts(np.array(self.read, np.int32), np.array(self.act, np.int32))


class OwnRunner:
    """Runs a model in closed loop.

    A run ends where the outputs are further from one-hot than `doubt`, and with an expert where that is
    stuck. After the first difference the expert no longer counts, and a run that must `agree` ends.
    """

    def __init__(self, model: Model, expert: RuleGraph | None) -> None:
        self.model, self.expert = model, expert
        self.symbols, self.moves = len(model.symbols), len(model.moves)
        names = symbols_of(model)
        self.place = {symbol: number for number, symbol in enumerate(names)}
        self.blank = names.index(BLANK)
        # where the expert has no rule, only a strict model is asked; the last row is for no state
        rules = np.zeros((1, self.symbols)) if expert is None else expert.write
        self.asked = [*((rules >= 0) | model.strict).tolist(), [True] * self.symbols]
        self.shifts = [DELTAS[MOVES.index(move)] for move in model.moves]
        self.stay = model.moves.index("S") if "S" in model.moves else None
        self.gain = 0.0  # the largest output so far, of a vector of length one
        if isinstance(model, Dfst):
            self._sure(self._outputs(placed(model, model.h0[None])[1]), np.inf)

    def run(
        self, runs: Sequence[OwnRun], doubt: float = np.inf, agree: bool = False, draw: Draw | None = None
    ) -> list[Acts]:
        """What the model does, run by run; `draw` chooses what is read in fresh cells of worlds that grow."""
        for run in runs:
            world = string_world(run.case) if isinstance(run.case, str) else run.case
            run.cells = {cell: self.place[symbol] for cell, symbol in world.cells.items()}
            run.head = world.start
        going, vectors = list(runs), np.repeat(self.model.h0[None], len(runs), 0)
        with np.errstate(all="ignore"):
            while going:
                read = self._read(going, vectors, doubt, draw)
                kept = np.array([x is not None for x in read])
                going = [run for run, keep in zip(going, kept.tolist(), strict=True) if keep]
                if not going:
                    break
                symbols = np.array([x for x in read if x is not None])
                outputs, after = stepped(self.model, vectors[kept], symbols)
                sure, act = self._sure(outputs, doubt)
                does = np.where(sure, act, DOUBT).tolist()
                goes = [self._goes(*step, agree) for step in zip(going, symbols.tolist(), does, strict=True)]
                going = [run for run, on in zip(going, goes, strict=True) if on]
                vectors = placed(self.model, after[np.array(goes)])[1]
        return [run.acts for run in runs if run.read]

    def _read(
        self, going: list[OwnRun], vectors: Floats, doubt: float, draw: Draw | None
    ) -> list[int | None]:
        """What each run reads next; None where it ends before that, or the model is not asked."""
        read: list[int | None] = []
        fresh: list[int] = []
        for number, run in enumerate(going):
            symbol = run.cells.get(run.head)
            if symbol is None and run.weights and len(run.read) < run.steps:
                fresh.append(number)
            symbol = self.blank if symbol is None else symbol
            asked = len(run.read) < run.steps and self.asked[run.rules][symbol]
            read.append(symbol if asked else None)
        if fresh and draw is not None:
            runs = [going[number] for number in fresh]
            sure, act = self._sure(self._outputs(vectors[fresh]), doubt)
            may = sure & np.array([self.asked[run.rules] for run in runs])
            chosen = draw(runs, np.where(act == STUCK, SELDOM * may, may))
            for number, run, symbol in zip(fresh, runs, chosen, strict=True):
                read[number] = symbol
                run.cells[run.head] = self.blank if symbol is None else symbol
        return read

    def _goes(self, run: OwnRun, symbol: int, does: int, agree: bool) -> bool:
        """Takes one step; whether the run goes on."""
        run.read.append(symbol)
        run.act.append(does)
        if does < 0:
            return False
        write, move = divmod(does, self.moves)
        if self.expert is not None and run.rules >= 0:
            wanted = self.expert.write[run.rules, symbol], self.expert.move[run.rules, symbol]
            run.rules = int(self.expert.next[run.rules, symbol]) if wanted == (write, move) else -1
            if run.rules < 0 and agree:
                return False
        if write == symbol and move == self.stay:
            return False
        run.cells[run.head] = write
        (x, y), (dx, dy) = run.head, self.shifts[move]
        run.head = x + dx, y + dy
        return True

    def _outputs(self, vectors: Floats) -> Floats:
        """Of a DFST on all symbols: (vectors, symbols, outputs)."""
        assert isinstance(self.model, Dfst)
        return np.stack([outputs_on(self.model, x, vectors) for x in range(self.symbols)], 1)

    def _sure(self, outputs: Floats, doubt: float) -> tuple[Bools, Numbers]:
        """Whether outputs decide something, be it that a strict model is stuck; and what."""
        does = decisions(self.model, outputs)
        if not isinstance(self.model, Dfst):
            return does.act != STUCK, does.act
        self.gain = float(max(self.gain, does.top[does.act != STUCK].max(initial=0.0)))
        sure = (does.top >= FAINT * self.gain) & (does.noise <= doubt) & (does.act != STUCK)
        stuck = does.act == STUCK if self.model.strict else np.zeros(sure.shape, np.bool_)
        return sure | stuck, does.act
