"""Traces and their files: what is written is read again, and nothing else is."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.simulation.random_inputs import text_world
from gridlang.compiler.simulation.simulate import Action, run
from gridlang.diagnostics import GridError
from gridlang.files import source_of
from gridlang.learners.traces.dataset import (
    Traces,
    digest,
    read_traces,
    traces_from_bytes,
    traces_to_bytes,
    traces_to_file,
)
from gridlang.learners.traces.jsonl import fields_from_lines
from gridlang.learners.traces.recording import in_alphabet, join, record
from gridlang.loading import load
from gridlang.program import Program
from gridlang.table import MOVES
from tests.programs import EXAMPLES
from tests.strategies import tables, worlds
from tests.support.searches import searched

ADD2 = load(EXAMPLES / "add2.grid")


def some(*inputs: str) -> Traces:
    return record(ADD2, inputs or ("1+1", "10+11", "0+0"), 1000, {"seed": 3})


def same(left: Traces, right: Traces) -> bool:
    return all(
        np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b
        for a, b in ((getattr(left, name), getattr(right, name)) for name in Traces.__slots__)
    )


def actions(traces: Traces, row: int) -> list[Action]:
    rows = zip(*(getattr(traces, name)[row, : traces.length[row]] for name in "xsm"), strict=True)
    return [Action(traces.symbols[x], traces.symbols[s], MOVES[m]) for x, s, m in rows]


def check_survives_files(traces: Traces) -> None:
    again = traces_from_bytes(traces_to_bytes(traces))
    assert same(traces, again) and digest(traces) == digest(again)
    assert traces_to_bytes(again) == traces_to_bytes(traces)
    lines = traces_to_file(traces, "t.jsonl")
    again = Traces(**fields_from_lines(source_of(lines, "t.jsonl")))
    assert same(traces, again) and traces_to_file(again, "t.jsonl") == lines


@given(st.data())
@searched(5)
def test_recorded_traces_are_those_of_the_reference_and_survive_a_file(data: st.DataObject) -> None:
    table = data.draw(tables())
    chosen = data.draw(st.lists(worlds(table), min_size=1, max_size=5))
    runs = [run(table, world, 40, trace=True) for world in chosen]
    moving = [done for done in runs if done.steps]
    if not moving:
        with pytest.raises(GridError, match="nothing to record"):
            record(Program(table, "t"), chosen, 40)
        return
    traces = record(Program(table, "t"), chosen, 40)
    assert [actions(traces, row) for row in range(len(traces))] == [list(done.trace or ()) for done in moving]
    assert traces.ending == tuple(done.outcome for done in moving)
    assert traces.data.get("stuck_at_once", 0) == len(runs) - len(moving)
    check_survives_files(traces)
    check_survives_files(record(Program(table, "t"), chosen, 40, {"seed": 3}, strict=True))
    for row, text in enumerate(traces.inputs):
        assert run(table, text_world(text, table.symbols), 40, trace=True).trace == tuple(
            actions(traces, row)
        )


def test_a_file_carries_the_agent_and_needs_no_pickle(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    path.write_bytes(traces_to_bytes(some()))
    held = np.load(path, allow_pickle=False)
    metadata = json.loads(held["metadata"].tobytes())
    assert metadata["format"] == "gridlang-traces/1"
    assert json.loads(metadata["symbols"]) == ["_", "0", "1", "+"] and metadata["blank"] == "_"
    assert metadata["input"] == "a = digit+, sign, b = digit+" and metadata["states"] == "12"
    assert json.loads(metadata["moves"]) == list(MOVES) and "agent add2" in metadata["source"]
    assert held["x"].dtype == np.int16 and held["x"].shape == held["m"].shape
    traces = read_traces(str(path))
    assert traces.inputs == ("1+1", "10+11", "0+0") and traces.states == 12 and traces.data == {"seed": 3}


def members(traces: Traces) -> dict[str, Any]:
    return dict(np.load(io.BytesIO(traces_to_bytes(traces)), allow_pickle=False))


def packed(arrays: dict[str, Any], pickled: bool = False) -> bytes:
    out = io.BytesIO()
    np.savez(out, allow_pickle=pickled, **arrays) if pickled else np.savez(out, **arrays)
    return out.getvalue()


def told(arrays: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The arrays with changed metadata; None removes a key."""
    metadata = {**json.loads(arrays["metadata"].tobytes()), **changes}
    text = json.dumps({key: value for key, value in metadata.items() if value is not None})
    return {**arrays, "metadata": np.frombuffer(text.encode(), np.uint8)}


def put(arrays: dict[str, Any], name: str, place: Any, value: int) -> dict[str, Any]:
    changed = arrays[name].copy()
    changed[place] = value
    return {**arrays, name: changed}


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], dict[str, Any]], str]] = {
    "another format": (lambda a: told(a, format="gridlang-traces/9"), "not 'gridlang-traces/1'"),
    "metadata is no JSON": (lambda a: {**a, "metadata": np.frombuffer(b"{oops", np.uint8)}, "metadata"),
    "metadata is text no more": (lambda a: told(a, name=7), "`name` in the metadata is not text"),
    "a missing array": (lambda a: {k: v for k, v in a.items() if k != "m"}, "no `m` in the file"),
    "another type": (lambda a: {**a, "x": a["x"].astype(np.int64)}, "`x` holds int64, not int16"),
    "other shapes": (lambda a: {**a, "s": a["s"][:, 1:]}, "`s` has the shape"),
    "fewer lengths": (lambda a: {**a, "length": a["length"][1:]}, "`length` must be 3 numbers"),
    "fewer inputs": (lambda a: {**a, "inputs": np.frombuffer(b'["1+1"]', np.uint8)}, "1 in `inputs`"),
    "inputs that are numbers": (lambda a: {**a, "inputs": np.frombuffer(b"[1,2,3]", np.uint8)}, "no list"),
    "no traces": (
        lambda a: {
            **{k: a[k][:0] for k in ("x", "s", "m", "length", "ending")},
            "metadata": a["metadata"],
            "inputs": np.frombuffer(b"[]", np.uint8),
        },
        "there are none",
    ),
    "an empty trace": (lambda a: put(a, "length", 1, 0), "trace 1 has the length 0"),
    "a length beyond the row": (lambda a: put(a, "length", 1, 10_000), "trace 1 has the length 10000"),
    "a row that ends early": (lambda a: put(a, "x", (0, 3), -1), "`x` of trace 0 is -1 at step 3"),
    "padding that is none": (lambda a: put(a, "m", (2, -1), 1), "-1 after its end"),
    "a symbol too many": (lambda a: put(a, "s", (0, 0), 4), "`s` holds -1 to 4, not 0 to 3"),
    "a move too many": (lambda a: put(a, "m", (0, 0), 5), "not 0 to 4"),
    "an unknown ending": (lambda a: put(a, "ending", 0, 3), "`ending`"),
    "a symbol twice": (lambda a: told(a, symbols='["_", "0", "0", "+"]'), "twice"),
    "a long symbol": (lambda a: told(a, symbols='["_", "00", "1", "+"]'), "single printable"),
    "no blank": (lambda a: told(a, blank="%"), "blank"),
    "other moves": (lambda a: told(a, moves='["N", "S"]'), "moves"),
    "states that are no number": (lambda a: told(a, states="many"), "metadata"),
    "data that are a list": (lambda a: told(a, data="[]"), "not an object"),
    "classes that are none": (lambda a: told(a, classes="[1]"), "metadata"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_is_broken_gets_a_clear_message(name: str) -> None:
    change, message = BROKEN[name]
    with pytest.raises(GridError) as caught:
        traces_from_bytes(packed(change(members(some()))), "t.npz")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "G100" and diagnostic.file == "t.npz"
    assert message in diagnostic.message, diagnostic.message


def test_pickles_are_refused() -> None:
    objects = np.array([{"a": 1}], dtype=object)
    with pytest.raises(GridError, match="Object arrays cannot be loaded"):
        traces_from_bytes(packed({**members(some()), "x": objects}, pickled=True))


def test_an_array_that_claims_to_be_huge_allocates_nothing() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in members(some()).items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array)
            data = member.getvalue()
            if name == "x":
                header = io.BytesIO()
                claim = {"descr": "<i2", "fortran_order": False, "shape": (10**9, 10**6)}
                np.lib.format.write_array_header_1_0(header, claim)
                data = header.getvalue() + data[-8:]
            archive.writestr(f"{name}.npy", data)
    with pytest.raises(GridError, match="Unable to allocate"):
        traces_from_bytes(out.getvalue())


def test_symbols_and_moves_in_another_order_are_put_in_ours() -> None:
    traces = some()
    arrays = members(traces)
    order = [2, 0, 3, 1]  # of symbols: 1 _ + 0
    places = np.array([order.index(i) for i in range(4)] + [-1], np.int16)
    moves = np.array([4, 3, 2, 1, 0, -1], np.int16)
    changed = {**arrays, "x": places[arrays["x"]], "s": places[arrays["s"]], "m": moves[arrays["m"]]}
    names = json.dumps([traces.symbols[i] for i in order])
    read = traces_from_bytes(packed(told(changed, symbols=names, moves=json.dumps(list(MOVES[::-1])))))
    assert read.symbols == ("_", "1", "+", "0")
    for row in range(len(traces)):
        assert actions(read, row) == actions(traces, row)
    assert same(in_alphabet(read, traces.symbols), traces)


def test_joined_traces_hold_each_row_once_and_say_where_they_come_from() -> None:
    left, right = some("1+1", "10+11"), replace(some("111+111", "1+1"), data={"rule": "worlds"})
    whole = join([left, right])
    assert whole.inputs == ("1+1", "10+11", "111+111")
    assert whole.x.shape[1] == right.length.max()
    assert whole.data == {"joined": [{"seed": 3}, {"rule": "worlds"}]}
    assert same(join([whole, left]), replace(whole, data={"joined": [*whole.data["joined"], {"seed": 3}]}))  # type: ignore[misc]
    assert join([left]).data == left.data
    reordered = in_alphabet(right, ("_", "+", "1", "0"))
    assert join([left, reordered]).inputs == whole.inputs
    assert actions(join([left, reordered]), 2) == actions(right, 0)


def test_traces_that_no_one_agent_made_are_not_joined() -> None:
    renamed = in_alphabet(some("1+1"), ("_", "1", "0", "+"))
    strange = replace(renamed, symbols=("_", "0", "1", "+"))  # 1 is called 0: it acts in another way
    with pytest.raises(GridError, match="G102"):
        join([some("0+0"), strange])


def test_the_digest_is_of_the_content() -> None:
    assert digest(some()) == digest(traces_from_bytes(traces_to_bytes(some())))
    assert len({digest(some()), digest(some("1+1")), digest(replace(some(), name="other"))}) == 3
    wider = replace(
        some(), **{k: np.pad(getattr(some(), k), ((0, 0), (0, 9)), constant_values=-1) for k in "xsm"}
    )
    assert digest(wider) == digest(some())
