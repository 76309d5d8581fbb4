"""Learning from noisy traces: clean them, learn from the result, extract, and measure at the end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from gridlang.compiler.extraction.extract import extract
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.tensors.dfst import Dfst, dfst_to_bytes, read_dfst, table_to_dfst
from gridlang.compiler.traces.dataset import Traces, digest, traces_to_bytes
from gridlang.compiler.traces.one_trace import chosen
from gridlang.diagnostics import GridError, counted, fail
from gridlang.display import Shown
from gridlang.files import write_whole
from gridlang.learners.learning.limits import LIMITS
from gridlang.learners.learning.rounds import LOCK, open_run, read_json
from gridlang.learners.learning.seed_verdicts import PROVEN, REFUTED, UNKNOWN
from gridlang.learners.methods.noise.cleaning import (
    Belief,
    Cleaned,
    Cleaning,
    CleaningPlan,
    RoundOfCleaning,
    cleaned,
    refuse_stuck,
)
from gridlang.learners.methods.noise.corruption import KINDS, MADE, Rates
from gridlang.learners.methods.noise.decoding import decode, judgement
from gridlang.learners.methods.noise.search import weighed
from gridlang.learners.methods.registry import train_by_method
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.training.train import TrainingPlan, TrainingProgress
from gridlang.table import Table
from gridlang.table_json import table_from_json, table_to_json

BELIEF, CLEANED = "cleaning.json", "cleaned.npz"  # files of a run
COUNTS = "rounds", "found_again", "unimproved"  # of a belief
SCOPES = ("inputs", "worlds")


class Explained(NamedTuple):
    """How many of the steps of some traces are recorded as the table says they happened."""

    steps: int
    agree: int
    traces: int


@dataclass(frozen=True, slots=True, eq=False)
class NoisySeed:
    """One model that learned from cleaned traces, and what was extracted from it."""

    seed: int
    dfst: Dfst
    table: Table | None
    refused: str
    longest: int  # length of explored inputs
    verdicts: dict[str, str]  # by scope; empty without an expert

    def as_json(self) -> dict[str, Any]:
        size = len(self.table.states) if self.table else None
        loss = self.dfst.training.get("loss")
        about = {"seed": self.seed, "loss": loss, "states": size, "refused": self.refused or None}
        return {**about, "longest": self.longest, "verdicts": self.verdicts}


@dataclass(frozen=True, slots=True, eq=False)
class NoisyLearned(Shown):
    """All that was learned from noisy traces, and the final measurement.

    >>> import gridlang as gl
    >>> clean = gl.trace("examples/increment.grid", rule="peek-worlds", count=40)
    >>> gl.learn_noisy(gl.corrupt(clean, 0.05), seeds=0, against="examples/increment.grid")
    NoisyLearned(3 states, 74 of 525 steps judged wrong; proven on inputs, proven on worlds)
    """

    cleaned: Cleaned
    seeds: list[NoisySeed]
    verdicts: dict[str, str]  # of the likeliest table
    explained: Explained
    held_out: Explained | None

    @property
    def table(self) -> Table:
        """The likeliest table."""
        return self.cleaned.best.table

    @property
    def traces(self) -> Traces:
        """The likeliest true traces."""
        return self.cleaned.traces

    @property
    def model(self) -> Dfst:
        """The likeliest table as exact weights, with what is kept of how it was learned."""
        exact = table_to_dfst(self.table)
        about = self.seeds[0].dfst.metadata if self.seeds else {}
        training = {"training": about["training"]} if "training" in about else {}
        return replace(exact, metadata={**exact.metadata, **training})

    def __repr__(self) -> str:
        told, states = self.cleaned.judgement, counted(len(self.table.states), "state")
        verdicts = ", ".join(f"{verdict} on {scope}" for scope, verdict in self.verdicts.items())
        judged = f"{states}, {told.wrong:,} of {told.steps:,} steps judged wrong"
        return f"NoisyLearned({judged}{f'; {verdicts}' if verdicts else ''})"


def learn_noisy(
    seen: Traces,
    plan: CleaningPlan,
    seeds: tuple[int, ...],
    expert: Table | None = None,
    folder: str | None = None,
    *,
    on_event: Callable[[str | RoundOfCleaning], None] = lambda _: None,
) -> NoisyLearned:
    """The likeliest agent behind the traces; the expert only measures it at the end.

    Without an expert some traces are held out, and the claim is how many of their steps the table explains.
    A `folder` has what an interrupted run has left, and gets what this one leaves.
    """
    if folder is None:
        with TemporaryDirectory() as passing:
            return learn_noisy(seen, plan, seeds, expert, passing, on_event=on_event)
    refuse_stuck(seen)
    known = anonymous(seen)
    kept, held_out = (known, None) if expert is not None else _split(known)
    belief, keep = _read_belief(folder, kept, plan), partial(_write_belief, folder)
    clean = cleaned(kept, plan, belief, on_belief=keep, on_round=on_event, progress=on_event)
    write_whole(os.path.join(folder, CLEANED), traces_to_bytes(clean.traces))
    models = _retrained(clean, plan, seeds, folder, on_event)
    on_event("measuring")
    return NoisyLearned(
        cleaned=clean,
        seeds=[_extracted(seed, model, expert, on_event) for seed, model in models],
        verdicts=verdicts_of(clean.best.table, expert),
        explained=_explained(kept, clean),
        held_out=None if held_out is None else _explained(held_out, clean),
    )


@contextmanager
def run_folder(
    folder: str, seen: Traces, plan: CleaningPlan, measured: bool, resume: bool, command: str = ""
) -> Iterator[str]:
    """The folder, made or found to be of this very run, and kept from others while it is used."""
    identity = {
        "noisy": True,
        "traces": digest(seen),
        "seed": plan.seed,
        "recipe": asdict(plan.recipe),
        "held_out": not measured,
    }
    with held(folder, LOCK):
        open_run(folder, seen.name, identity, resume, command)
        yield folder


def _read_belief(folder: str, seen: Traces, plan: CleaningPlan) -> Belief | None:
    """The belief of an interrupted run's last round; derived data is computed again."""
    path = os.path.join(folder, BELIEF)
    if not os.path.exists(path):
        return None
    data = read_json(path)
    try:
        rounds, *counts = (int(data[name]) for name in COUNTS)
        best = None
        if data["table"] is not None:
            table = table_from_json(json.dumps(data["table"]))
            reads, writes, moves = (float(data["rates"][kind]) for kind in KINDS)
            together = tuple(float(share) for share in data["rates"]["together"])
            rates = Rates(reads, writes, moves, together)
            searched = Cleaning(seen, plan, lambda _: None).searched
            best = weighed(table, searched, rates, np.array(data["read"], np.float64))
    except (ValueError, KeyError, TypeError, IndexError, GridError):
        hint = "remove it, and the traces are cleaned again"
        raise fail("G161", "this file of a run cannot be read", hint, path) from None
    return Belief(rounds, best, *counts)


def _write_belief(folder: str, belief: Belief) -> None:
    best = belief.best
    told: dict[str, Any] = {name: getattr(belief, name) for name in COUNTS} | {"table": None}
    if best is not None:
        told |= {"table": json.loads(table_to_json(best.table)), "rates": best.rates._asdict()}
        told["read"] = best.read.tolist()
    write_whole(os.path.join(folder, BELIEF), json.dumps(told) + "\n")


def anonymous(seen: Traces) -> Traces:
    """The traces without hints at the truth: source, inputs and noise."""
    data = {key: value for key, value in seen.data.items() if key != MADE}
    return replace(seen, inputs=("",) * len(seen), source="", data={**data, "noisy": True})


def _split(traces: Traces) -> tuple[Traces, Traces | None]:
    """Those to learn from, and every tenth, which is held out; none of few."""
    every = np.arange(len(traces))
    out = every % LIMITS.held_out == LIMITS.held_out - 1
    return (traces, None) if not out.any() else (chosen(traces, every[~out]), chosen(traces, every[out]))


def _retrained(
    clean: Cleaned,
    plan: CleaningPlan,
    seeds: tuple[int, ...],
    folder: str,
    progress: Callable[[str], None],
) -> list[tuple[int, Dfst]]:
    """Models of the cleaned traces; those in the folder are not trained again."""

    def tell(at: TrainingProgress | str) -> None:
        assert isinstance(at, TrainingProgress)
        progress(f"training on cleaned traces {at.iteration:,}/{at.iterations:,}")

    paths = {seed: os.path.join(folder, f"seed-{seed}.safetensors") for seed in seeds}
    models = {seed: read_dfst(path) for seed, path in paths.items() if os.path.exists(path)}
    missing = tuple(seed for seed in seeds if seed not in models)
    recipe = plan.recipe
    if not (recipe.dim or clean.traces.states):
        recipe = replace(recipe, dim=len(clean.best.table.states))
    if missing:
        again = TrainingPlan(clean.traces, recipe, missing, plan.device)
        for trained in train_by_method(again, on_event=tell):
            models[trained.seed] = trained.dfst
            write_whole(paths[trained.seed], dfst_to_bytes(trained.dfst))
    return [(seed, models[seed]) for seed in seeds]


def _extracted(seed: int, model: Dfst, expert: Table | None, progress: Callable[[str], None]) -> NoisySeed:
    """The extraction of a model without an expert, measured with one."""
    progress(f"extracting seed {seed}")
    table, refused, length = None, "it diverged", 0
    finite = all(np.isfinite(each).all() for each in (model.A, model.B, model.C))
    for length in LIMITS.noisy_lengths if finite else ():
        extraction = extract(model, longest=length)
        table, refused = extraction.table, extraction.refused
        if table is not None:
            break
    verdicts = {} if table is None else verdicts_of(table, expert)
    return NoisySeed(seed, model, table, refused, length, verdicts)


def verdicts_of(table: Table, expert: Table | None) -> dict[str, str]:
    """The verdicts on a table against the expert, on inputs and on worlds."""
    if expert is None:
        return {}
    answers = {True: PROVEN, False: REFUTED, None: UNKNOWN}
    scopes = SCOPES if expert.input else SCOPES[1:]
    return {scope: answers[prove(expert, table, scope).equivalent] for scope in scopes}


def _explained(traces: Traces, clean: Cleaned) -> Explained:
    """The steps of traces whose records are as the table says, given the rates that were estimated."""
    told = judgement(traces, decode(clean.best.table, traces, clean.judgement.rates, clean.best.read))
    return Explained(told.steps, told.steps - told.wrong, len(traces))
