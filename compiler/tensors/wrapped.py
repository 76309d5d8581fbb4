"""`Wrapped`: a model that somebody else made, as a function, where one of ours is expected.

What it keeps is any nest of arrays of numpy or torch; between two steps this is one vector of float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gridlang.compiler.simulation.simulate import Run
from gridlang.compiler.tensors.model import Floats, training_of
from gridlang.diagnostics import counted, fail
from gridlang.display import Shown
from gridlang.table import MOVES
from gridlang.world import World

Step = Callable[[Any, int], tuple[Any, Any]]  # (state, x) -> (outputs, state)


@dataclass(frozen=True, slots=False, eq=False)
class Wrapped(Shown):
    """A model by its step: outputs are numbers for each symbol and then for each move, or a pair of both.

    >>> import gridlang as gl, numpy as np
    >>> gl.wrap(lambda h, x: (np.eye(3)[x].tolist() + [0, 0, 0, 1, 0], h), np.zeros(1), "_01")
    Wrapped(wrapped: 3 symbols, keeps 1 number)
    """

    given: Step
    first: Any  # what it keeps before the first step
    symbols: tuple[str, ...]
    moves: tuple[str, ...] = tuple(MOVES)
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """In place of a format."""
        return "wrapped model"

    @property
    def strict(self) -> bool:
        """Whether outputs none of which is positive mean stuck: here they do not."""
        return False

    @cached_property
    def h0(self) -> Floats:
        """What it keeps before the first step, as one vector."""
        return flat(self.first)

    @property
    def training(self) -> dict[str, Any]:
        """Nothing is known of it."""
        return training_of(self.metadata)

    def stepper(self) -> Wrapped:
        """It steps by itself."""
        return self

    def start(self) -> Floats:
        return self.h0

    def step(self, state: Floats, symbol: int) -> tuple[Floats, Floats]:
        """Outputs and the next state; GridError where the function gives anything else."""
        answer = self.given(_shaped_like(self.first, state), symbol)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise fail("G211", f"the step returns {type(answer).__name__}, not a pair (outputs, state)")
        outputs, after = flat(answer[0]), flat(answer[1])
        sizes = len(self.symbols) + len(self.moves), len(self.h0)
        for what, given, size in zip(("outputs", "a state"), (outputs, after), sizes, strict=True):
            if len(given) != size:
                many = counted(len(given), "number")
                raise fail("G211", f"the step returns {what} of {many}, not of {size:,}")
        return outputs, after

    def state_name(self, _: object) -> str:
        """Its states have no names."""
        return self.kind

    def run(self, input: str | World = "", **options: Any) -> Run:
        """What it does on an input or a world: `gridlang.run`."""
        import gridlang

        return gridlang.run(self, input, **options)

    def __repr__(self) -> str:
        name = self.metadata.get("name", "model")
        return f"Wrapped({name}: {len(self.symbols)} symbols, keeps {counted(len(self.h0), 'number')})"


def flat(nest: Any) -> Floats:
    """All numbers of a nest of arrays, in order."""
    if isinstance(nest, Mapping):
        nest = tuple(nest.values())
    if isinstance(nest, tuple | list):
        return np.concatenate([np.zeros(0, np.float32), *map(flat, nest)])
    if hasattr(nest, "detach"):
        nest = nest.detach().cpu().numpy()
    return np.asarray(nest, np.float32).ravel()


def _shaped_like(nest: Any, numbers: Floats) -> Any:
    """Numbers as the nest that `flat` took them from."""
    if isinstance(nest, Mapping):
        return dict(zip(nest, _shaped_like(tuple(nest.values()), numbers), strict=True))
    if isinstance(nest, tuple | list):
        ends = np.cumsum([len(flat(part)) for part in nest])[:-1]
        parts = map(_shaped_like, nest, np.split(numbers, ends))
        return type(nest)(*parts) if hasattr(nest, "_fields") else type(nest)(parts)
    if hasattr(nest, "detach"):
        return nest.new_tensor(numbers.reshape(tuple(nest.shape)))
    array = np.asarray(nest)
    return numbers.reshape(array.shape).astype(array.dtype)


def unit_point(state: Floats) -> Floats:
    """Places in the unit ball for any states: each number squashed below one, so that none drowns others."""
    squashed = state / (1 + np.abs(state))
    return np.asarray(squashed / np.sqrt(np.float32(state.shape[-1])), np.float32)
