"""The API to how far a model generalises, and what it predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

from gridlang.compiler.given import AgentLike, ModelLike, as_any_model, as_program, carried_agent, model_file
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.options import Option, checked

if TYPE_CHECKING:
    from gridlang.learners.evaluation.evaluate import Evaluation, LengthSearch, SuiteListener
    from gridlang.learners.evaluation.prediction import Prediction
    from gridlang.learners.traces.dataset import TracesLike


@overload
def evaluate(
    model: ModelLike,
    against: AgentLike | None = None,
    *,
    digits: int,
    largest: Literal[False] = False,
    **options: Any,
) -> Evaluation: ...
@overload
def evaluate(
    model: ModelLike, against: AgentLike | None = None, *, largest: Literal[True], **options: Any
) -> LengthSearch: ...
@checked  # type: ignore[misc]
def evaluate(
    model: ModelLike,
    against: Annotated[
        AgentLike | None,
        Option("The expert: source, a table or exact weights.", usual="the model's own source"),
    ] = None,
    *,
    digits: Annotated[
        int | None, Option("Length to test: that of every repetition in the inputs.", 1)
    ] = None,
    suite: Annotated[
        str,
        Option("plg: random inputs; rlg: also all inputs that repeat one symbol.", choices=("plg", "rlg")),
    ] = "rlg",
    largest: Annotated[bool, Option("Search for the largest length that passes.")] = False,
    seconds: Annotated[
        float | None, Option("Time limit.", 0, above=True, usual="60 for --largest, else none")
    ] = None,
    seed: Annotated[int, Option("Seed of the random inputs.")] = 0,
    steps: Annotated[int | None, Option("Step limit of each run.", 1, MAX_STEPS)] = None,
    progress: SuiteListener | None = None,
) -> Evaluation | LengthSearch:
    """Tests how far a model generalises, in lockstep with the expert it learned from.

    The model runs in closed loop on long inputs. Each step, its write and its move are compared with those of
    the expert; memory does not grow with the length of the run. PLG(N) means no error on 5 random inputs of
    exactly N digits and 5 of at most N; RLG(N), also none on all inputs of one digit repeated N times. An
    agent without an input clause is tested on random worlds of N x N cells.

    In Python, if both `digits` and `largest` are given, the result of `digits` is the first of `tried`.
    `progress` is given the suite and the cases done.

    >>> import gridlang as gl
    >>> gl.evaluate("examples/models/add2.safetensors", digits=20).passed
    True
    >>> gl.evaluate(gl.compile("examples/increment.grid"), largest=True, seconds=1).largest > 1
    True
    """
    from gridlang.compiler.lockstep.lockstep import nobody
    from gridlang.learners.evaluation.evaluate import Evaluator, measure

    if digits is None and not largest:
        raise ValueError("give digits=N for one length, largest=True for a search, or both")
    dfst = as_any_model(model)
    hint = "name the agent with against=AGENT"
    expert = carried_agent(dfst, model_file(model), hint) if against is None else as_program(against)
    evaluator = Evaluator(dfst, expert.table, suite, seed, steps)
    return measure(evaluator, digits, largest, seconds, progress or nobody)


def predict(model: AgentLike | ModelLike, traces: TracesLike) -> Prediction:
    """How many traces a model, or an agent, predicts, step by step, while it reads what they read.

    No expert is needed: traces are what `trace` gives, or a file of traces.

    >>> import gridlang as gl
    >>> gl.predict("examples/add2.grid", gl.trace("examples/add2.grid"))
    Prediction(20 of 20 traces, 896 of 896 steps)
    """
    from gridlang.learners.evaluation.prediction import prediction_of
    from gridlang.learners.traces.dataset import as_traces

    return prediction_of(model, as_traces(traces))
