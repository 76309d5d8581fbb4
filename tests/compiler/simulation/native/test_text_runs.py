"""Short runs on texts, one call each: the same as on the reference."""

from __future__ import annotations

from array import array

from gridlang.compiler.simulation.native.engine import ROOM, TextRuns
from gridlang.compiler.testing.input_runs import InputRuns
from tests.support.pairs import table_of

MEMORY = 4_000_000


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
