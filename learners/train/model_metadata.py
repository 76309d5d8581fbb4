"""What a model takes over from the traces that it was learned from."""

from __future__ import annotations

import json

from gridlang.compiler.tensors.model import DFST_FORMAT, NEGATIVE, STUCK
from gridlang.learners.traces.dataset import Traces
from gridlang.table import BLANK, MOVES


def metadata_of(traces: Traces) -> dict[str, str]:
    """The agent's name, alphabet, inputs and source, as a model's file keeps them."""
    return {
        "format": DFST_FORMAT,
        "name": traces.name,
        "symbols": json.dumps(traces.symbols, ensure_ascii=False),
        "moves": json.dumps(list(MOVES)),
        "blank": BLANK,
        "classes": json.dumps(traces.classes, ensure_ascii=False),
        **({"input": traces.input} if traces.input else {}),
        **({"source": traces.source} if traces.source else {}),
        **({STUCK: NEGATIVE} if traces.strict else {}),
    }
