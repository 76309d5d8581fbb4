"""The equations of networks one step at a time, in numpy: what a network is when it acts.

`sequences.py` says the same for many networks on whole traces in PyTorch, and `recurrent.c` in C.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from compiler.tensors.dfst import Floats
from compiler.tensors.stepper import Stepper
from learners.methods.networks.shapes import GRU, TRANSFORMER, NetworkShape

ROTARY_BASE = 10_000.0  # Angles of rotary positions fall from 1 to about its inverse, as is usual.
TINY = 1e-6  # It keeps the root of a mean square away from zero.


def stepper_of(shape: NetworkShape, weights: Floats) -> Stepper:
    """The network as something that acts."""
    kind: Callable[[NetworkShape, Floats], Stepper]
    kind = TransformerStepper if shape.architecture == TRANSFORMER else RecurrentStepper
    return kind(shape, weights)


class RecurrentStepper:
    """A GRU or an LSTM; its state is one vector, (layers, d) or (layers, 2, d) laid out flat.

    A GRU's reset gate is applied after the product, as in cuDNN.
    """

    def __init__(self, shape: NetworkShape, weights: Floats) -> None:
        self.shape, self.tensors = shape, shape.cut(weights)

    def start(self) -> Floats:
        return np.zeros(self.shape.state, np.float32)

    def step(self, state: Floats, symbol: int) -> tuple[Floats, Floats]:
        shape, tensors = self.shape, self.tensors
        per = shape.state // shape.layers
        after = np.empty_like(state)
        seen: Floats | None = None
        for layer in range(shape.layers):
            entered = tensors["in0"][symbol] if seen is None else seen @ tensors[f"in{layer}"]
            before, then = state[layer * per : (layer + 1) * per], after[layer * per : (layer + 1) * per]
            gates = entered + tensors[f"bias{layer}"]
            cell = _gru if shape.architecture == GRU else _lstm
            cell(gates, before, tensors, layer, then)
            seen = then[: shape.dim]
        assert seen is not None
        return _probabilities(seen @ tensors["out"] + tensors["out_bias"], shape.symbols), after


def _gru(gates: Floats, h: Floats, tensors: dict[str, Floats], layer: int, after: Floats) -> None:
    d = len(h)
    recurrent = h @ tensors[f"recur{layer}"]
    reset, keep = _sigmoid(gates[:d] + recurrent[:d]), _sigmoid(gates[d : 2 * d] + recurrent[d : 2 * d])
    fresh = np.tanh(gates[2 * d :] + reset * (recurrent[2 * d :] + tensors[f"recur_bias{layer}"]))
    after[:] = fresh + keep * (h - fresh)


def _lstm(gates: Floats, state: Floats, tensors: dict[str, Floats], layer: int, after: Floats) -> None:
    d = len(state) // 2
    entering, keep, fresh, shown = np.split(gates + state[:d] @ tensors[f"recur{layer}"], 4)
    after[d:] = _sigmoid(keep) * state[d:] + _sigmoid(entering) * np.tanh(fresh)
    after[:d] = _sigmoid(shown) * np.tanh(after[d:])


def _sigmoid(x: Floats) -> Floats:
    half = np.float32(0.5)
    open_by: Floats = half * np.tanh(half * x) + half
    return open_by


def _probabilities(logits: Floats, symbols: int) -> Floats:
    """Softmax of the symbols, and of the moves."""
    parts = [np.exp(part - part.max()) for part in (logits[:symbols], logits[symbols:])]
    return np.concatenate([part / part.sum() for part in parts]).astype(np.float32)


def point_of(shape: NetworkShape, state: Floats) -> Floats:
    """What is gathered into points of a recurrent network: its state, a cell of an LSTM as its tanh.

    So no number is beyond one; all of it is divided by the root of its length, so that no point is either.
    Unlike a DFST's, a vector stands for itself and not for its direction.
    """
    parts = state.reshape(shape.layers, -1, shape.dim).copy()
    parts[:, 1:] = np.tanh(parts[:, 1:])
    return np.asarray(parts.reshape(-1) / np.sqrt(np.float32(len(state))), np.float32)


class TransformerStepper:
    """A causal transformer; it keeps the number of its steps, and keys and values of the last `context`."""

    def __init__(self, shape: NetworkShape, weights: Floats) -> None:
        self.shape, self.tensors = shape, shape.cut(weights)

    def start(self) -> tuple[int, Floats]:
        shape = self.shape
        return 0, np.zeros((shape.layers, 2, 0, shape.heads, shape.dim // shape.heads), np.float32)

    def step(self, state: tuple[int, Floats], symbol: int) -> tuple[Floats, tuple[int, Floats]]:
        shape, tensors, (position, past) = self.shape, self.tensors, state
        size = shape.dim // shape.heads
        kept = past[:, :, max(0, past.shape[2] + 1 - shape.context) :]
        cache = np.concatenate([kept, np.empty((*kept.shape[:2], 1, *kept.shape[3:]), np.float32)], 2)
        seen = tensors["embedding"][symbol]
        for layer in range(shape.layers):
            mixed = _normed(seen, tensors[f"gain{layer}"]) @ tensors[f"qkv{layer}"]
            query, key, cache[layer, 1, -1] = mixed.reshape(3, shape.heads, size)
            cache[layer, 0, -1] = _turned(key, position)
            scores = np.einsum("hs,ths->ht", _turned(query, position), cache[layer, 0]) / np.sqrt(
                np.float32(size)
            )
            share = np.exp(scores - scores.max(1, keepdims=True))
            share /= share.sum(1, keepdims=True)
            read = np.einsum("ht,ths->hs", share, cache[layer, 1]).reshape(-1)
            seen = seen + read @ tensors[f"join{layer}"]
            inner = _normed(seen, tensors[f"inner_gain{layer}"]) @ tensors[f"up{layer}"]
            seen = seen + (inner * _sigmoid(inner)) @ tensors[f"down{layer}"]
        logits = _normed(seen, tensors["last_gain"]) @ tensors["out"] + tensors["out_bias"]
        return _probabilities(logits, shape.symbols), (position + 1, cache)


def _normed(x: Floats, gain: Floats) -> Floats:
    scale = 1 / np.sqrt(np.mean(np.square(x)) + np.float32(TINY))
    normed: Floats = (x * scale * gain).astype(np.float32)
    return normed


def angles(positions: Any, size: int) -> Floats:
    """The angles of rotary positions, (positions, size / 2), in float64 until the end: they grow."""
    speeds = ROTARY_BASE ** (-np.arange(0, size, 2, dtype=np.float64) / size)
    turned: Floats = np.remainder(np.multiply.outer(positions, speeds), 2 * np.pi).astype(np.float32)
    return turned


def _turned(vectors: Floats, position: int) -> Floats:
    """Pairs of numbers (i, i + half) turned by the angles of a position."""
    half = vectors.shape[-1] // 2
    angle = angles(position, 2 * half)
    one, other = vectors[..., :half], vectors[..., half:]
    sine, cosine = np.sin(angle), np.cos(angle)
    return np.concatenate([one * cosine - other * sine, one * sine + other * cosine], -1)
