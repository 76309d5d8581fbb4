"""Traces as JSON lines: what is written is read again, what another program writes is read, faults are told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
from gridlang.compiler.simulation.simulate import run
from gridlang.files import source_of
from gridlang.learners.traces.jsonl import fields_from_lines
from gridlang.program import Program
from tests.programs import EXAMPLES, ROOT
from tests.regenerate_golden import TRACES, traces_messages
from tests.strategies import tables, worlds
from tests.support.command_line import answer, invoke
from tests.support.searches import searched

CASES = sorted(path.name for path in TRACES.iterdir() if path.suffix != ".err")


def read(text: str, path: str = "mine.jsonl") -> gl.Traces:
    return gl.Traces(**fields_from_lines(source_of(text.encode(), path)))


def same(left: gl.Traces, right: gl.Traces) -> bool:
    return all(
        np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b
        for a, b in ((getattr(left, name), getattr(right, name)) for name in gl.Traces.__slots__)
    )


@pytest.mark.parametrize("name", CASES)
def test_faults_are_told_as_before(name: str) -> None:
    """With file, line and what to type; `python -m tests.regenerate_golden` writes them anew."""
    assert traces_messages(name) == Path(TRACES, f"{name}.err").read_text(encoding="utf-8")


@given(st.data())
@searched(5)
def test_the_steps_alone_tell_the_rest(data: st.DataObject) -> None:
    """Ending and world of a trace are read from its steps, as far as they show them."""
    table = data.draw(tables())
    world = data.draw(worlds(table))
    done = run(table, world, 40, trace=True)
    if not done.steps:
        return
    steps = [[act.read, act.write, act.move] for act in done.trace or ()]
    traces = read(json.dumps({"trace": steps}))
    assert [[*step] for step in traces[0].steps] == steps
    assert traces.ending[0] == done.outcome
    assert traces.symbols == ("_", *sorted({s for read, write, _ in steps for s in (read, write)} - {"_"}))
    seen = gl.loads(table_source(table)).run(traces.inputs[0], steps=done.steps, trace=True).trace
    assert [[act.read, act.write, act.move] for act in seen or ()] == steps


def table_source(table: gl.Table) -> str:
    return Program(table, "t").to_source()


def test_a_file_of_another_program_is_read_learned_from_and_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    agent = gl.load(EXAMPLES / "increment.grid")
    traces = gl.trace(agent, rule="worlds", count=300)
    lines = [{"trace": [[s.read, s.write, s.move] for s in trace.steps]} for trace in traces]
    Path("mine.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    assert gl.load_traces("mine.jsonl").name == "mine" and len(gl.load_traces("mine.jsonl")) == len(traces)
    data = answer("trace", "mine.jsonl", "-o", "mine.npz")
    assert data["traces"] == len(traces) and data["symbols"] == ["_", "0", "1"]
    assert same(gl.load_traces("mine.npz"), gl.load_traces("mine.jsonl"))
    answer("train", "mine.jsonl", "--method", "merge")
    assert gl.equiv(agent, gl.extract("mine.safetensors").table).equivalent
    assert "consistent with all" in invoke("eval", "mine.safetensors", "--traces", "mine.jsonl").stdout
    joined = answer("trace", str(EXAMPLES / "increment.grid"), "--add", "mine.jsonl", "-o", "more.jsonl")
    assert joined["traces"] == len(gl.load_traces("more.jsonl"))


def test_the_files_that_the_page_shows_how_to_make_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines, program = (
        (ROOT / "docs/guide" / page).read_text(encoding="utf-8").split(f"```{language}\n")[-1].split("```")[0]
        for page, language in (("training.md", "json"), ("formats.md", "python"))
    )
    Path("mine.jsonl").write_text(lines)
    exec(program, {})
    traces = gl.load_traces("mine.jsonl")
    assert (len(traces), traces.ending, traces.inputs[1]) == (2, ("halted", "halted"), "0")
    assert [*gl.load_traces("mine.npz")[0].steps] == [*traces[1].steps]
    assert gl.predict(gl.train(traces, method="merge")[0], traces).consistent


def test_the_agent_is_kept_in_the_first_line(tmp_path: Path) -> None:
    traces = gl.trace(EXAMPLES / "add2.grid")
    traces.save(tmp_path / "a.jsonl")
    first = json.loads((tmp_path / "a.jsonl").read_text(encoding="utf-8").split("\n")[0])
    assert (
        first["format"] == "gridlang-traces/1" and first["states"] == 12 and "agent add2" in first["source"]
    )
    assert first["symbols"] == ["_", "0", "1", "+"] and first["classes"] == [["digit", "01"], ["sign", "+"]]
    assert same(gl.load_traces(tmp_path / "a.jsonl"), traces)
    with pytest.raises(ValueError, match=r"\.npz or \.jsonl"):
        traces.save(tmp_path / "a.csv")
    refused = invoke("trace", str(EXAMPLES / "add2.grid"), "-o", str(tmp_path / "a.csv"))
    assert refused.exit_code == 2 and ".jsonl" in refused.stderr and not (tmp_path / "a.csv").exists()
    assert "is for agents" in invoke("trace", str(tmp_path / "a.jsonl"), "--strict").output


def test_a_hundred_thousand_steps_are_read_in_seconds() -> None:
    line = json.dumps({"trace": [["ab"[n % 2], "xy"[n * n % 2], "R"] for n in range(50)]})
    traces = read(f"{line}\n" * 2_000)
    assert traces.steps == 100_000 and np.all(traces.length == 50)
