"""`Network`: a trained network, its names and its files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gridlang.compiler.arguments import as_world
from gridlang.compiler.lockstep.lockstep import Backend, Match
from gridlang.compiler.native.build import THIS_CPU
from gridlang.compiler.native.c_library import CLibrary
from gridlang.compiler.simulation.simulate import Run
from gridlang.compiler.tensors.closed_loop import run_model
from gridlang.compiler.tensors.model import (
    NETWORK_FORMAT,
    RECURRENT,
    BadModel,
    Floats,
    Follower,
    Ints,
    Recurrence,
    StoredTensors,
    check_names,
    model_language,
    read_stored,
    symbols_of,
    tensors_to_bytes,
    training_of,
)
from gridlang.display import Shown
from gridlang.files import checked_ending, write_whole
from gridlang.learners.methods.networks.lockstep import batches
from gridlang.learners.methods.networks.shapes import (
    ARCHITECTURES,
    GRU,
    LANES,
    MOST_CONTEXT,
    MOST_DIM,
    MOST_LAYERS,
    TRANSFORMER,
    NetworkShape,
)
from gridlang.learners.runtime.hardware import pytorch
from gridlang.table import MOVES
from gridlang.world import World

# A step that follows from the one before takes a hundredth of the time of PyTorch.
LIBRARY = CLibrary(RECURRENT, *THIS_CPU, "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
SIZES = ("dim", "layers", "context")  # whole numbers in the metadata


@dataclass(frozen=True, slots=True, eq=False)
class Network(Shown):
    """A network that reads a symbol, and says what to write and where to go; its outputs are probabilities.

    The first output of symbols and the first of moves that no other exceeds is what is done, as of a DFST.
    """

    shape: NetworkShape
    weights: Floats  # (parameters,)
    symbols: tuple[str, ...]
    moves: tuple[str, ...] = tuple(MOVES)
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Its architecture."""
        return self.shape.architecture

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return self.shape.parameters

    @property
    def strict(self) -> bool:
        """Networks are not taught where to be stuck."""
        return False

    @property
    def h0(self) -> Floats:
        """The start vector of a recurrent network; a transformer keeps none."""
        return np.zeros(self.shape.state, np.float32)

    @property
    def training(self) -> dict[str, Any]:
        """How it was trained: method, seed, loss, iterations, recipe, data."""
        return training_of(self.metadata)

    def stepper(self) -> NetworkStepper:
        """The network as something that acts, a step at a time."""
        return NetworkStepper(self)

    def follower(self) -> Follower:
        """Its equations: GRUs and LSTMs in C where there is a compiler, others in PyTorch."""
        recurrence = self.recurrence()
        if recurrence is not None and LIBRARY.builds():
            return NativeFollower(recurrence)
        pytorch(f"a {self.kind} needs PyTorch, which is not installed")
        from gridlang.learners.methods.networks.sequences import TorchFollower

        return TorchFollower(self.shape, self.weights)

    def backend(self, match: Match) -> Backend:
        """Lockstep of many cases at once."""
        return batches(match, self.follower())

    def recurrence(self) -> Recurrence | None:
        """A GRU or an LSTM as C takes it; None for a transformer."""
        shape = self.shape
        sizes = (shape.symbols, len(self.moves), shape.dim, shape.layers, shape.state)
        weights = np.ascontiguousarray(self.weights, np.float32)
        return Recurrence(shape.architecture == GRU, *sizes, weights) if shape.state else None

    def point(self, state: Floats) -> Floats:
        """Its state, a cell of an LSTM as its tanh, so that no number is beyond one.

        All of it is divided by the root of its length, so that no point is either.
        """
        parts = state.reshape(self.shape.layers, -1, self.shape.dim).copy()
        parts[:, 1:] = np.tanh(parts[:, 1:])
        return np.asarray(parts.reshape(-1) / np.sqrt(np.float32(len(state))), np.float32)

    def state_name(self, _: object) -> str:
        """The network in words, in place of a state's name."""
        return f"{self.shape.architecture} of {self.shape.dim}"

    def run(self, input: str | World = "", *, steps: int = 10_000_000, trace: bool = False) -> Run:
        """What the network does on an input or a world, in closed loop."""
        world = as_world(input, symbols_of(self), model_language(self))
        return run_model(self, world, steps, trace=trace)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a `.safetensors` file, which `gridlang.load_model` reads."""
        write_whole(checked_ending("a model", path, ".safetensors"), self.to_bytes())

    def to_bytes(self) -> bytes:
        """The content of a `.safetensors` file."""
        return network_to_bytes(self)

    def __repr__(self) -> str:
        shape, seed, loss = self.shape, self.training.get("seed"), self.training.get("loss")
        layers = f"{shape.layers} x {shape.dim}" if shape.layers > 1 else f"{shape.dim}"
        training = f", seed {seed}" if isinstance(seed, int) else ""
        training += f", loss {loss:.1e}" if isinstance(loss, float) else ""
        name = self.metadata.get("name", "model")
        return f"Network({name}: {shape.architecture} {layers}, {self.parameters:,} weights{training})"


class NetworkStepper:
    """A network a step at a time; a recurrent one keeps a vector, and a transformer its past."""

    def __init__(self, network: Network) -> None:
        self.follower, self.first = network.follower(), network.h0 if network.shape.state else None

    def start(self) -> Any:
        return self.first

    def step(self, state: Any, symbol: int) -> tuple[Floats, Any]:
        vector = self.first is not None
        said, after = self.follower.follow(np.array([[symbol]]), state[None] if vector else state)
        return said[0, 0], after[0] if vector else after


class NativeFollower:
    """One GRU or LSTM on many sequences; its state is an array (rows, numbers kept)."""

    steps = 1024  # a tenth of a second for many rows

    def __init__(self, network: Recurrence) -> None:
        self.network, self.struct = network, LIBRARY.structs["network"](*network)

    def follow(self, reads: Ints, state: Floats | None = None) -> tuple[Floats, Floats]:
        rows, steps = reads.shape
        kept = np.zeros((rows, self.network.state), np.float32) if state is None else state.copy()
        said = np.empty((rows, steps, self.network.symbols + self.network.moves), np.float32)
        LIBRARY.network_follow(self.struct, rows, steps, np.ascontiguousarray(reads), kept, said)
        return said, kept

    def chosen(self, state: Floats, rows: Sequence[int]) -> Floats:
        return state[rows]


def shape_metadata(shape: NetworkShape) -> dict[str, str]:
    """What the metadata of a file say of a shape."""
    sizes = {name: str(getattr(shape, name)) for name in SIZES}
    return {"format": NETWORK_FORMAT, "architecture": shape.architecture, **sizes}


def network_of(
    shape: NetworkShape, weights: Floats, symbols: tuple[str, ...], metadata: Mapping[str, str]
) -> Network:
    """A network whose metadata say what shape it has."""
    return Network(shape, weights, symbols, metadata={**metadata, **shape_metadata(shape)})


def network_to_bytes(network: Network) -> bytes:
    """The content of a `.safetensors` file; the same network always gives the same bytes."""
    metadata = {**network.metadata, **shape_metadata(network.shape)}
    metadata["symbols"] = json.dumps(network.symbols, ensure_ascii=False)
    metadata["moves"] = json.dumps(network.moves)
    return tensors_to_bytes(network.shape.cut(network.weights), metadata)


def network_from_bytes(data: bytes, file: str = "") -> Network:
    """Reads what `network_to_bytes` writes; GridError for anything else."""
    return read_stored(data, NETWORK_FORMAT, _network, file)


def _network(stored: StoredTensors) -> Network:
    symbols, moves = stored.names("symbols"), stored.names("moves")
    if moves != tuple(MOVES):
        raise BadModel(f"its moves are {' '.join(moves)[:40]!r}, not {' '.join(MOVES)}")
    shape = _shape(stored.metadata, len(symbols))
    if set(stored.tensors) != set(shape.pieces):
        raise BadModel(f"its tensors are not those of a {shape.architecture} of {shape.layers} layers")
    pieces = []
    for name, size in shape.pieces.items():
        tensor = stored.tensor(name)
        if tensor.shape != size:
            raise BadModel(f"tensor {name} has the shape {tensor.shape}, not {size}")
        pieces.append(tensor.reshape(-1))
    network = Network(shape, np.concatenate(pieces), symbols, moves, stored.metadata)
    check_names(network)
    return network


def _shape(metadata: Mapping[str, str], symbols: int) -> NetworkShape:
    architecture = metadata.get("architecture", "")
    if architecture not in ARCHITECTURES:
        raise BadModel(f"its architecture is {architecture[:40]!r}, not one of {', '.join(ARCHITECTURES)}")
    texts = [metadata.get(name, "") for name in SIZES]
    if not all(text.isascii() and text.isdigit() and len(text) < 8 for text in texts):
        raise BadModel(f"its sizes {', '.join(SIZES)} are no whole numbers")
    dim, layers, context = map(int, texts)
    attends = architecture == TRANSFORMER
    fine = 1 <= layers <= MOST_LAYERS and 1 <= dim <= MOST_DIM and dim % LANES == 0
    if not fine or not (1 <= context <= MOST_CONTEXT if attends else context == 0):
        raise BadModel(f"a {architecture} cannot have the sizes {', '.join(texts)}")
    return NetworkShape(architecture, symbols, dim, layers, context)
