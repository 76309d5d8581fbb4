"""The league's models: all draws of a line trained together, and kept until they are judged.

Training wants a GPU and judging wants cores: what is trained in one place can be judged in another.
"""

from __future__ import annotations

import json
import time
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.timing import OutOfTime
from gridlang.files import write_whole
from gridlang.learners.methods.registry import METHODS
from gridlang.learners.runtime.hardware import cores
from gridlang.learners.traces.dataset import ROWS, Traces
from gridlang.learners.training.engine import Share
from gridlang.learners.training.recipes import changed, load_recipe
from gridlang.learners.training.train import Trained, TrainingPlan, TrainingProgress, train

ABOUT = "learned.json"
SETTLED = 5.0  # seconds after which the pace of training is known


class Learned(NamedTuple):
    """A model of one draw, what it cost, and what it was learned from."""

    draw: int
    traces: int
    seconds: float  # of training: of one core, or this model's part of a GPU
    model: bytes  # empty where there is none


class Models(NamedTuple):
    """What was trained together, in the order of its seeds, and on what."""

    learned: list[Learned]
    clock: dict[str, Any]


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


def trained(
    method: str, setting: dict[str, Any], parts: list[Traces], seeds: tuple[int, ...], deadline: float
) -> list[Trained]:
    """A model for each part of the traces, all trained together; OutOfTime if they would not end in time."""

    def watch(at: TrainingProgress) -> None:
        left = (at.iterations - at.iteration) / max(at.rate, 1e-9)
        if at.seconds > SETTLED and time.monotonic() + left > deadline:
            raise OutOfTime

    whole, shares = stacked(parts)
    given = {name: value for name, value in setting.items() if name != "recipe"}
    recipe = changed(load_recipe(setting["recipe"]), **given)
    plan = TrainingPlan(whole, recipe, seeds, "auto", method=METHODS[method].choice(), shares=shares)
    return train(plan, progress=watch)


def clock(on_gpu: bool) -> dict[str, Any]:
    """What the seconds of training are of: a GPU, or all cores."""
    return {"cores": cores(), "gpu": on_gpu}


def keep(models: Models, path: Path) -> None:
    """Writes them as an archive of models, which `gridlang` can open one by one."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        draws = [[each.draw, each.traces, each.seconds] for each in models.learned]
        archive.writestr(ABOUT, json.dumps({"draws": draws, "clock": models.clock}))
        for each in models.learned:
            archive.writestr(f"{each.draw}.safetensors", each.model)
    write_whole(path, out.getvalue())


def kept(path: Path) -> Models:
    """What `keep` wrote."""
    with zipfile.ZipFile(path) as archive:
        about = json.loads(archive.read(ABOUT))
        learned = [
            Learned(draw, traces, seconds, archive.read(f"{draw}.safetensors"))
            for draw, traces, seconds in about["draws"]
        ]
    return Models(learned, about["clock"])
