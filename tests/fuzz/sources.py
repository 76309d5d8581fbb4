"""Sources: examples and broken files with tokens, lines and bytes changed."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.fuzz.mutations import changed_bytes, changed_text
from tests.programs import EXAMPLES, ROOT

SECONDS = 20.0
BROKEN = ROOT / "tests" / "golden" / "diagnostics"
STRAY = "halts loops accept stuck 0..9 'x' \"01\" _ any else as halt write if in except div mod min max left(d) -> | ( ) : = , U D L R S *+? # [ ] rule[0] length(rule) marked(digit, 'A') library use walk from let n = 2 ^ { } where 1_000"


def prepare(home: Path) -> None:
    """Nothing: sources are in the project."""


def make(random: Random, home: Path, folder: Path) -> list[list[str]]:
    files = sorted(EXAMPLES.glob("*.grid")) if random.random() < 0.6 else sorted(BROKEN.glob("*.grid"))
    text = random.choice(files).read_text(encoding="utf-8", errors="surrogateescape")
    text = changed_text(text, STRAY + "\n" + text, random)
    data = text.encode(errors="surrogateescape")
    path = folder / random.choice(("agent.grid", "agent.grid", "agent.grid", "agent.json", "agent"))
    path.write_bytes(changed_bytes(data, random) if random.random() < 0.15 else data)
    for example in EXAMPLES.glob("*.grid"):
        (folder / example.name).write_bytes(example.read_bytes())
    name, more = path.name, random.choice(COMMANDS)
    steps = [["check", name], ["=program", name], [more[0], name, *more[1:]], ["check", "--json", name]]
    return [*steps, ["fmt", name], ["=program", name]]


COMMANDS = (
    ["run", "", "--steps", "100"],
    ["run", "01", "--steps", "100", "--trace"],
    ["run", "1+1", "--steps", "100", "--json"],
    ["run", "101", "--steps", "50", "--engine", "dfst"],
    ["compile", "--to", "table", "-o", "out.json"],
    ["compile", "--to", "c", "-o", "out.c"],
    ["compile", "--to", "dot", "-o", "out.dot"],
    ["compile", "-o", "out.safetensors", "--minimize"],
    ["compile", "--json"],
    ["view", "-o", "out.svg"],
    ["test", "--cases", "5"],
    ["fmt", "--check"],
)
