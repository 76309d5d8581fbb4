"""Which explorer walks: the one in C, or the one in Python where there is no compiler."""

from __future__ import annotations

from compiler.simulation.native.build import CannotBuild
from compiler.tensors.model import Model
from gridlang.terminal.notes import tell_once
from learners.extraction.explorer import Explorer, ExplorerConfig, PlainExplorer
from learners.extraction.explorer_native import NativeExplorer


def explorer_for(dfst: Model, config: ExplorerConfig) -> Explorer:
    """An explorer in C where there is a compiler, in Python otherwise."""
    try:
        return NativeExplorer(dfst, config)
    except CannotBuild as error:
        tell_once(f"{error}; exploring in Python, which is slower")
        return PlainExplorer(dfst, config)
