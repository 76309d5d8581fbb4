"""Snapped inference: after each step the hidden vector is replaced by the centre of its cluster.

Let b(p) be the centre of state p, a unit vector that exploration came to, and τ the tolerance of exploration.

(23) Snapping. A vector h snaps to the state p whose centre is nearest to h / |h|, if that is within the reach
     of p; else it has left the codebook. The reach of p is 2 τ, or less: as far as the decisions of p hold
     (`decision_radii`). So snapping overrules no decision: h decides as b(p) does.
(24) Checks. h₀ snaps to state 0. For each state p and symbol that the raw table has an entry for, the float32
     outputs at b(p) decide as the entry says, and, unless that halts, A b(p) snaps to the state it leads to.
(25) Theorem. The snapped model does what the raw table does, at every length. By induction: after t steps its
     vector is b(p), p the state of the table, since (24) has done the one product that the next step does.
     Where the table has no entry, both are stuck.
(26) Any engine. (24) is checked with the products of one engine. In d dimensions the product M b of another,
     in any order of summation, fused or not, also where tiny numbers are flushed to zero, is off by
         e = γ abs M abs b + 4 d (1 + m) 2⁻¹²⁶,  γ = d 2⁻²⁴ / (1 - d 2⁻²⁴),  m the largest weight,
     number by number. An output leads every other on every engine if it does by more than both errors:
         lead = o - e of the output taken, less the largest o + e of any other, is positive.
     A b, off by |e|, gives a direction that is off by 2 |e| / |A b|, and measuring distances in float32 adds
     less than (d + 16) 2⁻²³. With δ the sum of these, near the distance to the centre of the next state, far
     that to any other, all engines snap alike if
         within = reach - (near + δ) ≥ 0  and  apart = (far - δ) - (near + δ) > 0.
     `compiler.tensors.snapping` finds the least of each over all rules: it is recorded, and found again.

There are finitely many pairs of a centre and a symbol, so (24) is done once, and from then on the snapped
model is run as a table. What was never seen is an error and never a guess: the model is stuck, and says so.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.compiler.extraction.clusters import expert_graph
from gridlang.compiler.extraction.extract import Extraction
from gridlang.compiler.extraction.snapped_graph import REACH, SAID, decision_radii
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.simulation.simulate import Run
from gridlang.compiler.tensors.closed_loop import Decision, decide
from gridlang.compiler.tensors.dfst import Dfst, Floats
from gridlang.compiler.tensors.model import symbols_of
from gridlang.compiler.tensors.snapping import FORMAT, check_snapping
from gridlang.compiler.tensors.stray import Stray
from gridlang.diagnostics import Diagnostic, GridError, fail
from gridlang.outcomes import Outcome, Reason
from gridlang.table import Table

Doubles = npt.NDArray[np.float64]


class CannotSnap(GridError):
    """A codebook is not closed under the steps of its model; `why` ends a sentence."""

    def __init__(self, why: str, hint: str = "", file: str = "") -> None:
        super().__init__(
            [Diagnostic("G154", f"this model cannot be snapped: {why}", None, hint=hint, file=file)]
        )
        self.why = why


@dataclass(frozen=True, slots=True, eq=False)
class StateCodebook:
    """The centre of each state of a raw table, and how far from it vectors snap to it."""

    table: Table
    centre: Floats  # (states, d), of length one: what a vector is replaced by
    reach: Doubles  # (states,)


def codebook(dfst: Dfst, table: Table, centres: Floats, tolerance: float) -> StateCodebook:
    """The codebook of a table with these centres: none reaches farther than its decisions hold."""
    symbols = symbols_of(dfst)
    ruled = np.zeros((len(table.states), len(symbols)), np.bool_)
    for state, number, _ in table.entries():
        ruled[state, symbols.index(table.symbols[number])] = True
    held = decision_radii(dfst, centres).min(1, initial=np.inf, where=ruled)
    return StateCodebook(table, centres, np.minimum(REACH * tolerance, held))


def codebook_of(dfst: Dfst, extraction: Extraction, file: str = "") -> StateCodebook:
    """The codebook of an extraction; GridError if it was refused."""
    if extraction.raw is None:
        assert extraction.refusal is not None
        code, reason, hint = extraction.refusal
        raise fail(code, f"refused: {reason}", hint, file)
    return codebook(dfst, extraction.raw, extraction.centres, extraction.tolerance)


def state_of(book: StateCodebook, hidden: Floats) -> int | None:
    """The state that a hidden vector snaps to; None if it has left the codebook: (23)."""
    nearest, near = nearest_centre(book, hidden)
    return nearest if near <= book.reach[nearest] else None


def nearest_centre(book: StateCodebook, hidden: Floats) -> tuple[int, float]:
    """The state whose centre is nearest, and its distance; infinity from what has no direction."""
    length = np.float32(np.linalg.norm(hidden))
    if not 0 < length < np.inf:
        return 0, np.inf
    distances = np.sqrt(np.square(book.centre - hidden / length).sum(1))
    return int(distances.argmin()), float(distances.min())


def snapped_table(dfst: Dfst, book: StateCodebook, file: str = "") -> Table:
    """The table that the snapped model provably is, at every length, by (25); GridError if (24) fails."""
    if state_of(book, dfst.h0) != 0:
        raise CannotSnap("its first vector is near no centre", file=file)
    rules, symbols = expert_graph(dfst, book.table), symbols_of(dfst)
    for state, number, entry in book.table.entries():
        symbol = symbols.index(book.table.symbols[number])
        rule = rules.write[state, symbol], rules.move[state, symbol]
        if decided(dfst, book.centre[state], symbol) != rule:
            raise _not_closed(book, state, number, "another output leads at the centre", file)
        if book.table.is_halt(state, number):
            continue
        nearest, near = nearest_centre(book, dfst.A[symbol] @ book.centre[state])
        if nearest != entry.next:
            raise _not_closed(book, state, number, "the step leads to another centre", file)
        if not near <= book.reach[nearest]:
            why = f"the step leads {near:.2g} beside a centre that reaches {book.reach[nearest]:.2g}"
            raise _not_closed(book, state, number, why, file)
    return book.table


def decided(dfst: Dfst, hidden: Floats, symbol: int) -> Decision | None:
    """What the model does with a hidden vector on a symbol; None where it is stuck."""
    outputs = np.concatenate([dfst.B[symbol] @ hidden, dfst.C[symbol] @ hidden])
    return decide(outputs, len(dfst.symbols), dfst.strict)


def _not_closed(book: StateCodebook, state: int, symbol: int, why: str, file: str) -> CannotSnap:
    where = f"in `{book.table.states[state]}` on `{book.table.symbols[symbol]}`"
    hint = "train longer; `gridlang run` without --snap runs the weights as they are"
    return CannotSnap(f"{where} {why}", hint, file)


def as_snapped_run(done: Run) -> Run:
    """A run of the table as a run of the snapped model: where it is stuck, it has left its codebook."""
    return replace(done, reason=Reason.OFF_CODEBOOK) if done.outcome == Outcome.STUCK else done


def snapping_of(dfst: Dfst, book: StateCodebook) -> tuple[dict[str, Any], Stray] | None:
    """The codebook with its margins for a certificate, and how far vectors may stray from it.

    None where the checker of certificates refuses it: it is not closed, or engines may not agree.
    """
    snapping = {
        "format": FORMAT,
        "dimensions": len(dfst.h0),
        "centres": base64.b64encode(np.ascontiguousarray(book.centre, "<f4").tobytes()).decode(),
        "reach": [value.hex() for value in book.reach.tolist()],
        "margins": dict.fromkeys(("lead", "within", "apart"), (0.0).hex()),
    }
    checked = check_snapping({"table": certified_table(book.table), "snapping": snapping}, dfst)
    if checked.stray is None:
        return None
    margins = {name: float(SAID * value).hex() for name, value in checked.margins.items()}
    return {**snapping, "margins": margins}, checked.stray


def why_not_snapped(dfst: Dfst, book: StateCodebook) -> str:
    """Why there is no `snapping_of` weights, as the end of a sentence."""
    try:
        snapped_table(dfst, book)
    except CannotSnap as error:
        return error.why
    return "engines may not agree"
