"""`Network`: a trained network and its names, its files, and reading a model of either kind."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from compiler.arguments import ModelLike, as_model, as_world
from compiler.simulation.simulate import Run
from compiler.tensors.closed_loop import run_model
from compiler.tensors.dfst import (
    Dfst,
    Floats,
    check_names,
    dfst_from_bytes,
    dfst_to_bytes,
    model_language,
    training_of,
)
from compiler.tensors.stepper import Stepper
from compiler.tensors.stored_tensors import (
    MAX_BYTES,
    BadModel,
    StoredTensors,
    format_of,
    model_from_bytes,
    tensors_to_bytes,
)
from gridlang.diagnostics import fail
from gridlang.display import Shown
from gridlang.files import checked_ending, checked_path, checked_reader, read_bytes, write_whole
from gridlang.table import MOVES
from gridlang.world import World
from learners.methods.networks.closed_loop import stepper_of
from learners.methods.networks.shapes import (
    ARCHITECTURES,
    LANES,
    MOST_CONTEXT,
    MOST_DIM,
    MOST_LAYERS,
    TRANSFORMER,
    NetworkShape,
)

FORMAT = "gridlang-network/1"
SIZES = ("dim", "layers", "context")  # These are whole numbers in the metadata.


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
    def parameters(self) -> int:
        """The number of weights."""
        return self.shape.parameters

    @property
    def strict(self) -> bool:
        """Networks are not taught where to be stuck."""
        return False

    @property
    def h0(self) -> Floats:
        """What a recurrent network starts with; a transformer has no vector that it keeps."""
        return np.zeros(self.shape.state, np.float32)

    @property
    def training(self) -> dict[str, Any]:
        """How it was trained: method, seed, loss, iterations, recipe, data."""
        return training_of(self.metadata)

    def stepper(self) -> Stepper:
        """The network as something that acts, a step at a time."""
        return stepper_of(self.shape, self.weights)

    def state_name(self, _: object) -> str:
        """What the network is: its states have no names."""
        return f"{self.shape.architecture} of {self.shape.dim}"

    def run(self, input: str | World = "", *, steps: int = 10_000_000, trace: bool = False) -> Run:
        """What the network does on an input or a world, in closed loop."""
        world = as_world(input, self.symbols, model_language(self))
        return run_model(self, world, steps, trace=trace)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a `.safetensors` file, which `gridlang.load_model` reads."""
        write_whole(checked_ending("a model", path, ".safetensors"), network_to_bytes(self))

    def __repr__(self) -> str:
        shape, seed, loss = self.shape, self.training.get("seed"), self.training.get("loss")
        layers = f"{shape.layers} x {shape.dim}" if shape.layers > 1 else f"{shape.dim}"
        training = f", seed {seed}" if isinstance(seed, int) else ""
        training += f", loss {loss:.1e}" if isinstance(loss, float) else ""
        name = self.metadata.get("name", "model")
        return f"Network({name}: {shape.architecture} {layers}, {self.parameters:,} weights{training})"


AnyModel = Dfst | Network


def shape_metadata(shape: NetworkShape) -> dict[str, str]:
    """What the metadata of a file say of a shape."""
    sizes = {name: str(getattr(shape, name)) for name in SIZES}
    return {"format": FORMAT, "architecture": shape.architecture, **sizes}


def network_to_bytes(network: Network) -> bytes:
    """The content of a `.safetensors` file; the same network always gives the same bytes."""
    metadata = {**network.metadata, **shape_metadata(network.shape)}
    metadata["symbols"] = json.dumps(network.symbols, ensure_ascii=False)
    metadata["moves"] = json.dumps(network.moves)
    return tensors_to_bytes(network.shape.cut(network.weights), metadata)


def network_from_bytes(data: bytes, file: str = "") -> Network:
    """Reads what `network_to_bytes` writes; GridError for anything else."""
    return model_from_bytes(data, FORMAT, _network, file)


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


def read_model(path: str) -> AnyModel:
    """The DFST or the network in a `.safetensors` file; GridError for anything that is neither."""
    return any_model_from_bytes(read_bytes(path, MAX_BYTES, path), path)


def any_model_from_bytes(data: bytes, file: str = "") -> AnyModel:
    """What `model_to_bytes` wrote."""
    return (network_from_bytes if format_of(data) == FORMAT else dfst_from_bytes)(data, file)


def model_to_bytes(model: AnyModel) -> bytes:
    """The content of a `.safetensors` file."""
    return network_to_bytes(model) if isinstance(model, Network) else dfst_to_bytes(model)


def as_any_model(model: ModelLike) -> AnyModel:
    """The weights that are meant by a model or by the path of a `.safetensors` file."""
    if isinstance(model, Dfst | Network):
        return model
    if isinstance(model, str | os.PathLike):
        return read_model(checked_reader(checked_path(model), "load_model"))
    return as_model(model)  # It tells what a model is.


def refuse_network(model: AnyModel, what: str, file: str = "") -> Dfst:
    """The DFST; GridError for a network, of which this cannot be asked."""
    if isinstance(model, Network):
        hint = "extract a table with `gridlang extract`, and go on with that"
        raise fail("G209", f"{what}, and this is a {model.shape.architecture}", hint, file)
    return model
