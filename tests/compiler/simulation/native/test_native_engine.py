"""Building, caching and falling back; batches; the standalone program."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gridlang.compiler import engines
from gridlang.compiler.engines import ending
from gridlang.compiler.native import build
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.native import agents, engine, sources
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.targets import TARGETS
from gridlang.learners.traces.batch import trace_batch
from gridlang.table import MOVES, Entry, Table
from gridlang.terminal import notes
from gridlang.world import World, string_world
from tests.programs import PROGRAMS, ROOT, Example
from tests.support.changed_limits import limits_with
from tests.support.searches import LONG, searching

ADD10 = next(p for p in PROGRAMS if p.name == "add10")
TABLE = ADD10.load().table
ANT = next(p for p in PROGRAMS if p.name == "ant").load().table
FEW = [  # of each kind one: small, large, without an input, and without an end
    pytest.param(p, id=p.name) for p in PROGRAMS if p.name in ("add2", "mult10", "beaver", "ant")
]
STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and nothing remembered in this process."""
    monkeypatch.setenv("GRIDLANG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(agents, "RUNNER", ("-O0",))  # built sooner
    forget()
    notes._printed.clear()
    yield tmp_path / "cache"  # type: ignore[misc]
    forget()


def forget() -> None:
    agents._runner.cache_clear()
    agents.agent_of.cache_clear()


def test_a_library_is_built_once_and_found_again(fresh: Path) -> None:
    agents.runner(TABLE, rows=True)
    (built,) = fresh.glob("native-*/*.so")
    before = built.stat().st_mtime_ns
    forget()
    agents.runner(TABLE, rows=True)
    assert built.stat().st_mtime_ns == before and len(list(built.parent.iterdir())) == 1


def test_a_library_is_built_where_only_its_owner_can_write_whatever_the_umask(fresh: Path) -> None:
    before = os.umask(0)
    try:
        agents.runner(TABLE, rows=True)
    finally:
        os.umask(before)
    (built,) = fresh.glob("native-*/*.so")
    assert built.stat().st_mode & 0o777 == built.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_library_that_others_could_have_written_is_never_loaded(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    opened: list[str] = []
    load = build.ctypes.CDLL
    monkeypatch.setattr(build.ctypes, "CDLL", lambda path: opened.append(path) or load(path))
    agents.runner(TABLE, rows=True)
    (built,) = fresh.glob("native-*/*.so")
    planted = built.stat().st_ino
    built.chmod(mode)
    forget()
    agents.runner(TABLE, rows=True)
    assert built.stat().st_ino != planted, "it is built anew"
    built.parent.chmod(mode)
    forget()
    agents.runner(TABLE, rows=True)
    assert opened[:2] == [str(built)] * 2 and opened[2] != str(built)


def test_a_library_of_another_user_is_never_loaded(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agents.runner(TABLE, rows=True)
    (built,) = fresh.glob("native-*/*.so")
    folder = str(built.parent)
    monkeypatch.setattr(build, "library_folder", lambda: folder)
    uid = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: uid + 1)
    assert not build.is_private(str(built))
    forget()
    assert engine.run_native(TABLE, string_world("47+85")).result == "132"


@pytest.mark.parametrize("damage", [b"", b"not a library", b"\x7fELF"])
def test_a_damaged_cache_entry_is_built_anew(fresh: Path, damage: bytes) -> None:
    path = Path(build.cached_path(agents._runner("uint8_t", True)._text, (*agents.RUNNER, "-DIN_ROWS=1")))
    path.parent.mkdir(0o700, parents=True)
    path.write_bytes(damage)
    assert engine.run_native(TABLE, string_world("47+85")).result == "132"


@pytest.mark.long
def test_processes_that_race_for_the_same_library_all_get_it(fresh: Path) -> None:
    command = [sys.executable, "-m", "gridlang", "run", str(ADD10.path), "47+85", "--engine", "native"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with ThreadPoolExecutor(4) as pool:
        runs = list(
            pool.map(
                lambda _: subprocess.run(command, env=environment, capture_output=True, text=True), range(4)
            )
        )
    assert [done.stdout for done in runs] == ["132\n"] * 4
    assert len(list(fresh.glob("native-*/*.so"))) == 1 and not list(fresh.glob("native-*/.build-*"))


@pytest.mark.parametrize("cc", ["/no/such/compiler", "false"])
def test_without_a_working_compiler_the_reference_runs_and_says_so_once(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cc: str
) -> None:
    monkeypatch.setenv("CC", cc)
    for _ in range(2):
        done = engines.execute(TABLE, string_world("47+85"), 1000, "native")
        assert done.result == "132"
    notes = capsys.readouterr().err.splitlines()
    assert len(notes) == 1 and "reference engine" in notes[0]
    assert trace_batch(TABLE, ["1+1"]).ending == ("halted",)


def test_a_cache_that_cannot_be_written_still_runs_says_so_and_leaves_nothing(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh.write_text("in the way", encoding="utf-8")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(build.tempfile, "tempdir", str(tmp_path / "temporary"))
    assert engine.run_native(TABLE, string_world("47+85")).result == "132"
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert list((tmp_path / "temporary").iterdir()) == []


def test_auto_runs_short_inputs_without_a_compiler_and_long_ones_natively(fresh: Path) -> None:
    assert engines.execute(TABLE, string_world("47+85"), 10**9).result == "132"
    assert not fresh.exists()
    done = engines.execute(TABLE, string_world("9" * 150 + "+" + "0" * 149 + "1"), 10**9)
    assert done.result == "1" + "0" * 150 and done.steps > LIMITS.probe
    assert list(fresh.glob("native-*/*.so"))


@pytest.mark.parametrize(
    ("cell", "flags"), [("uint8_t", ("-DIN_ROWS=1",)), ("uint16_t", ("-DEAGER", "-DSMALL"))]
)
def test_the_engine_compiles_without_a_warning(cell: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    source = tmp_path / "engine.c"
    source.write_text(sources.engine_source(cell), encoding="utf-8")
    command = ["cc", *STRICT, *flags, "-fPIC", "-shared", "-o", str(tmp_path / "engine.so"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@searching
@pytest.mark.parametrize("example", [each for each in FEW if each.id in ("add2", "beaver")])
def test_the_standalone_program_prints_the_result_and_is_clean_under_sanitizers(
    example: Example, tmp_path: Path
) -> None:
    source, program = tmp_path / "agent.c", tmp_path / "agent"
    source.write_bytes(TARGETS["c"].render(example.load()))
    flags = [*STRICT, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    built = subprocess.run(["cc", *flags, "-o", str(program), str(source)], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    for text, result in example.cases:
        for arguments, typed in (([text], ""), ([], text + "\n")):
            # Looking for leaks takes seconds, so one run does it for all, in the long tests.
            leaks = int(LONG and (example.name, text, arguments) == ("add2", "1+1", []))
            environment = {**os.environ, "ASAN_OPTIONS": f"detect_leaks={leaks}"}
            done = subprocess.run(
                [str(program), *arguments], input=typed, capture_output=True, text=True, env=environment
            )
            assert (done.returncode, done.stdout) == (0, result + "\n"), done.stderr


def test_hostile_names_stay_comments_and_strings(tmp_path: Path) -> None:
    names = ("*/ int main(", 'a"\\', "// \\", "??/", "%s%n")
    rows = tuple((Entry(1, 3, (i + 1) % 5), Entry(0, 2, i)) for i in range(5))
    table = Table("evil", ("_", "é"), names, rows)
    assert run(table, World({}), 500).world == engine.run_native(table, World({}), 500).world
    from gridlang.program import Program

    source = tmp_path / "evil.c"
    source.write_bytes(TARGETS["c"].render(Program(table, "evil")))
    done = subprocess.run(
        ["cc", *STRICT, "-o", str(tmp_path / "evil"), str(source)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_how_runs_end_is_how_the_reference_ends() -> None:
    inputs = [f"{a}+{b}" for a in range(0, 400, 7) for b in (1, 99, 12345)]
    runs = [run(TABLE, string_world(text)) for text in inputs]
    ends = [ending(TABLE, string_world(text), 10_000) for text in inputs]
    assert ends == [(r.steps, r.outcome) for r in runs]


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_progress_is_reported_for_long_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LIMITS", limits_with(LIMITS, work_at_once=1000))
    seen: list[int] = []
    done = engine.run_native(
        TABLE, string_world("9" * 60 + "+" + "0" * 59 + "1"), 10**6, progress=seen.append
    )
    assert done.result == "1" + "0" * 60 and seen[-1] == done.steps and len(seen) > 1


def test_a_run_that_repeats_itself_takes_no_time_for_its_rounds() -> None:
    """Within a tile and across borders; a round of four steps changes both cells twice."""
    out, back = (
        tuple(Entry(1 - x, MOVES.index(move), q) for x in (0, 1)) for move, q in (("R", 1), ("L", 0))
    )
    flips = Table("flips", ("_", "1"), ("out", "back"), (out, back))
    steps = 10**18
    for start in ((0, 0), (63, 0), (-65, -9)):
        for extra in range(4):
            native = engine.run_native(flips, World({start: "1"}, start), steps + extra)
            known = run(flips, World({start: "1"}, start), extra)
            assert (native.steps, native.state, native.world) == (steps + extra, known.state, known.world)


BOUNCE = """
from gridlang.compiler.simulation.native.engine import run_native
from gridlang.table import Entry, Table
from gridlang.world import World
rows = (Entry(0, 3, 0), Entry(1, 2, 1)), (Entry(0, 2, 1), Entry(1, 3, 0))
world = World({(2**60, 0): "x", (-(2**60), 0): "x"})
print(run_native(Table("bounce", ("_", "x"), ("r", "l"), rows), world, 2**61).cell, flush=True)
world = World({(2**35, 0): "x", (-(2**35), 0): "x"})
run_native(Table("bounce", ("_", "x"), ("r", "l"), rows), world, 2**63 - 1)
"""


def test_ctrl_c_stops_a_run_that_leaps_from_end_to_end_for_ever() -> None:
    with subprocess.Popen([sys.executable, "-c", BOUNCE], cwd=ROOT, stdout=-1, stderr=-1, text=True) as child:
        assert child.stdout and child.stdout.readline() == "(0, 0)\n"
        child.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in child.communicate(timeout=100)[1]


def test_a_library_that_was_installed_needs_no_compiler(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rows in (True, False):
        agents._runner("uint8_t", rows).install(str(tmp_path))
    forget()
    monkeypatch.setattr(build, "INSTALLED", str(tmp_path))
    monkeypatch.setenv("CC", "/no/such/compiler")
    assert agents.is_built(TABLE) and engine.run_native(TABLE, string_world("47+85")).result == "132"
    assert not fresh.exists()


def test_a_compiler_that_never_ends_is_given_up_after_a_share_of_a_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = tmp_path / "endless-cc"
    endless.write_text("#!/bin/sh\nwhile :; do :; done\n")
    endless.chmod(0o755)
    monkeypatch.setenv("CC", str(endless))
    monkeypatch.setattr(build, "AT_MOST", (*build.AT_MOST[:-1], "1"))
    with pytest.raises(build.CannotBuild, match="the C compiler fails"):
        build.load_library("int number(void) { return 1; }", ("-DNEVER",))
