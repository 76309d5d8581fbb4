"""The SAT solver: python-sat, asked in slices, so that a time limit stops it."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import Any

from gridlang.diagnostics import fail
from learners.methods.smallest.limits import LIMITS

SOLVER = "glucose4"  # It refutes colourings twice as fast as CaDiCaL, and takes more clauses on its way.


class OutOfTime(Exception):
    """The time is over, and nothing is known."""


def new_solver(*, with_proof: bool = False) -> Any:
    """A solver without clauses, to be used in a `with`; GridError where python-sat is missing."""
    if find_spec("pysat") is None:
        hint = "install it with `pip install python-sat`, or `pip install 'gridlang[sat]'`"
        raise fail("G205", "the smallest machine is found with python-sat, which is not here", hint)
    from pysat.solvers import Solver

    return Solver(name=SOLVER, with_proof=with_proof)


def can_be_met(solver: Any, until: float, most_conflicts: int) -> bool | None:
    """Whether the clauses can be met; None after `most_conflicts`, OutOfTime once `until` has passed."""
    for _ in range(0, most_conflicts, LIMITS.conflicts_per_look):
        if time.monotonic() > until:
            raise OutOfTime
        solver.conf_budget(LIMITS.conflicts_per_look)
        answer: bool | None = solver.solve_limited()
        if answer is not None:
            return answer
    return None
