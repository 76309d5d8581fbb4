"""Joint runs in C show what those in Python show."""

from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.proofs.differences.joint_runs import JointRuns
from gridlang.compiler.proofs.joint_step import NEVER, STRICT, UNASKED, Stuck
from gridlang.table import Table
from tests.strategies import tables, worlds
from tests.support.searches import searched


@searched(40)
@given(data=st.data(), left=tables(), stuck=st.sampled_from([UNASKED, STRICT, NEVER]))
def test_native_runs_are_those_of_the_definition(data: st.DataObject, left: Table, stuck: Stuck) -> None:
    entries = [list(row) for row in left.rows]
    state = data.draw(st.integers(0, len(left.states) - 1))
    symbol = data.draw(st.integers(0, len(left.symbols) - 1))
    entries[state][symbol] = None
    right = Table(left.name, left.symbols, left.states, tuple(map(tuple, entries)))
    native, plain = JointRuns(left, right, stuck), JointRuns(left, right, stuck)
    plain._native = None
    for _ in range(5):
        world, steps = data.draw(worlds(left)), data.draw(st.integers(1, 60))
        assert native.run(world, steps) == plain.run(world, steps)
