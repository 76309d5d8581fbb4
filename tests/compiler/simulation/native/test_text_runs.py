"""Short runs on texts, one call each: the same as on the reference."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.simulation.native.engine import ROOM, TextRuns
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.testing.input_runs import InputRuns
from gridlang.table import Table
from gridlang.world import string_world
from tests.strategies import tables
from tests.support.pairs import table_of
from tests.support.searches import searched

MEMORY = 4_000_000


@given(tables(), st.data(), st.sampled_from([1, 5, 400]))
@searched(60)
def test_a_run_on_a_text_ends_as_on_the_reference(table: Table, data: st.DataObject, steps: int) -> None:
    text = data.draw(st.text(table.symbols, max_size=70))
    counts = array("Q", bytes(8 * len(table.states) * len(table.symbols)))
    done = TextRuns(table, counts, MEMORY).run(text, steps)
    slow = run(table, string_world(text), steps, profile=True)
    assert done is not None and slow.profile is not None
    for name in ("outcome", "steps", "state", "cell", "symbol", "result", "reason"):
        assert getattr(done, name) == getattr(slow, name)
    assert dict(done.world.cells) == dict(slow.world.cells)
    k = len(table.symbols)
    assert {divmod(at, k): n for at, n in enumerate(counts) if n} == slow.profile


def test_a_result_that_is_too_large_for_one_call_is_had_all_the_same() -> None:
    table = table_of("add10")
    text = "1" * ROOM + "2+3"
    counts = array("Q", bytes(8 * len(table.states) * len(table.symbols)))
    assert TextRuns(table, counts, MEMORY).run(text, 5) is None
    assert InputRuns(table).run(text, 5).done.result == text


def test_what_runs_cost_does_not_depend_on_the_engine_that_is_there() -> None:
    table = table_of("add2")
    slow, fast = InputRuns(table), InputRuns(table)
    slow._in_c = None
    for text in ("0+0", "1+1", "10101+111"):
        one, other = slow.run(text, 10_000), fast.run(text, 10_000)
        assert (one.cost, one.done.steps, one.done.result) == (
            other.cost,
            other.done.steps,
            other.done.result,
        )
    assert slow.used() == fast.used()
