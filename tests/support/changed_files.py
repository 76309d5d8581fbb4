"""Files that nobody meant to write: chance changes sources, certificates, models, traces and run folders.

A function of a kind writes its files into the folder that it is called in, and returns the steps to take there: commands,
or checks of a file, whose name begins with `=`.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import shutil
from collections.abc import Callable, Sequence
from contextlib import chdir, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from gridlang.compiler.tensors.model import tensors_to_bytes
from gridlang.learners.traces.choosing.sampling import default_traces
from gridlang.learners.traces.dataset import traces_to_file
from gridlang.loading import load
from tests.forgeries.genuine import DIFFERENT, PROVEN, genuine
from tests.programs import EXAMPLES, ROOT
from tests.support.chance_edits import changed_bytes, changed_json, changed_text, mutant
from tests.support.command_line import invoke

Chance = random.Random
Steps = Sequence[Sequence[str]]
DIAGNOSED = ROOT / "tests" / "golden" / "diagnostics"
STRAY = 'halts loops accept stuck 0..9 \'x\' "01" _ any else as halt write if in except div mod min max left(d) -> | ( ) : = , U D L R S *+? # [ ] rule[0] length(rule) library use walk from let n = 2 ^ { } where 1_000 agent alphabet state input output test start """ \\ \n \0 \t é \u202e == base digit move'
SOURCE_COMMANDS = (
    "run  --steps 100",  # on the empty input
    "run 01 --steps 100 --trace",
    "run 1+1 --steps 100 --json",
    "run 101 --steps 50 --engine dfst",
    "compile --to table -o out.json",
    "compile --to c -o out.c",
    "compile --to dot -o out.dot",
    "compile -o out.safetensors --minimize",
    "compile --json",
    "view -o out.svg",
    "test --cases 5",
    "fmt --check",
)
MODEL_COMMANDS = (
    "run model.safetensors 1 --steps 50",
    "run model.safetensors 1+1 --steps 50 --json",
    "run model.safetensors  --steps 50 --trace --engine dfst",
    "run model.safetensors 1 --steps 50 --snap",
    "eval model.safetensors --digits 3",
    "eval model.safetensors --against increment.grid --digits 2 --json",
    "extract model.safetensors --steps 2000 -o out.grid",
    "extract model.safetensors --steps 2000 --raw --json",
    "extract model.safetensors --steps 2000 --against increment.grid",
    "view model.safetensors -o out.svg",
    "view model.safetensors --against increment.grid -o out.html",
    "equiv increment.grid model.safetensors --scope table",
    "equiv model.safetensors increment.grid --scope observed",
    "compile model.safetensors --to table -o out.json",
    "trace model.safetensors --count 5 -o out.npz",
    "train model.safetensors",
    "test model.safetensors",
    "check model.safetensors",
)
QUICK = "--iterations 2 --device cpu"
TRACE_COMMANDS = (
    f"train traces.npz {QUICK} -o m.safetensors",
    f"train traces.npz {QUICK} --json",
    f"train traces.npz {QUICK} --recipe paper --dim 3 --seeds 2",
    "trace agent.grid --count 3 --add traces.npz -o more.npz",
    "trace agent.grid --count 3 --add traces.npz --greedy --json -o more.npz",
    f"train traces.jsonl {QUICK} -o m.safetensors",
    "train traces.jsonl --method merge -o m.safetensors",
    "trace traces.jsonl -o more.npz",
    "trace traces.jsonl --json -o more.jsonl",
    "trace agent.grid --count 3 --add traces.jsonl -o more.jsonl",
    "run traces.npz 1",
    "view traces.npz -o out.svg",
)
TRAIN = "train increment.npz --iterations 20 --seeds 2 --device cpu"
SWEEP = "sweep increment.npz -o sweep --seeds 1 --iterations 20 --device cpu --ray none"
LEARN = "learn increment.grid --scope inputs --seeds 1 --iterations 1500 --device cpu -o it"
FOLDER_COMMANDS = {
    "increment.run": (
        "report increment.run -o out.html",
        "report increment.run -o out.html --json",
        *(f"{TRAIN} --resume", f"{TRAIN} --resume", f"{TRAIN} --restart", TRAIN),
    ),
    "sweep": ("report sweep -o out.html", "report sweep -o out.html --json", SWEEP, f"{SWEEP} --digits 2"),
    "it.learn": (
        "report it.learn -o out.html",
        "report it.learn -o out.html --json",
        *(f"{LEARN} --resume", f"{LEARN} --resume", f"{LEARN} --resume --json"),
    ),
}


def sources(chance: Chance) -> Steps:
    """Examples and broken files with tokens, lines and bytes changed, or words of the language in any order."""
    files = sorted(EXAMPLES.glob("*.grid") if chance.random() < 0.6 else DIAGNOSED.glob("*.grid"))
    for example in EXAMPLES.glob("*.grid"):
        shutil.copy(example, ".")
    text = chance.choice(files).read_text(encoding="utf-8", errors="surrogateescape")
    text = changed_text(text, f"{STRAY}\n{text}", chance)
    if chance.random() < 0.1:
        text = " ".join(chance.choices(STRAY.split(" "), k=chance.randrange(40)))
    data = text.encode(errors="surrogateescape")
    name = chance.choice(("agent.grid", "agent.grid", "agent.json", "agent"))
    Path(name).write_bytes(changed_bytes(data, chance) if chance.random() < 0.15 else data)
    command, *more = chance.choice(SOURCE_COMMANDS).split(" ")
    told = [["check", name], ["check", "--json", name], ["=editor", name]]
    return [*told, ["=program", name], [command, name, *more], ["fmt", name], ["=program", name]]


def certificates(chance: Chance) -> Steps:
    """Parts changed, exchanged or lost, tables changed with them, and all digests made anew."""
    data = mutant(genuine(chance.choice([*PROVEN, *DIFFERENT])), chance)
    if chance.random() < 0.3:
        data = changed_json(data, chance)
    Path("proof.json").write_text(json.dumps(data), encoding="utf-8")
    return [["verify", "proof.json"], ["verify", "proof.json", "--json"], ["=claim", "proof.json"]]


def models(chance: Chance) -> Steps:
    """Bytes, headers, metadata, shapes or weights of a model are changed."""
    Path("model.safetensors").write_bytes(changed_model(chance.choice(_models()), chance))
    shutil.copy(EXAMPLES / "increment.grid", ".")
    return [command.split(" ") for command in chance.sample(MODEL_COMMANDS, 3)]


def traces(chance: Chance) -> Steps:
    """Bytes, arrays or metadata of an `.npz` file are changed, and lines of JSON."""
    name = chance.choice(("increment", "compare"))
    archive, lines = _traces(name)
    Path("traces.npz").write_bytes(changed_archive(archive, chance))
    Path("traces.jsonl").write_bytes(changed_lines(lines, chance))
    shutil.copy(EXAMPLES / f"{name}.grid", "agent.grid")
    return [command.split(" ") for command in chance.sample(TRACE_COMMANDS, 2)]


def folders(chance: Chance) -> Steps:
    """Files of `train`, `sweep` and `learn` are changed, lost, or replaced by others."""
    shutil.copytree(_runs().name, ".", dirs_exist_ok=True)
    place, commands = chance.choice(list(FOLDER_COMMANDS.items()))
    files = sorted(path for path in Path(place).rglob("*") if path.is_file())
    for _ in range(chance.choice((1, 1, 2))):
        kind = chance.choice(sorted({path.suffix for path in files}))
        path = chance.choice([path for path in files if path.suffix == kind])
        if not path.is_file():
            continue  # it was changed before
        data, way = path.read_bytes(), chance.random()
        path.unlink()
        if 0.05 < way < 0.1:
            path.mkdir()
        elif way > 0.1:
            change = chance.choice((changed_bytes, *[CHANGES.get(path.suffix, changed_bytes)] * 4))
            path.write_bytes(b"")
            with suppress(Exception):  # It was changed before, and is not what its name says.
                path.write_bytes(change(data, chance))
    return [chance.choice(commands).split(" ")]


def changed_model(data: bytes, chance: Chance) -> bytes:
    """A model after one kind of change; the file stays well formed where the change allows it."""
    way = chance.randrange(8)
    size = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
    if way == 0:
        return changed_bytes(data, chance)
    if way == 1:
        return resized(header, body, chance)
    if way == 2:
        header = changed_json(header, chance)
    elif way == 3:
        values = np.frombuffer(body, "<f4").copy()
        for _ in range(chance.choice((1, 3, len(values)))):
            strange = (0.0, 1.0, -1.0, np.nan, np.inf, 3e38, -3e38, 1e-45, chance.random())
            values[chance.randrange(len(values))] = chance.choice(strange)
        body = values.tobytes()
    else:
        header["__metadata__"] = changed_metadata(header["__metadata__"], chance)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + body


def resized(header: dict[str, Any], body: bytes, chance: Chance) -> bytes:
    """Tensors of another size that agree with each other: no states, no symbols, no moves, or other numbers of them."""
    k, d, m = (chance.choice((0, 1, 2, n)) for n in (*header["B"]["shape"][1:], header["C"]["shape"][1]))
    symbols, moves = json.dumps(["_", "0", "1", "+", "#", *"abcdefgh"][:k]), json.dumps([*"UDLRS"][:m])
    metadata = {**header["__metadata__"], "symbols": symbols, "moves": moves}
    if chance.random() < 0.7:
        metadata.pop("states", None)
    shapes = {"A": (k, d, d), "B": (k, k, d), "C": (k, m, d), "h0": (d,)}
    values = np.frombuffer(body, "<f4")
    return tensors_to_bytes({name: np.resize(values, shape) for name, shape in shapes.items()}, metadata)


def changed_metadata(metadata: Any, chance: Chance) -> Any:
    """The metadata changed, or the JSON in one of its texts."""
    texts = metadata.items() if isinstance(metadata, dict) else ()
    inner = [name for name, text in texts if isinstance(text, str) and text[:1] in ("[", "{")]
    if not inner or chance.random() < 0.4:
        return changed_json(metadata, chance)
    name = chance.choice(inner)
    return {**metadata, name: json.dumps(changed_json(json.loads(metadata[name]), chance))}


def changed_archive(data: bytes, chance: Chance) -> bytes:
    """An `.npz` file with an array changed, or the JSON in one; a digest in it is made anew."""
    if chance.random() < 0.2:
        return changed_bytes(data, chance)
    arrays = dict(np.load(io.BytesIO(data), allow_pickle=False))
    texts = [name for name in ("metadata", "inputs", "about") if name in arrays]
    name = chance.choice([*arrays, *texts])
    change = _changed_text_array if name in texts else _changed_array
    arrays[name] = change(arrays[name], chance)
    with suppress(Exception):  # What is changed beyond reading has no digest.
        about = json.loads(arrays["about"].tobytes())
        whole = b"".join(arrays[each].tobytes() for each in ("weights", "mean", "variance", "diverged"))
        about["digest"] = hashlib.sha256(whole).hexdigest()
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    if chance.random() < 0.1:
        del arrays[name]
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _changed_text_array(values: Any, chance: Chance) -> Any:
    changed = changed_metadata(json.loads(values.tobytes()), chance)
    return np.frombuffer(json.dumps(changed).encode(), np.uint8)


def _changed_array(values: Any, chance: Chance) -> Any:
    way = chance.randrange(4)
    if way == 0:
        return values.astype(chance.choice(("i1", "i8", "u2", ">i2", ">i4", "f4", "?", "U3", "V2")))
    if way == 1:
        pieces = (values[:0], values[:1], values[None], values.ravel(), values[..., :0])
        return chance.choice((*pieces, np.zeros((), values.dtype), np.concatenate([values, values])))
    values, limits = values.copy(), np.iinfo(values.dtype)
    for _ in range(chance.choice((1, 5)) if values.size else 0):
        strange = (0, 1, max(-1, limits.min), 3, limits.min, limits.max)
        values.flat[chance.randrange(values.size)] = chance.choice(strange)
    return values


def changed_lines(data: bytes, chance: Chance) -> bytes:
    """Lines of JSON, some of them changed."""
    lines = data.split(b"\n")
    for _ in range(chance.choice((1, 3))):
        at = chance.choice((0, chance.randrange(len(lines))))
        with suppress(ValueError):  # the end, or changed already
            lines[at] = json.dumps(changed_json(json.loads(lines[at]), chance)).encode()
    return b"\n".join(lines)


def changed_file(data: bytes, chance: Chance) -> bytes:
    return json.dumps(changed_json(json.loads(data), chance)).encode()


CHANGES: dict[str, Callable[[bytes, Chance], bytes]] = {
    ".json": changed_file,
    ".jsonl": changed_lines,
    ".npz": changed_archive,
    ".safetensors": changed_model,
}


@cache
def _models() -> Sequence[bytes]:
    tables = (load(EXAMPLES / f"{name}.grid").table for name in ("increment", "compare"))
    places = (ROOT / "tests" / "learners" / "models", EXAMPLES / "models")
    learned = (path for place in places for path in sorted(place.glob("*.safetensors")))
    exact = [dfst_to_bytes(table_to_dfst(table)) for table in tables]
    return [*exact, *(path.read_bytes() for path in learned if path.name[:4] != "mult")]


@cache
def _traces(name: str) -> tuple[bytes, bytes]:
    made = default_traces(load(EXAMPLES / f"{name}.grid"))
    return bytes(traces_to_file(made, "t.npz")), bytes(traces_to_file(made[:20], "t.jsonl"))


@cache
def _runs() -> TemporaryDirectory[str]:
    """A folder of each kind, as the commands leave it."""
    folder = TemporaryDirectory()
    shutil.copy(EXAMPLES / "increment.grid", folder.name)
    with chdir(folder.name):
        for command in ("trace increment.grid -o increment.npz", TRAIN, SWEEP, LEARN):
            assert invoke(*command.split()).exit_code in (0, 1)
    return folder
