"""Tolerant merging in C: the rows that `plain_merger.PlainMerger` comes to, and fast."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path

import numpy as np

from compiler.simulation.native.build import load_library
from learners.methods.noise.tolerant_merging.plain_merger import Records, Rows, Tolerance

SOURCE = Path(__file__).parent / "merger.c"


class _Tolerance(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int32) for name in ("symbols", "depth", "most")),
        *((name, ctypes.c_double) for name in ("share", "spare")),
    ]


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    """The library; CannotBuild without a compiler."""
    loaded = load_library(SOURCE.read_text(encoding="utf-8"), ("-O3",), ("tolerant_merge",))
    pointer = ctypes.c_void_p
    loaded.tolerant_merge.argtypes = [pointer, ctypes.c_int64, ctypes.c_int64, *[pointer] * 6]
    return loaded


def merge(records: Records, tolerance: Tolerance, most: int) -> Rows:
    """The rows of at most so many states."""
    arrays = [np.ascontiguousarray(each, np.int32) for each in records[1:]]
    rows = Rows(*(np.empty((most, records.symbols), np.int32) for _ in Rows._fields))
    how = _Tolerance(records.symbols, tolerance.depth, most, tolerance.share, tolerance.spare)
    pointers = [each.ctypes.data for each in (*arrays, *rows)]
    states = _library().tolerant_merge(ctypes.byref(how), *records.read.shape, *pointers)
    if states < 0:
        raise MemoryError("there is no memory for the tree of the traces")
    return Rows(*(each[:states] for each in rows))
