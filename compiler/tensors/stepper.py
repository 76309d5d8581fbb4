"""`Stepper`: a model that acts, one step at a time, whatever its equations are."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from compiler.tensors.stored_tensors import Floats


class Stepper(Protocol):
    """A model in closed loop: what it says on a symbol in a state, and the state after that."""

    def start(self) -> Any: ...

    def step(self, state: Any, symbol: int) -> tuple[Floats, Any]:
        """Outputs (symbols + moves,), the largest of each part being what is done, and the next state."""


class DfstStepper(NamedTuple):
    """A DFST by the paper's equations; its state is the hidden vector."""

    A: Floats  # (k, d, d)
    outputs: Floats  # (k, k + moves, d), B above C: one product a step
    h0: Floats  # (d,)

    def start(self) -> Floats:
        return self.h0

    def step(self, state: Floats, symbol: int) -> tuple[Floats, Floats]:
        return self.outputs[symbol] @ state, self.A[symbol] @ state
