"""Checkpoints: the state of a run in a file, and the one before it, so that a damaged file loses little."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from io import BytesIO
from typing import Any

import numpy as np

from gridlang.diagnostics import fail
from gridlang.files import read_bytes, write_whole
from gridlang.terminal.notes import tell_once
from learners.traces.limits import LIMITS as TRACE_LIMITS
from learners.traces.npz import BadArchive, archive_from_bytes
from learners.training.engine import State
from learners.training.recipes import BY_DFST

FORMAT = "gridlang-checkpoint/1"
NAMES = ("checkpoint.npz", "checkpoint.before.npz")
RESTART = "start over with --restart"
ARRAYS = ("weights", "mean", "variance")


def write_checkpoint(folder: str, state: State, about: dict[str, Any]) -> None:
    """Writes the state whole, and keeps the checkpoint before it."""
    newest, before = (os.path.join(folder, name) for name in NAMES)
    data = _to_bytes(state, about)
    if os.path.exists(newest):
        os.replace(newest, before)
    write_whole(newest, data)


def _to_bytes(state: State, about: dict[str, Any]) -> bytes:
    """An `.npz` file, floats by their bits; not compressed, which takes long and saves a tenth."""
    arrays = {name: getattr(state, name).view(np.uint32) for name in ARRAYS}
    arrays["diverged"] = state.diverged
    head = {**about, "format": FORMAT, "iteration": state.iteration, "digest": _digest(arrays)}
    arrays["about"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    out = BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _digest(arrays: dict[str, Any]) -> str:
    whole = hashlib.sha256()
    for name in (*ARRAYS, "diverged"):
        whole.update(np.ascontiguousarray(arrays[name]).tobytes())
    return whole.hexdigest()


def read_checkpoint(folder: str) -> tuple[State, dict[str, Any]] | None:
    """The newest sound checkpoint, or None where there is none; GridError where all are damaged."""
    paths = [path for path in (os.path.join(folder, name) for name in NAMES) if os.path.exists(path)]
    problems: dict[str, str] = {}
    for path in paths:
        try:
            checkpoint = _from_bytes(read_bytes(path, TRACE_LIMITS.most_bytes, path))
        except BadArchive as bad:
            problems[path] = str(bad)
            continue
        for damaged, problem in problems.items():
            tell_once(f"{damaged} is damaged: {problem}; going on from {path}")
            # Left where it is, the next checkpoint would put it in place of the sound one.
            with suppress(OSError):
                os.replace(damaged, f"{damaged}.damaged")
        return checkpoint
    if problems:
        raise fail("G121", f"this checkpoint is damaged: {problems[paths[0]]}", RESTART, paths[0])
    return None


def _from_bytes(data: bytes) -> tuple[State, dict[str, Any]]:
    arrays = archive_from_bytes(data, (*ARRAYS, "diverged", "about"))
    try:
        about = json.loads(arrays["about"].tobytes())
        if about["format"] != FORMAT:
            raise BadArchive(f"it is no {FORMAT}")
        if about["digest"] != _digest(arrays):
            raise BadArchive("its content has changed since it was written")
        if any(arrays[name].dtype != np.uint32 for name in ARRAYS):
            raise BadArchive("its weights are not kept by their bits")
        weights, mean, variance = (arrays[name].view(np.float32) for name in ARRAYS)
        state = State(about["iteration"], weights, mean, variance, arrays["diverged"].astype(np.int64))
        problem = _problem(state, about)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadArchive("its description cannot be read") from None
    if problem:
        raise BadArchive(problem)
    return state, about


def _problem(state: State, about: dict[str, Any]) -> str:
    """What in a checkpoint does not fit the rest of it; engines take its numbers as they are."""
    models, seeds = len(about["losses"]), about["seeds"]
    shapes = {getattr(state, name).shape for name in ARRAYS}
    if state.weights.ndim != 2 or len(shapes) != 1 or state.diverged.shape != (models,):
        return "its arrays do not fit each other"
    if not len(state.weights) == len(seeds) == len(about["sums"]) == models > 0:
        return "its numbers of models differ"
    numbers = [about["seconds"], *about["losses"], *about["sums"]]
    if not isinstance(about["recipe"], dict) or not all(type(number) in (int, float) for number in numbers):
        return "its description is damaged"
    if {type(number) for number in (state.iteration, *seeds)} != {int} or state.iteration < 0:
        return "its iteration or its seeds are no whole numbers"
    return ""


def check_same(begun: dict[str, Any], identity: dict[str, Any], folder: str) -> None:
    """GridError unless a run may be resumed from a checkpoint."""
    begun = {"method": BY_DFST.as_json(), **begun}  # Older runs do not say it.
    for key, value in identity.items():
        if begun.get(key) != value:
            hint = f"use the settings it began with, or {RESTART}"
            difference = _difference(key, begun[key], value) if key in begun else key
            raise fail("G121", f"this run began with other {difference}", hint, folder)


def _difference(key: str, begun: Any, value: Any) -> str:
    """`settings: lr 0.01, not 0.003`."""
    if key == "seeds":
        return f"seeds: {_span(begun)}, not {_span(value)}"
    if key == "method":
        return f"method: {begun['name']}, not {value['name']}"
    if key != "recipe":
        return key
    others = [
        f"{name} {begun.get(name)}, not {value[name]}" for name in value if begun.get(name) != value[name]
    ]
    return f"settings: {'; '.join(others)}"


def _span(seeds: list[int]) -> str:
    return f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
