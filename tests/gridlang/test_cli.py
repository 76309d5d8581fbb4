"""The command line: what it prints, its JSON, its exit statuses."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.programs import EXAMPLES, ROOT
from tests.support.command_line import ADD10, invoke, process

READ = "check fmt compile run test trace train extract prove learn view report verify import"
WRITE = ("compile -o", "trace -o", "train -o", "learn -o", "view -o", "sweep -o", "prove --certificate")


def test_what_cannot_be_read_or_written_is_told_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/nonexistent")
    shutil.copy(EXAMPLES / "add2.grid", "add2.grid")
    Path("closed").mkdir(0)
    Path("secret.grid").touch(0)
    bare = ("closed/x", "secret.grid") if os.geteuid() else ()  # root may read and write all
    for command in READ.split():
        for file in ("closed", "add2.grid/x", "/dev/full", *bare):
            assert invoke(command, file).exit_code == 2, (command, file)
    for command, option in map(str.split, WRITE):
        for place in ("closed", "add2.grid/x", *bare[:1]):
            assert invoke(command, "add2.grid", option, place).exit_code == 2, (command, place)


@pytest.mark.parametrize("stream", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_does_no_harm(stream: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m gridlang run {shlex.quote(ADD10)} 1+2 {stream}"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr


@pytest.mark.long
def test_processes_that_start_at_once_share_an_empty_or_damaged_cache(tmp_path: Path) -> None:
    def check(_: int) -> int:
        return process("-m", "gridlang", "check", ADD10, GRIDLANG_CACHE=str(tmp_path)).returncode

    for _ in range(2):
        with ThreadPoolExecutor(3) as pool:
            assert list(pool.map(check, range(3))) == [0] * 3
        (cached,) = tmp_path.iterdir()
        assert cached.stat().st_size > 1000
        cached.write_bytes(b'[[{"')


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    assert process("-m", "gridlang", "check", ADD10, GRIDLANG_CACHE=str(blocked)).returncode == 0


def test_without_a_command_the_help_is_shown_line_by_line() -> None:
    bare = invoke()
    assert bare.exit_code == 0 and bare.stdout == invoke("--help").stdout == invoke("help").stdout
    assert "\\n" not in bare.stdout and len(bare.stdout.splitlines()) > 30


def test_help_is_about_one_command_too() -> None:
    assert invoke("help", "run").stdout == invoke("run", "--help").stdout
    assert "did you mean `run`?" in invoke("help", "rum").stderr


def test_a_second_interrupt_adds_nothing_to_the_first() -> None:
    running = ["run", str(EXAMPLES / "ant.grid"), "--engine", "reference", "--steps", "1000000000"]
    started = subprocess.Popen(
        [sys.executable, "-m", "gridlang", *running],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with pytest.raises(subprocess.TimeoutExpired):
        started.communicate(timeout=3)
    started.send_signal(signal.SIGINT)
    started.send_signal(signal.SIGINT)
    assert started.communicate(timeout=60)[1].split() == ["interrupted"] and started.returncode == 130


def test_learning_commands_have_at_most_fifteen_options() -> None:
    for name in ("trace", "train", "learn"):
        shown = invoke(name, "--help").stdout.partition("\nOptions:\n")[2]
        assert len(re.findall(r"^  -", shown, re.MULTILINE)) <= 15, name
