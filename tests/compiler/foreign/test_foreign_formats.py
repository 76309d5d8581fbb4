"""Files of other tools: what is imported or written does what the tool would do, step by step."""

from __future__ import annotations

from string import ascii_uppercase
from typing import NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

from gridlang.compiler.foreign import import_source
from gridlang.compiler.simulation.simulate import Run, run
from gridlang.compiler.targets import TARGETS
from gridlang.loading import loads
from gridlang.outcomes import Outcome
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Entry, Table, canonical
from gridlang.world import string_world
from tests.strategies import tables
from tests.support.searches import searched

MOST = 300  # steps of a run that is compared


class Stop(NamedTuple):
    """How a machine stopped: in a halting state or not, after how many steps, with which tape and head."""

    halted: bool
    steps: int
    tape: dict[int, str]
    head: int


def run_bbchallenge(line: str, most: int) -> Stop | None:
    """By the description of the format alone; None if it still runs."""
    groups = dict(zip(ascii_uppercase, line.split("_"), strict=False))
    tape, head, state = dict[int, str](), 0, "A"
    for step in range(most + 1):
        at = 3 * int(tape.get(head, "0"))
        if state not in groups or groups[state][at] == "-":
            left = {cell: symbol for cell, symbol in tape.items() if symbol != "0"}
            return Stop(state not in groups, step, left, head)
        tape[head], move, state = groups[state][at : at + 3]
        head += 1 if move == "R" else -1
    return None


def imported(text: str, name: str) -> Table:
    """What a text becomes, by way of the source that is written for it."""
    return loads(import_source(Source(name, text)).source).table


def written(table: Table, target: str) -> str:
    return TARGETS[target].render(Program(table, "random")).decode()


def stopped(done: Run) -> Stop | None:
    """A run as a simulator tells it: the idle step is not counted."""
    if done.outcome == Outcome.BUDGET:
        return None
    tape = {x: symbol for (x, _), symbol in done.world.cells.items()}
    halted = done.outcome == Outcome.HALTED
    return Stop(halted, done.steps - halted, tape, done.cell[0])


def without_steps(stop: Stop | None) -> object:
    return stop and (stop.halted, stop.tape, stop.head)


@st.composite
def one_liners(draw: st.DrawFn) -> str:
    states, symbols = draw(st.integers(1, 5)), draw(st.integers(2, 4))
    triple = st.one_of(
        st.just("---"),
        st.builds(
            "{}{}{}".format,
            st.integers(0, symbols - 1),
            st.sampled_from("LR"),
            st.sampled_from([*ascii_uppercase[:states], "Z"]),
        ),
    )
    group = st.lists(triple, min_size=symbols, max_size=symbols).map("".join)
    return "_".join(draw(st.lists(group, min_size=states, max_size=states)))


@st.composite
def row_tables(draw: st.DrawFn) -> Table:
    """Agents that keep to one row: moves up and down become others."""
    table = draw(tables(max_states=6, max_symbols=4, names=True))

    def entry(state: int, symbol: int, entry: Entry | None) -> Entry | None:
        return entry and (entry if entry.move >= 2 else entry._replace(move=2 + entry.move))

    rows = tuple(tuple(entry(q, x, e) for x, e in enumerate(row)) for q, row in enumerate(table.rows))
    table = canonical(Table("random", table.symbols, table.states, rows))
    assume(all(any(row) for row in table.rows))  # On turingmachine.io a state without rules halts.
    return table


@searched(10)
@given(one_liners())
def test_a_bbchallenge_machine_does_the_same_steps_and_comes_back(line: str) -> None:
    table = imported(line, "random.bb")
    assert stopped(run(table, string_world(""), MOST)) == run_bbchallenge(line, MOST - 1)
    again = imported(written(table, "bbchallenge"), "random.bb")
    assert (again.symbols, again.rows) == (table.symbols, table.rows)


@given(row_tables(), st.data())
def test_agents_on_a_row_do_the_same_when_they_come_back_from_turingmachine_io(
    table: Table, data: st.DataObject
) -> None:
    back = imported(written(table, "turingmachine"), "random.yaml")
    text = data.draw(st.text(sorted({*table.symbols} & {*back.symbols}), max_size=5))
    mine = stopped(run(table, string_world(text), MOST))
    if mine is not None:
        assert without_steps(stopped(run(back, string_world(text), 10 * MOST))) == without_steps(mine)


@searched(8)
@given(row_tables())
def test_what_was_imported_once_is_written_and_imported_the_same_again(table: Table) -> None:
    once = imported(written(table, "turingmachine"), "a.yaml")
    assert imported(written(once, "turingmachine"), "a.yaml") == once
