"""The API to models: read one, extract it, snap it."""

from __future__ import annotations

import os
from collections.abc import Callable

import gridlang as gl
from gridlang.compiler import arguments
from gridlang.compiler.api.certified_files import certified_program
from gridlang.compiler.arguments import AgentLike, ModelLike, Path, Say
from gridlang.compiler.extraction.extract import Extraction
from gridlang.compiler.extraction.extract import extract as extract_from
from gridlang.compiler.extraction.model_exploration import SCOPES
from gridlang.compiler.extraction.saturation import INPUTS, WORLDS
from gridlang.compiler.extraction.snapped_inference import codebook_of, snapped_table
from gridlang.compiler.judging.equivalence_query import judge
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.simulation.random_inputs import text_world
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.compiler.tensors.dfst import Dfst, only_dfst
from gridlang.compiler.tensors.model import Model, source_table, symbols_of
from gridlang.diagnostics import GridError
from gridlang.program import Program
from gridlang.table import Table


def load_model(path: Path) -> Model:
    """The model in a `.safetensors` file: a DFST with exact or learned weights, or a network.

    >>> import gridlang as gl
    >>> gl.load_model("examples/models/add2.safetensors").parameters
    1020
    """
    return arguments.as_any_model(path)


def extract(
    model: ModelLike,
    against: AgentLike | None = None,
    *,
    traces: gl.Traces | Path | None = None,
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
    dfst = arguments.as_any_model(model)
    given = gl.load_traces(traces) if isinstance(traces, str | os.PathLike) else traces
    return extract_from(
        dfst,
        expert=arguments.as_program(against).table if against is not None else None,
        scope=arguments.one_of("scope", scope, SCOPES),
        longest=longest,
        tolerance=tolerance,
        seed=seed,
        budget=steps,
        progress=arguments.counting(progress, "steps explored"),
        seen=_cases_of(dfst, given) if given is not None else (),
    )


def _cases_of(model: Model, traces: gl.Traces) -> list[tuple[Case, int]]:
    """The inputs of traces whose symbols a model has, each with its steps."""
    known = set(symbols_of(model))
    cases: list[tuple[Case, int]] = []
    for text, steps in zip(traces.inputs, traces.length.tolist(), strict=True):
        world = text_world(text, traces.symbols)
        if world.used() <= known:
            cases.append((world, steps))
    return cases


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
    dfst = only_dfst(arguments.as_any_model(model), "only a DFST can be snapped")
    if extraction is not None:
        return arguments.as_program(snapped_table(dfst, codebook_of(dfst, extraction)))
    return arguments.as_program(snapped(dfst, "", arguments.counting(progress, "steps explored")))


def snapped(dfst: Dfst, file: str, progress: Callable[[int], None]) -> Table:
    """By the centres of an extraction; where these are not closed, by those that prove the model's source."""
    try:
        return snapped_table(dfst, codebook_of(dfst, extract_from(dfst, progress=progress), file), file)
    except GridError:
        expert = source_table(dfst)
        if expert is None or set(expert.symbols) != set(symbols_of(dfst)):
            raise
        scope = INPUTS if expert.input else WORLDS
        answer = judge(dfst, expert, scope, snapped=True, tell_drift=False, progress=progress)
        if answer.snapping is None or answer.table is None:
            raise
        return answer.table
