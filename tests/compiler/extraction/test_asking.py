"""Learning by asking: exact on any agent, without a look at its states, and every question counted."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from hypothesis import given

import gridlang as gl
from gridlang.cli import main
from gridlang.compiler.extraction.asking import STUCK, Teacher, ask, table_teacher
from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.compiler.proofs.joint_step import STRICT
from gridlang.compiler.proofs.prove import prove
from gridlang.table import MOVES, STAY, Entry, Table
from tests.programs import DISTINCT, EXAMPLES, NAMES, PROGRAMS
from tests.strategies import tables


def random_table(states: int, symbols: int, seed: int) -> Table:
    """An agent with rules that halt, and symbols on which it is stuck."""
    random = Random(seed)

    def entry(state: int, symbol: int) -> Entry | None:
        kind = random.random()
        if kind < 0.15:
            return None if kind < 0.1 else Entry(symbol, STAY, state)
        return Entry(random.randrange(symbols), random.randrange(4), random.randrange(states))

    rows = tuple(tuple(entry(state, symbol) for symbol in range(symbols)) for state in range(states))
    return Table("drawn", tuple("_0123456789ab"[:symbols]), tuple(f"q{i}" for i in range(states)), rows)


@given(tables())
def test_what_is_asked_for_is_right_on_all_reads_and_has_no_state_too_many(table: Table) -> None:
    asked = ask(table, "table")
    assert compare_tables(table, asked.table, stuck=STRICT).equivalent
    assert compare_tables(asked.table, table, stuck=STRICT).equivalent
    assert len(ask(asked.table, "table").table.states) == len(asked.table.states) <= len(table.states)


ASKED = [
    (each.name, scope)
    for each in DISTINCT
    for scope in ("worlds", "inputs")[: 2 if each.load().table.input else 1]
]
LONG = pytest.param("compare", "inputs", marks=pytest.mark.long)  # proven in seconds


@pytest.mark.usefixtures("full_searches")
@pytest.mark.parametrize(("name", "scope"), [LONG if case == LONG.values else case for case in ASKED])
def test_all_examples_are_proven_at_the_scope_that_was_asked_about(name: str, scope: str) -> None:
    table = PROGRAMS[NAMES.index(name)].load().table
    asked = ask(table, scope)
    assert prove(table, asked.table, scope, stuck=STRICT).equivalent
    assert len(asked.table.states) <= len(table.states)


def test_an_agent_of_hundreds_of_states_is_asked_for_in_seconds() -> None:
    table = random_table(300, 5, seed=1)
    asked = ask(table)
    assert prove(table, asked.table, stuck=STRICT).equivalent
    # a question or two for each of its 1,275 rules that lead on
    assert asked.queries < 2_400 and asked.steps < 24_000


def test_a_teacher_answers_until_a_run_ends_and_counts_what_it_answers() -> None:
    table = Table("t", ("_", "1"), ("q",), ((Entry(0, STAY, 0), None),))
    teacher = table_teacher(table)
    assert (
        teacher.ask((0, 1, 1)) == (STAY,) and teacher.ask((1, 0)) == (STUCK,) and teacher.ask((0,)) == (STAY,)
    )
    assert (teacher.queries, teacher.steps) == (2, 2)
    going = table_teacher(Table("t", ("_", "1"), ("q",), ((Entry(1, 3, 0), Entry(1, 0, 0)),)))
    assert going.ask((0, 1, 1)) == (len(MOVES) + 3, len(MOVES), len(MOVES))


def test_nothing_is_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []
    answered = Teacher._answered
    monkeypatch.setattr(
        Teacher, "_answered", lambda self, reads: asked.append(reads) or answered(self, reads)
    )
    ask(PROGRAMS[NAMES.index("compare")].load().table)
    assert len(set(asked)) == len(asked)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("here")
def test_train_counts_questions_and_asks_the_agent_that_traces_carry() -> None:
    agent = str(EXAMPLES / "increment.grid")
    said = CliRunner().invoke(main, ["train", agent, "--method", "ask"])
    assert said.exit_code == 0 and "3 states, 12 queries, 32 steps, 2 rounds" in said.output, said.output
    gl.trace(agent, inputs=["1"]).save("one.npz")
    words = ["train", "one.npz", "--method", "ask", "--scope", "inputs", "-o", "two.safetensors", "--json"]
    data = json.loads(CliRunner().invoke(main, words).stdout)
    assert (data["traces"], data["queries"] > 0, data["steps"] > 0) == (0, True, True)
    assert gl.equiv(agent, "two.safetensors").equivalent
