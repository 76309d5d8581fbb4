"""The league's networks: all draws of a line trained together, and kept until they are judged.

Training wants a GPU and judging wants cores, so that what is trained in one place can be judged in another.
"""

from __future__ import annotations

import json
import sys
import time
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.league_draws import Learned, stacked
from benchmarks.timing import OutOfTime
from gridlang.compiler.traces.dataset import Traces
from gridlang.files import write_whole
from gridlang.learners.methods.registry import METHODS, train_by_method
from gridlang.learners.runtime.hardware import cores, gpu_count
from gridlang.learners.training.recipes import load_recipe
from gridlang.learners.training.train import TrainingPlan, TrainingProgress

ABOUT = "learned.json"


class Networks(NamedTuple):
    """What was trained together, in the order of its seeds, and on what."""

    learned: list[Learned]
    clock: dict[str, Any]


def train_together(
    name: str, parts: list[Traces], seeds: tuple[int, ...], device: str, folder: Path, deadline: float
) -> Networks:
    """A network by the method of this name for each part of the traces, each from a seed of its own."""
    whole, shares = stacked(parts)
    recipe = load_recipe(METHODS[name].recipe or "proof")
    plan = TrainingPlan(whole, recipe, seeds, device, method=METHODS[name].choice(), shares=shares)

    def watch(at: TrainingProgress | str) -> None:
        assert isinstance(at, TrainingProgress)
        print(f"\r{folder.name} {at.iteration:,}/{at.iterations:,}", end="", file=sys.stderr, flush=True)
        if time.monotonic() > deadline:
            raise OutOfTime

    models = train_by_method(plan, str(folder), resume=True, on_event=watch)
    print(file=sys.stderr)
    learned = []
    for number, model in enumerate(models):
        weights = model.model.to_bytes() if model.diverged < 0 else b""
        learned.append(Learned(number, len(parts[number]), model.seconds / len(models), weights))
    return Networks(learned, clock(on_gpu=device != "cpu" and gpu_count() > 0))


def clock(on_gpu: bool) -> dict[str, Any]:
    """What the seconds of training are of: a GPU, or all cores."""
    return {"cores": cores(), "gpu": on_gpu}


def keep(networks: Networks, path: Path) -> None:
    """Writes them as an archive of models, which `gridlang` can open one by one."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        draws = [[each.draw, each.traces, each.seconds] for each in networks.learned]
        archive.writestr(ABOUT, json.dumps({"draws": draws, "clock": networks.clock}))
        for each in networks.learned:
            archive.writestr(f"{each.draw}.safetensors", each.model)
    write_whole(path, out.getvalue())


def kept(path: Path) -> Networks:
    """What `keep` wrote."""
    with zipfile.ZipFile(path) as archive:
        about = json.loads(archive.read(ABOUT))
        learned = [
            Learned(draw, traces, seconds, archive.read(f"{draw}.safetensors"))
            for draw, traces, seconds in about["draws"]
        ]
    return Networks(learned, about["clock"])
