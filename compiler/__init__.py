"""What tables become: simulators, tensors, programs, comparisons, pictures. `gridlang` is the short way in.

Names are imported when they are first used, so that a run needs neither numpy nor a C compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compiler.batch import run_batch, trace_batch
    from compiler.closed_loop import run_dfst
    from compiler.dfst import Dfst, dfst_to_bytes, dfst_to_table, read_dfst, table_to_dfst
    from compiler.engines import execute
    from compiler.minimize import Minimized, minimize_table
    from compiler.proofs.equivalence import Verdict, compare_tables
    from compiler.proofs.prove import prove
    from compiler.simulate import Run, run
    from compiler.verifier.verify import verify

__all__ = [
    "Dfst",
    "Minimized",
    "Run",
    "Verdict",
    "compare_tables",
    "dfst_to_bytes",
    "dfst_to_table",
    "execute",
    "minimize_table",
    "prove",
    "read_dfst",
    "run",
    "run_batch",
    "run_dfst",
    "table_to_dfst",
    "trace_batch",
    "verify",
]
_ROOMS = {
    "batch": ("run_batch", "trace_batch"),
    "closed_loop": ("run_dfst",),
    "dfst": ("Dfst", "dfst_to_bytes", "dfst_to_table", "read_dfst", "table_to_dfst"),
    "engines": ("execute",),
    "minimize": ("Minimized", "minimize_table"),
    "proofs.equivalence": ("Verdict", "compare_tables"),
    "proofs.prove": ("prove",),
    "simulate": ("Run", "run"),
    "verifier.verify": ("verify",),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'compiler' has no attribute {name!r}")
    return getattr(import_module(f"compiler.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
