"""Run folders: files of `train`, `sweep` and `learn` that are changed, lost, or replaced by others."""

from __future__ import annotations

import hashlib
import json
import shutil
from contextlib import chdir
from pathlib import Path
from random import Random
from typing import Any

from click.testing import CliRunner

from gridlang.cli import main
from tests.fuzz.models import changed_model
from tests.fuzz.mutations import changed_bytes, changed_json
from tests.fuzz.traces import array, changed_archive, changed_traces, stored, text_array
from tests.programs import EXAMPLES

SECONDS = 120.0  # Some start processes of their own, and a round of `learn` is taught again.
TRAIN = "train increment.npz --iterations 20 --seeds 2 --device cpu"
SWEEP = "sweep increment.npz -o sweep --seeds 1 --iterations 20 --device cpu --ray none"
ENOUGH = 1_500  # iterations for an agent of three states
LEARN = f"learn increment.grid --scope inputs --seeds 1 --iterations {ENOUGH} --device cpu -o it"


def prepare(home: Path) -> None:
    """A folder of each kind, as the commands leave it."""
    shutil.copy(EXAMPLES / "increment.grid", home)
    with chdir(home):
        for command in ("trace increment.grid -o increment.npz", TRAIN, SWEEP, LEARN):
            result = CliRunner().invoke(main, command.split())
            assert result.exit_code in (0, 1), result.output


def make(random: Random, home: Path, folder: Path) -> list[list[str]]:
    shutil.copytree(home, folder, dirs_exist_ok=True)
    place, commands = random.choice(list(COMMANDS.items()))
    files = sorted(path for path in (folder / place).rglob("*") if path.is_file())
    for _ in range(random.choice((1, 1, 2))):
        kind = random.choice(sorted({path.suffix for path in files}))
        path = random.choice([path for path in files if path.suffix == kind])
        if path.is_file():
            _change(path, files, random)
    return [random.choice(commands).split()]


def _report(place: str) -> list[str]:
    return [f"report {place} -o out.html", f"report {place} -o out.html --json"]


COMMANDS = {
    "increment.run": [
        *_report("increment.run"),
        *(f"{TRAIN} --resume", f"{TRAIN} --resume", f"{TRAIN} --restart", TRAIN),
    ],
    "sweep": [*_report("sweep"), SWEEP, f"{SWEEP} --digits 2"],
    "it.learn": [*_report("it.learn"), f"{LEARN} --resume", f"{LEARN} --resume", f"{LEARN} --resume --json"],
}


def _change(path: Path, files: list[Path], random: Random) -> None:
    way = random.random()
    if way < 0.08:
        path.unlink()
    elif way < 0.12:
        path.unlink()
        path.mkdir()
    elif way < 0.2:
        path.write_bytes(random.choice(files).read_bytes() if random.random() < 0.5 else b"")
    else:
        try:
            path.write_bytes(_changed(path, random))
        except Exception:  # It was changed before, and is not what its name says.
            path.write_bytes(changed_bytes(path.read_bytes(), random))


def _changed(path: Path, random: Random) -> bytes:
    data = path.read_bytes()
    if random.random() < 0.2:
        return changed_bytes(data, random)
    if path.suffix == ".json":
        return json.dumps(changed_json(json.loads(data), random)).encode()
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in data.splitlines()]
        return "".join(json.dumps(line) + "\n" for line in changed_lines(lines, random)).encode()
    if path.suffix == ".safetensors":
        return changed_model(data, random)
    if path.name == "traces.npz":
        return changed_traces(data, random)
    if path.suffix == ".npz":
        return changed_checkpoint(data, random)
    return changed_bytes(data, random)


def changed_lines(lines: list[Any], random: Random) -> list[Any]:
    changed = changed_json(lines, random)
    return changed if isinstance(changed, list) else [changed]


def changed_checkpoint(data: bytes, random: Random) -> bytes:
    """A checkpoint that looks whole: the digest of its arrays is made anew."""
    return changed_archive(data, random, ("about.npy",), _with_digest)


def _with_digest(members: dict[str, bytes]) -> None:
    about = json.loads(array(members["about.npy"]).tobytes())
    names = ("weights", "mean", "variance", "diverged")
    whole = b"".join(array(members[f"{name}.npy"]).tobytes() for name in names)
    members["about.npy"] = stored(text_array({**about, "digest": hashlib.sha256(whole).hexdigest()}))
