"""`gridlang run`: results of any size, in files, through pipes and as JSON, and traces that stream."""

from __future__ import annotations

import json
import os
import pty
import resource
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import gridlang as gl
from gridlang.compiler.simulation.limits import LIMITS as RUN_LIMITS
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.terminal.run_output import emit_run, print_run
from gridlang.world import World
from tests.programs import EXAMPLES, ROOT
from tests.support.changed_limits import limits_with
from tests.support.command_line import answer, invoke
from tests.support.png import decoded

ANT = str(EXAMPLES / "ant.grid")
GRIDLANG = [sys.executable, "-m", "gridlang"]


def line_table(tmp_path: Path) -> str:
    """An agent that walks to the right for ever and leaves a line of ones."""
    path = tmp_path / "line.grid"
    path.write_text("agent line\nalphabet\n  1\nstart a\nstate a\n  _ : write 1, R -> a\n", encoding="utf-8")
    return str(path)


def test_a_run_goes_on_from_the_world_that_another_wrote(tmp_path: Path) -> None:
    path = str(tmp_path / "world.txt")
    done = answer("run", ANT, "--steps", "500", "-o", path, code=1)
    assert done["output"] == path and gl.load_world(path, ANT).text == done["result"]
    more = answer("run", ANT, "--world", path, "--steps", "700", code=1)
    assert more["result"] == gl.run(ANT, gl.run(ANT, steps=500).world, steps=700).result


def test_an_image_of_the_ant_shows_its_cells(tmp_path: Path) -> None:
    path = tmp_path / "ant.png"
    result = invoke("run", ANT, "--steps", "11000", "-o", str(path))
    assert result.stdout == "" and f"wrote {path}" in result.stderr
    image = decoded(path.read_bytes())
    box = run(gl.load(ANT).table, World({}), 11_000).world.box
    assert box is not None and len(image.rows) % box.height == 0 and "# #1c2330" in image.comment


@pytest.mark.parametrize("ending", ["txt", "png"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"world.{ending}"
    path.write_text("before", encoding="utf-8")
    done = subprocess.run(
        [*GRIDLANG, "run", ANT, "--steps", "11000", "-o", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)),
    )
    assert done.returncode == 2 and "G009" in done.stderr and "Traceback" not in done.stderr
    assert path.read_text(encoding="utf-8") == "before" and os.listdir(tmp_path) == [path.name]


def test_a_redirected_result_is_whole_and_a_terminal_is_told_its_size(tmp_path: Path) -> None:
    tall = tmp_path / "tall.grid"
    text = "agent tall\nalphabet\n  1\nstart a\nstate a\n  _ : write 1, D -> a\n"
    tall.write_text(text, encoding="utf-8")
    arguments = ["run", str(tall), "--steps", "700"]
    assert invoke(*arguments).stdout == "1\n" * 700
    assert answer(*arguments, code=1)["result"] == "\n".join("1" * 700)
    near, far = pty.openpty()
    subprocess.run([*GRIDLANG, *arguments], cwd=ROOT, stdout=far, stderr=subprocess.DEVNULL)
    os.close(far)
    shown = os.read(near, 10_000).decode()
    os.close(near)
    assert "700 cells in a box of 1 x 700" in shown and "-o world.png" in shown and shown.count("\n") == 1


def test_a_result_too_far_spread_for_text_is_given_by_its_cells(capsys: pytest.CaptureFixture[str]) -> None:
    done = gl.Run("halted", 10**9, "c", (0, 0), "1", World({(0, 0): "1", (1, 10**9): "1"}))
    emit_run(done)
    told = json.loads(capsys.readouterr().out)
    assert told["result"] is None and sorted(told["cells"]) == [[0, 0, "1"], [1, 10**9, "1"]]
    print_run(done)
    shown = capsys.readouterr()
    assert shown.out == "" and "2 cells in a box of 2 x 1,000,000,001" in shown.err


@pytest.mark.parametrize("engine", ["reference", "native", "auto"])
def test_a_trace_is_told_once_from_its_first_step_on_every_engine(engine: str) -> None:
    lines = invoke(
        "run", ANT, "--steps", "25000", "--trace", "--json", "--engine", engine
    ).stdout.splitlines()
    steps = [json.loads(line) for line in lines[:-1]]
    assert [step["step"] for step in steps] == list(range(1, 25_001))
    assert steps[0]["state"] == "face(U)" and steps[0]["line"] == 11
    for here, after in pairwise(steps):
        dx, dy = {"U": (0, -1), "D": (0, 1), "L": (-1, 0), "R": (1, 0)}[here["move"]]
        assert after["cell"] == [here["cell"][0] + dx, here["cell"][1] + dy]
    assert json.loads(lines[-1])["steps"] == 25_000


def test_the_budget_of_memory_is_said_with_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlang.compiler.simulation.simulate.LIMITS", limits_with(RUN_LIMITS, cells=1_000))
    result = invoke("run", line_table(tmp_path), "--engine", "reference")
    assert "was stopped after 1,001 steps" in result.stderr
    assert "its memory budget of 256 MB is spent" in result.stderr
