"""Decoding: what most likely happened in noisy traces if a table is the agent's, by a search over worlds.

A hypothesis is a run on a world that is made up as it goes: a cell that was visited holds what was last
written there, and any other may hold any symbol. The table goes on from what a hypothesis reads, not from
what was recorded. Each read, write or move that is not the recorded one costs what noise of its rate costs,
so a lie is found by what comes before and after.
"""

from __future__ import annotations

from compiler.simulation.native.build import CannotBuild
from gridlang.table import Table
from learners.methods.noise import native_decoder, plain_decoder
from learners.methods.noise.accounts import Accounts, Costs, Doubles
from learners.methods.noise.corruption import Rates
from learners.traces.dataset import Traces


def decode(table: Table, traces: Traces, rates: Rates, read: Doubles | None = None) -> Accounts:
    """The accounts of all traces; `read` counts what cells hold, as accounts do, None for nothing known."""
    accounts = Accounts.empty(traces, len(table.states))
    costs = Costs.of(table, rates, accounts.read if read is None else read)
    try:
        native_decoder.decode_rows(costs, traces, accounts)
    except CannotBuild:
        plain_decoder.decode_rows(costs, traces, accounts)
    return accounts
