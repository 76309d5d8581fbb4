"""One draw of the league: its traces, what is learned from them, and the verdict on it.

This is apart from the script, so that processes of their own load it once for all.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gridlang.compiler.judging.equivalence_query import judge
from gridlang.compiler.tensors.model import model_from_bytes
from gridlang.compiler.traces.dataset import ROWS, Traces, traces_from_bytes
from gridlang.diagnostics import GridError
from gridlang.learners.methods.registry import METHODS, SAT, train_by_method
from gridlang.learners.traces.choosing.rules import OF_READS, OF_WORLDS, OLDER
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.recording import chosen, join
from gridlang.learners.training.engine import Share
from gridlang.learners.training.recipes import load_recipe
from gridlang.learners.training.train import TrainingPlan
from gridlang.program import Program
from gridlang.table_json import table_from_json


class Learned(NamedTuple):
    """A model of one draw, what it cost, and what it was learned from."""

    draw: int
    traces: int
    seconds: float  # of training: of one core, or this model's part of a GPU
    model: bytes  # empty where there is none


def traces_of(program: Program, rule: str, size: int, seed: int, longest: int) -> Traces:
    """At most `size` traces by a rule; there are fewer where the rule has no more."""

    def of(name: str, count: int, greedy: bool = False) -> Traces:
        steps = None if OLDER.get(name, name) in (*OF_READS, *OF_WORLDS) else longest
        plan = sampling_plan(program.table, name, count=count, greedy=greedy, steps=steps)
        return make_traces(program, [plan], seed)

    if rule == "both":
        traces = join([of("paper", size // 2, True), of("worlds", size - size // 2)])
    else:
        traces = of("paper", size, True) if rule == "greedy" else of(rule, size)
    return chosen(traces, np.arange(min(len(traces), size)))


def stacked(parts: list[Traces]) -> tuple[Traces, tuple[Share, ...]]:
    """All traces in one, none left out, and which of them are whose."""
    steps = max(part.x.shape[1] for part in parts)
    rows = {
        name: np.concatenate(
            [
                np.pad(getattr(part, name), ((0, 0), (0, steps - part.x.shape[1])), constant_values=-1)
                for part in parts
            ]
        )
        for name in ROWS
    }
    ends = np.cumsum([len(part) for part in parts]).tolist()
    shares = tuple(Share(end - len(part), len(part)) for end, part in zip(ends, parts, strict=True))
    whole = replace(
        parts[0],
        **rows,
        length=np.concatenate([part.length for part in parts]),
        ending=tuple(ending for part in parts for ending in part.ending),
        inputs=tuple(text for part in parts for text in part.inputs),
        data={"rule": "league"},
    )
    return whole, shares


def one_table(task: tuple[str, float, bytes]) -> tuple[float, bytes]:
    """The seconds that a table took to be learned, of those that it may take, and the table as a model."""
    name, most, data = task
    traces = traces_from_bytes(data)
    method = METHODS[name].choice(seconds=most if name == SAT else None)
    begun = time.process_time()
    models = train_by_method(TrainingPlan(traces, load_recipe("proof"), (0,), method=method))
    return time.process_time() - begun, models[0].model.to_bytes() if models else b""


class Question(NamedTuple):
    """A model that is to be judged at one scope."""

    draw: int
    scope: str
    model: bytes
    expert: str


def weights_in(model: bytes) -> bytes:
    """What of a `.safetensors` file is weights; the rest tells how they came about."""
    return model[8 + int.from_bytes(model[:8], "little") :]


def verdict_on(question: Question) -> tuple[bool | None, int, float]:
    """Whether it is proven, its states, and the seconds that it took."""
    model, expert = model_from_bytes(question.model), table_from_json(question.expert)
    begun = time.process_time()
    try:
        answer = judge(model, expert, question.scope, snapped=True, tell_drift=False)
    except GridError:
        return None, 0, time.process_time() - begun
    return answer.verdict.equivalent, answer.extraction.states, time.process_time() - begun
