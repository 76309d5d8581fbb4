"""The API to models: read one, wrap one, extract it, snap it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

import gridlang as gl
from gridlang.compiler import arguments
from gridlang.compiler.api.certified_files import certified_program
from gridlang.compiler.arguments import AgentLike, ModelLike, Path, Say
from gridlang.compiler.extraction.exploration import INPUTS, WORLDS
from gridlang.compiler.extraction.extract import SCOPES, Extraction
from gridlang.compiler.extraction.extract import extract as extract_from
from gridlang.compiler.extraction.snapped_inference import codebook_of, snapped_table
from gridlang.compiler.judging.equivalence_query import judge
from gridlang.compiler.judging.snapped_closure import extraction_along
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.simulation.random_inputs import text_world
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.compiler.tensors.dfst import Dfst, only_dfst, read_dfst
from gridlang.compiler.tensors.model import BadModel, Model, check_names, source_table, symbols_of
from gridlang.compiler.tensors.wrapped import Step, Wrapped
from gridlang.diagnostics import GridError
from gridlang.files import checked_path, checked_reader
from gridlang.program import Program
from gridlang.table import MOVES, Table


def load_model(path: Path) -> Dfst:
    """The DFST in a `.safetensors` file, with exact or learned weights.

    >>> import gridlang as gl
    >>> gl.load_model("examples/models/add2.safetensors").parameters
    1020
    """
    if isinstance(path, str | os.PathLike):
        return read_dfst(checked_reader(checked_path(path), "load_model"))
    return only_dfst(arguments.as_any_model(path), "a `.safetensors` file holds a DFST")


def wrap(
    step: Step,
    start: Any,
    symbols: Iterable[str],
    *,
    moves: Iterable[str] = MOVES,
    agent: AgentLike | None = None,
    name: str = "wrapped",
) -> Wrapped:
    """Anyone's model, to be run, evaluated, extracted and compared like a DFST.

    `step(state, x)` is given what the model keeps, and which of the `symbols` it reads. It returns `(outputs,
    state)`: a number for each symbol and then for each of the `moves`, or a pair of both, of which the
    largest are what is done; and what it keeps then, in the shape of `start`. That is an array of numpy or
    torch, a number, or a nest of these, kept as float32. An `agent` tells what the inputs are.

    >>> import gridlang as gl, numpy as np
    >>> exact = gl.compile("examples/add2.grid")
    >>> def step(h, x):
    ...     return (exact.B[x] @ h, exact.C[x] @ h), exact.A[x] @ h
    >>> model = gl.wrap(step, exact.h0, exact.symbols, agent="examples/add2.grid")
    >>> model.run("1011+110").result
    '10001'
    """
    known = arguments.as_program(agent).table if agent is not None else None
    metadata = {"name": known.name if known else name}
    if known is not None:
        metadata["classes"] = json.dumps(known.classes, ensure_ascii=False)
        metadata |= {"input": known.input} if known.input else {}
    model = Wrapped(step, start, tuple(symbols), tuple(moves), metadata)
    try:
        check_names(model)
    except BadModel as bad:
        raise ValueError(f"this cannot be wrapped: {bad}") from None
    if not len(model.h0):
        raise ValueError("a model that keeps nothing from step to step has no states: give it a start")
    for symbol in range(len(model.symbols)):
        model.step(model.h0, symbol)
    return model


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

    The model runs on its inputs and on random worlds, ever longer, until they show nothing new;
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
    expert = arguments.as_program(against).table if against is not None else None
    if isinstance(dfst, Wrapped) and expert is not None and given is None:
        asked = WORLDS if scope == WORLDS or not expert.input else INPUTS
        found = extraction_along(dfst, expert, asked, seed)
        if found is not None:
            return found
    return extract_from(
        dfst,
        expert=expert,
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
