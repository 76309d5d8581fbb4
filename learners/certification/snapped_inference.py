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
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.closed_loop import Decision, decide
from compiler.dfst import Dfst, Floats, read_dfst, symbols_of
from compiler.simulate import BUDGET, HALTED, STUCK, Action, Run
from compiler.state_merging import MealyGraph
from gridlang.diagnostics import GridError, fail
from gridlang.program import Program
from gridlang.table import BLANK, DELTAS, MOVES, Table
from gridlang.world import World
from learners.extraction.clusters import SEPARATE, Clusters
from learners.extraction.explorer import FAINT, NONE, rules_for
from learners.extraction.extract import Extraction, extract
from learners.extraction.refusals import LEAST_MARGIN

# The reach of a centre, in tolerances, is half of how far clusters are apart: two never reach a vector, (23).
REACH = SEPARATE / 2
# Engines round distances of unit vectors by some 1e-5: what is nearer than this to a border is left out.
ENGINES = 2e-5
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


def snapped_clusters(dfst: Dfst, clusters: Clusters) -> Clusters:
    """The clusters whose graph is what snapped inference does, whether or not a run has shown it.

    No rule is a guess: each is the product that (24) checks. A centre that is not sure on a symbol, or whose
    step leads out of the codebook or between two states, gets none. States that are then out of reach are
    left out, with their points.
    """
    points, home = clusters.codebook.centres, clusters.home
    centres, reach = points[clusters.firsts], REACH * clusters.codebook.tolerance
    actions = [_sure_actions(dfst, centres, symbol) for symbol in range(len(dfst.symbols))]
    seen = clusters.graph.write >= 0
    tops = np.array([action.top for action in actions]).T  # (states, symbols)
    sure = (tops > FAINT * tops.max(initial=0.0, where=seen)) & np.array([a.sure for a in actions]).T
    write, move, after = (np.full(seen.shape, NONE, np.int32) for _ in range(3))
    stay = dfst.moves.index("S") if "S" in dfst.moves else NONE
    for symbol, action in enumerate(actions):
        following = _following(centres @ dfst.A[symbol].T, points, home, reach)
        idle = (action.write == symbol) & (action.move == stay)
        known = sure[:, symbol] & (idle | (following >= 0))
        write[known, symbol], move[known, symbol] = action.write[known], action.move[known]
        after[known & ~idle, symbol] = following[known & ~idle]
    return _reachable(clusters, MealyGraph(write, move, after))


class _Actions(NamedTuple):
    """What each centre does on a symbol: its outputs, the smaller of both that win, and if they lead."""

    write: npt.NDArray[np.int64]
    move: npt.NDArray[np.int64]
    top: Floats
    sure: npt.NDArray[np.bool_]


def _sure_actions(dfst: Dfst, centres: Floats, symbol: int) -> _Actions:
    outputs = [centres @ tensor[symbol].T for tensor in (dfst.B, dfst.C)]  # (states, writes), (states, moves)
    tops = [part.max(1) for part in outputs]
    leads = np.ones(len(centres), np.bool_)
    for part, top in zip(outputs, tops, strict=True):
        if part.shape[1] > 1:
            second = np.partition(part, -2, axis=1)[:, -2]
            leads &= top - second >= LEAST_MARGIN * np.abs(top)
    top = np.minimum(*tops)
    return _Actions(outputs[0].argmax(1), outputs[1].argmax(1), top, leads & (top > 0))


def _following(
    vectors: Floats, points: Floats, home: npt.NDArray[np.int64], reach: float
) -> npt.NDArray[np.int64]:
    """The states that vectors snap to on every engine, (26); -1 where there is none."""
    lengths = np.linalg.norm(vectors, axis=1)
    finite = (lengths > 0) & np.isfinite(lengths)
    directions = (
        np.where(finite[:, None], vectors, 0).astype(np.float64) / np.where(finite, lengths, 1)[:, None]
    )
    distances = np.sqrt(np.maximum(2 - 2 * directions @ points.T.astype(np.float64), 0))
    nearest = distances.argmin(1)
    near = distances[np.arange(len(vectors)), nearest]
    other = np.where(home[None] == home[nearest][:, None], np.inf, distances).min(1, initial=np.inf)
    clear = finite & (near + ENGINES <= reach) & (other - near >= ENGINES)
    return np.where(clear, home[nearest], NONE)


def _reachable(clusters: Clusters, graph: MealyGraph) -> Clusters:
    """The part of a graph that its start leads to, with the points of these states alone."""
    order, known = [0], {0}
    for state in order:
        fresh = sorted({after for after in graph.next[state].tolist() if after >= 0} - known)
        order += fresh
        known |= set(fresh)
    kept = np.array(sorted(known))
    place = np.full(graph.size + 1, NONE)  # The last place is that of -1.
    place[kept] = np.arange(len(kept))
    book, mine = clusters.codebook, np.isin(clusters.home, kept)
    number = np.append(np.where(mine, np.cumsum(mine) - 1, NONE), NONE)
    edges = book.edges[mine[book.edges["point"]]].copy()
    edges["point"], edges["next"] = number[edges["point"]], number[edges["next"]]
    return replace(
        clusters,
        codebook=replace(book, centres=book.centres[mine], radius=book.radius[mine], edges=edges),
        graph=MealyGraph(graph.write[kept], graph.move[kept], place[graph.next[kept]].astype(np.int32)),
        home=place[clusters.home[mine]],
        undecided=clusters.undecided[kept] & (graph.write[kept] < 0),
    )


def decided(dfst: Dfst, hidden: Floats, symbol: int) -> Decision | None:
    """What the model does with a hidden vector on a symbol; None where it is stuck."""
    outputs = np.concatenate([dfst.B[symbol] @ hidden, dfst.C[symbol] @ hidden])
    return decide(outputs, len(dfst.symbols), dfst.strict)


def _not_closed(book: StateCodebook, state: int, symbol: int, why: str, file: str) -> GridError:
    where = f"in `{book.table.states[state]}` on `{book.table.symbols[symbol]}`"
    hint = "train longer; `gridlang run` without --snap runs the weights as they are"
    return fail("G154", f"this model cannot be snapped: {where} {why}", hint, file)


def run_snapped(
    dfst: Dfst, book: StateCodebook, world: World, steps: int = 10_000_000, *, trace: bool = False
) -> Run:
    """A snapped run with all its float32 products, step by step: slow, and what (25) is about."""
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
    book = codebook_of(extract(dfst, progress=progress), file)
    return Program(snapped_table(dfst, book, file), file)


def as_snapped_run(done: Run) -> Run:
    """A run of the table as a run of the snapped model: where it is stuck, it has left its codebook."""
    return replace(done, reason=NEVER_SEEN.format(done.symbol)) if done.outcome == STUCK else done
