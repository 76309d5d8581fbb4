"""Snapped inference: after each step the hidden vector is replaced by the centre of its cluster.

Let b(p) be the centre of state p, and points(p) the unit vectors that exploration gathered there. τ is the
tolerance of the exploration; points of states that behave differently are 4 τ apart at least.

(23) Snapping. A vector h snaps to the state p of the point nearest to h / |h|, if that is within 2 τ; else it
     has left the codebook. It is then no nearer than 2 τ to any state that behaves differently.
(24) Checks. h₀ snaps to state 0. For each state p and symbol that the raw table has an entry for, the float32
     outputs at b(p) decide as the entry says, and, unless that halts, A b(p) snaps to the state it leads to.
(25) Theorem. The snapped model does what the raw table does, at every length. By induction: after t steps its
     vector is b(p), p the state of the table, since (24) has done the one product that the next step does.
     Where the table has no entry, both are stuck.

There are finitely many pairs of a centre and a symbol, so (24) is done once, and from then on the snapped
model is run as a table. What was never seen is an error and never a guess: the model is stuck, and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from compiler.simulation.simulate import STUCK, Run
from compiler.tensors.closed_loop import Decision, decide
from compiler.tensors.dfst import Dfst, Floats, read_dfst
from compiler.tensors.model import symbols_of
from gridlang.diagnostics import GridError, fail
from gridlang.program import Program
from gridlang.table import Table
from learners.extraction.explorer import rules_for
from learners.extraction.extract import Extraction, extract
from learners.extraction.snapped_graph import REACH

NEVER_SEEN = "it leaves its codebook: on `{}` it was never seen here"


@dataclass(frozen=True, slots=True, eq=False)
class StateCodebook:
    """The centre of each state of a raw table, and all points that belong to one."""

    table: Table
    centre: Floats  # (states, d): what a vector is replaced by
    points: Floats  # (points, d), of length one
    home: npt.NDArray[np.int64]  # (points,): the state of each
    reach: float  # A vector farther than this from all points has left the codebook.


def codebook_of(extraction: Extraction, file: str = "") -> StateCodebook:
    """The codebook of an extraction, a state's first point its centre; GridError if it was refused."""
    raw, points, home = extraction.raw, extraction.centres, extraction.home
    if raw is None:
        assert extraction.refusal is not None
        code, reason, hint = extraction.refusal
        raise fail(code, f"refused: {reason}", hint, file)
    firsts = [int(np.argmax(home == state)) for state in range(len(raw.states))]
    return StateCodebook(raw, points[firsts], points, home, REACH * extraction.tolerance)


def state_of(book: StateCodebook, hidden: Floats) -> int | None:
    """The state that a hidden vector snaps to; None if it has left the codebook: (23)."""
    length = np.float32(np.linalg.norm(hidden))
    if not 0 < length < np.inf:
        return None
    distances = np.sqrt(np.square(book.points - hidden / length).sum(1))
    nearest = int(distances.argmin())
    return int(book.home[nearest]) if distances[nearest] <= book.reach else None


def snapped_table(dfst: Dfst, book: StateCodebook, file: str = "") -> Table:
    """The table that the snapped model provably is, at every length, by (25); GridError if (24) fails."""
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
    outputs = np.concatenate([dfst.B[symbol] @ hidden, dfst.C[symbol] @ hidden])
    return decide(outputs, len(dfst.symbols), dfst.strict)


def _not_closed(book: StateCodebook, state: int, symbol: int, why: str, file: str) -> GridError:
    where = f"in `{book.table.states[state]}` on `{book.table.symbols[symbol]}`"
    hint = "train longer; `gridlang run` without --snap runs the weights as they are"
    return fail("G154", f"this model cannot be snapped: {where} {why}", hint, file)


def snapped_program(file: str, progress: Callable[[int], None] = lambda _: None) -> Program:
    """The table that the model in a file is once its vectors are snapped, checked pair by pair."""
    dfst = read_dfst(file)
    book = codebook_of(extract(dfst, progress=progress), file)
    return Program(snapped_table(dfst, book, file), file)


def as_snapped_run(done: Run) -> Run:
    """A run of the table as a run of the snapped model: where it is stuck, it has left its codebook."""
    return replace(done, reason=NEVER_SEEN.format(done.symbol)) if done.outcome == STUCK else done
