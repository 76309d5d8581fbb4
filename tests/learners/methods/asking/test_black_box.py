"""A function is learned by questions alone, tested to a stated bound, and never called proven."""

from __future__ import annotations

import pytest
from hypothesis import given

import gridlang as gl
from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.compiler.proofs.joint_step import STRICT
from gridlang.learners.methods.asking import black_box
from gridlang.learners.methods.asking.black_box import Step
from gridlang.table import MOVES, Table
from tests.programs import EXAMPLES
from tests.strategies import tables


def acting(table: Table) -> Step:
    def step(state: int, symbol: str) -> tuple[str, str, int] | None:
        entry = table.rows[state][table.symbols.index(symbol)]
        return None if entry is None else (table.symbols[entry.write], MOVES[entry.move], entry.next)

    return step


def learned(table: Table, extra: int) -> gl.LearnedBlackBox:
    return gl.learn(acting(table), start=0, symbols="".join(table.symbols), extra=extra)


def lock(code: str) -> Step:
    """Turns round after a code."""

    def step(state: int, symbol: str) -> tuple[str, str, int]:
        right = code[state] == symbol
        return (
            symbol,
            "U" if right and state + 1 == len(code) else "R",
            (state + 1) % len(code) if right else 0,
        )

    return step


@given(tables(max_states=4, max_symbols=3))
def test_a_function_within_the_bound_passes_no_test_but_as_its_own_table(table: Table) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(black_box, "LENGTHS", ())  # Chance may find what the suite would miss.
        found = learned(table, len(table.states) - 1)
    assert compare_tables(table, found.table, stuck=STRICT).equivalent
    assert compare_tables(found.table, table, stuck=STRICT).equivalent


def test_an_example_is_learned_from_its_behaviour_the_same_each_time() -> None:
    table = gl.load(EXAMPLES / "add10.grid").table
    found = learned(table, 1)
    assert found == learned(table, 1) and len(found.table.states) == len(table.states)
    assert gl.equiv(table, gl.loads(found.to_source())).equivalent
    assert "tested, not proven: equal if the function has at most 21 states" in repr(found)


def test_what_lies_beyond_the_bound_is_not_claimed() -> None:
    deep = gl.learn(lock("011010011"), start=0, symbols="01", extra=1)
    assert len(deep.table.states) == 1 and deep.claim.endswith("at most 2 states")
    near = gl.learn(lock("0110"), start=0, symbols="01", extra=3)
    assert len(near.table.states) == 4


def test_a_function_that_counts_without_bound_is_given_up() -> None:
    def counting(count: int, symbol: str) -> tuple[str, str, int] | None:
        return ("1", "R", count + 1) if symbol == "1" else ("_", "R", count - 1) if count else None

    with pytest.raises(gl.GridError, match="20,000 steps do not suffice to learn `counting`"):
        gl.learn(counting, start=0, symbols="1", steps=20_000)
