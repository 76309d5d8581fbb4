"""The legend: what the symbols stand for that had to take the place of longer labels, as `c` for `coin`.

It is kept with the traces, under `data`, and so with all that is learned from them, under `training`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from contextlib import suppress

from compiler.tensors.model import Model
from gridlang.printable import printable
from gridlang.vocabulary import is_symbol
from learners.traces.dataset import Traces

LEGEND = "legend"
_COMMENT = re.compile(r"^# `(.)` stands for (.+)$", re.MULTILINE)


def legend_of(traces: Traces) -> dict[str, str]:
    """What the symbols of traces stand for, as their log or their source says."""
    return _kept(traces.data) or source_legend(traces.source)


def model_legend(model: Model) -> dict[str, str]:
    """The legend of the traces that a model was learned from."""
    data = model.training.get("data")
    made = data.get("made") if isinstance(data, dict) else None
    kept = _kept(made) if isinstance(made, dict) else {}
    return kept or source_legend(model.metadata.get("source", ""))


def _kept(data: Mapping[str, object]) -> dict[str, str]:
    """The legend in `Traces.data`; what is no legend is none."""
    kept = data.get(LEGEND)
    if not isinstance(kept, dict):
        return {}
    return {str(symbol): str(label) for symbol, label in kept.items() if is_symbol(str(symbol))}


def source_legend(text: str) -> dict[str, str]:
    """The legend that a source has as comments, as `legend_comments` and `gridlang import` write them."""
    legend = {}
    for symbol, label in _COMMENT.findall(text):
        with suppress(ValueError, SyntaxError):
            legend[symbol] = str(ast.literal_eval(label))
    return legend


def legend_line(legend: Mapping[str, str]) -> str:
    """`c coin, t tea`, on one line."""
    return printable(", ".join(f"{symbol} {label or repr(label)}" for symbol, label in legend.items()))


def legend_comments(legend: Mapping[str, str]) -> list[str]:
    """A line for each symbol, as `gridlang import` writes them: `c` stands for 'coin'."""
    return [f"`{symbol}` stands for {printable(repr(label))}" for symbol, label in legend.items()]
