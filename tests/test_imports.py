"""What a command does not need is not imported: each starts as soon as it can."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gridlang.cli import SUMMARIES
from tests.support.command_line import ADD10, invoke, process

HEAVY = ["numpy", "torch", "networkx", "lark", "hypothesis"]
PROVING = [f"gridlang.compiler.{name}" for name in ("judging", "proofs", "verifier")]
TRAINING = ["torch", "gridlang.learners.sweeps", "gridlang.learners.reports"]
EXACT, LEARNED = "examples/add2.grid", "examples/models/add2.safetensors"
SESSION = """
import json, sys
import gridlang
assert not {"numpy", "gridlang.compiler", "gridlang.learners"} & set(sys.modules)
from gridlang.cli import main
for words, unused in json.loads(sys.argv[1]):
    try:
        main(words)
    except SystemExit as end:
        assert not end.code, words
    loaded = [name for name in sys.modules if name.startswith(tuple(unused))]
    assert not loaded, (words, loaded)
"""
SESSIONS = {  # commands one after the other, and what none so far has imported
    "help": [(f"{name} --help", HEAVY) for name in SUMMARIES],
    "language": [
        (f"check {ADD10}", HEAVY),
        (f"run {EXACT} 1+1", [*HEAVY, *PROVING, "gridlang.learners"]),
        (
            f"view {ADD10} -o OUT/x.html",
            ["numpy", "torch", "networkx", "gridlang.compiler.extraction.extract"],
        ),
        ("prove examples/increment.grid", ["numpy", "torch", "networkx", "hypothesis", "gridlang.learners"]),
        (f"run {LEARNED} 1+1", ["torch", "gridlang.learners"]),
        (f"extract {LEARNED}", ["torch", "gridlang.learners"]),
        (f"equiv {EXACT} {LEARNED} --scope inputs", ["torch", "gridlang.learners"]),
        (f"prove {LEARNED} --expert {EXACT}", ["torch", "gridlang.learners"]),
    ],
    "traces": [
        (
            "train OUT/add10.npz --device cpu --iterations 1 -o OUT/d.safetensors",
            [*TRAINING, *PROVING, "gridlang.learners.traces.choosing", "gridlang.learners.methods"],
        ),
    ],
    "training": [
        (
            "train examples/increment.grid --method merge -o OUT/a.safetensors",
            [*TRAINING, *PROVING, "gridlang.learners.learning", "gridlang.compiler.extraction"],
        ),
        (
            "train examples/increment.grid --device cpu --iterations 1 -o OUT/b.safetensors",
            [*TRAINING, *PROVING, "gridlang.learners.learning"],
        ),
    ],
    "learning": [
        (
            "learn examples/increment.grid --scope inputs -o OUT/c.safetensors",
            [*TRAINING, "gridlang.learners.methods.merging"],
        ),
    ],
}


@pytest.mark.parametrize("name", SESSIONS)
def test_commands_import_what_they_need_and_no_more(name: str, tmp_path: Path) -> None:
    invoke("trace", ADD10, "-o", str(tmp_path / "add10.npz"))  # fills the cache of the grammar too
    given = [(words.replace("OUT", str(tmp_path)).split(), unused) for words, unused in SESSIONS[name]]
    done = process("-c", SESSION, json.dumps(given))
    assert done.returncode == 0, done.stderr
