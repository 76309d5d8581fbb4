"""Traces of one agent from several places as one: the same alphabet, each row once, no two that disagree."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from gridlang.diagnostics import fail
from gridlang.labels import Alphabet
from learners.traces.dataset import ROWS, Shorts, Traces, renumbered
from learners.traces.one_trace import chosen


def in_alphabet(traces: Traces, alphabet: Alphabet, file: str = "") -> Traces:
    """The traces with these symbols in this order, by label if they have some; GridError for others."""
    symbols, spelt = alphabet.symbols, alphabet.spelling(traces.alphabet).symbols
    if spelt == traces.symbols == symbols:
        return traces
    if set(spelt) != set(symbols):
        here, there = (" ".join(each.shown(each.symbols[:40])) for each in (alphabet, traces.alphabet))
        hint = "the traces of one agent have one alphabet"
        raise fail("G101", f"the alphabet of these traces is {there}, not {here}", hint, file)
    numbers = [symbols.index(symbol) for symbol in spelt]
    x, s = renumbered("x", traces.x, numbers), renumbered("s", traces.s, numbers)
    letters = str.maketrans(dict(zip(traces.symbols, spelt, strict=True)))
    inputs = tuple(text.translate(letters) for text in traces.inputs)
    return replace(traces, x=x, s=s, symbols=symbols, inputs=inputs, labels=alphabet.labels)


def join(parts: Sequence[Traces]) -> Traces:
    """One agent's traces from several files, each row once; what is told of the agent is the first's.

    GridError where alphabets differ, or where two traces read the same and act differently.
    """
    first = parts[0]
    alike = [in_alphabet(part, first.alphabet) for part in parts]
    steps = max(int(part.length.max()) for part in parts)
    x, s, m = (np.concatenate([padded(getattr(part, name), steps) for part in alike]) for name in ROWS)
    whole = replace(
        first,
        x=x,
        s=s,
        m=m,
        length=np.concatenate([part.length for part in parts]),
        ending=tuple(ending for part in parts for ending in part.ending),
        inputs=tuple(text for part in parts for text in part.inputs),
        data=first.data if len(parts) == 1 else {"joined": list(chain.from_iterable(map(origins, parts)))},
    )
    _check_deterministic(whole)
    return without_duplicates(whole)


def origins(traces: Traces) -> list[dict[str, Any]]:
    """How each part of the traces was made."""
    parts = traces.data.get("joined")
    if not isinstance(parts, list):
        return [dict(traces.data)]
    return [dict(part) for part in parts if isinstance(part, dict)]


def padded(rows: Shorts, steps: int) -> Shorts:
    """Rows of exactly this length, (N, steps)."""
    rows = rows[:, :steps]
    return np.pad(rows, ((0, 0), (0, steps - rows.shape[1])), constant_values=-1)


def without_duplicates(traces: Traces) -> Traces:
    """The first of equal rows stays."""
    rows = np.ascontiguousarray(np.concatenate([traces.x, traces.s, traces.m], 1))  # (N, 3T)
    _, kept = np.unique(rows.view(f"V{rows.shape[1] * 2}"), return_index=True)
    return chosen(traces, np.sort(kept))


def _check_deterministic(traces: Traces) -> None:
    """Rows sorted by what was read: neighbours act alike as long as they read alike."""
    keys = np.ascontiguousarray((traces.x + 1).astype(">u2"))
    order = np.argsort(keys.view(f"V{keys.shape[1] * 2}").ravel(), kind="stable")
    x, s, m = (rows[order] for rows in (traces.x, traces.s, traces.m))
    alike = np.logical_and.accumulate((x[1:] == x[:-1]) & (x[1:] >= 0), 1)
    wrong = (alike & ((s[1:] != s[:-1]) | (m[1:] != m[:-1]))).any(1)
    if wrong.any():
        at = int(wrong.argmax())
        texts = [json.dumps(traces.inputs[order[i]][:60], ensure_ascii=False) for i in (at, at + 1)]
        raise fail(
            "G102",
            f"no one agent made these traces: those on {texts[0]} and {texts[1]} read the same and act apart",
            "join traces of one agent only",
        )
