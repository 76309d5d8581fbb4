"""The table that a model is with snapped inference, by centres that are found for it."""

from __future__ import annotations

from collections.abc import Callable

from gridlang.compiler.extraction.extract import extract
from gridlang.compiler.extraction.saturation import INPUTS, WORLDS
from gridlang.compiler.extraction.snapped_inference import codebook_of, snapped_table
from gridlang.compiler.judging.equivalence_query import judge
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import source_table, symbols_of
from gridlang.diagnostics import GridError
from gridlang.table import Table


def snapped(dfst: Dfst, file: str = "", progress: Callable[[int], None] = lambda _: None) -> Table:
    """By the centres of an extraction; where these are not closed, by those that prove the model's source."""
    try:
        return snapped_table(dfst, codebook_of(dfst, extract(dfst, progress=progress), file), file)
    except GridError:
        table = _proven(dfst, progress)
        if table is None:
            raise
        return table


def _proven(dfst: Dfst, progress: Callable[[int], None]) -> Table | None:
    """The table of a certificate about the model and the source that it carries."""
    expert = source_table(dfst)
    if expert is None or set(expert.symbols) != set(symbols_of(dfst)):
        return None
    scope = INPUTS if expert.input else WORLDS
    answer = judge(dfst, expert, scope, snapped=True, tell_drift=False, progress=progress)
    return answer.table if answer.snapping is not None else None
