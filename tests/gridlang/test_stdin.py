"""`-` is stdin for every file that a command reads; pipes, devices and large tables."""

from __future__ import annotations

import os
from pathlib import Path

from click.testing import CliRunner

from gridlang.cli import main
from gridlang.source import MAX_BYTES
from tests.programs import EXAMPLES
from tests.support.command_line import invoke, refused

INCREMENT = str(EXAMPLES / "increment.grid")


def test_a_model_comes_from_stdin_too() -> None:
    model = (EXAMPLES / "models" / "add2.safetensors").read_bytes()
    for typed in ("run - 1+1", "extract -", f"eval - --against {EXAMPLES}/add2.grid --digits 3"):
        assert CliRunner().invoke(main, typed.split(), input=model).exit_code == 0, typed


def test_what_is_piped_in_is_called_by_its_kind() -> None:
    told = CliRunner().invoke(main, ["import", "-"], input=Path(INCREMENT).read_bytes()).stderr
    assert "this is source, not a machine of another tool" in told and "`gridlang run -`" in told


def test_pipes_and_devices_are_not_read_to_no_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.grid")
    (tmp_path / "a.grid").write_bytes(Path(INCREMENT).read_bytes())
    for command in ("check", "fmt", "test"):
        assert invoke(command, str(tmp_path)).exit_code == 0
    (tmp_path / "m.safetensors").symlink_to("/dev/zero")
    assert "it is a device" in refused("run", str(tmp_path / "m.safetensors"))["message"]


def test_a_large_table_that_compile_writes_is_read_again(tmp_path: Path) -> None:
    text = "agent big\nalphabet\n 0..9\nstart s(0)\nstate s(a in 0..8999)\n any : R -> s((a+1) mod 9000)\n"
    (tmp_path / "big.grid").write_text(text)
    table = tmp_path / "big.json"
    assert invoke("compile", str(tmp_path / "big.grid"), "--to", "table", "-o", str(table)).exit_code == 0
    assert table.stat().st_size > MAX_BYTES
    assert invoke("run", str(table), "--steps", "1").stderr.startswith("was still running")
