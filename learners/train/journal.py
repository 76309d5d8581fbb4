"""The files of a run in progress: `run.json`, lines of metrics and measures, checkpoints."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np

from gridlang.diagnostics import GridError, fail
from gridlang.files import read_bytes, write_whole
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.traces.npz import BadArchive, archive_from_bytes
from gridlang.learners.train.engine import State
from gridlang.learners.train.limits import LIMITS
from gridlang.learners.train.recipes import Floats, Recipe
from gridlang.terminal.notes import tell_once

FORMAT = "gridlang-checkpoint/1"
CHECKPOINT = "checkpoint.npz"
RESTART = "start over with --restart"
ARRAYS = ("weights", "mean", "variance")


def write_checkpoint(folder: str, state: State, about: dict[str, Any]) -> None:
    """An `.npz` file, floats by their bits; not compressed, which takes long and saves a tenth."""
    arrays = {name: getattr(state, name).view(np.uint32) for name in ARRAYS}
    arrays["diverged"] = state.diverged
    head = {**about, "format": FORMAT, "iteration": state.iteration, "digest": _digest(arrays)}
    arrays["about"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    out = BytesIO()
    np.savez(out, **arrays)
    write_whole(os.path.join(folder, CHECKPOINT), out.getvalue())


def _digest(arrays: dict[str, Any]) -> str:
    whole = hashlib.sha256()
    for name in (*ARRAYS, "diverged"):
        whole.update(np.ascontiguousarray(arrays[name]).tobytes())
    return whole.hexdigest()


def read_checkpoint(folder: str) -> tuple[State, dict[str, Any]] | None:
    """The checkpoint, or None where there is none; GridError where it is damaged."""
    path = os.path.join(folder, CHECKPOINT)
    if not os.path.exists(path):
        return None
    try:
        return _from_bytes(read_bytes(path, TRACE_LIMITS.most_bytes, path))
    except BadArchive as bad:
        raise fail("G121", f"this checkpoint is damaged: {bad}", RESTART, path) from None


def _from_bytes(data: bytes) -> tuple[State, dict[str, Any]]:
    arrays = archive_from_bytes(data, (*ARRAYS, "diverged", "about"))
    try:
        about = json.loads(arrays["about"].tobytes())
        if about["format"] != FORMAT:
            raise BadArchive(f"it is not a {FORMAT} file")
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


def check_same(
    begun: dict[str, Any], identity: dict[str, Any], folder: str, code: str = "G121", otherwise: str = RESTART
) -> None:
    """GridError unless a run that began so may be resumed with this identity."""
    for key, value in identity.items():
        if begun.get(key) != value:
            hint = f"use the settings it began with, or {otherwise}"
            difference = _difference(key, begun[key], value) if type(begun.get(key)) is type(value) else key
            raise fail(code, f"this run began with other {difference}", hint, folder)


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


METRICS = "metrics.jsonl"  # losses and rates
TABLE = "metrics.csv"  # the same as a table, a column a seed
COLUMNS = ("iteration", "lr", "seconds", "rate")
MEASURES = "measures.jsonl"  # RLG and margins, some dozens of times


def line_around(total: int, iteration: int) -> tuple[int, int]:
    """The iterations from which to which the losses of this one are a line: a thousand lines, or fewer."""
    every = -(-total // LIMITS.lines)
    end = total - (total - iteration - 1) // every * every
    return max(0, end - every), end


class Journal:
    """Keeps the losses of a run and, with a folder, what resuming needs."""

    def __init__(
        self,
        folder: str | None,
        recipe: Recipe,
        about: Mapping[str, Any],
        first: int,
        before: Mapping[str, Any],
    ) -> None:
        """Of a run that is at iteration `first`: what it is, and what the checkpoint there told of it."""
        self.folder, self.recipe, self.about, self.first, self.at = folder, recipe, about, first, first
        models = len(about["seeds"])
        # The losses in the last line of metrics.
        self.losses = np.array(before.get("losses", [np.nan] * models), np.float32)
        # The sums for the next line, which is not full.
        self.sums = np.array(before.get("sums", [0.0] * models), np.float64)
        self.earlier = float(before.get("seconds", 0.0))
        self.started = self.checkpointed = time.monotonic()
        self.piece_before = self.line_before = first, self.started  # iteration and time of their ends
        self.cost = 0.0  # seconds of a checkpoint
        self.table = [",".join((*COLUMNS, *(f"loss_{seed}" for seed in about["seeds"]))) + "\n"]

    @property
    def elapsed(self) -> float:
        """Seconds of training, those before a resumption included."""
        return self.earlier + time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Iterations a second."""
        return (self.at - self.first) / max(time.monotonic() - self.started, 1e-9)

    def open(self, about: Mapping[str, Any]) -> None:
        """Records the run in its folder; lines past its checkpoint are dropped, and written again."""
        if not self.folder:
            return
        for name in (METRICS, MEASURES):
            kept = [line for line in self._lines(name) if _iteration_of(line) <= self.first]
            write_whole(self._path(name), "".join(kept))
            if name == METRICS:
                self._add_rows(map(json.loads, kept))
        self._describe(about)

    def end(self, about: Mapping[str, Any], losses: Sequence[float]) -> None:
        """Records where the run ended, maybe before the recipe's last iteration, and the losses there."""
        if self.folder:
            final = [None if np.isnan(loss) else loss for loss in losses]
            self._describe({**about, "ended": self.at, "losses": final})

    def _describe(self, about: Mapping[str, Any]) -> None:
        write_whole(self._path("run.json"), json.dumps(about, indent=1) + "\n")

    def _path(self, name: str) -> str:
        return os.path.join(self.folder or "", name)

    def _lines(self, name: str) -> list[str]:
        try:
            with open(self._path(name), encoding="utf-8", errors="replace") as file:
                return [line for line in file if line.endswith("\n")]
        except OSError:
            return []

    def add(self, losses: Floats, *, last: bool = False) -> Floats:
        """Notes losses, (models, iterations), of the next iterations; answers the last line's means."""
        end_of_piece = self.at + losses.shape[1], time.monotonic()
        lines, means = [], self.losses
        while losses.shape[1]:
            start, end = line_around(self.recipe.iterations, self.at)
            count = min(end - self.at, losses.shape[1])
            # One after the other in float64: the same bits however the iterations are cut into calls.
            self.sums = np.cumsum(np.concatenate([self.sums[:, None], losses[:, :count]], 1), 1)[:, -1]
            losses = losses[:, count:]
            self.at += count
            means = (self.sums / (self.at - start)).astype(np.float32)
            if self.at == end or (last and not losses.shape[1]):
                self.losses, self.sums = means, np.zeros_like(self.sums)
                lines.append(self._line(*end_of_piece))
        self.piece_before = end_of_piece
        if lines:
            self.keep(METRICS, *lines)
        return means

    def _line(self, last: int, now: float) -> dict[str, Any]:
        """A line of metrics within the piece that ended now; its iterations took equally long."""
        (first, begun), (before, then) = self.piece_before, self.line_before
        ended = begun + (now - begun) * (self.at - first) / (last - first)
        self.line_before = self.at, ended
        return {
            "iteration": self.at,
            "lr": float(self.recipe.rates(self.at - 1, 1)[0]),
            "loss": [None if np.isnan(loss) else float(loss) for loss in self.losses],
            "seconds": round(self.earlier + ended - self.started, 3),
            "rate": round((self.at - before) / max(ended - then, 1e-9), 1),
        }

    def keep(self, name: str, *lines: dict[str, Any]) -> None:
        """Writes lines of metrics or of measures; a disk that is full does not end the run."""
        if not self.folder:
            return
        try:
            with open(self._path(name), "a", encoding="utf-8") as file:
                file.write("".join(json.dumps(line) + "\n" for line in lines))
            if name == METRICS:
                self._add_rows(lines)
        except (GridError, OSError) as error:
            tell_once(f"metrics cannot be written: {_reason(error)}; training goes on")

    def _add_rows(self, lines: Iterable[dict[str, Any]]) -> None:
        """Written whole, so that nobody reads half a row; the cells of a model that diverged are empty."""
        for line in lines:
            cells = (*(line.get(name) for name in COLUMNS), *line.get("loss", ()))
            self.table.append(",".join("" if cell is None else str(cell) for cell in cells) + "\n")
        write_whole(self._path(TABLE), "".join(self.table))

    def checkpoint_is_due(self) -> bool:
        since = time.monotonic() - self.checkpointed
        return since > max(LIMITS.checkpoint_seconds, self.cost / LIMITS.checkpoint_share)

    def checkpoint(self, state: State, settled: Mapping[int, Sequence[float]]) -> None:
        """Keeps the state; a disk that is full does not end the run."""
        begun = time.monotonic()
        if self.folder:
            numbers = {"losses": self.losses.tolist(), "sums": self.sums.tolist(), "settled": settled}
            try:
                write_checkpoint(self.folder, state, {**self.about, **numbers, "seconds": self.elapsed})
            except (GridError, OSError) as error:
                tell_once(f"no checkpoint could be written: {_reason(error)}; training goes on")
        self.checkpointed = time.monotonic()
        self.cost = self.checkpointed - begun


def _reason(error: GridError | OSError) -> str:
    return error.diagnostics[0].message if isinstance(error, GridError) else str(error.strerror)


def _iteration_of(line: str) -> float:
    try:
        return int(json.loads(line)["iteration"])
    except (ValueError, KeyError, TypeError):
        return float("inf")  # The line is damaged, and is dropped.


def clear(folder: str) -> None:
    """Removes what a run has left, and nothing else."""
    try:
        for name in os.listdir(folder):
            if name in ("run.json", METRICS, TABLE, MEASURES) or name.startswith(("seed-", "checkpoint.")):
                os.unlink(os.path.join(folder, name))
    except OSError as error:
        raise fail("G009", f"cannot begin again here: {error.strerror}", file=folder) from None
