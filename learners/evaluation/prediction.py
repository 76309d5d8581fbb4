"""How well a model, or any agent, predicts traces: it reads what they read, whatever it would write."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from gridlang.compiler.arguments import NONE, AgentLike, as_any_model, as_program, is_weights
from gridlang.compiler.lockstep.prediction import STUCK, UNKNOWN, Answers, Prediction, predicted, predicted_by
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import Follower, Model, symbols_of
from gridlang.compiler.traces.dataset import Shorts, Traces
from gridlang.compiler.traces.one_trace import chosen
from gridlang.table import MOVES

TOGETHER = 256  # traces that a network predicts at once
SHOWN = 40  # symbols of a trace's input: what is read at a glance


def prediction_of(model: AgentLike, traces: Traces, definitions: Mapping[str, str] = NONE) -> Prediction:
    """How well a model, learned or exact, or any agent predicts traces."""
    if is_weights(model):
        weights = as_any_model(model)
        return predicted_by(symbols_of(weights), partial(_answers, weights), traces)
    return predicted(as_program(model, definitions).table, traces)


def predicted_longer(model: AgentLike, traces: Traces) -> Prediction | None:
    """How well a model predicts the traces that are longer than any it learned from; None without such."""
    learned = as_any_model(model).training.get("data", {}) if is_weights(model) else {}
    known = learned.get("longest") if isinstance(learned, dict) else None
    if not isinstance(known, int) or not (traces.length > known).any():
        return None
    return prediction_of(model, chosen(traces, np.flatnonzero(traces.length > known)))


def _answers(model: Model, x: Shorts) -> Answers:
    follower = model.follower()
    if follower is not None:
        return followed_answers(model, follower, x)
    assert isinstance(model, Dfst)
    return dfst_answers(model, x)


def followed_answers(model: Model, follower: Follower, x: Shorts) -> Answers:
    """What a network would do at each step; after a symbol that it does not know it is lost."""
    moves = np.array([MOVES.index(move) for move in model.moves], np.int16)
    s, m = np.full_like(x, STUCK), np.full_like(x, STUCK)
    for first in range(0, len(x), TOGETHER):
        rows, state = slice(first, first + TOGETHER), None
        known = np.logical_and.accumulate(x[rows] >= 0, 1)
        for begin in range(0, x.shape[1], follower.steps):
            part = rows, slice(begin, begin + follower.steps)
            said, state = follower.follow(np.maximum(x[part], 0).astype(np.int64), state)
            writes, goes = np.split(said, [len(model.symbols)], -1)
            s[part] = np.where(known[:, part[1]], writes.argmax(-1), STUCK)
            m[part] = np.where(known[:, part[1]], moves[goes.argmax(-1)], STUCK)
    return s, m


def dfst_answers(dfst: Dfst, x: Shorts) -> Answers:
    """What a model would do at each step of these reads, numbers of its own symbols."""
    k, d = len(dfst.symbols), len(dfst.h0)
    moves = np.array([MOVES.index(move) for move in dfst.moves], np.int16)
    stacked = np.concatenate([dfst.A, dfst.B, dfst.C], 1)  # (k, d + k + 5, d)
    h = np.tile(dfst.h0.astype(np.float32), (len(x), 1))  # (N, d)
    s, m = np.full_like(x, STUCK), np.full_like(x, STUCK)
    for step in range(x.shape[1]):
        read = x[:, step]
        h[read == UNKNOWN] = 0
        for symbol in np.unique(read[read >= 0]).tolist():
            rows = np.flatnonzero(read == symbol)
            with np.errstate(all="ignore"):
                out = h[rows] @ stacked[symbol].T  # (rows, d + k + 5)
                # Powers of two keep numbers in range, and their bits as they are.
                exponent = np.frexp(np.abs(out[:, :d]).max(1, keepdims=True, initial=0))[1]
                h[rows] = np.ldexp(out[:, :d], -exponent)
            said = out[:, d:]
            acts = np.isfinite(said).all(1) & ((said > 0) if dfst.strict else (said != 0)).any(1)
            s[rows, step] = np.where(acts, said[:, :k].argmax(1), STUCK)
            m[rows, step] = np.where(acts, moves[said[:, k:].argmax(1)], STUCK)
    return s, m


def prediction_place(traces: Traces, row: int, step: int) -> str:
    """A step of a trace in words: which, and on what input."""
    text = traces.inputs[row].replace("\n", "/")
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return f"trace {row}, step {step}, on `{shown}`"
