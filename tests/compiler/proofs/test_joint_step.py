"""One step of two tables, against the reference simulator."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.proofs.joint_step import BOTH_HALT, LEFT_STUCK, RIGHT_DIFFERS, joint_step
from gridlang.compiler.simulation.simulate import run
from gridlang.table import Row, Table
from gridlang.world import World
from tests.strategies import tables


@given(st.data())
def test_a_joint_step_is_what_both_do_on_one_cell(data: st.DataObject) -> None:
    """LEFT starts in its start state, and RIGHT with the row of any state of LEFT's."""
    left: Table = data.draw(tables(max_states=4, max_symbols=3))
    row: Row = data.draw(st.sampled_from(left.rows))
    starting = tuple(e._replace(next=0) if e and e.is_idle(x) else e for x, e in enumerate(row))
    right = Table("right", left.symbols, left.states, (starting, *left.rows[1:]))
    for symbol, name in enumerate(left.symbols):
        entry, other = left.rows[0][symbol], starting[symbol]
        mine, theirs = (run(table, World({(0, 0): name}), 1, trace=True).trace for table in (left, right))
        step = joint_step(entry, other, symbol)
        assert (step is LEFT_STUCK) == (not mine)
        assert (step is RIGHT_DIFFERS) == (bool(mine) and mine != theirs)
        assert (step is BOTH_HALT) == (left.is_halt(0, symbol) and right.is_halt(0, symbol))
        if isinstance(step, tuple):
            assert other is not None and step == (entry, other.next)
