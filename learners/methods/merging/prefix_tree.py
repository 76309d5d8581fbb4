"""`PrefixTree`: all traces as one tree, which state merging starts from.

A node stands for all that was read up to it. What follows of an idle step is the node itself, and nothing
follows where the agent is stuck, so that these edges lead nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gridlang.diagnostics import fail
from gridlang.table import MOVES, STAY
from learners.traces.dataset import Traces

NOWHERE = -1  # It is the target of an edge that halts, or where the agent is stuck.
STUCK = -1  # It is the action of an agent that has no rule.

Integers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class PrefixTree:
    """The edges, breadth first and by symbol; edge i leads from its source to node i + 1, or nowhere.

    The root is node 0. `action` is the symbol written times the number of moves plus the move, or STUCK.
    """

    symbols: int
    source: Integers
    symbol: Integers
    action: Integers
    target: Integers

    @property
    def nodes(self) -> int:
        """The root, and one for each edge; those after an edge that leads nowhere are not used."""
        return len(self.source) + 1


def prefix_tree(traces: Traces) -> PrefixTree:
    """The tree of all traces; GridError where two of them read the same and act apart, or one is no run."""
    steps = int(traces.length.max())
    x, s, m = (rows[:, :steps] for rows in (traces.x, traces.s, traces.m))
    _check_endings(traces, (x == s) & (m == STAY))
    keys = np.ascontiguousarray((x + 1).astype(">u2"))
    order = np.argsort(keys.view(f"V{2 * steps}").ravel(), kind="stable")
    x = np.ascontiguousarray(x[order].T)  # (T, N)
    action = np.where(s < 0, STUCK, s.astype(np.int32) * len(MOVES) + m)[order].T
    inside = x >= 0
    alike = np.zeros_like(inside)
    alike[:, 1:] = np.logical_and.accumulate((x[:, 1:] == x[:, :-1]) & inside[:, 1:], 0)
    new = inside & ~alike
    edge = np.cumsum(new.ravel(), dtype=np.int32).reshape(new.shape) - 1  # (T, N), wrong outside
    at = np.nonzero(new)
    actions = action[at].astype(np.int32)
    _check_deterministic(traces, order, np.where(inside, action != actions[edge], False), edge, at)
    step, row = at
    source = np.where(step > 0, edge[step - 1, row] + 1, 0).astype(np.int32)
    symbol = x[at].astype(np.int32)
    goes = (actions != STUCK) & (actions != symbol * len(MOVES) + STAY)
    target = np.where(goes, np.arange(1, len(step) + 1), NOWHERE).astype(np.int32)
    return PrefixTree(len(traces.symbols), source, symbol, actions, target)


def _check_endings(traces: Traces, idle: npt.NDArray[np.bool_]) -> None:
    """An idle step is the halt: the last step of a trace that halted, and of no other."""
    last = np.arange(idle.shape[1]) == traces.length[:, None] - 1
    early = (idle & ~last).any(1)
    if early.any():
        row = int(early.argmax())
        step = int(idle[row].argmax())
        title = f"trace {row} goes on after it has halted: step {step} keeps its symbol and stays"
        raise fail("G203", title, "end it there, as halted")
    halted = np.array([ending == "halted" for ending in traces.ending])
    wrong = halted != (idle & last).any(1)
    if wrong.any():
        row = int(wrong.argmax())
        does, ending = ("is no idle step", "cut") if halted[row] else ("is an idle step", "halted")
        title = f"trace {row} ends {traces.ending[row]}, but its last step {does}"
        raise fail("G203", title, f"an agent halts by a step that keeps its symbol and stays; say `{ending}`")


def _check_deterministic(
    traces: Traces,
    order: npt.NDArray[np.intp],
    wrong: npt.NDArray[np.bool_],
    edge: Integers,
    at: tuple[npt.NDArray[np.intp], ...],
) -> None:
    """After the same reads one agent does the same; the earliest step at which it does not is named."""
    if not wrong.any():
        return
    step, place = (int(number) for number in np.unravel_index(int(wrong.argmax()), wrong.shape))
    first, second = sorted(int(order[row]) for row in (at[1][edge[step, place]], place))
    acts = " and ".join(_act(traces, row, step) for row in (first, second))
    raise fail(
        "G202",
        f"no agent made these traces: {first} and {second} read the same up to step {step}, and act apart",
        f"they {acts} there; merging needs traces without noise",
    )


def _act(traces: Traces, row: int, step: int) -> str:
    written, move = int(traces.s[row, step]), int(traces.m[row, step])
    return "are stuck" if written < 0 else f"write {traces.symbols[written]} and move {MOVES[move]}"
