"""What can be claimed of a model without an expert: which traces it is consistent with, which it predicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from compiler.arguments import NONE, AgentLike, as_any_model, as_program, is_weights
from compiler.tensors.model import Model, symbols_of
from gridlang.diagnostics import counted
from gridlang.files import is_source, read_source
from gridlang.world import World
from learners.evaluation.limits import LIMITS
from learners.evaluation.lockstep import Case
from learners.evaluation.prediction import Prediction, predicted
from learners.traces.dataset import Traces
from learners.traces.logs.legend import legend_of, model_legend, source_legend
from learners.traces.random_worlds import text_world


class LogClaims(NamedTuple):
    """How a model does on the traces that it learned from, and on those that were held out of it."""

    learned_from: Prediction
    held_out: Prediction | None

    def lines(self) -> list[str]:
        seen, held = self.learned_from, self.held_out
        first = f"consistent with all {counted(seen.traces, 'trace')} it learned from"
        if not seen.consistent:
            first = f"not consistent with what it learned from: it predicts {seen.in_words()}"
        return [first, *([] if held is None else [f"predicts {held.in_words('held-out trace')}"])]

    def as_json(self) -> dict[str, Any]:
        held = self.held_out.as_json() if self.held_out else None
        return {"learned_from": self.learned_from.as_json(), "held_out": held}


def claims_of(model: Model, learned_from: Traces, held_out: Traces | None) -> LogClaims:
    """Both predictions of a model."""
    return LogClaims(
        prediction_of(model, learned_from), prediction_of(model, held_out) if held_out is not None else None
    )


def prediction_of(model: AgentLike, traces: Traces, definitions: Mapping[str, str] = NONE) -> Prediction:
    """How well a model, learned or exact, or any agent predicts traces."""
    theirs = legend_of(traces)
    if is_weights(model):
        weights = as_any_model(model)
        return predicted(weights, traces, model_legend(weights), theirs)
    program = as_program(model, definitions)
    text = read_source(program.file).text if is_source(program.file) and not program.file_bytes else ""
    legend = source_legend(text)
    return predicted(program.table, traces, legend, theirs if legend else {})


def cases_of(model: Model, traces: Traces) -> list[tuple[Case, int]]:
    """The inputs of traces, each with its steps, in the symbols of a model, if it has all of them."""
    ours = {label: symbol for symbol, label in model_legend(model).items()}
    theirs = legend_of(traces)
    known = set(symbols_of(model))
    cases: list[tuple[Case, int]] = []
    for text, steps in zip(traces.inputs, traces.length.tolist(), strict=True):
        world = text_world(text, traces.symbols)
        cells = {cell: theirs.get(symbol, symbol) for cell, symbol in world.cells.items()}
        cells = {cell: ours.get(label, label) for cell, label in cells.items()}
        if set(cells.values()) <= known:
            cases.append((World(cells, world.start), steps))
    return cases


def traces_claim(shown: Prediction) -> str:
    """`consistent with all 300 traces`, or how many are predicted."""
    if shown.consistent:
        return f"consistent with all {counted(shown.traces, 'trace')}"
    return f"not consistent with all traces: it predicts {shown.in_words()}"


def prediction_place(traces: Traces, row: int, step: int) -> str:
    """A step of a trace in words: which, and on what input."""
    text = traces.inputs[row].replace("\n", "/")
    most = LIMITS.trace_shown
    shown = text if len(text) <= most else f"{text[:most]}…"
    return f"trace {row}, step {step}, on `{shown}`"
