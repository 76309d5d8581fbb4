"""What a run records, as event files of TensorBoard: a folder for each seed, so that seeds share a chart."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from gridlang.diagnostics import fail
from gridlang.terminal.notes import tell_once
from learners.training.journal import METRICS
from learners.training.limits import LIMITS

ENDING = ".gridlang"  # marks our files, which a run that begins here replaces
SEED_TAGS = {"loss": "loss", "rlg": "RLG", "margin": "margin"}
RUN_TAGS = {"lr": "rate/learning rate", "rate": "rate/iterations a second"}


class EventFiles:
    """Listens to a run, and writes what it records to `folder`, and of each seed to `folder/seed-N`.

    Files are begun anew with the run, and a resumed run tells what it has recorded before: nothing is there
    twice. GridError where nothing can be written, or where TensorBoard is not installed.
    """

    def __init__(self, folder: str, seeds: Sequence[int]) -> None:
        try:
            from tensorboard.compat.proto.event_pb2 import Event
            from tensorboard.summary.writer.record_writer import RecordWriter
        except ImportError:
            hint = "install it with `pip install gridlang[tensorboard]`"
            raise fail("G122", "event files need TensorBoard, which is not installed", hint) from None
        self.event, self.writer = Event, RecordWriter
        name = f"events.out.tfevents.{int(time.time()):010}.{os.getpid()}{ENDING}"
        self.begun = time.time()
        self.files = [os.path.join(folder, part, name) for part in ("", *(f"seed-{seed}" for seed in seeds))]
        self.lock = threading.Lock()  # Metrics and measures come from two threads.
        self.lines = 0
        try:
            for path in self.files:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                _remove_earlier(os.path.dirname(path))
                self._append(path, self.event(wall_time=self.begun, file_version="brain.Event:2"))
        except OSError as error:
            raise fail("G009", f"cannot write here: {error.strerror}", file=folder) from None

    def __call__(self, name: str, line: Mapping[str, Any]) -> None:
        """Writes a line of the run's folder."""
        if name == METRICS:
            self.lines += 1
            every = LIMITS.lines // LIMITS.charted_lines
            if every > 1 and self.lines % every != 1:
                return
        columns = {tag: line[key] for key, tag in SEED_TAGS.items() if key in line}
        rows: list[dict[str, float]] = [{tag: line[key] for key, tag in RUN_TAGS.items() if key in line}]
        for place in range(len(self.files) - 1):
            rows.append({tag: row[place] for tag, row in columns.items() if _is_finite(row[place])})
        self._write(int(line["iteration"]), self.begun + float(line.get("seconds", 0.0)), rows)

    def _write(self, step: int, moment: float, rows: Iterable[Mapping[str, float]]) -> None:
        with self.lock:
            for path, numbers in zip(self.files, rows, strict=True):
                values = [{"tag": tag, "simple_value": number} for tag, number in numbers.items()]
                if not values:
                    continue
                try:
                    self._append(path, self.event(wall_time=moment, step=step, summary={"value": values}))
                except OSError as error:
                    tell_once(f"events cannot be written: {error.strerror}; training goes on")
                    return

    def _append(self, path: str, event: Any) -> None:
        with open(path, "ab") as file:
            self.writer(file).write(event.SerializeToString())


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and isfinite(value)


def _remove_earlier(folder: str) -> None:
    for name in os.listdir(folder):
        if name.startswith("events.out.tfevents.") and name.endswith(ENDING):
            os.unlink(os.path.join(folder, name))
