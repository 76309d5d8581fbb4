"""The API to what a model has learned: how far it generalises, what it does, what is proven about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, overload

from gridlang.compiler import arguments
from gridlang.compiler.api.certified_files import certified_program
from gridlang.compiler.arguments import AgentLike, ModelLike, Path, Say, as_any_model, as_program, model_file
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.compiler.tensors.dfst import only_dfst
from gridlang.compiler.tensors.model import Model
from gridlang.diagnostics import fail
from gridlang.learners.api.data import TracesLike, as_traces
from gridlang.learners.evaluation.evaluate import (
    PLG,
    RLG,
    Evaluation,
    Evaluator,
    LengthSearch,
    SuiteListener,
    measure,
)
from gridlang.learners.evaluation.lockstep import nobody
from gridlang.learners.evaluation.prediction import Prediction, cases_of, prediction_of
from gridlang.learners.extraction.extract import Extraction
from gridlang.learners.extraction.extract import extract as extract_from
from gridlang.learners.extraction.float_bounds.float_bounds import FloatBound, bound_of
from gridlang.learners.extraction.float_bounds.snapped_inference import codebook_of, snapped_table
from gridlang.learners.extraction.model_exploration import SCOPES
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source


def load_model(path: Path) -> Model:
    """The model in a `.safetensors` file: a DFST with exact or learned weights, or a network.

    >>> import gridlang as gl
    >>> gl.load_model("examples/models/add2.safetensors").parameters
    1020
    """
    return as_any_model(path)


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
    threads: int | None = None,
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
    threads: int | None = None,
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
    threads: int | None = None,
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
    arguments.whole(1, digits=digits, threads=threads)
    arguments.whole(1, MAX_STEPS, steps=steps)
    arguments.whole(seed=seed)
    arguments.positive(seconds=seconds)
    arguments.one_of("suite", suite, (PLG, RLG))
    dfst = as_any_model(model)
    hint = "name the agent with against=AGENT"
    expert = carried_agent(dfst, model_file(model), hint) if against is None else as_program(against)
    evaluator = Evaluator(dfst, expert.table, suite, seed, threads, steps)
    return measure(evaluator, digits, largest, seconds, progress)


def predict(model: AgentLike | ModelLike, traces: TracesLike) -> Prediction:
    """How many traces a model, or an agent, predicts, step by step, while it reads what they read.

    No expert is needed: traces are what `trace` gives, or a file of traces.

    >>> import gridlang as gl
    >>> gl.predict("examples/add2.grid", gl.trace("examples/add2.grid"))
    Prediction(20 of 20 traces, 896 of 896 steps)
    """
    return prediction_of(model, as_traces(traces))


def carried_agent(dfst: Model, file: str, hint: str, definitions: Mapping[str, str] | None = None) -> Program:
    """The agent that a model learned from, by its metadata."""
    source = dfst.metadata.get("source", "")
    if not source:
        raise fail("G110", "this model does not carry its source", hint, file)
    return load_source(Source(f"<source in {file}>", source), definitions)


def extract(
    model: ModelLike,
    against: AgentLike | None = None,
    *,
    traces: TracesLike | None = None,
    scope: str = "auto",
    longest: int = 300,
    tolerance: float | None = None,
    steps: int = 6_000_000,
    seed: int = 0,
    progress: Say | None = None,
) -> Extraction:
    """The state graph that a model follows, as a table; if there is none, `refused` says why.

    The model runs on its inputs and on random worlds, ever longer, until its hidden vectors show nothing new;
    if `traces` are given, on these alone. `against` is the expert: it names the states, and says which worlds
    matter. The scope is inputs, worlds, or auto, which includes worlds if the model settles there.

    >>> import gridlang as gl
    >>> found = gl.extract("examples/models/add2.safetensors", "examples/add2.grid")
    >>> found.states, found.refused
    (12, '')
    """
    arguments.whole(1, longest=longest)
    arguments.whole(1, MAX_STEPS, steps=steps)
    arguments.whole(seed=seed)
    arguments.positive(tolerance=tolerance)
    dfst = as_any_model(model)
    return extract_from(
        dfst,
        expert=as_program(against).table if against is not None else None,
        scope=arguments.one_of("scope", scope, SCOPES),
        longest=longest,
        tolerance=tolerance,
        seed=seed,
        budget=steps,
        progress=arguments.counting(progress, "steps explored"),
        seen=cases_of(dfst, as_traces(traces)) if traces is not None else (),
    )


def bound(
    model: ModelLike, extraction: Extraction | None = None, *, progress: Say | None = None
) -> FloatBound:
    """For how many steps the float weights themselves provably follow the graph extracted from them.

    `steps` is a number, None if nothing is proven, or "all".

    >>> import gridlang as gl
    >>> gl.bound(gl.compile("examples/increment.grid")).steps
    'all'
    """
    dfst = only_dfst(as_any_model(model), "bounds are of the products of a DFST")
    graph = extraction or extract(dfst, progress=progress)
    codebook_of(dfst, graph)  # tells why it was refused
    return bound_of(dfst, graph, arguments.counting(progress, "steps bounded"))


def snap(
    model: ModelLike,
    extraction: Extraction | None = None,
    *,
    certificate: Path | None = None,
    progress: Say | None = None,
) -> Program:
    """The agent that a model is once its hidden vectors are snapped to the centres of their clusters.

    The centres are those of a certificate of `equiv`, which its proof is about, or else of an extraction,
    made here if none is given. Every step of every centre is checked; GridError if some step leads to no
    centre, or if the certificate is about other weights.

    >>> import gridlang as gl
    >>> gl.snap("examples/models/add2.safetensors").run("1011+110").result
    '10001'
    """
    if certificate is not None:
        return certified_program(certificate, model)
    dfst = only_dfst(as_any_model(model), "only a DFST can be snapped")
    return as_program(snapped_table(dfst, codebook_of(dfst, extraction or extract(dfst, progress=progress))))
