"""The command line: what it prints, its JSON, its exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gridlang.cli import main
from gridlang.loading import load
from tests.programs import EXAMPLES, PROGRAMS, ROOT

ADD10 = str(EXAMPLES / "add10.grid")


def invoke(*arguments: str, input: str | None = None) -> Result:
    result = CliRunner().invoke(main, list(arguments), input=input)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def answer(*arguments: str, code: int = 0) -> dict[str, Any]:
    """The JSON object that a command prints."""
    result = invoke(*arguments, "--json")
    assert result.exit_code == code, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    assert data["schema"] == "gridlang-cli/1"
    return data


def process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )


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


def test_compile_counts_and_writes(tmp_path: Path) -> None:
    out = tmp_path / "out.safetensors"
    data = answer("compile", ADD10, "-o", str(out))
    assert data == {
        "schema": "gridlang-cli/1",
        "name": "add10",
        "arguments": {},
        "output": str(out),
        "target": "dfst",
        "states": 20,
        "symbols": 12,
        "moves": 5,
        "transitions": 206,
        "parameters": 8900,
    }
    assert out.stat().st_size > 4 * 8900
    given = answer("compile", str(EXAMPLES / "add.grid"), "-D", "base=2", "-o", str(out))
    assert (given["arguments"], given["parameters"]) == ({"base": 2}, 1020)


@pytest.mark.parametrize("target", ["table", "grid"])
def test_a_compiled_table_can_be_used_like_its_source(tmp_path: Path, target: str) -> None:
    out = tmp_path / ("out.json" if target == "table" else "out.grid")
    answer("compile", ADD10, "--to", target, "-o", str(out))
    assert answer("run", str(out), "47+85")["result"] == "132"
    assert answer("check", str(out))["diagnostics"] == []
    assert answer("test", str(out), "--cases", "20")["failed"] == 0
    again = tmp_path / "again.json"
    first = tmp_path / "first.json"
    answer("compile", str(out), "--to", "table", "-o", str(again))
    answer("compile", ADD10, "--to", "table", "-o", str(first))
    assert load(again).table == load(first).table
    if target == "table":  # Source that is printed state by state declares no families.
        assert again.read_text(encoding="utf-8") == first.read_text(encoding="utf-8")


def test_nothing_is_left_when_a_file_cannot_be_written(tmp_path: Path) -> None:
    result = invoke("compile", ADD10, "-o", str(tmp_path / "no" / "such" / "folder.safetensors"))
    assert result.exit_code == 2 and "G009" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_run_prints_the_result_and_says_how_it_ended() -> None:
    result = invoke("run", ADD10, "47+85")
    assert result.stdout == "132\n" and result.stderr.startswith("halted after ")
    data = answer("run", ADD10, "47+85")
    assert {k: data[k] for k in ("outcome", "result", "state")} == {
        "outcome": "halted",
        "result": "132",
        "state": "finish",
    }
    assert data["steps"] == 39 and len(data["cell"]) == 2 and len(data["origin"]) == 2
    assert invoke("run", ADD10, "-", input="1+2\n").stdout == "3\n"


def test_run_exits_with_1_unless_it_halted(tmp_path: Path) -> None:
    path = tmp_path / "t.grid"
    path.write_text(
        "agent t\nalphabet\n  bit = 0..1\nstart a\nstate a\n  0 : R\n  _ : write _, L\n", encoding="utf-8"
    )
    assert answer("run", str(path), "01", code=1)["outcome"] == "stuck"
    assert answer("run", str(path), "00", "--steps", "9", code=1)["outcome"] == "budget"
    assert answer("run", str(path), "00", "--steps", "99", "--detect-loops", code=1)["outcome"] == "looping"
    assert "no rule for `1`" in invoke("run", str(path), "01").stderr


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("12*3", "G070", "`*` is not in the alphabet"),
        ("12+", "G071", "ends too early"),
        ("12++3", "G071", "`+` at character 4"),
        ("", "G071", "ends too early"),
    ],
)
def test_inputs_outside_the_language_are_named_with_their_position(
    text: str, code: str, message: str
) -> None:
    (found,) = answer("run", ADD10, text, code=2)["diagnostics"]
    assert found["code"] == code and message in found["message"]
    assert found["column"] >= 1


def test_worlds_are_pictures_with_a_start_cell(tmp_path: Path) -> None:
    room = tmp_path / "room.txt"
    room.write_text("####\n#_[_]#\n####\n", encoding="utf-8")
    flood = str(EXAMPLES / "flood.grid")
    assert invoke("run", flood, "--world", str(room)).stdout == "####\n#oo#\n####\n"
    room.write_text("####\n#__#\n####\n", encoding="utf-8")
    assert answer("run", flood, "--world", str(room), code=2)["diagnostics"][0]["code"] == "G072"
    room.write_text("##%#\n#_[_]#\n", encoding="utf-8")
    assert answer("run", flood, "--world", str(room), code=2)["diagnostics"][0]["code"] == "G070"
    assert invoke("run", flood, "x", "--world", str(room)).exit_code == 2


def test_traces_and_profiles_are_printed() -> None:
    data = answer("run", ADD10, "1+2", "--trace", "--profile")
    assert len(data["trace"]) == data["steps"] == sum(row["times"] for row in data["profile"])
    assert data["trace"][0] == ["1", "1", "R"] and data["trace"][-1][2] == "S"
    text = invoke("run", ADD10, "1+2", "--profile").stdout
    assert "take" in text and "100.0%" not in text


def test_watch_without_a_terminal_prints_plain_frames() -> None:
    result = invoke("run", ADD10, "1+2", "--watch")
    assert result.stdout == "3\n"
    assert "step 0   seek   at (0, 0)" in result.stderr and "[1]" in result.stderr
    assert "line 17: digit | sign : R" in result.stderr and "\x1b" not in result.stderr


def test_test_reports_a_counterexample_and_how_to_replay_it(tmp_path: Path) -> None:
    path = tmp_path / "bug.grid"
    text = (EXAMPLES / "add.grid").read_text(encoding="utf-8")
    path.write_text(text.replace("(d+v) div base", "0"), encoding="utf-8")
    data = answer("test", str(path), code=1)
    wrong = data["counterexample"]
    assert data["failed"] >= 1 and wrong["got"] != wrong["expected"]
    assert wrong["replay"] == f"gridlang run {path} {wrong['input']} --watch"
    assert invoke("run", str(path), wrong["input"]).stdout.strip() == wrong["got"]
    shown = invoke("test", str(path)).stdout
    assert f'input     "{wrong["input"]}"' in shown and "expected" in shown and "replay" in shown


def test_test_passes_on_good_files() -> None:
    data = answer("test", ADD10, str(EXAMPLES / "ant.grid"), "--cases", "20")
    assert data["failed"] == 0 and data["passed"] == 5 and data["counterexample"] is None


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


def test_processes_that_start_at_once_share_an_empty_or_damaged_cache(tmp_path: Path) -> None:
    for damage in (None, b"", b'[[{"', b"[1,2]", b"\xff\xff"):
        for cached in tmp_path.glob("grammar-*"):
            cached.write_bytes(damage or b"")
        with ThreadPoolExecutor(4) as pool:
            runs = [
                pool.submit(process, "-m", "gridlang", "check", ADD10, GRIDLANG_CACHE=str(tmp_path))
                for _ in range(4)
            ]
        assert [run.result().returncode for run in runs] == [0] * 4
        assert len(list(tmp_path.iterdir())) == 1


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    assert process("-m", "gridlang", "check", ADD10, GRIDLANG_CACHE=str(blocked)).returncode == 0


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda e: e.name)
def test_examples_check_without_a_word(example: Any) -> None:
    assert answer("check", str(example.path))["diagnostics"] == []


def test_tables_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    for text in (
        '{"format": "other/1"}',
        "{",
        '{"format": "gridlang-table/1"}',
        "{}",
        '{"format": "gridlang-table/1", "states": 3}',
    ):
        path.write_text(text, encoding="utf-8")
        assert answer("run", str(path), code=2)["diagnostics"][0]["code"] == "G080"


def test_outputs_follow_links_and_never_replace_devices_or_the_source(tmp_path: Path) -> None:
    real, link = tmp_path / "real.grid", tmp_path / "link.grid"
    real.write_text("agent ugly\nstart a\nstate a\n  any:halt\n", encoding="utf-8")
    link.symlink_to(real)
    answer("fmt", str(link))
    assert link.is_symlink() and "any : halt" in real.read_text(encoding="utf-8")
    before = real.read_text(encoding="utf-8")
    assert invoke("compile", str(real), "--to", "grid", "-o", str(real)).exit_code == 2
    assert invoke("compile", str(real), "--to", "grid", "-o", str(link)).exit_code == 2
    assert real.read_text(encoding="utf-8") == before
    assert invoke("compile", ADD10, "-o", "/dev/null").exit_code == 0
    assert not Path("/dev/null").is_file()


def test_arguments_given_twice_are_refused(tmp_path: Path) -> None:
    assert invoke("run", str(EXAMPLES / "add.grid"), "1+1", "-D", "base=2", "-D", "base=3").exit_code == 2
    (tmp_path / "tiny.grid").write_text(
        "agent tiny(n in 0..3 = 1)\nstart a(n)\nstate a(_n in 0..3)\n  any : halt\n"
    )
    (tmp_path / "twice.grid").write_text('agent twice = tiny(n = 1, n = 2) from "tiny.grid"\n')
    assert answer("check", str(tmp_path / "twice.grid"), code=1)["diagnostics"][0]["code"] == "G022"
    (tmp_path / "none.grid").write_text('agent none = tiny() from "tiny.grid"\n')
    assert answer("check", str(tmp_path / "none.grid"))["diagnostics"] == []


def test_a_trace_for_people_tells_the_cell_the_state_and_the_line() -> None:
    lines = invoke("run", ADD10, "1+2", "--trace").stdout.splitlines()
    assert lines[0].split()[:8] == ["1", "(0,", "0)", "1", "->", "1", "R", "seek"]
    assert lines[0].endswith("line 17: digit | sign : R")
    assert lines[-2].split()[-1] == "halt" and lines[-1] == "3"


def test_missing_pairs_point_at_the_states_own_line() -> None:
    notes = answer("check", "--missing", ADD10)["diagnostics"]
    text = (EXAMPLES / "add.grid").read_text(encoding="utf-8").splitlines()
    assert all(text[note["line"] - 1].startswith("state ") for note in notes)


def test_running_out_of_memory_says_so(tmp_path: Path) -> None:
    path = tmp_path / "fill.grid"
    path.write_text("agent fill\nalphabet\n  1\nstart a\nstate a\n  _ : write 1, U -> a\n", encoding="utf-8")
    result = invoke("run", str(path), "--steps", "100000000", "--json")
    data = json.loads(result.stdout)
    assert data["outcome"] == "budget" and "memory" in data["reason"] and data["steps"] < 100_000_000


def test_a_slow_agent_is_reported_soon_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "slow.grid"
    path.write_text(
        "agent slow\nalphabet\n  bit = 0..1\ninput a = bit+\noutput a\nstart s\n"
        "state s\n  0 : halt\n  1 : R -> t\n  _ : halt\nstate t\n  any : L -> s\n",
        encoding="utf-8",
    )
    shown = invoke("test", str(path)).stdout
    assert "it was still running after 100,000 steps (--steps allows more)" in shown
    assert 'input     "1"' in shown


def test_unused_rules_are_named_and_finite_languages_are_tried_whole(tmp_path: Path) -> None:
    path = tmp_path / "finite.grid"
    path.write_text(
        "agent finite\nalphabet\n  bit = 0..1\ninput a = (bit, bit?)\noutput a\nstart s\n"
        "state s\n  bit : R\n  _ : halt\n  \n",
        encoding="utf-8",
    )
    data = answer("test", str(path))["files"][0]["search"]
    assert data["complete"] is True and data["cases"] == 6 and data["unused"] == []
    assert "all that there are" in invoke("test", str(path)).stdout
    unused = answer("test", str(EXAMPLES / "brackets.grid"), "--cases", "10")["files"][0]["search"]
    assert len(unused["unused"]) == unused["reachable"] - unused["covered"] > 0


def test_a_table_cannot_be_formatted_or_taken_from(tmp_path: Path) -> None:
    table = tmp_path / "add10.json"
    answer("compile", ADD10, "--to", "table", "-o", str(table))
    assert answer("fmt", str(table), code=2)["diagnostics"][0]["code"] == "G080"
    (tmp_path / "taken.grid").write_text('agent taken = add10 from "add10.json"\n', encoding="utf-8")
    assert answer("check", str(tmp_path / "taken.grid"), code=1)["diagnostics"][0]["code"] == "G050"
