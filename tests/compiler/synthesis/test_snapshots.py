"""Agents from snapshots: what is found shows every grid, files that are wrong are refused in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
from gridlang.cli import main
from gridlang.compiler.simulation.native.build import compiler
from gridlang.compiler.simulation.random_inputs import text_world
from gridlang.compiler.synthesis.from_snapshots import SnapshotSearch
from gridlang.compiler.synthesis.snapshots import LAST_ALONE, Snapshots, read_snapshots
from gridlang.diagnostics import GridError
from gridlang.learners.traces.recording import traces_to_snapshots
from gridlang.source import Source
from gridlang.table import Entry, Table
from tests.programs import EXAMPLES

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")

SUITE = EXAMPLES / "suite"
HEAD = '{"agent": "flip", "alphabet": "_01", "every": 1}'


def shown(agent: gl.Program | str, every: int, hide_head: bool, inputs: list[str]) -> Snapshots:
    return traces_to_snapshots(gl.trace(agent, inputs=inputs), every, hide_head)


def found(seen: Snapshots, states: int, nodes: int = 3_000_000) -> gl.Program | None:
    outcome = SnapshotSearch(seen, None, states, nodes, lambda _: lambda _: None).run()
    return outcome.found.judged.program if outcome.found else None


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Small agents on a row, which move or halt."""
    states = draw(st.integers(1, 2))
    rules = st.builds(Entry, st.integers(0, 2), st.sampled_from([2, 3]), st.integers(0, states - 1))
    halts = st.integers(0, 3).map(lambda number: number == 0)
    rows = [tuple(Entry(x, 4, q) if draw(halts) else draw(rules) for x in range(3)) for q in range(states)]
    return Table("drawn", ("_", "0", "1"), tuple(f"q{q}" for q in range(states)), tuple(rows))


@given(tables(), st.sampled_from([1, 2, 3, 7, LAST_ALONE]), st.booleans())
def test_an_agent_that_is_found_shows_every_grid(table: Table, every: int, hide_head: bool) -> None:
    traces = gl.trace(table, inputs=["", "0", "1", "01", "110"], steps=40)
    inputs = [trace.input for trace in traces if trace.ending == "halted"]
    if inputs:
        seen = traces_to_snapshots(traces, every, hide_head)
        learned = found(seen, len(table.states))
        assert learned is not None, "the agent itself would do"
        again = traces_to_snapshots(gl.trace(learned, inputs=inputs, steps=400), every, hide_head)
        assert all(run in again.runs for run in seen.runs)


def test_snapshots_are_read_as_they_are_written() -> None:
    for every, hide_head in ((1, False), (5, True), (LAST_ALONE, True)):
        seen = shown(str(SUITE / "reverse_string.grid"), every, hide_head, ["a", "abb", "baba"])
        assert read_snapshots(Source("seen.jsonl", seen.to_text())) == seen


WALL = """
agent wall
alphabet
  '#' | 'o'
start seek
state seek
  _   : R
  '#' : D -> paint
state paint
  _   : write 'o', D
  '#' : halt
"""
PICTURES = [
    "[_]__#\n____\n___#\n",
    "___\n[_]_#\n__#\n",
    "##__\n[_]__#\n__#_\n____\n___#\n",
    "[_]#\n__\n__\n_#\n",
]


@pytest.mark.parametrize("every", [2, LAST_ALONE])
def test_runs_may_begin_anywhere_in_a_picture(every: int) -> None:
    expert = gl.loads(WALL)
    worlds = [text_world(picture, ("_", "#", "o")) for picture in PICTURES]
    seen = traces_to_snapshots(gl.trace(expert, inputs=worlds), every, True)
    assert read_snapshots(Source("seen.jsonl", seen.to_text())) == seen
    learned = found(seen, 2)
    assert learned is not None
    assert all(learned.run(world).result == expert.run(world).result for world in worlds)


def test_addition_is_found_from_every_grid_without_the_head() -> None:
    expert = gl.load(str(SUITE / "binary_addition.grid"))
    seen = traces_to_snapshots(gl.trace(expert), 1, True)
    learned = found(seen, 10)
    assert learned is not None
    for sum_ in ("0+0", "1+1", "1101+011", "111+1", "10101+1", "0001+1111"):
        assert learned.run(sum_).result == expert.run(sum_).result


def test_reversal_is_found_from_a_grid_every_second_step() -> None:
    path = str(SUITE / "reverse_string.grid")
    learned = found(traces_to_snapshots(gl.trace(path), 2, True), 6)
    assert learned is not None and len(learned.table.states) == 5
    assert learned.run("abbbab").result == "babbba"


def test_increment_is_found_from_the_last_grids_alone() -> None:
    path = str(EXAMPLES / "increment.grid")
    learned = found(traces_to_snapshots(gl.trace(path), LAST_ALONE, True), 4)
    assert learned is not None and learned.run("1011").result == "1100"


def test_a_video_is_learned_from_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = str(EXAMPLES / "increment.grid")
    said = CliRunner().invoke(main, ["trace", path, "--every", "2", "--hide-head"])
    assert said.exit_code == 0 and "one after every 2 steps, without the head" in said.output
    said = CliRunner().invoke(main, ["synthesize", "increment.jsonl", "-o", "found.grid"])
    assert said.exit_code == 0 and "every grid of all 20 runs" in said.output
    assert gl.load("found.grid").run("111").result == "1000"
    told = json.loads(CliRunner().invoke(main, ["synthesize", "increment.jsonl", "--json"]).stdout)
    assert told["runs"] == 20 and told["claims"] == []
    refused = CliRunner().invoke(main, ["train", "increment.jsonl"])
    assert refused.exit_code == 2 and "gridlang synthesize" in refused.output


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--hide-head"], "give --every too"),
        (["--every", "0"], "from 1 on"),
        (["--every", "x"], "or last"),
        (["--every", "2", "--noise", "5%"], "--noise is for traces"),
        (["--every", "2", "-o", "seen.npz"], "seen.jsonl"),
    ],
)
def test_options_of_snapshots_that_do_not_fit_are_refused(options: list[str], why: str) -> None:
    said = CliRunner().invoke(main, ["trace", str(EXAMPLES / "increment.grid"), *options])
    assert said.exit_code == 2 and why in said.output


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (HEAD, "no run follows"),
        ('{"agent": "flip", "alphabet": "01", "every": 1}\n{"grids": ["1", "0"]}', "no `alphabet`"),
        ('{"agent": "flip", "alphabet": "_01", "every": 0}\n{"grids": ["1", "0"]}', "how often"),
        (f'{HEAD}\n{{"grids": ["1"]}}', "no `grids`"),
        (f'{HEAD}\n{{"grids": ["1", "2"]}}', "`2` is not in the alphabet"),
        (f'{HEAD}\n{{"grids": ["1", "0"], "heads": [[0, 0]]}}', "one a grid"),
        (f"{HEAD}\nnothing", "not JSON"),
        ('{"agent": "flip", "alphabet": "_01", "every": "last"}\n{"grids": ["1", "0", "0"]}', "other grids"),
    ],
)
def test_a_file_of_snapshots_that_is_wrong_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(GridError) as refused:
        read_snapshots(Source("seen.jsonl", text))
    assert why in refused.value.diagnostics[0].message and refused.value.diagnostics[0].span
