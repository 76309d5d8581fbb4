"""Traces as logs that others read, in CSV or JSON lines; reading them again gives the same steps."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from gridlang.table import BLANK, MOVES
from learners.traces.dataset import Traces, traces_to_bytes
from learners.traces.logs.log_to_traces import walk_over_words


def traces_to_file(traces: Traces, path: str) -> bytes:
    """The content of a file with this name: CSV, JSON lines, or else an `.npz` archive."""
    if path.endswith(".csv"):
        return traces_to_csv(traces).encode()
    return traces_to_jsonl(traces).encode() if path.endswith(".jsonl") else traces_to_bytes(traces)


def traces_to_csv(traces: Traces) -> str:
    """One step a line: trace, read, write, move, and in the last line of a trace its ending."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    is_mealy = walk_over_words(traces)
    rows.writerow(("trace", "input", "output") if is_mealy else ("trace", "read", "write", "move", "ending"))
    for number, (steps, ending) in enumerate(_told(traces), 1):
        for at, step in enumerate(steps, 1):
            rows.writerow(
                (number, *step) if is_mealy else (number, *step, ending if at == len(steps) else "")
            )
    return text.getvalue()


def traces_to_jsonl(traces: Traces) -> str:
    """One trace a line."""
    lines = ({"trace": steps} | ({"ending": ending} if ending else {}) for steps, ending in _told(traces))
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def _told(traces: Traces) -> Iterator[tuple[list[list[str]], str]]:
    """The steps of each trace in its labels, and how it ends.

    Of a Mealy machine these are the inputs and outputs alone: the halt behind a word, which nobody logged,
    the empty word and the ending are left out.
    """
    is_mealy = walk_over_words(traces)
    labels = [BLANK, *(traces.labels or traces.symbols[1:])]
    for row, ending in enumerate(traces.ending):
        columns = (rows[row, : traces.length[row]].tolist() for rows in (traces.x, traces.s, traces.m))
        steps = [
            [labels[x], labels[s], MOVES[m]] if m >= 0 else [labels[x], "", ""]
            for x, s, m in zip(*columns, strict=True)
        ]
        if not is_mealy:
            yield steps, ending
        elif len(steps) > 1:
            yield [step[:2] for step in steps[:-1]], ""
