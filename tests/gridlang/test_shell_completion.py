"""`gridlang completion`: what each shell offers after Tab."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from gridlang.cli import main
from tests.support.command_line import invoke


def offered(*words: str) -> set[str]:
    *before, last = words
    shell = BashComplete(main, {}, "gridlang", "_GRIDLANG_COMPLETE")
    found = shell.get_completions(before, last)
    return {item.value if item.type == "plain" else f"a {item.type}" for item in found}


def test_commands_options_choices_and_files_are_completed() -> None:
    assert {"check", "completion", "learn", "run"} <= offered("")
    assert offered("comp") == {"compile", "completion"}
    assert offered("run", "--en") == {"--engine"}
    assert offered("run", "add.grid", "--engine", "") == {"auto", "reference", "native", "dfst"}
    assert {"bbchallenge", "svg"} <= offered("compile", "add.grid", "--to", "")
    assert offered("train", "my") == offered("learn", "add.grid", "-o", "") == {"a file"}
    assert offered("train", "--method", "mer") == {"merge"}
    assert offered("help", "tra") == {"trace", "train"}
    assert offered("new", "") == set()


def test_no_hidden_option_is_offered() -> None:
    assert offered("learn", "--un") == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_reads_its_script(shell: str, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(invoke("completion", shell).stdout)
    subprocess.run([shell, "-n", str(script)], check=True)
