"""`Model`: what every kind of model has; its `.safetensors` files; reading any kind.

A kind of model is known by the `format` that its files name; the module that reads it is imported when a file
asks for it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, deserialize

from gridlang.clauses.input_clauses import parse_language
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.simulation.simulate import Run
from gridlang.diagnostics import GridError, fail
from gridlang.loading import load_source
from gridlang.source import Source
from gridlang.table import BLANK, MOVES, Table
from gridlang.vocabulary import is_symbol
from gridlang.world import World

Floats = npt.NDArray[np.float32]
MOST_WEIGHTS = 50_000_000  # 200 MB; the paper's largest model has 160,000
MOST_BYTES = 8 * MOST_WEIGHTS  # of a file; one of doubles holds no more of them
OTHER_FORMATS = {
    "gridlang-network/1": "it is a network of an earlier version; give it to `gridlang.wrap` as a function"
}
FLOAT_TYPES = {"F32": "<f4", "F64": "<f8", "F16": "<f2"}  # by their names in a .safetensors header

Kept = TypeVar("Kept")


class BadModel(Exception):
    """A model that cannot be used: why, and what to do."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.hint = hint


def _size(entry: Mapping[str, Any]) -> int:
    """How many numbers a tensor holds."""
    return math.prod(entry["shape"])


class StoredTensors(NamedTuple):
    """The content of a `.safetensors` file, by names; BadModel for anything malformed."""

    tensors: Mapping[str, Mapping[str, Any]]
    metadata: dict[str, str]

    def tensor(self, name: str) -> Floats:
        if name not in self.tensors:
            raise BadModel(f"it has no tensor {name}")
        entry = self.tensors[name]
        if entry["dtype"] not in FLOAT_TYPES:
            raise BadModel(f"tensor {name} has the type {entry['dtype']}, not F32")
        stored = np.frombuffer(entry["data"], FLOAT_TYPES[entry["dtype"]]).reshape(entry["shape"])
        with np.errstate(over="ignore"):  # an F64 beyond F32 becomes infinite, which is told below
            values = stored.astype(np.float32)
        if not np.isfinite(values).all():
            raise BadModel(f"tensor {name} holds values that are not finite")
        return values

    def names(self, key: str) -> tuple[str, ...]:
        if key not in self.metadata:
            raise BadModel(f"its metadata has no {key}")
        names = json.loads(self.metadata[key])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise BadModel(f"its {key} are not a list of names")
        return tuple(names)


def tensors_to_bytes(tensors: Mapping[str, Floats], metadata: Mapping[str, str]) -> bytes:
    """A `.safetensors` file of float32 tensors."""
    header: dict[str, object] = {"__metadata__": dict(metadata)}
    body: list[bytes] = []
    size = 0
    for name, tensor in tensors.items():
        body.append(np.ascontiguousarray(tensor, "<f4").tobytes())
        offsets = [size, size := size + len(body[-1])]
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": offsets}
    text = json.dumps(header, ensure_ascii=False).encode(errors="backslashreplace")
    text += b" " * (-len(text) % 8)
    return b"".join((len(text).to_bytes(8, "little"), text, *body))


def read_stored(data: bytes, form: str, read: Callable[[StoredTensors], Kept], file: str) -> Kept:
    """What `read` makes of a `.safetensors` file of this format; GridError for anything else."""
    try:
        return read(_stored(data, form))
    except BadModel as bad:
        raise fail("G081", f"this is not a model: {bad}", bad.hint, file) from None
    except SafetensorError:
        damaged = "this is not a model: it is cut short, or not a .safetensors file"
        raise fail(
            "G081", damaged, "make it again with `gridlang compile` or `gridlang train`", file
        ) from None
    except (ValueError, RecursionError) as error:
        raise fail("G081", "this is not a model: it cannot be read", str(error)[:200], file) from None


def _stored(data: bytes, form: str) -> StoredTensors:
    """The tensors and the metadata of a file, whose format is the one that is expected."""
    # The whole header is checked against the size of the data before memory is taken.
    tensors = dict(deserialize(data))  # type: ignore[no-untyped-call]
    size = int.from_bytes(data[:8], "little")
    metadata = dict(json.loads(data[8 : 8 + size]).get("__metadata__") or {})
    if metadata.get("format") != form:
        hint = OTHER_FORMATS.get(metadata.get("format", ""), "")
        stated = metadata.get("format")
        known = f"is {stated!r}" if stated else "is not named"
        raise BadModel(f"its format {known}; it should be {form!r}", hint)
    if len(data) > 2 * MOST_WEIGHTS and sum(map(_size, tensors.values())) > MOST_WEIGHTS:
        raise BadModel(f"it has more than {MOST_WEIGHTS:,} weights")
    return StoredTensors(tensors, metadata)


DFST_FORMAT = "gridlang-dfst/1"
STUCK, NEGATIVE = "stuck", "negative"  # the key of the metadata that makes a model strict, and its one value
Ints = npt.NDArray[np.int64]


class Stepper(Protocol):
    """A model in closed loop: its outputs on a symbol in a state, and the next state."""

    def start(self) -> Any: ...

    def step(self, state: Any, symbol: int) -> tuple[Floats, Any]:
        """Outputs (symbols + moves,), the largest of each part being what is done, and the next state."""


@runtime_checkable
class Model(Protocol):
    """Names, weights and equations that say what to write and where to go.

    >>> import gridlang as gl
    >>> isinstance(gl.compile("examples/add2.grid"), gl.Model)
    True
    """

    @property
    def kind(self) -> str:
        """Its kind: `dfst`, or an architecture of networks."""

    @property
    def symbols(self) -> tuple[str, ...]: ...

    @property
    def moves(self) -> tuple[str, ...]: ...

    @property
    def metadata(self) -> Mapping[str, str]: ...

    @property
    def h0(self) -> Floats:
        """The vector that it starts with; empty where it keeps its whole past."""

    @property
    def strict(self) -> bool: ...

    @property
    def training(self) -> dict[str, Any]: ...

    def stepper(self) -> Stepper: ...

    def state_name(self, state: Any) -> str:
        """The name of a stepper's state in the last line of a run."""

    def run(self, input: str | World = "", *, steps: int = ..., trace: bool = ...) -> Run: ...


def check_names(model: Model) -> None:
    """Checks names, classes and states, so that users of a model can rely on them."""
    moves, symbols = model.moves, model.symbols
    if set(moves) - set(MOVES) or len(set(moves)) != len(moves):
        raise BadModel(f"its moves are {' '.join(moves)[:40]!r}")
    if len(set(symbols)) != len(symbols) or model.metadata.get("blank", BLANK) not in symbols:
        raise BadModel("its symbols are not distinct, or lack the blank")
    if model.metadata.get(STUCK, NEGATIVE) != NEGATIVE:
        raise BadModel(f"its metadata say `{STUCK}`, which can only be `{NEGATIVE}`")
    if not all(map(is_symbol, renamed := symbols_of(model))) or renamed.count(BLANK) > 1:
        most = f"single printable characters, of which `{BLANK}` is the blank"
        raise BadModel(f"its symbols are not all {most}")
    if "states" in model.metadata:
        states = StoredTensors({}, dict(model.metadata)).names("states")
        if len(states) != len(model.h0):
            raise BadModel("it names another number of states than it has")
        if not all(state and state.isprintable() for state in states):
            raise BadModel("a state's name is empty, or cannot be printed")
    if not model.metadata.get("name", "model").isprintable():
        raise BadModel("its name cannot be printed")
    classes = json.loads(model.metadata.get("classes", "[]"))
    pairs = isinstance(classes, list) and all(isinstance(entry, list) for entry in classes)
    if not pairs or any([type(text) for text in entry] != [str, str] for entry in classes):
        raise BadModel("its classes are not a list of names with their symbols")


def training_of(metadata: Mapping[str, str]) -> dict[str, Any]:
    """How a model was trained, as its metadata tell; empty where they do not."""
    try:
        record = json.loads(metadata.get("training", "{}"))
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def model_language(model: Model) -> InputLanguage | None:
    """The declared inputs of a model; None when its metadata does not tell."""
    clause = model.metadata.get("input", "")
    if not clause:
        return None
    try:
        return parse_language(clause, dict(classes_of(model)), model.symbols)
    except GridError:
        return None


def classes_of(model: Model) -> tuple[tuple[str, str], ...]:
    """The named sets of symbols in a model's metadata."""
    return tuple((name, members) for name, members in json.loads(model.metadata.get("classes", "[]")))


def source_table(model: Model) -> Table | None:
    """The table of the source that a model carries; None where there is none that can be read."""
    source = model.metadata.get("source", "")
    with suppress(GridError):
        return load_source(Source("<source in the model>", source), {}).table if source else None
    return None


def symbols_of(model: Model) -> tuple[str, ...]:
    """The model's symbols in its order, with our blank."""
    blank = model.metadata.get("blank", BLANK)
    return tuple(BLANK if symbol == blank else symbol for symbol in model.symbols)
