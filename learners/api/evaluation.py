"""The API to how far a model generalises, and what it predicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, overload

from gridlang.compiler import arguments
from gridlang.compiler.arguments import (
    AgentLike,
    ModelLike,
    as_any_model,
    as_program,
    model_file,
)
from gridlang.compiler.lockstep.lockstep import nobody
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.compiler.tensors.model import Model
from gridlang.diagnostics import fail
from gridlang.learners.evaluation.evaluate import (
    PLG,
    RLG,
    Evaluation,
    Evaluator,
    LengthSearch,
    SuiteListener,
    measure,
)
from gridlang.learners.evaluation.prediction import Prediction, prediction_of
from gridlang.learners.traces.dataset import TracesLike, as_traces
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source


@overload
def evaluate(
    model: ModelLike,
    against: AgentLike | None = None,
    *,
    digits: int,
    suite: str = "rlg",
    largest: Literal[False] = False,
    seconds: float | None = None,
    seed: int = 0,
    steps: int | None = None,
    progress: SuiteListener = nobody,
) -> Evaluation: ...
@overload
def evaluate(
    model: ModelLike,
    against: AgentLike | None = None,
    *,
    digits: int | None = None,
    suite: str = "rlg",
    largest: Literal[True],
    seconds: float | None = None,
    seed: int = 0,
    steps: int | None = None,
    progress: SuiteListener = nobody,
) -> LengthSearch: ...
def evaluate(
    model: ModelLike,
    against: AgentLike | None = None,
    *,
    digits: int | None = None,
    suite: str = "rlg",
    largest: bool = False,
    seconds: float | None = None,
    seed: int = 0,
    steps: int | None = None,
    progress: SuiteListener = nobody,
) -> Evaluation | LengthSearch:
    """Tests how far a model generalises, in lockstep with the agent it learned from.

    `digits` is the length of every repetition in the inputs. Suite `plg` has random inputs, `rlg` also all
    that repeat one symbol; an agent without an input clause is tested on random worlds of that many cells a
    side. `largest` searches for the longest length that passes, for 60 `seconds` unless given; if `digits`
    is given too, its result is the first of `tried`. Without `against` the agent is the one whose source the
    model carries. `progress` is told the suite and the cases done.

    >>> import gridlang as gl
    >>> gl.evaluate("examples/models/add2.safetensors", digits=20).passed
    True
    >>> gl.evaluate(gl.compile("examples/increment.grid"), largest=True, seconds=1).largest > 1
    True
    """
    if digits is None and not largest:
        raise ValueError("give digits=N for one length, largest=True for a search, or both")
    arguments.whole(1, digits=digits)
    arguments.whole(1, MAX_STEPS, steps=steps)
    arguments.whole(seed=seed)
    arguments.positive(seconds=seconds)
    arguments.one_of("suite", suite, (PLG, RLG))
    dfst = as_any_model(model)
    hint = "name the agent with against=AGENT"
    expert = carried_agent(dfst, model_file(model), hint) if against is None else as_program(against)
    evaluator = Evaluator(dfst, expert.table, suite, seed, steps)
    return measure(evaluator, digits, largest, seconds, progress)


def carried_agent(dfst: Model, file: str, hint: str, definitions: Mapping[str, str] | None = None) -> Program:
    """The agent that a model learned from, by its metadata."""
    source = dfst.metadata.get("source", "")
    if not source:
        raise fail("G110", "this model does not carry its source", hint, file)
    return load_source(Source(f"<source in {file}>", source), definitions)


def predict(model: AgentLike | ModelLike, traces: TracesLike) -> Prediction:
    """How many traces a model, or an agent, predicts, step by step, while it reads what they read.

    No expert is needed: traces are what `trace` gives, or a file of traces.

    >>> import gridlang as gl
    >>> gl.predict("examples/add2.grid", gl.trace("examples/add2.grid"))
    Prediction(20 of 20 traces, 896 of 896 steps)
    """
    return prediction_of(model, as_traces(traces))
