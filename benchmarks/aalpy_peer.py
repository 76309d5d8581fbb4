"""AALpy's state merging on our traces, as a peer of ours; `pip install aalpy`."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

from gridlang.compiler.traces.dataset import Traces
from gridlang.table import STAY, Entry, Table, canonical

PEERS = ("AALpy EDSM", "AALpy RPNI")


def aalpy_table(learner: str, traces: Traces) -> tuple[Table, float]:
    """The table that AALpy makes of traces, and its seconds; these are handed to it as inputs and outputs."""
    data = [_pairs(traces, row) for row in range(len(traces))]
    begun = time.thread_time()
    machine = _aalpy(learner.removeprefix("AALpy "), data)
    return _machine_table(machine, traces), time.thread_time() - begun


def _pairs(traces: Traces, row: int) -> list[tuple[int, str]]:
    """A trace as inputs and outputs; they are texts where the agent is stuck, too."""
    steps = range(traces.length[row])
    return [(int(traces.x[row, t]), f"{traces.s[row, t]} {traces.m[row, t]}") for t in steps]


def _aalpy(algorithm: str, data: list[list[tuple[int, str]]]) -> Any:
    """AALpy's merging of these traces. Its own EDSM takes labelled sequences only: the score is that one."""
    from aalpy.learning_algs.general_passive.GeneralizedStateMerging import run_GSM
    from aalpy.learning_algs.general_passive.GsmNode import GsmNode, unknown_output
    from aalpy.learning_algs.general_passive.ScoreFunctionsGSM import SimpleScoreCalculation

    def evidence(partition: dict[Any, Any]) -> int:
        contributing: dict[Any, list[Any]] = defaultdict(list)
        for original, resulting in partition.items():
            contributing[resulting].append(original)
        known = (node for node in contributing if node.get_prefix_output() is not unknown_output)
        return sum(
            sum(each.get_prefix_output() is not unknown_output for each in contributing[node]) - 1
            for node in known
        )

    scores = [evidence] if algorithm == "EDSM" else []
    return run_GSM(
        data,
        output_behavior="mealy",
        transition_behavior="deterministic",
        score_calc=SimpleScoreCalculation(GsmNode.deterministic_compatible, *scores),
        data_format="io_traces",
    )


def _machine_table(machine: Any, traces: Traces) -> Table:
    """AALpy's machine as a table, the start first."""
    states = [machine.initial_state, *(s for s in machine.states if s is not machine.initial_state)]
    numbers = {id(state): number for number, state in enumerate(states)}

    def entry(number: int, symbol: int) -> Entry | None:
        output = states[number].output_fun.get(symbol)
        write, move = map(int, output.split()) if output is not None else (-1, -1)
        if write < 0:
            return None
        idle = write == symbol and move == STAY
        return Entry(write, move, number if idle else numbers[id(states[number].transitions[symbol])])

    rows = tuple(tuple(entry(q, x) for x in range(len(traces.symbols))) for q in range(len(states)))
    names = tuple(f"q{number}" for number in range(len(states)))
    return canonical(Table(traces.name, traces.symbols, names, rows, traces.classes, traces.input))
