"""The folder of a run that learns from noisy traces: what each round believes, and what was learned."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import numpy as np

from compiler.tensors.dfst import Dfst, dfst_to_bytes, read_dfst
from gridlang.diagnostics import GridError, fail
from gridlang.files import write_whole
from gridlang.table_json import table_from_json, table_to_json
from learners.learning.rounds import LOCK, open_run, read_json
from learners.methods.noise.cleaning import Belief, Cleaning, CleaningPlan
from learners.methods.noise.corruption import KINDS, Rates
from learners.methods.noise.search import weighed
from learners.runtime.folder_lock import held
from learners.traces.dataset import Traces, digest, traces_to_bytes

BELIEF, CLEANED = "cleaning.json", "cleaned.npz"


class NoFolder:
    """A run that leaves nothing."""

    def belief(self, seen: Traces, plan: CleaningPlan) -> Belief | None:  # noqa: ARG002
        return None

    def keep(self, belief: Belief) -> None:
        pass

    def keep_cleaned(self, traces: Traces) -> None:
        pass

    def model(self, seed: int) -> Dfst | None:  # noqa: ARG002
        return None

    def keep_model(self, seed: int, model: Dfst) -> None:
        pass


class RunFolder(NoFolder):
    """A run that goes on where it was interrupted; each of its files is written whole."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def belief(self, seen: Traces, plan: CleaningPlan) -> Belief | None:
        """What the last round of an interrupted run believed; its accounts are made again."""
        path = os.path.join(self.folder, BELIEF)
        if not os.path.exists(path):
            return None
        data = read_json(path)
        try:
            counts = [int(data[name]) for name in ("rounds", "found_again", "unimproved")]
            best = None
            if data["table"] is not None:
                table = table_from_json(json.dumps(data["table"]))
                rates = Rates(*(float(data["rates"][kind]) for kind in KINDS))
                searched = Cleaning(seen, plan, lambda _: None).searched
                best = weighed(table, searched, rates, np.array(data["read"], np.float64))
        except (ValueError, KeyError, TypeError, IndexError, GridError):
            hint = "remove it, and the traces are cleaned again"
            raise fail("G161", "this file of a run cannot be read", hint, path) from None
        return Belief(counts[0], best, *counts[1:])

    def keep(self, belief: Belief) -> None:
        best = belief.best
        told: dict[str, Any] = {"table": None}
        if best is not None:
            told = {
                "table": json.loads(table_to_json(best.table)),
                "rates": best.rates._asdict(),
                "read": best.read.tolist(),
            }
        counts = {name: getattr(belief, name) for name in ("rounds", "found_again", "unimproved")}
        write_whole(os.path.join(self.folder, BELIEF), json.dumps({**counts, **told}) + "\n")

    def keep_cleaned(self, traces: Traces) -> None:
        write_whole(self.cleaned, traces_to_bytes(traces))

    @property
    def cleaned(self) -> str:
        """The file of the cleaned traces, once there are some."""
        return os.path.join(self.folder, CLEANED)

    def model(self, seed: int) -> Dfst | None:
        path = self._model_path(seed)
        return read_dfst(path) if os.path.exists(path) else None

    def keep_model(self, seed: int, model: Dfst) -> None:
        write_whole(self._model_path(seed), dfst_to_bytes(model))

    def _model_path(self, seed: int) -> str:
        return os.path.join(self.folder, f"seed-{seed}.safetensors")


@contextmanager
def run_folder(
    folder: str, seen: Traces, plan: CleaningPlan, measured: bool, resume: bool, command: str = ""
) -> Iterator[RunFolder]:
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
        yield RunFolder(folder)
