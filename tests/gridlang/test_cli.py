"""The command line: what it prints, its JSON, its exit statuses."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.programs import EXAMPLES, ROOT
from tests.support.command_line import ADD10, answer, invoke, process


@pytest.fixture
def broken(tmp_path: Path) -> str:
    path = tmp_path / "broken.grid"
    path.write_text("agent broken\nstart a\nstate a\n  _ : R -> b\n", encoding="utf-8")
    return str(path)


def test_check_is_silent_about_good_files_and_exits_with_0() -> None:
    assert answer("check", ADD10) == {"schema": "gridlang-cli/1", "diagnostics": []}
    assert "no problems" in invoke("check", ADD10).stderr


def test_check_exits_with_1_on_errors_and_0_on_warnings(broken: str, tmp_path: Path) -> None:
    (found,) = answer("check", broken, code=1)["diagnostics"]
    assert found == {
        "code": "G020",
        "severity": "error",
        "message": "there is no state named `b`",
        "file": broken,
        "line": 4,
        "column": 12,
        "end_line": 4,
        "end_column": 13,
        "hint": "add it: `state b` with rules below",
        "fixes": [
            {
                "title": "add `state b`",
                "sure": False,
                "edits": [
                    {
                        "file": broken,
                        "line": 4,
                        "column": 13,
                        "end_line": 4,
                        "end_column": 13,
                        "replacement": "\n\nstate b\n  any : halt",
                    }
                ],
            }
        ],
    }
    warned = tmp_path / "warned.grid"
    warned.write_text("agent w\nstart a\nstate a\n  any : halt\nstate b\n  any : halt\n", encoding="utf-8")
    assert [d["severity"] for d in answer("check", str(warned))["diagnostics"]] == ["warning"]


def test_unreadable_files_and_wrong_use_exit_with_2(broken: str) -> None:
    assert answer("check", "nowhere.grid", code=2)["diagnostics"][0]["code"] == "G001"
    assert invoke("check").exit_code == 2
    assert invoke("no-such-command").exit_code == 2
    assert invoke("run", ADD10, "1+1", "--engine", "steam").exit_code == 2
    assert invoke("test", ADD10, "--engine", "steam").exit_code == 2
    assert invoke("run", ADD10, "1+1", "-D", "base").exit_code == 2
    assert invoke("compile", ADD10, "--to", "gold").exit_code == 2
    assert answer("run", broken, code=2)["diagnostics"][0]["code"] == "G020"


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


def test_a_missing_file_gets_a_suggestion(tmp_path: Path) -> None:
    (tmp_path / "hello.grid").write_text("")
    for name in ("hello", "hallo.grid", "HELLO.grid"):
        (found,) = answer("run", str(tmp_path / name), code=2)["diagnostics"]
        assert found["hint"] == f"did you mean `{tmp_path / 'hello.grid'}`?"
    (tmp_path / "gone.grid").symlink_to("nowhere")
    for name in ("other.grid", "hello.json", "no/hello.grid", "gone.grid"):
        assert answer("run", str(tmp_path / name), code=2)["diagnostics"][0]["hint"] == "check the path"


def test_an_input_that_looks_like_an_option_gets_a_hint() -> None:
    assert "typed after --" in invoke("run", ADD10, "-1+2").stderr
    assert "typed after --" not in invoke("run", ADD10, "--step").stderr


def test_missing_pairs_are_listed_on_request() -> None:
    notes = answer("check", "--missing", ADD10)["diagnostics"]
    assert {d["severity"] for d in notes} == {"note"} and {d["code"] for d in notes} == {"G063"}


def test_explain_tells_about_codes() -> None:
    assert "Cure:" in invoke("explain", "g040").stdout
    assert "G041" in invoke("explain").stdout
    assert invoke("explain", "G999").exit_code == 2
    assert answer("explain", "G040")["codes"][0]["code"] == "G040"


def test_fmt_changes_files_once_and_check_changes_none(tmp_path: Path) -> None:
    path = tmp_path / "ugly.grid"
    path.write_text("agent ugly\nstart a\nstate a # note\n      any:halt\n", encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    assert answer("fmt", "--check", str(path), code=1)["changed"] == [str(path)]
    assert path.read_text(encoding="utf-8") == before
    assert answer("fmt", str(path))["changed"] == [str(path)]
    assert answer("fmt", str(path))["changed"] == []
    assert path.read_text(encoding="utf-8") == "agent ugly\n\nstart a\n\nstate a  # note\n  any : halt\n"
    assert invoke("fmt", "-", input=before).stdout == path.read_text(encoding="utf-8")


def test_new_writes_a_formatted_file_that_passes_check_and_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert answer("new", "hello")["output"] == "hello.grid"
    assert answer("check", "hello.grid")["diagnostics"] == []
    assert answer("fmt", "--check", "hello.grid")["changed"] == []
    assert answer("test", "hello.grid", "--cases", "20")["failed"] == 0
    assert invoke("new", "hello").exit_code == 2
    assert invoke("new", "not a name").exit_code == 2
    assert "the language uses this word" in invoke("new", "state").stderr


@pytest.mark.parametrize("stream", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_does_no_harm(stream: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m gridlang run {shlex.quote(ADD10)} 1+2 {stream}"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["check", "explain", "fmt", "compile", "run", "test", "new"])
def test_every_command_has_help_with_an_example(command: str) -> None:
    text = invoke(command, "--help").stdout
    assert f"gridlang {command}" in text and "--json" in text


def test_check_loads_neither_numpy_nor_torch_nor_lark() -> None:
    process("-m", "gridlang", "check", ADD10)  # fills the cache
    script = (
        "import sys\nfrom gridlang.cli import main\n"
        f"try:\n    main(['check', {ADD10!r}])\nexcept SystemExit as stop:\n    assert stop.code == 0\n"
        "assert not {'numpy', 'torch', 'lark', 'hypothesis', 'networkx'} & set(sys.modules)\n"
    )
    done = process("-c", script)
    assert done.returncode == 0, done.stderr


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


def test_arguments_given_twice_are_refused(tmp_path: Path) -> None:
    assert invoke("run", str(EXAMPLES / "add.grid"), "1+1", "-D", "base=2", "-D", "base=3").exit_code == 2
    (tmp_path / "tiny.grid").write_text(
        "agent tiny(n in 0..3 = 1)\nstart a(n)\nstate a(_n in 0..3)\n  any : halt\n"
    )
    (tmp_path / "twice.grid").write_text('agent twice = tiny(n = 1, n = 2) from "tiny.grid"\n')
    assert answer("check", str(tmp_path / "twice.grid"), code=1)["diagnostics"][0]["code"] == "G022"
    (tmp_path / "none.grid").write_text('agent none = tiny() from "tiny.grid"\n')
    assert answer("check", str(tmp_path / "none.grid"))["diagnostics"] == []


def test_without_a_command_the_help_is_shown_line_by_line() -> None:
    bare = invoke()
    assert bare.exit_code == 0 and bare.stdout == invoke("--help").stdout == invoke("help").stdout
    assert "\\n" not in bare.stdout and len(bare.stdout.splitlines()) > 30


def test_help_is_about_one_command_too() -> None:
    assert invoke("help", "run").stdout == invoke("run", "--help").stdout
    assert "did you mean `run`?" in invoke("help", "rum").stderr


def test_a_misspelt_command_gets_a_suggestion() -> None:
    wrong = invoke("comple")
    assert wrong.exit_code == 2 and "there is no command 'comple'; did you mean `compile`?" in wrong.stderr
    assert "`gridlang help` lists them all" in invoke("zzz").stderr
    assert f"type `gridlang run {ADD10}`" in invoke(ADD10).stderr


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
