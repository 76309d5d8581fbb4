"""A model in closed loop, while its hidden vectors are gathered into points: the definition, in plain Python.

Argmax does not see scale, so a vector stands for its direction. A codebook (as in vector quantisation) holds
points, unit vectors that are more than its tolerance apart; a vector belongs to the nearest point within the
tolerance, and is a new point where there is none. Several codebooks of different tolerances are filled in one
walk. Nothing is judged here: a point and a symbol may have edges that differ.

`PlainExplorer` is for whoever has no C compiler, and what tests hold `explorer_native` against.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.lockstep.cpu import VECTORS
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.native.build import THIS_CPU
from gridlang.compiler.native.c_library import CLibrary
from gridlang.compiler.simulation.native.sources import source_on_worlds
from gridlang.compiler.tensors.closed_loop import decide
from gridlang.compiler.tensors.dfst import Floats
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.outcomes import End, Outcome, Reason
from gridlang.table import BLANK, DELTAS, MOVES, Table
from gridlang.world import Cell

# Where an edge or a rule writes nothing: there is none, the model was asked and decided nothing, or a strict
# model is stuck.
NONE, UNDECIDED, STUCK_HERE = -1, -2, -3
NO_MARGIN = float(np.finfo(np.float32).max)  # where nothing is decided; FLT_MAX in C
FAINT = 0.01  # an output below this part of the largest is unsure
SELDOM = 0.25  # weight of a symbol on which a strict model is stuck, which ends the run
EDGES_A_POINT = 4  # room in a codebook, as in C
LIBRARY = CLibrary(
    partial(source_on_worlds, VECTORS, Path(__file__).with_name("explorer.c")),
    *THIS_CPU,
    *("-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"),
)
EDGE, RULE = np.dtype(LIBRARY.structs["edge"]), np.dtype(LIBRARY.structs["rule"])
Rules = npt.NDArray[np.void]


class RunMode(NamedTuple):
    """How one run goes.

    It ends where outputs are further from one-hot than `doubt`; if `ruled`, also where the rules are stuck,
    and after the first step that is not theirs. With `symbol_weights` cells are drawn when they are first
    read: a symbol is the likelier the larger its weight, and the less it was read at that point.
    """

    doubt: float = np.inf
    ruled: bool = False
    symbol_weights: Floats | None = None


PLAIN = RunMode()  # no guard; unseen cells are blank


class ExplorerConfig(NamedTuple):
    """The settings of all runs: each codebook's tolerance, the most points, and rules."""

    tolerances: Sequence[float] = ()
    max_points: int = 1024
    rules: Rules | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Codebook:
    """Points, and the steps between them as they were seen; `next` is -1 after the idle step.

    Where the model was asked and decided nothing, an edge writes UNDECIDED and leads nowhere.
    """

    tolerance: float
    centres: Floats  # (points, d), of length one
    radius: Floats  # (points,): how far its vectors were from a point, at most
    edges: npt.NDArray[np.void]
    full: bool

    @property
    def size(self) -> tuple[int, int]:
        """Points and edges, which are only ever added."""
        return len(self.centres), len(self.edges)


def rules_for(dfst: Model, table: Table) -> Rules:
    """A table by the model's numbers, states times symbols; a move that the model does not have is -1.

    Where the table has no rule nothing is asked of a model, but of a strict one that it is stuck.
    """
    symbols = symbols_of(dfst)
    place = [symbols.index(symbol) for symbol in table.symbols]
    rules = np.full((len(table.states), len(symbols)), STUCK_HERE if dfst.strict else NONE, RULE)
    for state, symbol, entry in table.entries():
        move = dfst.moves.index(MOVES[entry.move]) if MOVES[entry.move] in dfst.moves else NONE
        rules[state, place[symbol]] = (place[entry.write], move, entry.next)
    return rules


class _Choice(NamedTuple):
    """What the model does on a symbol, and how clearly; or why the run ends before that.

    `margin` and `noise` are parts of the winning outputs.
    """

    write: int
    move: int = 0
    margin: float = NO_MARGIN  # the least lead over the second largest output
    noise: float = np.inf  # how far the outputs are from one-hot
    top: float = 0.0  # the larger of the two winning outputs
    ending: End | None = None


UNCLEAR = _Choice(UNDECIDED, ending=Outcome.STUCK)


class _GrowingCodebook:
    """A codebook that grows."""

    def __init__(self, tolerance: float, max_points: int, dim: int) -> None:
        self.tolerance, self.max_points, self.full = tolerance, max_points, False
        self.centres: Floats = np.zeros((max_points, dim), np.float32)
        self.radius: list[float] = []
        self.edges: dict[tuple[int, ...], list[Any]] = {}  # margin and count of each

    def point_of(self, unit: Floats) -> int:
        """The nearest point, or a new one; -1 when the codebook is full."""
        count = len(self.radius)
        if count:
            far = np.sqrt(np.square(self.centres[:count] - unit).sum(1))
            best = int(far.argmin())
            if far[best] <= self.tolerance:
                self.radius[best] = max(self.radius[best], float(far[best]))
                return best
        if count == self.max_points:
            self.full = True
            return NONE
        self.centres[count] = unit
        self.radius.append(0.0)
        return count

    def note(self, point: int, after: int, symbol: int, choice: _Choice) -> None:
        seen = self.edges.setdefault((point, after, symbol, choice.write, choice.move), [choice.margin, 0])
        seen[0], seen[1] = min(seen[0], choice.margin), seen[1] + 1
        self.full |= len(self.edges) > EDGES_A_POINT * self.max_points

    def uses(self, point: int, symbol: int) -> int:
        return sum(seen[1] for edge, seen in self.edges.items() if edge[0] == point and edge[2] == symbol)

    def snapshot(self) -> Codebook:
        rows = [(*edge, margin, count) for edge, (margin, count) in self.edges.items()]
        centres, radius = self.centres[: len(self.radius)].copy(), np.array(self.radius, np.float32)
        return Codebook(self.tolerance, centres, radius, np.array(rows, EDGE), self.full)


@dataclass(slots=True)
class _Walk:
    """The state of one run."""

    cells: dict[Cell, int]
    head: Cell
    hidden: Floats
    state: int = 0  # of the rules
    length: float = 1.0  # of the hidden vector
    at: list[int] = field(default_factory=list)  # the point in each codebook


class PlainExplorer:
    """Runs a model on worlds; `steps` counts those of all runs."""

    work = 0  # numbers compared in the search for points, which are not counted here

    def __init__(self, dfst: Model, config: ExplorerConfig) -> None:
        self.dfst, self.random = dfst, Random(config.seed)
        self.rules: Any = config.rules
        self.place = {symbol: number for number, symbol in enumerate(symbols_of(dfst))}
        self.said = dfst.stepper().step
        dim = len(dfst.h0)
        self.filled = [_GrowingCodebook(tolerance, config.max_points, dim) for tolerance in config.tolerances]
        self.steps = 0
        start = float(np.linalg.norm(dfst.h0)) or 1.0
        said = [self.said(dfst.h0, symbol)[0] for symbol in range(len(self.place))]
        self.gain = float(np.max(said, initial=0.0)) / start

    def close_finer(self, tolerance: float) -> None:
        """Stops filling codebooks of smaller tolerance."""
        for codebook in self.filled:
            codebook.full |= codebook.tolerance < tolerance

    def codebooks(self) -> list[Codebook]:
        return [codebook.snapshot() for codebook in self.filled]

    def run(self, case: Case, steps: int, mode: RunMode = PLAIN) -> End:
        """One run of at most these steps, and how it ended."""
        symbols = {(x, 0): c for x, c in enumerate(case)} if isinstance(case, str) else case.cells
        cells = {cell: self.place[symbol] for cell, symbol in symbols.items()}
        walk = _Walk(cells, (0, 0) if isinstance(case, str) else case.start, self.dfst.h0)
        self._arrive(walk, walk.hidden)
        for _ in range(steps):
            if len(walk.cells) > LIMITS.plain_cells:
                return Reason.MEMORY
            if mode.symbol_weights is not None and walk.head not in walk.cells:
                drawn = self._draw(walk, mode, mode.symbol_weights)
                if drawn == NONE:
                    return Reason.UNSURE
                walk.cells[walk.head] = drawn
            ended = self._step(walk, mode)
            if ended:
                return ended
        return Outcome.BUDGET

    def _step(self, walk: _Walk, mode: RunMode) -> End | None:
        """One step; how the run ended, if it did."""
        symbol = walk.cells.get(walk.head, self.place[BLANK])
        choice = self._asked(walk, symbol, mode)
        rule = self.rules[walk.state, symbol] if mode.ruled else None
        if choice.write == STUCK_HERE:
            self._note(walk.at, None, symbol, choice)
            return Outcome.STUCK if rule is None or rule["write"] == STUCK_HERE else Reason.DIFFERS
        if choice.ending:
            return choice.ending
        ended: End | None = None
        if rule is not None:
            ended = None if (rule["write"], rule["move"]) == (choice.write, choice.move) else Reason.DIFFERS
            walk.state = int(rule["next"])
        self.steps += 1
        self.gain = max(self.gain, choice.top / walk.length)
        before, move = walk.at, self.dfst.moves[choice.move]
        idle = choice.write == symbol and move == "S"
        if not idle:
            self._arrive(walk, self.said(walk.hidden, symbol)[1])
        self._note(before, None if idle else walk.at, symbol, choice)
        if self.filled and all(codebook.full for codebook in self.filled):
            return Reason.FULL
        dx, dy = DELTAS[MOVES.index(move)]
        walk.cells[walk.head] = choice.write
        walk.head = (walk.head[0] + dx, walk.head[1] + dy)
        return ended or (Outcome.HALTED if idle else None)

    def _note(self, before: list[int], after: list[int] | None, symbol: int, choice: _Choice) -> None:
        """Keeps an edge of each codebook; without points after it, it leads nowhere."""
        for i, codebook in enumerate(self.filled):
            if not codebook.full:
                codebook.note(before[i], after[i] if after else NONE, symbol, choice)

    def _arrive(self, walk: _Walk, hidden: Floats) -> None:
        """Keeps the length near one, by a power of two, which changes no digit; then finds the points.

        A network is not free of scale: its vectors stay as they are.
        """
        walk.hidden, unit = hidden, self.dfst.point(hidden)
        if unit is None:
            unit = self._scaled(walk, hidden)
        walk.at = [NONE if codebook.full else codebook.point_of(unit) for codebook in self.filled]

    def _scaled(self, walk: _Walk, hidden: Floats) -> Floats:
        """The direction of a vector, which is kept with a length near one."""
        length = float(np.linalg.norm(hidden))
        if 0 < length < np.inf and not 0.5 <= length <= 2:
            hidden = np.ldexp(hidden, -int(np.frexp(length)[1])).astype(np.float32)
        walk.length = float(np.linalg.norm(hidden))
        walk.hidden = hidden
        return hidden / np.float32(walk.length) if walk.length > 0 else hidden

    def _asked(self, walk: _Walk, symbol: int, mode: RunMode) -> _Choice:
        """What the model does on a symbol; where it decides nothing, that is kept.

        Where the rules are stuck it is not asked.
        """
        if mode.ruled and self.rules[walk.state, symbol]["write"] == NONE:
            return _Choice(NONE, ending=Reason.UNSURE)
        with np.errstate(all="ignore"):
            out = self.said(walk.hidden, symbol)[0]
        choice = self._judged(out)
        faint = choice.top < FAINT * self.gain * walk.length
        if not choice.ending and mode.doubt < np.inf and (faint or choice.noise > mode.doubt):
            choice = _Choice(UNDECIDED, ending=Reason.UNSURE)
        if choice.write == UNDECIDED:
            self._note(walk.at, None, symbol, choice)
        return choice

    def _judged(self, out: Floats) -> _Choice:
        """What outputs say, and how clearly.

        Nothing positive is an answer of a strict model: its largest output leads zero, or is led by it.
        """
        strict, symbols = self.dfst.strict, len(self.place)
        decision = decide(out, symbols, strict)
        clear = float(abs(out.max()) / np.abs(out).max()) if strict and out.any() else np.inf
        if decision is None:
            stuck_here = strict and np.isfinite(out).all()
            return _Choice(STUCK_HERE, STUCK_HERE, clear, ending=Outcome.STUCK) if stuck_here else UNCLEAR
        parts = out[:symbols], out[symbols:]
        tops = [float(part[at]) for part, at in zip(parts, decision, strict=True)]
        others = [np.delete(part, at) for part, at in zip(parts, decision, strict=True)]
        leads = [
            (top - float(rest.max())) / abs(top) if len(rest) and top else np.inf
            for top, rest in zip(tops, others, strict=True)
        ]
        noise = max(abs(tops[0] - tops[1]), *(float(np.abs(rest).max(initial=0)) for rest in others))
        least = min(tops)
        return _Choice(*decision, min(*leads, clear), noise / least if least > 0 else np.inf, max(tops))

    def _draw(self, walk: _Walk, mode: RunMode, preferred: Floats) -> int:
        """A symbol for an unseen cell; -1 if none is possible."""
        asked = {symbol: self._asked(walk, symbol, mode) for symbol in range(len(self.place))}
        possible = {x: choice for x, choice in asked.items() if choice.write not in (NONE, UNDECIDED)}
        if not possible:
            return NONE
        coarse = max((i for i, codebook in enumerate(self.filled) if not codebook.full), default=0)
        codebook, at = self.filled[coarse], walk.at[coarse]
        weights = [
            (SELDOM if choice.write == STUCK_HERE else 1.0) * float(preferred[x]) / (1 + codebook.uses(at, x))
            for x, choice in possible.items()
        ]
        return self.random.choices(list(possible), weights if any(weights) else None)[0]
