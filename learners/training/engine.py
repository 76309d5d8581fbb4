"""What trains: the state of many models, and the engines that move it on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from learners.training.model import Floats, Shape, initial
from learners.training.recipes import Numbers

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Everything that training changes, for all models at once."""

    iteration: int
    weights: Floats  # (models, parameters)
    mean: Floats  # Adam's first moment
    variance: Floats  # and its second
    diverged: Ints  # (models,) the iteration at which a model was lost, or -1


def fresh(shape: Shape, seeds: tuple[int, ...]) -> State:
    """Before the first iteration."""
    weights = np.stack([initial(shape, seed) for seed in seeds])
    return State(
        0, weights, np.zeros_like(weights), np.zeros_like(weights), np.full(len(seeds), -1, np.int64)
    )


class Engine(Protocol):
    """Trains the models of a state, in place, a piece at a time."""

    name: str

    def advance(self, numbers: Numbers) -> Floats:
        """One iteration for each of the optimiser's numbers; the losses, (models, iterations)."""

    def state(self) -> State:
        """Where it stands."""
