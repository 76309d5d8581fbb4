"""Logs become traces: the same whatever the format, and the same again after they were written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
from gridlang.compiler.simulation.random_inputs import text_world
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.traces.dataset import Traces
from gridlang.learners.traces.logs.reading import (
    contradictions,
    is_log,
    log_of,
    traces_to_csv,
    traces_to_jsonl,
)
from gridlang.source import Source
from gridlang.world import World
from tests.programs import EXAMPLES
from tests.support.command_line import answer, invoke
from tests.support.searches import searched

LOGS = EXAMPLES / "logs"
RUNS = [[("coin", "ok"), ("tea", "cup, hot")], [("tea", "beep")], [("coin", "ok")]]
LABELS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=4)


def same_steps(left: Traces, right: Traces) -> bool:
    """Whether two files tell of the same runs, in the labels of their logs."""
    return told(left) == told(right)


def told(traces: Traces) -> list[tuple[object, ...]]:
    label = ["_", *(traces.labels or traces.symbols[1:])]
    return [
        (ending, [(label[x], label[s] if s >= 0 else "", m) for x, s, m in zip(*rows, strict=True)])
        for row, ending in enumerate(traces.ending)
        for rows in [[part[row, : traces.length[row]].tolist() for part in (traces.x, traces.s, traces.m)]]
    ]


def read(name: str, text: str) -> Traces:
    return log_of(Source(name, text)).traces


FORMS = {
    "a.csv": "trace,input,output\n"
    + "".join(f'{n},{a},"{b}"\n' for n, run in enumerate(RUNS) for a, b in run),
    "b.tsv": "output\tinput\n" + "\n".join("".join(f"{b}\t{a}\n" for a, b in run) for run in RUNS),
    "c.jsonl": "".join(json.dumps({"trace": run}) + "\n" for run in RUNS),
    "d.jsonl": "".join(
        json.dumps({"input": [a for a, _ in run], "output": [b for _, b in run]}) + "\n" for run in RUNS
    ),
    "e.jsonl": "".join(
        json.dumps({"run": n, "input": a, "output": b}) + "\n" for n, run in enumerate(RUNS) for a, b in run
    ),
    "f.json": json.dumps(RUNS),
    "g.txt": repr(RUNS),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_format_tells_of_the_same_runs(name: str) -> None:
    traces = read(name, FORMS[name])
    assert same_steps(traces, read("a.csv", FORMS["a.csv"]))
    assert traces.input == "word = letter*" and traces.inputs == ("ct", "t", "c", "")
    assert traces.alphabet.legend()["c"] == "coin" and traces.data["log"] == "mealy"


def test_lines_of_inputs_and_outputs_may_begin_with_the_first_output_of_a_moore_machine() -> None:
    log = log_of(Source("a.io", "start,coin/ok,tea/cup\ncoin/ok\n"))
    assert same_steps(log.traces, read("a.jsonl", '[["coin","ok"],["tea","cup"]]\n[["coin","ok"]]\n'))
    assert "first output" in log.notes[0]


@searched(25)
@given(st.lists(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=5), min_size=1, max_size=5))
def test_mealy_logs_are_the_same_after_they_were_written(runs: list[list[tuple[str, str]]]) -> None:
    traces = read("a.json", json.dumps(runs))
    for name, text in (("a.csv", traces_to_csv(traces)), ("a.jsonl", traces_to_jsonl(traces))):
        assert same_steps(read(name, text), traces)


@searched(8)
@given(st.sampled_from(["increment", "palindrome", "add2"]), st.integers(0, 1000), st.booleans())
def test_traces_of_agents_are_the_same_after_they_were_written(name: str, seed: int, strict: bool) -> None:
    traces = gl.trace(EXAMPLES / f"{name}.grid", rule="peek-worlds:6", seed=seed, steps=20, strict=strict)
    for file, text in (("a.csv", traces_to_csv(traces)), ("a.jsonl", traces_to_jsonl(traces))):
        again = read(file, text)
        assert told(again) == told(traces)
        table = gl.load(EXAMPLES / f"{name}.grid").table
        for row, steps in enumerate(again.length.tolist()):
            known = set(again.symbols) <= set(table.symbols)
            world = text_world(again.inputs[row], again.symbols) if known else World({})
            if known and again.ending[row] == "halted":  # The world is as far as the run has seen it.
                assert run(table, world, 1000).steps == steps


def test_a_row_that_shows_no_write_and_no_move_is_where_a_run_is_stuck() -> None:
    traces = read("a.csv", "read,write,move\n0,1,R\n2,,\n")
    assert traces.ending == ("stuck",) and traces.strict
    assert traces.m[0].tolist() == [3, -1] and traces.s[0, 1] == -1


def test_labelled_words_are_kept_and_the_label_is_written_behind_them() -> None:
    traces = read("a.abbadingo", "3 2\n1 2 0 1\n0 1 1\n-1 1 0\n")
    assert traces.symbols == ("_", "0", "1", "+", "-")
    assert traces.ending == ("halted", "halted", "cut")
    assert told(traces)[0][1] == [("0", "0", 3), ("1", "1", 3), ("_", "+", 4), ("+", "+", 4)]
    same = read("a.json", json.dumps([[["0", "1"], True], [["1"], False], [["0"], None]]))
    assert same_steps(traces, same)


def test_a_label_that_is_a_letter_too_gets_a_symbol_of_its_own() -> None:
    traces = read("a.json", json.dumps([[["a", "b"], "a"], [["b"], "c"]]))
    assert "label a" in traces.labels


def test_contradictions_are_counted_along_the_same_reads() -> None:
    runs = [
        [["a", "x"], ["b", "y"]],
        [["a", "x"], ["b", "z"], ["a", "x"]],
        [["b", "y"]],
        [["a", "z"], ["b", "y"]],
    ]
    told_apart = contradictions(read("a.json", json.dumps(runs)))
    assert told_apart.steps == 2 and told_apart.first == ((0, 0), (3, 0))


def test_json_files_are_logs_only_if_they_are_lists(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[[]]")
    gl.load(EXAMPLES / "add2.grid").save(tmp_path / "b.json")
    assert is_log(str(tmp_path / "a.json")) and not is_log(str(tmp_path / "b.json"))


def test_trace_turns_logs_into_traces_and_back(tmp_path: Path) -> None:
    npz, csv = str(tmp_path / "coffee.npz"), str(tmp_path / "coffee.csv")
    data = answer("trace", str(LOGS / "coffee.jsonl"), "-o", npz)
    assert data["legend"]["c"] == "clean" and data["contradictions"] == 0 and data["traces"] == 200
    invoke("trace", npz, "-o", csv)
    assert same_steps(gl.load_traces(csv), gl.load_traces(npz))
    assert "is for agents" in invoke("trace", csv, "--strict").output


def test_a_mealy_machine_as_dot_is_an_expert_like_any_other(tmp_path: Path) -> None:
    dot, npz = str(LOGS / "coffee.dot"), str(tmp_path / "traces.npz")
    assert (
        invoke("run", dot, "wpb").stdout == invoke("run", dot, "water pod button").stdout == "ok ok coffee\n"
    )
    assert answer("trace", dot, "--rule", "inputs:20", "-o", npz)["traces"] == 20
    assert gl.load_traces(npz).alphabet.legend()["o"] == "coffee"
    assert gl.predict(dot, LOGS / "coffee.jsonl").consistent


def test_no_log_is_read_that_is_no_table_of_symbols() -> None:
    rows = "".join(f"1,{n / 7},{n}\n" for n in range(1200))
    with pytest.raises(gl.GridError, match="G213"):
        read("a.csv", f"trace,input,output\n{rows}")


def test_a_hundred_thousand_steps_are_read_in_seconds() -> None:
    rows = "".join(f"{n // 50},{'abc'[n * n % 3]},{'xy'[n % 2]}\n" for n in range(100_000))
    traces = read("a.csv", f"trace,input,output\n{rows}")
    assert traces.steps == 100_000 + 2_001 and np.all(traces.length[:-1] == 51)
