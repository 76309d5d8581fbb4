"""What tables become: simulators, tensors, programs, comparisons.

Names are imported when they are first used, so that a run needs neither numpy nor a C compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compiler.batch import run_batch, trace_batch
    from compiler.dfst import Dfst, dfst_to_bytes, dfst_to_table, read_dfst, run_dfst, table_to_dfst
    from compiler.engines import execute
    from compiler.minimize import minimize_table
    from compiler.proofs.equivalence import Verdict, compare_tables
    from compiler.simulate import Run, run

__all__ = [
    "Dfst",
    "Run",
    "Verdict",
    "compare_tables",
    "dfst_to_bytes",
    "dfst_to_table",
    "execute",
    "minimize_table",
    "read_dfst",
    "run",
    "run_batch",
    "run_dfst",
    "table_to_dfst",
    "trace_batch",
]
_HOMES = {
    "batch": ("run_batch", "trace_batch"),
    "dfst": ("Dfst", "dfst_to_bytes", "dfst_to_table", "read_dfst", "run_dfst", "table_to_dfst"),
    "engines": ("execute",),
    "proofs.equivalence": ("Verdict", "compare_tables"),
    "minimize": ("minimize_table",),
    "simulate": ("Run", "run"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"compiler.{module}"), name)
    raise AttributeError(f"module 'compiler' has no attribute {name!r}")
