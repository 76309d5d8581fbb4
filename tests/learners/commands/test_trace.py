"""`gridlang trace`: what it writes, what it says, its exit statuses."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from gridlang.learners.traces.dataset import read_traces
from tests.programs import EXAMPLES
from tests.support import command_line

ADD2, ADD10 = str(EXAMPLES / "add2.grid"), str(EXAMPLES / "add10.grid")
FLOOD = str(EXAMPLES / "flood.grid")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


invoke = partial(command_line.invoke, "trace")
answer = partial(command_line.answer, "trace")


def test_inputs_and_pictures_come_from_files() -> None:
    Path("in.txt").write_text("1+1\n\n  10+11 \n", encoding="utf-8")
    Path("rooms.txt").write_text("####\n#[_]_#\n####\n\n\n ###\n#[_]#\n ###\n", encoding="utf-8")
    assert answer(ADD2, "--inputs", "in.txt")["traces"] == 2
    assert read_traces("add2.npz").inputs == ("1+1", "10+11")
    assert answer(FLOOD, "--world", "rooms.txt")["endings"]["halted"] == 2
    assert read_traces("flood.npz").inputs[0] == "####\n#[_]_#\n####\n"
    piped = invoke(ADD2, "--inputs", "-", "-o", "piped.npz", input="1+1\n")
    assert piped.exit_code == 0 and len(read_traces("piped.npz")) == 1


def test_traces_can_go_to_stdout() -> None:
    written = invoke(ADD2, "-o", "-")
    assert written.exit_code == 0 and written.stdout_bytes[:2] == b"PK"
