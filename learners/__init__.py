"""What learns tables from traces. The only package that may need torch. `gridlang` is the short way in.

Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learners.api.data import coverage, load_traces, trace
    from learners.api.models import bound, evaluate, extract, snap
    from learners.api.proofs import prove
    from learners.api.training import learn, train
    from learners.api.views import view
    from learners.reports.viewed import View
    from learners.testing import assert_equivalent

__all__ = [
    "View",
    "assert_equivalent",
    "bound",
    "coverage",
    "evaluate",
    "extract",
    "learn",
    "load_traces",
    "prove",
    "snap",
    "trace",
    "train",
    "view",
]
_ROOMS = {
    "api.data": ("coverage", "load_traces", "trace"),
    "api.models": ("bound", "evaluate", "extract", "snap"),
    "api.proofs": ("prove",),
    "api.training": ("learn", "train"),
    "api.views": ("view",),
    "reports.viewed": ("View",),
    "testing": ("assert_equivalent",),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'learners' has no attribute {name!r}")
    return getattr(import_module(f"learners.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
