"""Models: `.safetensors` files whose bytes, headers, metadata, shapes or weights are changed."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from tests.fuzz.mutations import changed_bytes, changed_json
from tests.programs import EXAMPLES, PROGRAMS, ROOT

SECONDS = 60.0  # Extraction and proof of a model that is hard to settle take long, and end at budgets.
EXACT = ("increment", "compare")
LEARNED = (ROOT / "tests" / "learners" / "models", EXAMPLES / "models")
NAMES_IN_JSON = ("symbols", "moves", "states", "classes", "families", "training")


def prepare(home: Path) -> None:
    for program in PROGRAMS:
        if program.name in EXACT:
            exact = table_to_dfst(program.load().table, program.load().to_source())
            (home / f"{program.name}.safetensors").write_bytes(dfst_to_bytes(exact))


def make(random: Random, home: Path, folder: Path) -> list[list[str]]:
    files = [
        path
        for place in (home, *LEARNED)
        for path in sorted(place.glob("*.safetensors"))
        if path.name[:4] != "mult"
    ]
    path = random.choice(files)
    (folder / "model.safetensors").write_bytes(changed_model(path.read_bytes(), random))
    for name in ("increment", "add2", "add"):
        (folder / f"{name}.grid").write_bytes((EXAMPLES / f"{name}.grid").read_bytes())
    return random.sample(COMMANDS, 3)


MODEL, EXPERT = "model.safetensors", "increment.grid"
COMMANDS = (
    ["run", MODEL, "1", "--steps", "50"],
    ["run", MODEL, "1+1", "--steps", "50", "--json"],
    ["run", MODEL, "", "--steps", "50", "--trace", "--engine", "dfst"],
    ["run", MODEL, "1", "--steps", "50", "--snap"],
    ["eval", MODEL, "--digits", "3"],
    ["eval", MODEL, "--against", EXPERT, "--digits", "2", "--json"],
    ["extract", MODEL, "--steps", "2000", "-o", "out.grid"],
    ["extract", MODEL, "--steps", "2000", "--raw", "--json"],
    ["extract", MODEL, "--steps", "2000", "--against", EXPERT],
    ["view", MODEL, "-o", "out.svg"],
    ["view", MODEL, "--against", EXPERT, "-o", "out.html"],
    ["equiv", EXPERT, MODEL, "--scope", "table"],
    ["equiv", MODEL, EXPERT, "--scope", "observed"],
    ["compile", MODEL, "--to", "table", "-o", "out.json"],
    ["trace", MODEL, "--count", "5", "-o", "out.npz"],
    ["train", MODEL],
    ["test", MODEL],
    ["check", MODEL],
)


def changed_model(data: bytes, random: Random) -> bytes:
    """The bytes of a model after one kind of change; the file stays well formed where the change allows it."""
    way = random.random()
    if way < 0.15:
        return changed_bytes(data, random)
    size = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
    if way < 0.6:
        header["__metadata__"] = _changed_metadata(header["__metadata__"], random)
    elif way < 0.7:
        header = changed_json(header, random)
    elif way < 0.85:
        body = _changed_weights(body, random)
    else:
        return _resized(header, body, random)
    return _with_header(header, body)


def _with_header(header: dict[str, Any], body: bytes) -> bytes:
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + body


def _changed_metadata(metadata: dict[str, str], random: Random) -> Any:
    """Texts changed, and the JSON in them; what a text holds stays JSON more often than not."""
    key = random.choice(list(metadata))
    if key in NAMES_IN_JSON and random.random() < 0.8:
        return {**metadata, key: json.dumps(changed_json(json.loads(metadata[key]), random))}
    if random.random() < 0.5:
        return changed_json(metadata, random)
    return {**metadata, key: "".join(random.choices("[]{}\"',:01a\x1b", k=5))}


def _changed_weights(body: bytes, random: Random) -> bytes:
    values = np.frombuffer(body, "<f4").copy()
    for _ in range(random.choice((1, 3, len(values)))):
        strange = (0.0, 1.0, -1.0, np.nan, np.inf, 3e38, -3e38, 1e-45, random.gauss(0, 1))
        values[random.randrange(len(values))] = random.choice(strange)
    return values.tobytes()


def _resized(header: dict[str, Any], body: bytes, random: Random) -> bytes:
    """Tensors of another size that agree with each other: no states, no symbols, no moves, or other numbers of them."""
    k, d, m = (random.choice((0, 1, 2, n)) for n in (*header["B"]["shape"][1:], header["C"]["shape"][1]))
    metadata = dict(header["__metadata__"])
    metadata["symbols"] = json.dumps(["_", "0", "1", "+", "#", *"abcdefgh"][:k])
    metadata["moves"] = json.dumps([*"UDLRS"][:m])
    if random.random() < 0.7:
        metadata.pop("states", None)
    shapes = {"A": (k, d, d), "B": (k, k, d), "C": (k, m, d), "h0": (d,)}
    new, data = {"__metadata__": metadata}, b""
    for name, shape in shapes.items():
        values = np.frombuffer(body, "<f4")[: int(np.prod(shape))]
        values = np.resize(values, shape) if values.size else np.zeros(shape, "<f4")
        raw = values.astype("<f4").tobytes()
        new[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    return _with_header(new, data)
