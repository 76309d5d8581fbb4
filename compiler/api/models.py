"""The API to models: read one, wrap one, extract it, snap it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any

import gridlang as gl
from gridlang.compiler import given
from gridlang.compiler.given import AgentLike, ModelLike, Path, Say
from gridlang.compiler.simulation.simulate import MAX_STEPS
from gridlang.diagnostics import GridError
from gridlang.files import checked_path, checked_reader
from gridlang.options import Option, checked
from gridlang.program import Program
from gridlang.table import MOVES, Table

if TYPE_CHECKING:
    from gridlang import Traces
    from gridlang.compiler.extraction.extract import Extraction
    from gridlang.compiler.lockstep.lockstep import Case
    from gridlang.compiler.tensors.dfst import Dfst
    from gridlang.compiler.tensors.model import Model
    from gridlang.compiler.tensors.wrapped import Step, Wrapped

ONLY_DFST = "only a DFST can be snapped"


def load_model(path: Path) -> Dfst:
    """The DFST in a `.safetensors` file, with exact or learned weights.

    >>> import gridlang as gl
    >>> gl.load_model("examples/models/add2.safetensors").parameters
    1020
    """
    from gridlang.compiler.tensors.dfst import only_dfst, read_dfst

    if isinstance(path, str | os.PathLike):
        return read_dfst(checked_reader(checked_path(path), "load_model"))
    return only_dfst(given.as_any_model(path), "a `.safetensors` file holds a DFST")


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
    from gridlang.compiler.tensors.model import BadModel, check_names
    from gridlang.compiler.tensors.wrapped import Wrapped

    known = given.as_program(agent).table if agent is not None else None
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


@checked
def extract(
    model: ModelLike,
    against: Annotated[
        AgentLike | None, Option("The expert, which names the states and says which worlds matter.")
    ] = None,
    *,
    traces: Annotated[
        Traces | Path | None,
        Option("Explore only these traces (.npz, .jsonl), and count those that the source predicts."),
    ] = None,
    scope: Annotated[
        str,
        Option(
            "What to explore; auto includes worlds if the model settles there, in few states.",
            choices=("auto", "inputs", "worlds"),
        ),
    ] = "auto",
    longest: Annotated[int, Option("Longest repetitions in the inputs.", 1)] = 300,
    tolerance: Annotated[
        float | None,
        Option(
            "Distance within which vectors are one state.",
            0,
            2,
            above=True,
            usual="the largest that explains all runs",
        ),
    ] = None,
    steps: Annotated[int, Option("Rough number of steps to explore.", 1, MAX_STEPS)] = 6_000_000,
    seed: Annotated[int, Option("Seed of the random inputs and worlds.")] = 0,
    progress: Say | None = None,
) -> Extraction:
    """Extracts the state graph that a model follows, as source.

    The model runs in closed loop on its declared inputs and on random worlds, ever longer, until they show
    nothing new. Vectors form clusters, and clusters that never disagree form states. A model that does not
    settle, or whose clusters overlap, is refused. The source does what the model was observed to do. Other
    pairs of a state and a symbol are guesses, and their number is printed; a pair on which the model was
    tried and undecided is never guessed.

    In Python, `refused` says why there is no table.

    >>> import gridlang as gl
    >>> found = gl.extract("examples/models/add2.safetensors", "examples/add2.grid")
    >>> found.states, found.refused
    (12, '')
    """
    from gridlang.compiler.extraction.exploration import INPUTS, WORLDS
    from gridlang.compiler.extraction.extract import extract as extract_from
    from gridlang.compiler.judging.snapped_closure import extraction_along
    from gridlang.compiler.tensors.wrapped import Wrapped

    dfst = given.as_any_model(model)
    shown = gl.load_traces(traces) if isinstance(traces, str | os.PathLike) else traces
    expert = given.as_program(against).table if against is not None else None
    if isinstance(dfst, Wrapped) and expert is not None and shown is None:
        asked = WORLDS if scope == WORLDS or not expert.input else INPUTS
        found = extraction_along(dfst, expert, asked, seed)
        if found is not None:
            return found
    return extract_from(
        dfst,
        expert=expert,
        scope=scope,
        longest=longest,
        tolerance=tolerance,
        seed=seed,
        budget=steps,
        progress=given.counting(progress, "steps explored"),
        seen=_cases_of(dfst, shown) if shown is not None else (),
    )


def _cases_of(model: Model, traces: Traces) -> list[tuple[Case, int]]:
    """The inputs of traces whose symbols a model has, each with its steps."""
    from gridlang.compiler.simulation.random_inputs import text_world
    from gridlang.compiler.tensors.model import symbols_of

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
    from gridlang.compiler.api.certified_files import certified_program
    from gridlang.compiler.extraction.extract import Extraction
    from gridlang.compiler.extraction.snapped_inference import codebook_of, snapped_table
    from gridlang.compiler.tensors.dfst import only_dfst

    if certificate is not None:
        return certified_program(certificate, model)
    dfst = only_dfst(given.as_any_model(model), ONLY_DFST)
    if extraction is not None:
        if not isinstance(extraction, Extraction):
            kind = type(extraction).__name__
            raise TypeError(
                f"centres are of what `gridlang.extract` gives, or of a `certificate`, not {kind}"
            )
        return given.as_program(snapped_table(dfst, codebook_of(dfst, extraction)))
    return given.as_program(snapped(dfst, "", given.counting(progress, "steps explored")))


def snapped(dfst: Dfst, file: str, progress: Callable[[int], None]) -> Table:
    """By the centres of an extraction; where these are not closed, by those that prove the model's source."""
    from gridlang.compiler.extraction.exploration import INPUTS, WORLDS
    from gridlang.compiler.extraction.extract import extract as extract_from
    from gridlang.compiler.extraction.snapped_inference import codebook_of, snapped_table
    from gridlang.compiler.judging.equivalence_query import judge
    from gridlang.compiler.tensors.model import source_table, symbols_of

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
