"""What all commands promise: --help is light."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gridlang.cli import COMMANDS, main
from tests.programs import ROOT

HEAVY = "{'numpy', 'torch', 'networkx', 'lark', 'hypothesis'}"


def test_help_imports_nothing_heavy() -> None:
    """That of no command does: their imports are added up in one process."""
    code = f"""import sys
from click.testing import CliRunner
from gridlang.cli import main
for name in {sorted(COMMANDS)}:
    assert CliRunner().invoke(main, [name, '--help']).exit_code == 0
    assert not {HEAVY} & set(sys.modules), name
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


ELSEWHERE = ["torch", "gridlang.learners.sweeps", "gridlang.learners.reports"]
UNTIL_PROVEN = [
    "gridlang.learners.learning",
    *(f"gridlang.compiler.{n}" for n in ("judging", "proofs", "verifier")),
]


@pytest.mark.parametrize(
    ("words", "unused"),
    [
        (["train", "--device", "cpu", "--iterations", "1"], [*ELSEWHERE, *UNTIL_PROVEN]),
        (["train", "--method", "merge"], [*ELSEWHERE, *UNTIL_PROVEN, "gridlang.compiler.extraction"]),
        (["learn", "--scope", "inputs"], [*ELSEWHERE, "gridlang.learners.methods.merging"]),
    ],
)
def test_what_a_command_does_not_need_is_not_imported(
    words: list[str], unused: list[str], tmp_path: Path
) -> None:
    words = [*words, "examples/increment.grid", "-o", str(tmp_path / "a.safetensors")]
    code = f"""import sys
from click.testing import CliRunner
from gridlang.cli import main
assert CliRunner().invoke(main, {words}).exit_code == 0
assert not [module for module in sys.modules if module.startswith({tuple(unused)})]
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_learning_commands_have_at_most_fifteen_options() -> None:
    for name in ("trace", "train", "learn"):
        shown = CliRunner().invoke(main, [name, "--help"]).stdout.partition("\nOptions:\n")[2]
        assert len(re.findall(r"^  -", shown, re.MULTILINE)) <= 15, name
