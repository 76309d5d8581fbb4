"""`NetworkShape`: an architecture and its sizes, and how its tensors lie in one flat vector of weights."""

from __future__ import annotations

from math import prod, sqrt
from typing import NamedTuple

import numpy as np

from gridlang.compiler.tensors.model import Floats
from gridlang.diagnostics import fail
from gridlang.learners.traces.dataset import Traces

GRU, LSTM, TRANSFORMER = "gru", "lstm", "transformer"
ARCHITECTURES = (LSTM, GRU, TRANSFORMER)
MOVES = 5  # U D L R S, in this order
GATES = {GRU: 3, LSTM: 4}
LAYERS = {GRU: 1, LSTM: 1, TRANSFORMER: 2}
MOST_LAYERS, MOST_DIM, MOST_CONTEXT = 8, 4096, 65_536  # beyond these, networks are not small
WIDER = 3  # times the dimensions of a DFST, one a state, that a recurrent network gets
LEAST_WIDTH, WIDEST = 32, 256  # with fewer, training often fails; more only cost time on agents of this size
UNKNOWN_WIDTH = 64  # traces of another program do not say how many states there are
LANES = 8  # widths are a multiple of this: whole vectors in C, and heads of an even size
UP = 4  # times the width, of the inner layer of a transformer's block


class NetworkShape(NamedTuple):
    """An architecture, its symbols, width and layers; a transformer attends to the last `context` steps."""

    architecture: str
    symbols: int
    dim: int
    layers: int = 1
    context: int = 0

    @property
    def outputs(self) -> int:
        """Symbols to write, then moves."""
        return self.symbols + MOVES

    @property
    def heads(self) -> int:
        """As many as leave heads of an even size, which rotary positions need; 4 at most."""
        return next(heads for heads in (4, 2, 1) if self.dim % (2 * heads) == 0)

    @property
    def state(self) -> int:
        """The numbers that a recurrent network keeps from step to step; a transformer keeps its past."""
        return {GRU: 1, LSTM: 2, TRANSFORMER: 0}[self.architecture] * self.layers * self.dim

    @property
    def pieces(self) -> dict[str, tuple[int, ...]]:
        """The tensors by name, in their order; a vector is multiplied from the left."""
        layers = range(self.layers)
        block = self._attention if self.architecture == TRANSFORMER else self._recurrence
        pieces = {name: size for layer in layers for name, size in block(layer).items()}
        if self.architecture == TRANSFORMER:
            pieces = {"embedding": (self.symbols, self.dim), **pieces, "last_gain": (self.dim,)}
        return {**pieces, "out": (self.dim, self.outputs), "out_bias": (self.outputs,)}

    def _recurrence(self, layer: int) -> dict[str, tuple[int, ...]]:
        d, wide = self.dim, GATES[self.architecture] * self.dim
        own = {f"recur_bias{layer}": (d,)} if self.architecture == GRU else {}
        return {
            f"in{layer}": (d if layer else self.symbols, wide),
            f"bias{layer}": (wide,),
            f"recur{layer}": (d, wide),
            **own,
        }

    def _attention(self, layer: int) -> dict[str, tuple[int, ...]]:
        d = self.dim
        sizes = {"gain": (d,), "qkv": (d, 3 * d), "join": (d, d), "inner_gain": (d,)}
        sizes |= {"up": (d, UP * d), "down": (UP * d, d)}
        return {f"{name}{layer}": size for name, size in sizes.items()}

    @property
    def parameters(self) -> int:
        return sum(map(prod, self.pieces.values()))

    def cut(self, flat: Floats) -> dict[str, Floats]:
        """The tensors that a flat vector holds."""
        return {name: flat[first : first + prod(size)].reshape(size) for name, first, size in self.places}

    @property
    def places(self) -> list[tuple[str, int, tuple[int, ...]]]:
        """The tensors with where each begins in the flat vector."""
        sizes = list(self.pieces.items())
        starts = np.cumsum([0, *(prod(size) for _, size in sizes)]).tolist()
        return [(name, start, size) for (name, size), start in zip(sizes, starts, strict=False)]

    def initial(self, seed: int) -> Floats:
        """Uniform by the width of what is summed; gains are one, and what is kept is kept at first."""
        random = np.random.default_rng(seed)
        flat = np.zeros(self.parameters, np.float32)
        for name, tensor in self.cut(flat).items():
            if name.endswith("bias") or "gain" in name:
                tensor[...] = 1.0 if "gain" in name else 0.0
            elif name.startswith("bias"):
                # the second gate keeps the state, in GRUs and LSTMs
                tensor[self.dim : 2 * self.dim] = 1.0
            elif not name.startswith("recur_bias"):
                wide = tensor.shape[0] if name.startswith("down") else self.dim
                tensor[...] = random.uniform(-1, 1, tensor.shape) / sqrt(wide)
        return flat


def network_shape(architecture: str, traces: Traces, dim: int = 0, layers: int = 0) -> NetworkShape:
    """The shape that fits the traces; a width that is given is taken, up to whole lanes."""
    if architecture not in ARCHITECTURES:
        raise fail(
            "G208", f"there is no architecture `{architecture}`", f"there are {', '.join(ARCHITECTURES)}"
        )
    if traces.strict:
        hint = "learn it as a DFST, or trace it without --strict"
        raise fail("G208", "networks are not taught where to be stuck, as these traces ask for", hint)
    wanted = dim or min(WIDEST, max(LEAST_WIDTH, WIDER * traces.states if traces.states else UNKNOWN_WIDTH))
    width = -(-wanted // LANES) * LANES
    context = min(MOST_CONTEXT, int(traces.length.max())) if architecture == TRANSFORMER else 0
    return NetworkShape(architecture, len(traces.symbols), width, layers or LAYERS[architecture], context)
