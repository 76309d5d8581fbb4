"""Traces: `.npz` files whose bytes, arrays or metadata are changed, and lines of JSON."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from gridlang.learners.traces.choosing.sampling import default_traces
from tests.fuzz.mutations import changed_bytes, changed_json
from tests.programs import EXAMPLES, PROGRAMS

SECONDS = 40.0
TASKS = ("increment", "compare", "add2")


def prepare(home: Path) -> None:
    for program in PROGRAMS:
        if program.name in TASKS:
            traces = default_traces(program.load())
            traces.save(home / f"{program.name}.npz")
            traces[:20].save(home / f"{program.name}.jsonl")


def make(random: Random, home: Path, folder: Path) -> list[list[str]]:
    name = random.choice(TASKS)
    (folder / "traces.npz").write_bytes(changed_traces((home / f"{name}.npz").read_bytes(), random))
    (folder / "traces.jsonl").write_bytes(changed_lines((home / f"{name}.jsonl").read_bytes(), random))
    (folder / "agent.grid").write_bytes((EXAMPLES / f"{name}.grid").read_bytes())
    (folder / "add.grid").write_bytes((EXAMPLES / "add.grid").read_bytes())
    return [command.split() for command in random.sample(COMMANDS, 2)]


TRAIN, ADD = "--iterations 2 --device cpu", "trace agent.grid --count 3 --add"
COMMANDS = (
    f"train traces.npz {TRAIN} -o m.safetensors",
    f"train traces.npz {TRAIN} --json",
    f"train traces.npz {TRAIN} --recipe paper --dim 3 --seeds 2",
    f"{ADD} traces.npz -o more.npz",
    f"{ADD} traces.npz --peek-greedy --json -o more.npz",
    f"train traces.jsonl {TRAIN} -o m.safetensors",
    "train traces.jsonl --method merge -o m.safetensors",
    "trace traces.jsonl -o more.npz",
    "trace traces.jsonl --json -o more.jsonl",
    f"{ADD} traces.jsonl -o more.jsonl",
    "run traces.npz 1",
    "view traces.npz -o out.svg",
)


def changed_traces(data: bytes, random: Random) -> bytes:
    return changed_archive(data, random, ("metadata.npy", "inputs.npy"))


def changed_lines(data: bytes, random: Random) -> bytes:
    """Lines of JSON, some of them changed, or their bytes."""
    if random.random() < 0.2:
        return changed_bytes(data, random)
    lines = data.split(b"\n")
    for _ in range(random.choice((1, 3))):
        at = random.randrange(len(lines) - 1) if random.random() < 0.7 else 0
        with suppress(ValueError):  # changed already, and no JSON any more
            lines[at] = json.dumps(changed_json(json.loads(lines[at]), random)).encode()
    return b"\n".join(lines)


def changed_archive(
    data: bytes,
    random: Random,
    texts: Sequence[str],
    mend: Callable[[dict[str, bytes]], None] = lambda _: None,
) -> bytes:
    """An `.npz` file with an array changed, or the JSON in one of `texts`; `mend` makes digests anew."""
    if random.random() < 0.2:
        return changed_bytes(data, random)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = random.choice([*members, *texts])
    if name in texts:
        members[name] = stored(
            text_array(changed_metadata(json.loads(array(members[name]).tobytes()), random))
        )
    elif random.random() < 0.15:
        members[name] = changed_bytes(members[name], random)
    else:
        members[name] = stored(_changed_array(array(members[name]), random))
    if random.random() < 0.7:
        with suppress(Exception):  # What is changed beyond reading has no digest.
            mend(members)
    if random.random() < 0.1:
        del members[name]
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def changed_metadata(metadata: Any, random: Random) -> Any:
    """The metadata changed, or the JSON in one of its texts."""
    inner = [
        key
        for key in ("symbols", "moves", "classes", "data")
        if isinstance(metadata, dict) and isinstance(metadata.get(key), str)
    ]
    if inner and random.random() < 0.6:
        key = random.choice(inner)
        return {**metadata, key: json.dumps(changed_json(json.loads(metadata[key]), random))}
    return changed_json(metadata, random)


def array(data: bytes) -> Any:
    return np.lib.format.read_array(BytesIO(data), allow_pickle=False)


def stored(values: Any) -> bytes:
    out = BytesIO()
    np.lib.format.write_array(out, values, allow_pickle=False)
    return out.getvalue()


def text_array(value: Any) -> Any:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def _changed_array(values: Any, random: Random) -> Any:
    way = random.randrange(5)
    if way == 0:
        return values.astype(random.choice(("i1", "i8", "u2", ">i2", ">i4", "f4", "?", "U3", "V2")))
    if way == 1:
        return random.choice(
            (
                values[:0],
                values[:1],
                values[None],
                values.ravel(),
                values[..., :0],
                np.zeros((), values.dtype),
            )
        )
    if way == 2:
        return np.concatenate([values, values])
    values = values.copy()
    for _ in range(random.choice((1, 5))):
        if values.size:
            limits = np.iinfo(values.dtype)
            values.flat[random.randrange(values.size)] = random.choice(
                (0, 1, max(-1, limits.min), 3, limits.min, limits.max)
            )
    return values
