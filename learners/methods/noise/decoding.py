"""Decoding: what most likely happened in noisy traces if a table is the agent's, by a search over worlds.

A hypothesis is a run on a world that is made up as it goes: a cell that was visited holds what was last
written there, and any other may hold any symbol. The table goes on from what a hypothesis reads, not from
what was recorded. Each read, write or move that is not the recorded one costs what noise of its rate costs,
so a lie is found by what comes before and after. It is done in C; the tests hold the definition in Python,
which is a hundred times slower, too slow for any use.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from compiler.simulation.native.c_library import CLibrary
from gridlang.diagnostics import fail
from gridlang.table import Table
from learners.methods.noise.accounts import Accounts, Costs, Doubles
from learners.methods.noise.corruption import Rates
from learners.methods.noise.limits import LIMITS
from learners.traces.dataset import Traces

LIBRARY = CLibrary(Path(__file__).parent / "decoder.c", "-O2", "-lm")
NATS = ("familiar", "dropped", "untimely", "deviate", "jump", "unruled")
TABLES = ("write", "move", "next")
PAIRS = ("reads", "writes", "moves")


def refuse_without_compiler() -> None:
    """GridError where noisy traces cannot be decoded."""
    if not LIBRARY.builds():
        hint = "install one, such as gcc or clang, or name it in $CC"
        raise fail("G122", "noisy traces are decoded in C, and there is no C compiler", hint)


def decode(table: Table, traces: Traces, rates: Rates, read: Doubles | None = None) -> Accounts:
    """The accounts of all traces; `read` counts what cells hold, as accounts do, None for nothing known."""
    refuse_without_compiler()
    accounts = Accounts.empty(traces, len(table.states))
    decode_rows(Costs.of(table, rates, accounts.read if read is None else read), traces, accounts)
    return accounts


def decode_rows(costs: Costs, traces: Traces, accounts: Accounts) -> None:
    """Fills in the accounts of all traces."""
    machine = LIBRARY.structs["Machine"](
        symbols=costs.write.shape[1],
        states=len(costs.write),
        width=costs.width,
        **{name: getattr(costs, name) for name in (*NATS, *PAIRS)},
        **{name: np.ascontiguousarray(getattr(costs, name), np.int32) for name in TABLES},
        reading=np.ascontiguousarray(costs.reading, np.float64),
    )
    seen = (np.ascontiguousarray(getattr(traces, name), np.int16) for name in "xsm")
    records = LIBRARY.structs["Records"](traces.x.shape[1], *seen)
    account = LIBRARY.structs["Account"](*(getattr(accounts, name) for name in Accounts.ARRAYS))
    length = np.ascontiguousarray(traces.length, np.int32)
    halted = np.array([ending == "halted" for ending in traces.ending], np.int32)
    for first in range(0, len(traces), LIMITS.rows):
        end = min(first + LIMITS.rows, len(traces))
        if not LIBRARY.decoder_decode(machine, records, length, halted, first, end, account):
            raise MemoryError("there is no memory to decode these traces")
