"""What a run leaves in its folder while it goes: `run.json`, lines of metrics and measures, checkpoints."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from gridlang.diagnostics import GridError, fail
from gridlang.files import write_whole
from gridlang.terminal.notes import tell_once
from learners.training.checkpoints import write_checkpoint
from learners.training.engine import State
from learners.training.limits import LIMITS
from learners.training.recipes import Floats, Recipe

METRICS = "metrics.jsonl"  # losses and rates
MEASURES = "measures.jsonl"  # RLG and margins, some dozens of times


def line_around(total: int, iteration: int) -> tuple[int, int]:
    """The iterations from which to which the losses of this one are a line: a thousand lines, or fewer."""
    every = -(-total // LIMITS.lines)
    end = total - (total - iteration - 1) // every * every
    return max(0, end - every), end


class Journal:
    """Keeps the losses of a run, and, with a folder, what is needed to go on from there."""

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

    @property
    def elapsed(self) -> float:
        """Seconds of training, those before a resumption included."""
        return self.earlier + time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Iterations a second."""
        return (self.at - self.first) / max(time.monotonic() - self.started, 1e-9)

    def open(self, about: Mapping[str, Any]) -> None:
        """Says in the folder what the run is; lines past its checkpoint will be written again."""
        if not self.folder:
            return
        for name in (METRICS, MEASURES):
            kept = [line for line in self._lines(name) if _iteration_of(line) <= self.first]
            write_whole(self._path(name), "".join(kept))
        write_whole(self._path("run.json"), json.dumps(about, indent=1) + "\n")

    def _path(self, name: str) -> str:
        return os.path.join(self.folder or "", name)

    def _lines(self, name: str) -> list[str]:
        try:
            with open(self._path(name), encoding="utf-8", errors="replace") as file:
                return [line for line in file if line.endswith("\n")]
        except OSError:
            return []

    def add(self, losses: Floats) -> Floats:
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
            if self.at == end:
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
        except OSError as error:
            tell_once(f"metrics cannot be written: {error.strerror}; training goes on")

    def checkpoint_is_due(self) -> bool:
        since = time.monotonic() - self.checkpointed
        return since > max(LIMITS.checkpoint_seconds, self.cost / LIMITS.checkpoint_share)

    def checkpoint(self, state: State) -> None:
        """Keeps the state; a disk that is full does not end the run."""
        begun = time.monotonic()
        if self.folder:
            numbers = {"losses": self.losses.tolist(), "sums": self.sums.tolist()}
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
            if name in ("run.json", METRICS, MEASURES) or name.startswith(("seed-", "checkpoint.")):
                os.unlink(os.path.join(folder, name))
    except OSError as error:
        raise fail("G009", f"cannot begin again here: {error.strerror}", file=folder) from None
