"""Decoding in C: the accounts that `plain_decoder.decode_rows` gives, and fast."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from compiler.simulation.native.build import load_library
from learners.methods.noise.accounts import Accounts, Costs
from learners.traces.dataset import Traces

SOURCE = Path(__file__).parent / "decoder.c"
ROWS = 256  # C is left after so many rows, so that an interrupt is heard.
NATS = ("familiar", "dropped", "untimely", "deviate", "jump", "unruled")  # in the order of the C struct

_POINTER, _DOUBLE, _INT = ctypes.c_void_p, ctypes.c_double, ctypes.c_int32


class _Machine(ctypes.Structure):
    _fields_ = [
        *((name, _INT) for name in ("symbols", "states", "width")),
        *((name, _DOUBLE) for name in NATS),
        *((name, _POINTER) for name in ("write", "move", "next", "reading")),
        *((name, _DOUBLE * 2) for name in ("reads", "writes", "moves")),
    ]


class _Records(ctypes.Structure):
    _fields_ = [("steps", ctypes.c_int64), *((name, _POINTER) for name in "xsm")]


class _Account(ctypes.Structure):
    _fields_ = [(name, _POINTER) for name in Accounts.ARRAYS]


@lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """The library; CannotBuild without a compiler."""
    loaded = load_library(SOURCE.read_text(encoding="utf-8"), ("-O2", "-lm"), ("decoder_decode",))
    loaded.decoder_decode.argtypes = [*[_POINTER] * 4, ctypes.c_int64, ctypes.c_int64, _POINTER]
    return loaded


def decode_rows(costs: Costs, traces: Traces, accounts: Accounts) -> None:
    """Fills in the accounts of all traces."""
    held: list[npt.NDArray[Any]] = []

    def pointer(array: npt.NDArray[Any], kind: type[np.generic]) -> int:
        held.append(np.ascontiguousarray(array, kind))
        return int(held[-1].ctypes.data)

    machine = _Machine(
        symbols=costs.write.shape[1],
        states=len(costs.write),
        width=costs.width,
        **{name: getattr(costs, name) for name in NATS},
        **{name: pointer(getattr(costs, name), np.int32) for name in ("write", "move", "next")},
        reading=pointer(costs.reading, np.float64),
        **{name: (_DOUBLE * 2)(*getattr(costs, name)) for name in ("reads", "writes", "moves")},
    )
    records = _Records(traces.x.shape[1], *(pointer(getattr(traces, name), np.int16) for name in "xsm"))
    account = _Account(*(getattr(accounts, name).ctypes.data for name in Accounts.ARRAYS))
    length = pointer(traces.length, np.int32)
    halted = pointer(np.array([ending == "halted" for ending in traces.ending]), np.int32)
    for first in range(0, len(traces), ROWS):
        end = min(first + ROWS, len(traces))
        if not library().decoder_decode(
            ctypes.byref(machine), ctypes.byref(records), length, halted, first, end, ctypes.byref(account)
        ):
            raise MemoryError("there is no memory to decode these traces")
