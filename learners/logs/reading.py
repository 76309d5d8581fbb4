"""Reading a log of any format, known by its ending or by how it begins; formats are registered here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from gridlang.diagnostics import Diagnostic, Label, counted, fail
from gridlang.files import read_bytes, source_of
from gridlang.source import Source, Span
from gridlang.table import MOVES
from learners.logs.contradictions import Place, contradictions
from learners.logs.legend import legend_of
from learners.logs.log_to_traces import log_to_traces
from learners.logs.observed import ObservedLog, line_span
from learners.traces.dataset import Traces

LARGEST = 200_000_000  # bytes; a log of ten million steps, which is read in about a minute
PICKLES = (b"\x80", b"(lp", b"(dp", b"ccopy_reg")  # So begin the files that `pickle` writes.


class LogFormat(NamedTuple):
    """A file format of logs: its usual endings, how a text in it begins, and the module that reads it."""

    module: str
    endings: tuple[str, ...]
    begins: re.Pattern[str]
    about: str

    def read(self, source: Source) -> ObservedLog:
        reader: Callable[[Source], ObservedLog] = import_module(f"learners.logs.{self.module}").read
        return reader(source)


LOG_FORMATS = {
    "csv": LogFormat(
        "csv_log",
        (".csv", ".tsv"),
        re.compile(r"(\s*#.*\n|\s*\n)*[^\n]*[A-Za-z_ ]+[,;\t]"),
        "CSV: a header, then one step a line",
    ),
    "jsonl": LogFormat(
        "jsonl_log", (".jsonl", ".ndjson"), re.compile(r"\s*\{"), "JSON lines: one run, or one step, a line"
    ),
    "abbadingo": LogFormat(
        "abbadingo",
        (".abbadingo", ".abb", ".dat"),
        re.compile(r"\s*\d+[ \t]+\d+[ \t]*\n"),
        "labelled words, as in the Abbadingo competition",
    ),
    "aalpy": LogFormat(
        "aalpy_data",
        (".io",),
        re.compile(r"\s*[\[(]|[^\n]*\S/\S"),
        "AALpy's data: a list of runs, or lines of input/output",
    ),
}
ENDINGS = tuple(ending for known in LOG_FORMATS.values() for ending in known.endings)
UNSURE = (".json", ".txt", ".log", ".pickle", ".pkl")  # What these hold is told by how it begins.


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


def read_log(path: str) -> ReadLog:
    """The traces in a log; GridError with the place of whatever cannot be read."""
    data = read_bytes(path, LARGEST, path, "split it into several files")
    if data.startswith(PICKLES):
        hint = "write the runs with `json.dump`, or as CSV: reading a pickle runs whatever program is in it"
        raise fail("G215", "this is a pickle, and no pickle is read", hint, path)
    return log_of(source_of(data, path))


def log_of(source: Source) -> ReadLog:
    """The traces in the text of a log."""
    log = format_of(source).read(source)
    traces, warnings = log_to_traces(log)
    told = contradictions(traces)
    if told.first is not None:
        warnings.append(_contradiction(log, traces, told.steps, *told.first))
    return ReadLog(traces, tuple(warnings), tuple(log.notes))


def format_of(source: Source) -> LogFormat:
    """The format of a log, by its ending, else by how its text begins; GridError where neither tells."""
    ending = os.path.splitext(source.path)[1].lower()
    for known in LOG_FORMATS.values():
        if ending in known.endings:
            return known
    for name in ("jsonl", "abbadingo", "aalpy", "csv"):
        if LOG_FORMATS[name].begins.match(source.text):
            return LOG_FORMATS[name]
    kinds = "; ".join(f"{known.endings[0]}: {known.about}" for known in LOG_FORMATS.values())
    raise fail("G212", "it cannot be told what kind of log this is", kinds, source.path)


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
    """What is done at a step, in the labels of the log."""
    if traces.s[place] < 0:
        return "stuck"
    written = traces.symbols[traces.s[place]]
    shown = legend_of(traces).get(written, written)
    return f"`{shown}`" if traces.input else f"`{shown}`, {MOVES[traces.m[place]]}"
