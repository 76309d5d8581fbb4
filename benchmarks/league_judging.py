"""What is asked about one model of the league, in processes of their own.

Is it consistent with the traces that it learned from, does it predict fresh ones, and is it proven?
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.league_asking import asked_table
from gridlang.compiler.judging.equivalence_query import judge
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.tensors.dfst import dfst_from_bytes
from gridlang.compiler.tensors.model import model_from_bytes
from gridlang.diagnostics import GridError
from gridlang.learners.evaluation.prediction import prediction_of
from gridlang.learners.methods.refitting import refit_all
from gridlang.learners.methods.registry import METHODS, train_by_method
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces, digest, read_traces, traces_to_bytes
from gridlang.learners.traces.recording import chosen
from gridlang.learners.training.recipes import load_recipe
from gridlang.learners.training.train import Trained, TrainingPlan
from gridlang.loading import load
from gridlang.table_json import table_from_json

EXAMPLES = Path(__file__).parent.parent / "examples"


class Draw(NamedTuple):
    """A sample of traces: the first `size` of those that a rule draws from a seed."""

    task: str
    rule: str
    seed: int
    count: int  # traces in the file
    longest: int  # repetitions in inputs
    steps: int  # of a trace
    file: str


def recorded(draw: Draw) -> int:
    """Writes the traces of a draw into its file; how many there are."""
    program = load(EXAMPLES / f"{draw.task}.grid", {})
    of_inputs = draw.rule == "inputs"
    sizes = {"long": draw.longest, "steps": draw.steps} if of_inputs else {}
    plan = sampling_plan(program.table, draw.rule, count=draw.count, **sizes)
    traces = make_traces(program, [plan], draw.seed)
    Path(draw.file).write_bytes(traces_to_bytes(traces))
    return len(traces)


def first_traces(file: str, size: int) -> Traces:
    """At most `size` traces: fewer where the rule shows no more."""
    traces = read_traces(file)
    return chosen(traces, np.arange(min(len(traces), size)))


class Question(NamedTuple):
    """A model of a draw; it learned from the first `size` traces of a file."""

    key: tuple[int, int]  # size, draw
    model: bytes
    expert: str
    traces: str
    size: int
    fresh: str
    scope: str = ""


class Merging(NamedTuple):
    """The traces that a table is merged from."""

    key: tuple[int, int]
    traces: str
    size: int


def merged(task: Merging) -> tuple[float, bytes]:
    """The seconds that state merging took, and the table as a model."""
    traces = first_traces(task.traces, task.size)
    begun = time.process_time()
    models = train_by_method(
        TrainingPlan(traces, load_recipe("proof"), (0,), method=METHODS["merge"].choice())
    )
    return time.process_time() - begun, models[0].model.to_bytes() if models else b""


def refit(question: Question) -> tuple[float, bytes]:
    """The seconds that refitting took, and the model refitted to its own traces, or as it was."""
    model, own = dfst_from_bytes(question.model), first_traces(question.traces, question.size)
    begun = time.process_time()
    after = refit_all([Trained(0, model, 0.0, 0, 0.0, -1)], own)[0]
    return time.process_time() - begun, after.model.to_bytes()


class Measured(NamedTuple):
    """Whether a model fits its own traces, how many fresh ones it predicts, and what it learned from."""

    fits: bool
    fresh: int
    asked: int  # fresh traces
    traces: int
    digest: str


def measured(question: Question) -> Measured:
    model, own = model_from_bytes(question.model), first_traces(question.traces, question.size)
    fresh = prediction_of(model, read_traces(question.fresh))
    return Measured(
        prediction_of(model, own).consistent, fresh.predicted, fresh.traces, len(own), digest(own)
    )


class Found(NamedTuple):
    """Whether the extracted table is proven at the scope, its states, and the seconds it took."""

    proven: bool | None
    states: int
    seconds: float


def by_clusters(question: Question) -> Found:
    """The table of clusters of hidden vectors, or of snapped inference, or of a merged table itself."""
    model, expert = model_from_bytes(question.model), table_from_json(question.expert)
    begun = time.process_time()
    try:
        answer = judge(model, expert, question.scope, snapped=True, tell_drift=False)
    except GridError:
        return Found(None, 0, time.process_time() - begun)
    return Found(answer.verdict.equivalent, answer.extraction.states, time.process_time() - begun)


def by_asking(question: Question) -> Found:
    """The table that questions to a network give; False where it has too many states."""
    model, expert = model_from_bytes(question.model), table_from_json(question.expert)
    begun = time.process_time()
    own = first_traces(question.traces, question.size)
    table = asked_table(model, expert, own, question.key[1])
    if table is None:
        return Found(False, 0, time.process_time() - begun)
    verdict = prove(expert, table, question.scope)
    return Found(verdict.equivalent, len(table.states), time.process_time() - begun)
