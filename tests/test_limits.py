"""Every limit is a clear error, soon and in little memory, and never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gridlang.compiler.lockstep.alone import run_model
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.tensors.dfst import table_to_dfst
from gridlang.diagnostics import GridError
from gridlang.learners.traces.npz import archive_to_bytes
from gridlang.loading import loads
from gridlang.outcomes import Outcome, Reason
from gridlang.world import World
from tests.programs import EXAMPLES, ROOT
from tests.support.changed_limits import limits_with
from tests.support.command_line import invoke

INCREMENT = str(EXAMPLES / "increment.grid")
SECONDS, KILOBYTES = (
    10,
    1_000_000,
)  # Processor time is generous, since machines differ: a hang, not a benchmark.
# A process counts as its own the memory of the one that started it, and that of the tests has grown large.
MEASURING = """
import json, os, sys
told, command = int(sys.argv[1]), sys.argv[2:]
os.set_inheritable(told, False)
_, status, usage = os.wait4(os.posix_spawnp(command[0], command, os.environ), 0)
measured = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss
os.write(told, json.dumps(measured).encode())
"""
BITS = "agent a\nalphabet\n  bit = 0..1\n"
HALT = "\nstart s\nstate s\n  any : halt\n"
GROWING = """agent a
start f(z, z, z, z)
state z
  _ : halt
state f(w: state, x: state, y: state, z_: state)
  _ : R -> f(f(w, x, y, z_), f(x, w, y, z_), f(y, w, x, z_), f(z_, w, x, y))
"""
CLASSES = "agent a\nalphabet\n  x = 'a'..'o'\nstart f(any)\nstate f(c: class)\n" + "".join(
    f"  '{chr(code)}' : R -> f(c except '{chr(code)}')\n" for code in range(ord("a"), ord("o") + 1)
)
STATES = (
    "agent a\nalphabet\n  x = 0..1\nstart s(0)\nstate s(n in 0..9998)\n"
    "  any if n < 9998 : R -> s(n+1)\n  any if n == 9998 : halt\n"
)
SOURCES = {
    "states that take states": (GROWING, "check", "G044"),
    "a chain of as": (
        "agent a\nstart f(0)\nstate f(n in 0..999998)\n  _ if n < 999998 : as f(n+1)\n  _ if n > 9 : halt\n",
        "check",
        "G043",
    ),
    "all sets of symbols": (CLASSES, "check", "G043"),
    "optional parts": (BITS + "input " + ", ".join(["bit?"] * 5_000) + HALT, "check", "G033"),
    "a clause with a past": (BITS + "input any*, 1, " + ", ".join(["any"] * 24) + HALT, "equiv", "G141"),
    "states as tensors": (STATES, "compile", "G083"),
    "states in the dfst engine": (STATES, "run --engine dfst", "G083"),
}


def limited(
    *command: str, stdin: object = subprocess.DEVNULL, stdout: object = subprocess.PIPE
) -> tuple[int, str]:
    """How a command ends and what it says, once its time and memory are found to be within the limits."""
    heard, told = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", MEASURING, str(told), *command],
        stdin=stdin,  # type: ignore[call-overload]
        stdout=stdout,
        stderr=subprocess.STDOUT if stdout == subprocess.PIPE else subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        pass_fds=[told],
    )
    os.close(told)
    said = (child.stdout or child.stderr).read().decode()
    with open(heard) as usage:
        status, seconds, kilobytes = json.load(usage)
    assert child.wait() == 0 and seconds < SECONDS and kilobytes < KILOBYTES, (seconds, kilobytes, said)
    assert "Traceback" not in said
    return status, said


def gridlang(*arguments: str, **streams: object) -> tuple[int, str]:
    return limited(sys.executable, "-m", "gridlang", *arguments, **streams)


@pytest.mark.parametrize(("text", "command", "code"), SOURCES.values(), ids=SOURCES.keys())
def test_a_source_past_a_limit_is_refused_with_it(tmp_path: Path, text: str, command: str, code: str) -> None:
    path = tmp_path / "a.grid"
    path.write_text(text)
    others = [str(path), "--scope", "inputs"] if command == "equiv" else []
    others += ["-o", str(tmp_path / "out")] if command == "compile" else []
    status, said = gridlang(*command.split(), str(path), *others)
    assert status in (1, 2) and f"[{code}]" in said, said


@pytest.mark.long
@pytest.mark.parametrize(
    "clause", ["a = any*, 1, " + ", ".join(["any"] * 24), ", ".join(["a = bit*"] + ["bit*"] * 500)]
)
def test_tests_and_proofs_over_clauses_that_blow_up_end(tmp_path: Path, clause: str) -> None:
    path = tmp_path / "a.grid"
    path.write_text(f"{BITS}input {clause}\noutput a{HALT}")
    for command in (["check"], ["test"], ["equiv", str(path), "--scope", "inputs"]):
        assert gridlang(*command, str(path))[0] in (0, 1, 2)


@pytest.mark.long
def test_a_zip_bomb_of_traces_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    assert invoke("trace", INCREMENT, "-o", str(path)).exit_code == 0
    arrays = dict(np.load(path))
    rows = np.zeros((1, 100_000_000), np.int16)
    lists = np.frombuffer(b"[" + b"[]," * 8_000_000 + b"[]]", np.uint8)
    for bomb in ({"x": rows, "s": rows}, {"inputs": lists}, {"metadata": lists}):
        path.write_bytes(archive_to_bytes({**arrays, **bomb}))
        status, said = gridlang("train", str(path), "-o", str(tmp_path / "m.safetensors"))
        assert status == 2 and "[G100]" in said, said


@pytest.mark.parametrize(
    "arguments", [["run", INCREMENT, "-"], ["run", INCREMENT, "--world", "-"], ["fmt", "-"]], ids=" ".join
)
def test_input_without_end_is_refused(arguments: list[str]) -> None:
    with open("/dev/zero", "rb") as endless:
        status, said = gridlang(*arguments, stdin=endless)
    assert status == 2 and "[G001]" in said


@pytest.mark.parametrize(
    "arguments", [["explain"], ["run", INCREMENT, "1"], ["run", INCREMENT, "1", "--json"]]
)
def test_a_full_disk_under_the_output_is_told(arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        status, said = gridlang(*arguments, stdout=full)
    assert status == 2 and "[G009]" in said and "No space left" in said


def test_the_world_of_weights_has_the_limit_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlang.compiler.tensors.closed_loop.LIMITS", limits_with(LIMITS, cells=100))
    fill = loads("agent a\nalphabet\n  x = 1\nstart s\nstate s\n  _ : write 1, R\n")
    done = run_model(table_to_dfst(fill.table), World({}), 10_000)
    assert (done.outcome, done.steps, done.reason) == (Outcome.BUDGET, 101, Reason.MEMORY)


def test_the_c_program_prints_no_endless_box_reads_no_endless_line_and_counts_in_64_bits(
    tmp_path: Path,
) -> None:
    source, program = tmp_path / "a.grid", tmp_path / "a"
    source.write_text(
        "agent a\nalphabet\n  x = 1\nstart r\nstate r\n  any : write 1, R -> d\nstate d\n  any : write 1, D -> r\n"
    )
    assert invoke("compile", str(source), "--to", "c", "-o", f"{program}.c").exit_code == 0
    subprocess.run(["cc", "-O1", "-o", str(program), f"{program}.c"], check=True)
    status, said = limited(str(program), "", "100000")
    assert status == 1 and "too large to be printed" in said and len(said) < 200
    with open("/dev/urandom", "rb") as endless:
        piped = subprocess.Popen(["tr", "-d", "\\n"], stdin=endless, stdout=subprocess.PIPE)
        status, said = limited(str(program), stdin=piped.stdout)
        piped.kill()
        piped.communicate()
    assert status == 2 and "more than" in said
    status, said = limited(str(program), "", str(2**63))
    assert status == 2 and "steps are counted" in said


@pytest.mark.parametrize("name", [os.fsdecode(b"a\xff\xfe"), "a\nb", "a\x1b[2J"])
def test_a_name_that_is_no_text_is_fine_for_files(tmp_path: Path, name: str) -> None:
    source, base = str(tmp_path / f"{name}.grid"), str(tmp_path / name)
    Path(source).write_text(Path(INCREMENT).read_text())
    model, traces = f"{base}.safetensors", f"{base}.npz"
    for command in (
        ["check", source], ["fmt", source], ["test", source], ["run", source, "1", "--json"],
        ["compile", source, "-o", model], ["compile", source, "--to", "c", "-o", f"{base}.c"],
        ["trace", source, "-o", traces], ["train", traces, "--iterations", "1", "-o", f"{base}2.safetensors"],
        ["extract", model, "-o", f"{base}2.grid"], ["view", source, "-o", f"{base}.html"],
    ):  # fmt: skip
        assert invoke(*command).exit_code == 0, command


def test_a_name_with_a_zero_is_refused(tmp_path: Path) -> None:
    for command in (
        ["check", "a\0b"],
        ["compile", INCREMENT, "-o", "a\0b"],
        ["fmt", "a\0"],
        ["verify", "\0"],
    ):
        assert invoke(*command).exit_code == 2
    with pytest.raises(GridError, match="holds a zero"):
        loads(BITS + HALT).save(tmp_path / "a\0b.grid")
