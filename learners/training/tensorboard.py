"""What a run records, as event files of TensorBoard: a folder for each seed, so that seeds share a chart.

An event file is a row of records: length, masked CRC-32C of the length, a protocol buffer `Event`, masked
CRC-32C of that. Only numbers are written, which takes few of its fields, so no library is needed.
"""

from __future__ import annotations

import os
import struct
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from gridlang.diagnostics import fail
from gridlang.terminal.notes import tell_once
from learners.training.journal import LINES, METRICS

POLYNOMIAL = 0x82F63B78  # Castagnoli's, its bits reversed.
MASK = 0xA282EAD8  # Records mask a checksum with it, for one over data that holds checksums would be weak.
ENDING = ".gridlang"  # Files with it are ours, and a run that begins here replaces them.
EVERY = LINES // 200  # Charts are some hundred pixels wide: every so many lines of metrics are enough.
SEED_TAGS = {"loss": "loss", "rlg": "RLG", "margin": "margin"}
RUN_TAGS = {"lr": "rate/learning rate", "rate": "rate/iterations a second"}


def _checksums() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return tuple(table)


_TABLE = _checksums()


def masked_crc32c(data: bytes) -> int:
    """The checksum of a record: CRC-32C, rotated and masked."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + MASK) & 0xFFFFFFFF


def _record(event: bytes) -> bytes:
    length = struct.pack("<Q", len(event))
    return b"".join(
        (length, struct.pack("<I", masked_crc32c(length)), event, struct.pack("<I", masked_crc32c(event)))
    )


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))


def _field(number: int, data: bytes) -> bytes:
    """A field of a protocol buffer that holds bytes."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _event(moment: float, step: int, body: bytes) -> bytes:
    """`Event`: wall_time = 1, step = 2, and a body: file_version = 3, or summary = 5."""
    return _record(b"\x09" + struct.pack("<d", moment) + b"\x10" + _varint(step) + body)


def _numbers(values: Mapping[str, float]) -> bytes:
    """`Summary` with a `Value` for each number: tag = 1, simple_value = 2."""
    parts = (_field(1, tag.encode()) + b"\x15" + struct.pack("<f", value) for tag, value in values.items())
    return _field(5, b"".join(_field(1, part) for part in parts))


class EventFiles:
    """Listens to a run, and writes what it records to `folder`, and of each seed to `folder/seed-N`.

    Files are begun anew with the run, and a resumed run tells what it has recorded before: nothing is there
    twice. GridError where nothing can be written.
    """

    def __init__(self, folder: str, seeds: Sequence[int]) -> None:
        name = f"events.out.tfevents.{int(time.time()):010}.{os.getpid()}{ENDING}"
        self.begun = time.time()
        self.files = [os.path.join(folder, part, name) for part in ("", *(f"seed-{seed}" for seed in seeds))]
        self.lock = threading.Lock()  # Metrics and measures come from two threads.
        self.lines = 0
        try:
            for path in self.files:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                _remove_earlier(os.path.dirname(path))
                with open(path, "wb") as file:
                    file.write(_event(self.begun, 0, _field(3, b"brain.Event:2")))
        except OSError as error:
            raise fail("G009", f"cannot write here: {error.strerror}", file=folder) from None

    def __call__(self, name: str, line: Mapping[str, Any]) -> None:
        """Writes a line of the run's folder."""
        if name == METRICS:
            self.lines += 1
            if self.lines % EVERY != 1 and EVERY > 1:
                return
        columns = {tag: line[key] for key, tag in SEED_TAGS.items() if key in line}
        rows: list[dict[str, float]] = [{tag: line[key] for key, tag in RUN_TAGS.items() if key in line}]
        for place in range(len(self.files) - 1):
            rows.append({tag: row[place] for tag, row in columns.items() if _is_finite(row[place])})
        self._write(int(line["iteration"]), self.begun + float(line.get("seconds", 0.0)), rows)

    def _write(self, step: int, moment: float, rows: Iterable[Mapping[str, float]]) -> None:
        with self.lock:
            for path, numbers in zip(self.files, rows, strict=True):
                if numbers:
                    try:
                        with open(path, "ab") as file:
                            file.write(_event(moment, step, _numbers(numbers)))
                    except OSError as error:
                        tell_once(f"events cannot be written: {error.strerror}; training goes on")
                        return


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and isfinite(value)


def _remove_earlier(folder: str) -> None:
    for name in os.listdir(folder):
        if name.startswith("events.out.tfevents.") and name.endswith(ENDING):
            os.unlink(os.path.join(folder, name))
