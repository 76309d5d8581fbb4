"""The `.safetensors` files of models: named float32 tensors, and metadata that say what they are."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, deserialize

from compiler.tensors.limits import LIMITS
from gridlang.diagnostics import fail

Floats = npt.NDArray[np.float32]
OTHER_FORMATS = {
    "gridlang-network/1": "it is a network: `gridlang extract` makes a table of it, where it follows one"
}
FLOAT_TYPES = {"F32": "<f4", "F64": "<f8", "F16": "<f2"}  # by their names in a .safetensors header

Kept = TypeVar("Kept")


class BadModel(Exception):
    """What is wrong with a model, in words, and what to do."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.hint = hint


def _size(entry: Mapping[str, Any]) -> int:
    """How many numbers a tensor holds."""
    return math.prod(entry["shape"])


class StoredTensors(NamedTuple):
    """What a `.safetensors` file holds, by names; BadModel for what is not as it should be."""

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
        damaged = "this is not a model: it is cut short, or no .safetensors file at all"
        raise fail(
            "G081", damaged, "make it again with `gridlang compile` or `gridlang train`", file
        ) from None
    except (ValueError, RecursionError) as error:
        raise fail("G081", "this is not a model: it cannot be read", str(error)[:200], file) from None


def format_of(data: bytes) -> str:
    """The format that a `.safetensors` file names; empty where it names none, or is none."""
    try:
        size = int.from_bytes(data[:8], "little")
        head = json.loads(data[8 : 8 + size]) if size <= len(data) else {}
        named = head["__metadata__"]["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return named if isinstance(named, str) else ""


def _stored(data: bytes, form: str) -> StoredTensors:
    """The tensors and the metadata of a file, whose format is the one that is expected."""
    # The whole header is checked against the size of the data before memory is taken.
    tensors = dict(deserialize(data))  # type: ignore[no-untyped-call]
    size = int.from_bytes(data[:8], "little")
    metadata = dict(json.loads(data[8 : 8 + size]).get("__metadata__") or {})
    if metadata.get("format") != form:
        hint = OTHER_FORMATS.get(metadata.get("format", ""), "")
        raise BadModel(f"its format is {metadata.get('format')!r}, not {form!r}", hint)
    if len(data) > 2 * LIMITS.weights and sum(map(_size, tensors.values())) > LIMITS.weights:
        raise BadModel(f"it has more than {LIMITS.weights:,} weights")
    return StoredTensors(tensors, metadata)
