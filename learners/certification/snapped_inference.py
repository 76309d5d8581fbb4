"""Snapped inference: after each step the hidden vector is replaced by the centre of its cluster.

There are finitely many centres, so what a snapped model does is a finite matter: `walked` does the float32
products of every centre on every symbol that was seen there, once, and checks that they decide and lead as
the raw table says. From then on the snapped model is that table, at every length, and can be run as such.
What was never seen is an error and never a guess: the model is stuck, and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from compiler.dfst import Decision, Dfst, Floats, decide, read_dfst, symbols_of
from compiler.simulate import BUDGET, HALTED, STUCK, Action, Run
from gridlang.diagnostics import GridError, fail
from gridlang.loading import Program
from gridlang.table import BLANK, DELTAS, MOVES, Table
from gridlang.world import World
from learners.extraction.clusters import SEPARATE
from learners.extraction.explorer import rules_for
from learners.extraction.extract import Extraction, extract

REACH = SEPARATE / 2  # tolerances within which a vector belongs to a centre, and to no other cluster
NEVER_SEEN = "it leaves its codebook: on `{}` it was never seen here"


@dataclass(frozen=True, slots=True, eq=False)
class Codebook:
    """The centre of each state of a raw table, and all points that belong to one."""

    table: Table
    centre: Floats  # (states, d): what a vector is replaced by
    points: Floats  # (points, d), of length one
    home: npt.NDArray[np.int64]  # (points,): the state of each
    reach: float  # a vector that is farther than this from all points has left the codebook


def codebook_of(found: Extraction, file: str = "") -> Codebook:
    """The codebook of an extraction; GridError if it was refused."""
    if found.raw is None:
        assert found.refusal is not None
        code, reason, hint = found.refusal
        raise fail(code, f"refused: {reason}", hint, file)
    firsts = [int(np.argmax(found.home == state)) for state in range(len(found.raw.states))]
    return Codebook(found.raw, found.centres[firsts], found.centres, found.home, REACH * found.tolerance)


def state_of(book: Codebook, hidden: Floats) -> int | None:
    """The state whose cluster a hidden vector is in; None if it has left the codebook."""
    length = np.float32(np.linalg.norm(hidden))
    if not 0 < length < np.inf:
        return None
    away = np.sqrt(np.square(book.points - hidden / length).sum(1))
    best = int(away.argmin())
    return int(book.home[best]) if away[best] <= book.reach else None


def walked(dfst: Dfst, book: Codebook, file: str = "") -> Table:
    """The table that the snapped model provably is, at every length; GridError if it is none.

    The argument is by induction: after each step the hidden vector is a centre, and every pair of a centre
    and a symbol has been tried here with the same float32 products.
    """
    if state_of(book, dfst.h0) != 0:
        raise fail("G154", "this model cannot be snapped: its first vector is near no centre", file=file)
    rules, symbols = rules_for(dfst, book.table), symbols_of(dfst)
    for state, number, entry in book.table.entries():
        symbol = symbols.index(book.table.symbols[number])
        rule = rules[state, symbol]
        if decided(dfst, book.centre[state], symbol) != (rule["write"], rule["move"]):
            raise _not_closed(book, state, number, "another output leads at the centre", file)
        if book.table.is_halt(state, number):
            continue
        if state_of(book, dfst.A[symbol] @ book.centre[state]) != entry.next:
            raise _not_closed(book, state, number, "the step leads to no centre, or to another one", file)
    return book.table


def decided(dfst: Dfst, hidden: Floats, symbol: int) -> Decision | None:
    """What the model does with a hidden vector on a symbol; None where it is stuck."""
    return decide(np.concatenate([dfst.B[symbol] @ hidden, dfst.C[symbol] @ hidden]), len(dfst.symbols))


def _not_closed(book: Codebook, state: int, symbol: int, why: str, file: str) -> GridError:
    where = f"in `{book.table.states[state]}` on `{book.table.symbols[symbol]}`"
    hint = "train longer; `gridlang run` without --snap runs the weights as they are"
    return fail("G154", f"this model cannot be snapped: {where} {why}", hint, file)


def run_snapped(
    dfst: Dfst, book: Codebook, world: World, steps: int = 10_000_000, *, trace: bool = False
) -> Run:
    """A snapped run with all its float32 products, step by step: slow, and the definition."""
    symbols, names = symbols_of(dfst), book.table.symbols
    cells, (x, y), state = dict(world.cells), world.start, state_of(book, dfst.h0)
    actions: list[Action] = []
    outcome, reason, done = BUDGET, "", 0
    while done < steps:
        read = cells.get((x, y), BLANK)
        symbol = symbols.index(read)
        seen = state is not None and book.table.rows[state][names.index(read)] is not None
        choice = decided(dfst, book.centre[state], symbol) if state is not None and seen else None
        if state is None or choice is None:
            outcome, reason = STUCK, NEVER_SEEN.format(read)
            break
        done, action = done + 1, Action(read, symbols[choice[0]], dfst.moves[choice[1]])
        actions.append(action)
        cells[x, y] = action.write
        dx, dy = DELTAS[MOVES.index(action.move)]
        x, y = x + dx, y + dy
        if action.write == read and action.move == "S":
            outcome = HALTED
            break
        state = state_of(book, dfst.A[symbol] @ book.centre[state])
    name = "" if state is None else book.table.states[state]
    left = World({cell: symbol for cell, symbol in cells.items() if symbol != BLANK}, (x, y))
    under = cells.get((x, y), BLANK)
    return Run(outcome, done, name, (x, y), under, left, tuple(actions) if trace else None, None, reason)


def snapped_program(file: str, progress: Callable[[int], None] = lambda _: None) -> Program:
    """The table that the model in a file is once its vectors are snapped, checked pair by pair."""
    dfst = read_dfst(file)
    return Program(walked(dfst, codebook_of(extract(dfst, progress=progress), file), file), file)


def told(done: Run) -> Run:
    """A run of the table as a run of the snapped model: where it is stuck, it has left its codebook."""
    return replace(done, reason=NEVER_SEEN.format(done.symbol)) if done.outcome == STUCK else done
