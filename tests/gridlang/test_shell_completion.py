"""`gridlang completion`: what each shell offers after Tab."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.support.command_line import invoke

FILES = ("add.grid", "add.json", "add.safetensors", "my runs.csv", "notes.md")


@cache
def script(shell: str) -> str:
    return invoke("completion", shell).stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).write_text("")
    (tmp_path / "class").mkdir()
    return tmp_path


def in_bash(folder: Path, *words: str) -> set[str]:
    body = '\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gridlang; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", script("bash") + body, "bash", "gridlang", *words],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    return set(done.stdout.split("\n")) - {""}


def test_bash_completes_commands_options_choices_and_files(folder: Path) -> None:
    assert {"check", "completion", "learn", "run"} <= in_bash(folder, "")
    assert in_bash(folder, "comp") == {"compile", "completion"}
    assert in_bash(folder, "run", "--en") == {"--engine"}
    assert in_bash(folder, "run", "add.grid", "--engine", "") == {"auto", "reference", "native", "dfst"}
    assert {"jflap", "svg"} <= in_bash(folder, "compile", "add.grid", "--to", "")
    assert in_bash(folder, "fmt", "") == {"add.grid", "class"}
    assert in_bash(folder, "run", "a") == {"add.grid", "add.json", "add.safetensors"}
    assert in_bash(folder, "train", "my") == {"my runs.csv"}
    assert in_bash(folder, "help", "tra") == {"trace", "train"}
    assert in_bash(folder, "new", "") == set()


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_commands_options_choices_and_files(folder: Path) -> None:
    def offered(line: str) -> set[str]:
        done = subprocess.run(
            ["fish", "--no-config", "-c", f'source\ncomplete -C "{line}"'],
            input=script("fish"),
            cwd=folder,
            capture_output=True,
            text=True,
        )
        return {each.split("\t")[0] for each in done.stdout.split("\n")} - {""}

    assert offered("gridlang comp") == {"compile", "completion"}
    assert offered("gridlang run --en") == {"--engine"}
    assert offered("gridlang run x --engine n") == {"native"}
    assert "add.grid" in offered("gridlang run a")


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_reads_the_script(tmp_path: Path) -> None:
    (tmp_path / "_gridlang").write_text(script("zsh"))
    subprocess.run(["zsh", "-f", "-n", str(tmp_path / "_gridlang")], check=True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_option_that_is_not_hidden_is_in_the_script(shell: str) -> None:
    for name in ("--until-proven", "--missing", "--most-states", "--no-fold", "--certificate"):
        spelt = name if shell != "fish" else f"-l {name[2:]}"
        assert (spelt in script(shell)) == (name != "--until-proven")
