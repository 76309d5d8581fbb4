"""Logs of any format, known by their ending or by how they begin; formats are registered here."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gridlang.compiler.traces.dataset import Traces, traces_to_bytes
from gridlang.diagnostics import Diagnostic, Label, counted, fail
from gridlang.file_kinds import FileFormat, format_of
from gridlang.files import read_bytes, source_of
from gridlang.learners.traces.limits import LIMITS
from gridlang.learners.traces.logs.log_to_traces import ObservedLog, line_span, log_to_traces, walk_over_words
from gridlang.source import Source, Span
from gridlang.table import BLANK, MOVES


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


PICKLES = (b"\x80", b"(lp", b"(dp", b"ccopy_reg")  # how files of `pickle` begin
LOG_FORMATS: dict[str, FileFormat[ObservedLog]] = {
    "csv": FileFormat(
        "gridlang.learners.traces.logs.csv_log",
        (".csv", ".tsv"),
        re.compile(r"(\s*#.*\n|\s*\n)*[^\n]*[A-Za-z_ ]+[,;\t]"),
        "CSV: a header, then one step a line",
    ),
    "aalpy": FileFormat(
        "gridlang.learners.traces.logs.aalpy_data",
        (".io",),
        re.compile(r"\s*[\[(]|[^\n]*\S/\S"),
        "AALpy's data: a list of runs, or lines of input/output",
    ),
    "abbadingo": FileFormat(
        "gridlang.learners.traces.logs.abbadingo",
        (".abbadingo", ".abb", ".dat"),
        re.compile(r"\s*\d+[ \t]+\d+[ \t]*\n"),
        "labelled words, as in the Abbadingo competition",
    ),
    "jsonl": FileFormat(
        "gridlang.learners.traces.logs.jsonl_log",
        (".jsonl", ".ndjson"),
        re.compile(r"\s*\{"),
        "JSON lines: one run, or one step, a line",
    ),
}
ENDINGS = tuple(ending for known in LOG_FORMATS.values() for ending in known.endings)
UNSURE = (".json", ".txt", ".log", ".pickle", ".pkl")  # formats told by how the text begins


class Place(NamedTuple):
    """A step of a trace, both counted from 0."""

    trace: int
    step: int


class ReadLog(NamedTuple):
    """The traces of a log, and what is to be said about it: warnings, with their places, and notes."""

    traces: Traces
    warnings: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()


def is_log(path: str) -> bool:
    """Whether a file is a log, no agent and no traces: by its ending, or a `.json` by its first bracket."""
    ending = os.path.splitext(path)[1].lower()
    if ending != ".json":
        return ending in ENDINGS or ending in UNSURE
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            return file.read(1000).lstrip()[:1] == "["
    except OSError:
        return False


def read_log(path: str, noisy: bool = False) -> ReadLog:
    """The traces in a log; GridError with the place of whatever cannot be read.

    Of a noisy log nothing is refused or warned about that noise can do.
    """
    data = read_bytes(path, LIMITS.largest_log, path, "split it into several files")
    if data.startswith(PICKLES):
        hint = "write the runs with `json.dump`, or as CSV: reading a pickle runs whatever program is in it"
        raise fail("G215", "this is a pickle, and no pickle is read", hint, path)
    return log_of(source_of(data, path), noisy)


def log_of(source: Source, noisy: bool = False) -> ReadLog:
    """The traces in the text of a log."""
    log = log_format(source).read(source)
    traces, warnings = log_to_traces(log, noisy=noisy)
    if noisy:
        return ReadLog(traces, (), tuple(log.notes))
    told = contradictions(traces)
    if told.first is not None:
        warnings.append(_contradiction(log, traces, told.steps, *told.first))
    return ReadLog(traces, tuple(warnings), tuple(log.notes))


def log_format(source: Source) -> FileFormat[ObservedLog]:
    """The format of a log; GridError where neither its ending nor its text tells."""
    known = format_of(source, LOG_FORMATS)
    if known is None:
        kinds = "; ".join(f"{each.endings[0]}: {each.about}" for each in LOG_FORMATS.values())
        raise fail("G212", "it cannot be told what kind of log this is", kinds, source.path)
    return known


def _contradiction(log: ObservedLog, traces: Traces, steps: int, earlier: Place, later: Place) -> Diagnostic:
    """The warning about two runs that read the same and act apart, with both places."""

    def told(place: Place) -> tuple[Span, str, str]:
        run = log.told[place.trace]
        line = run.lines[min(place.step, len(run.lines) - 1)] if run.lines else run.line
        return line_span(log.source, line), run.name, _act(traces, place)

    (there, name, act), (here, other, other_act) = told(earlier), told(later)
    where = f"step {later.step + 1}"
    message = f"runs `{name}` and `{other}` read the same up to {where}, and then act apart"
    hint = f"no one machine does both, so {counted(steps, 'step')} cannot be learned; is this log noisy?"
    also = (Label(there, f"{act} in `{name}`"),) if there != here else ()
    return Diagnostic("G214", message, here, f"{other_act} in `{other}`", hint, "warning", also)


def _act(traces: Traces, place: Place) -> str:
    """The act of a step, in the labels of the log."""
    if traces.s[place] < 0:
        return "stuck"
    shown = "".join(traces.alphabet.shown([traces.symbols[traces.s[place]]]))
    return f"`{shown}`" if traces.input else f"`{shown}`, {MOVES[traces.m[place]]}"


class Contradictions(NamedTuple):
    """How many steps are not what the first trace with the same reads does, and the first of these pairs.

    `tree` is how many different pasts there are: the edges of the tree of all that was read.
    """

    steps: int
    first: tuple[Place, Place] | None
    tree: int


def contradictions(traces: Traces) -> Contradictions:
    """Follows all traces at once through the tree of what they read, a step at a time."""
    symbols = len(traces.symbols)
    node = np.zeros(len(traces), np.int64)
    wrong_steps = tree = 0
    first: tuple[Place, Place] | None = None
    for step in range(traces.x.shape[1]):
        going = np.flatnonzero(traces.length > step)
        if not len(going):
            break
        edge = node[going] * symbols + traces.x[going, step]
        _, leader, after = np.unique(edge, return_index=True, return_inverse=True)
        act = traces.s[going, step].astype(np.int64) * len(MOVES) + traces.m[going, step]
        wrong = act != act[leader][after]
        wrong_steps += int(wrong.sum())
        if first is None and wrong.any():
            at = int(wrong.argmax())
            first = Place(int(going[leader[after[at]]]), step), Place(int(going[at]), step)
        node[going] = after
        tree += len(leader)
    return Contradictions(wrong_steps, first, tree)
