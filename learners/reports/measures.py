"""Measures beyond a run's folder: how far models go, what traces show, proofs; the best seed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from statistics import fmean
from typing import Any, NamedTuple

from gridlang.compiler.api.views import view
from gridlang.compiler.drawing.graphs import state_graph
from gridlang.compiler.drawing.layout.lay_out import lay_out
from gridlang.compiler.drawing.page import Vectors
from gridlang.compiler.drawing.svg import EDGE_OF_PAGE, elements
from gridlang.compiler.tensors.model import read_model
from gridlang.diagnostics import GridError, fail
from gridlang.learners.evaluation.evaluate import LADDER, Evaluator
from gridlang.learners.learning.limits import LIMITS as LEARNING
from gridlang.learners.learning.seed_verdicts import PROVEN, SeedQuery, seed_results
from gridlang.learners.reports.limits import LIMITS
from gridlang.learners.reports.line_charts import COLOURS
from gridlang.learners.reports.run_records import RunRecord, SeedRecord
from gridlang.learners.runtime.processes import in_processes
from gridlang.learners.sweeps.jobs import in_words
from gridlang.learners.traces.choosing.coverage import Coverage, coverage
from gridlang.learners.traces.choosing.sampling import SamplingPlan, make_traces
from gridlang.learners.traces.dataset import Traces, digest, read_traces
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Table
from gridlang.terminal.console import progress_line

Tell = Callable[[int], None]


def measured(
    record: RunRecord, given: Program | None, data: str | None, seconds: float, scope: str
) -> tuple[RunRecord, TraceCoverage | None]:
    """The run with the measures that are wanted and possible."""
    if not (seconds or scope):
        return record, None
    expert = expert_of(record, given)
    if expert is None and scope:
        hint = "name the expert with --against FILE"
        raise fail("G110", f"the models of {record.label} do not carry their source", hint)
    if expert and seconds:
        record = with_lengths(record, expert.table, seconds, progress_line(f"symbols: RLG of {record.label}"))
    if expert and scope:
        tell = progress_line(f"of {len(record.outcomes)} models of {record.label} judged")
        record = with_verdicts(record, expert, scope, LEARNING.patience, tell)
    return record, coverage_of(record, expert, data, seconds) if seconds else None


def expert_of(record: RunRecord, given: Program | None) -> Program | None:
    """The agent that was learned: what was given, or the source that traces and models carry."""
    if given is not None:
        return given
    for outcome in record.outcomes:
        if outcome.model:
            return _program(read_model(outcome.model).metadata.get("source", ""), outcome.model)
    return _program(read_traces(record.traces).source, record.traces) if record.traces else None


def _program(source: str, file: str) -> Program | None:
    return load_source(Source(f"<source in {file}>", source)) if source else None


def with_lengths(record: RunRecord, expert: Table, seconds: float, tell: Tell) -> RunRecord:
    """The run with the largest length that each model passes, rung by rung until the time is up."""
    models = {place: outcome.model for place, outcome in enumerate(record.outcomes) if outcome.model}
    deadline = time.monotonic() + seconds
    going = {place: Evaluator(read_model(model), expert) for place, model in models.items()}
    lengths, failed = dict.fromkeys(models, 0), set[int]()
    longest = min((evaluator.largest for evaluator in going.values()), default=0)
    for rung in (each for each in LADDER if each <= longest):
        for place in [place for place in going if place not in failed]:
            passed = going[place].at(rung, deadline).passed
            if passed is None:
                break  # Time or memory has run out; what is known so far stays.
            tell(rung)
            lengths[place] = rung if passed else lengths[place]
            failed |= set() if passed else {place}
        else:
            if len(failed) < len(going):
                continue
        break
    outcomes = list(record.outcomes)
    for place, length in lengths.items():
        beyond = place not in failed
        if length or not beyond:
            outcomes[place] = replace(outcomes[place], length=length, beyond=beyond)
    return replace(record, outcomes=tuple(outcomes))


class TraceCoverage(NamedTuple):
    """The coverage of the traces, or why it is unknown."""

    coverage: Coverage | None
    note: str


def coverage_of(record: RunRecord, expert: Program | None, data: str | None, seconds: float) -> TraceCoverage:
    """What the traces show of the expert; where they are not at hand they are made again as they were."""
    if expert is None:
        return TraceCoverage(None, "the agent is not known; name it with --against FILE")
    digest_then = str(record.facts.get("data", {}).get("digest", ""))
    path = data or record.traces
    if path:
        traces = read_traces(path)
        if data and digest_then and digest(traces) != digest_then:
            return TraceCoverage(None, f"{os.path.basename(data)} is not what this run has learned from")
        return _covered(expert.table, traces, f"the traces in {os.path.basename(path)}")
    if not record.plans or not all("rule" in plan and "seed" in plan for plan in record.plans):
        return TraceCoverage(None, "the traces are not at hand; name their file with --data")
    (done,) = in_processes(_again, [(expert.to_source(), record.plans, digest_then)], 1, seconds)
    note = f"the traces could not be made again: {done.problem}; name their file with --data"
    return done.answer or TraceCoverage(None, note)


def _covered(table: Table, traces: Traces, note: str) -> TraceCoverage:
    try:
        return TraceCoverage(coverage(table, traces), note)
    except GridError as error:
        return TraceCoverage(None, in_words(error))


def _again(origin: tuple[str, list[dict[str, Any]], str]) -> TraceCoverage:
    """What traces show that are made by the plans of earlier ones, if their digest is the same."""
    source, made, digest_then = origin
    program = load_source(Source("<source>", source))
    fields = ("rule", "count", "short", "long", "steps", "greedy")
    plans = [SamplingPlan(**{key: plan[key] for key in fields if key in plan}) for plan in made]
    traces = make_traces(program, plans, int(made[0]["seed"]))
    if digest(traces) != digest_then:
        note = "traces made now are not those that it learned from; name their file with --data"
        return TraceCoverage(None, note)
    return _covered(program.table, traces, "the traces, made again as they were")


def with_verdicts(record: RunRecord, expert: Program, scope: str, patience: float, tell: Tell) -> RunRecord:
    """The run with each model extracted, and proven or not."""
    outcomes = {outcome.seed: outcome for outcome in record.outcomes}
    asked: dict[str, Any] = {"scope": scope, "radius": None, "length": LIMITS.followed_length, "round": 1}
    models = ((outcome.seed, outcome.model) for outcome in record.outcomes if outcome.model)
    queries = [SeedQuery.of(*model, expert, **asked) for model in models]
    for result in seed_results(queries, patience):
        outcomes[result.seed] = outcomes[result.seed].with_result(result.as_json())
        tell(sum(bool(outcome.verdict) for outcome in outcomes.values()))
    return replace(record, outcomes=tuple(outcomes.values()), facts={**record.facts, "scope": scope})


SIDE, EDGE = 400, 26  # of the plane of vectors: its width, and the room around it for names
LEAST_SCALE = 0.82  # keeps words of 11 pixels at 9; a graph that does not fit then is scrolled


class BestSeed(NamedTuple):
    """The pictures and words about the best seed on a page; a note if it has no graph."""

    seed: int
    graph: str = ""
    plane: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    note: str = ""


def best_of(record: RunRecord) -> SeedRecord | None:
    """One that is proven and follows its graph furthest; else the one that goes furthest, or loses least."""

    def rank(outcome: SeedRecord) -> tuple[float, ...]:
        loss = float("inf") if outcome.loss is None else outcome.loss
        proven = outcome.verdict == PROVEN
        return (-proven, -(outcome.follows or 0), -(outcome.length or 0), loss, outcome.seed)

    return min((o for o in record.outcomes if o.model), key=rank, default=None)


def best_seed(record: RunRecord, seconds: float) -> BestSeed | None:
    """The best model of a run, extracted and drawn within the time; None where there is no model yet."""
    best = best_of(record)
    if best is None:
        return None
    (done,) = in_processes(_looked_into, [(best.seed, best.model)], 1, seconds)
    return done.answer or BestSeed(best.seed, note=f"it could not be looked into: {done.problem}")


def _looked_into(task: tuple[int, str]) -> BestSeed:
    seed, model = task
    try:
        shown = view(model)
    except GridError as error:
        return BestSeed(seed, note=in_words(error))
    facts = tuple(fact for fact in shown.facts if fact[0] != "extracted from")
    assert shown.vectors is not None
    plane = vector_plane(shown.vectors, shown.program.table.states)
    try:
        graph = _graph(shown.program)
    except GridError as error:
        return BestSeed(seed, "", plane, facts, in_words(error))
    return BestSeed(seed, graph, plane, (*facts, ("vectors", shown.vectors.about)))


def _graph(program: Program) -> str:
    drawing = lay_out(state_graph(program, None))
    width, height = (side + 2 * EDGE_OF_PAGE for side in drawing.layout.size)
    fitting = f"width:max({LEAST_SCALE * width:.0f}px,min(100%,{width:.0f}px))"
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" style="{fitting}" role="img">'
        f"<title>the state graph</title>"
        f'<g transform="translate({EDGE_OF_PAGE:.0f} {EDGE_OF_PAGE:.0f})">{elements(drawing)}</g></svg>'
    )


def vector_plane(vectors: Vectors, states: Sequence[str]) -> str:
    """Hidden vectors by their two main directions, coloured by state, each state named at its middle."""
    parts: list[str] = []
    points: dict[int, list[tuple[float, float]]] = {}
    for x, y, state in vectors.points:
        points.setdefault(state, []).append((x, y))
        colour, name = COLOURS[state % len(COLOURS)], escape(states[state])
        place = f'cx="{_place(x)}" cy="{_place(1 - y)}" r="4"'
        parts.append(f'<circle {place} fill="{colour}"><title>{name}</title></circle>')
    for state, each in sorted(points.items()) if len(points) <= LIMITS.named_states else ():
        x, y = fmean(x for x, _ in each), fmean(y for _, y in each)
        # Words at the right end before their point, so that they stay within the picture.
        anchor, shift = ("end", -7) if x > 0.75 else ("start", 7)
        parts.append(
            f'<text x="{_place(x) + shift}" y="{_place(1 - y) + 4}" text-anchor="{anchor}">'
            f"{escape(states[state])}</text>"
        )
    side = SIDE + 2 * EDGE
    return (
        f'<svg class="plane" viewBox="0 0 {side} {side}" role="img"><title>hidden vectors</title>'
        f"{''.join(parts)}</svg>"
    )


def _place(share: float) -> float:
    return round(EDGE + share * SIDE, 1)
