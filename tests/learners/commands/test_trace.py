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
refused = partial(command_line.refused, "trace")


def test_by_default_it_is_the_papers_data_in_a_file_named_after_the_agent() -> None:
    data = answer(ADD2)
    assert data["output"] == "add2.npz" and data["traces"] == 20
    assert data["covered"] == data["reachable"] == 38 and data["missing"] == []
    assert data["pairs"] == data["told_apart"] == 66
    assert data["endings"] == {"halted": 20, "stuck": 0, "cut": 0}
    assert data["data"]["rule"] == "paper" and data["data"]["seed"] == 0
    traces = read_traces("add2.npz")
    assert len(traces) == 20 and traces.steps == data["steps"] and traces.states == 12


def test_an_agent_without_inputs_is_traced_in_random_worlds() -> None:
    data = answer(FLOOD, "--steps", "40")
    assert data["data"]["rule"] == "scrambled" and data["longest"] == 40
    assert refused(FLOOD, "--rule", "paper")["code"] == "G105"


def test_rules_are_mixed_and_files_added_with_equal_traces_kept_once() -> None:
    first = answer(ADD2, "--rule", "paper", "--rule", "uniform:50", "-o", "both.npz")
    assert 20 < first["traces"] <= 70  # some of the grids show the same
    assert [part["rule"] for part in first["data"]["joined"]] == ["paper", "uniform"]
    again = answer(ADD2, "--add", "both.npz", "--rule", "paper", "-o", "more.npz")
    assert again["traces"] == first["traces"] and again["covered"] == first["covered"]
    only = answer(ADD2, "--add", "both.npz", "-o", "same.npz")
    assert only["steps"] == first["steps"]


def test_inputs_and_pictures_come_from_files() -> None:
    Path("in.txt").write_text("1+1\n\n  10+11 \n", encoding="utf-8")
    Path("rooms.txt").write_text("####\n#[_]_#\n####\n\n\n ###\n#[_]#\n ###\n", encoding="utf-8")
    assert answer(ADD2, "--inputs", "in.txt")["traces"] == 2
    assert read_traces("add2.npz").inputs == ("1+1", "10+11")
    assert answer(FLOOD, "--world", "rooms.txt")["endings"]["halted"] == 2
    assert read_traces("flood.npz").inputs[0] == "####\n#[_]_#\n####\n"
    piped = invoke(ADD2, "--inputs", "-", "-o", "piped.npz", input="1+1\n")
    assert piped.exit_code == 0 and len(read_traces("piped.npz")) == 1


def test_bad_files_of_inputs_are_refused_at_their_place() -> None:
    Path("in.txt").write_text("1+1\n1++1\n", encoding="utf-8")
    (found,) = answer(ADD2, "--inputs", "in.txt", code=2)["diagnostics"]
    assert (found["code"], found["file"], found["line"], found["column"]) == ("G071", "in.txt", 2, 3)
    Path("rooms.txt").write_text("[_]\n\n#_#\n", encoding="utf-8")
    (found,) = answer(FLOOD, "--world", "rooms.txt", code=2)["diagnostics"]
    assert (found["code"], found["line"]) == ("G072", 3)
    Path("empty.txt").write_text("\n\n", encoding="utf-8")
    assert refused(ADD2, "--inputs", "empty.txt")["code"] == "G103"
    assert refused(ADD2, "--inputs", "nowhere.txt")["code"] == "G001"


def test_added_traces_must_be_traces_of_this_agent() -> None:
    answer(ADD10)
    assert refused(ADD2, "--add", "add10.npz")["code"] == "G101"
    Path("junk.npz").write_bytes(b"junk")
    assert refused(ADD2, "--add", "junk.npz")["code"] == "G100"
    other = Path(ADD2).with_name("add.grid").read_text(encoding="utf-8").replace("write c, L", "write c, R")
    Path("other.grid").write_text(other, encoding="utf-8")
    assert refused("other.grid", "--add", "add10.npz")["code"] == "G102"
    assert not Path("add2.npz").exists() and not Path("add.npz").exists()


@pytest.mark.parametrize("rule", ["everything", "uniform:", "uniform:0", "worlds:-3", "paper:many", ":5"])
def test_a_wrong_rule_is_wrong_use(rule: str) -> None:
    result = invoke(ADD2, "--rule", rule)
    assert result.exit_code == 2 and "--rule takes paper, inputs, uniform" in result.stderr


def test_an_ending_of_another_format_is_refused_with_those_there_are() -> None:
    result = invoke(ADD2, "-o", "a.parquet")
    assert result.exit_code == 2 and "name the file a.npz or a.jsonl" in result.stderr
    assert list(Path().iterdir()) == []


def test_an_unwritable_place_is_told_and_leaves_nothing() -> None:
    assert refused(ADD2, "-o", "nowhere/add2.npz")["code"] == "G009"
    assert list(Path().iterdir()) == []


def test_traces_can_go_to_stdout() -> None:
    written = invoke(ADD2, "-o", "-")
    assert written.exit_code == 0 and written.stdout_bytes[:2] == b"PK"
