"""The arithmetic experts meet the paper's budgets of states and steps, in every base."""

from __future__ import annotations

import random

import pytest

from gridlang.clauses.clause_values import from_base, in_base
from gridlang.compiler.simulation.simulate import run
from gridlang.loading import load
from gridlang.outcomes import Outcome
from gridlang.table import Table
from gridlang.world import string_world
from tests.programs import EXAMPLES

DIGITS = "0123456789"
BASES = range(2, 11)


def expert(name: str, base: int) -> Table:
    return load(EXAMPLES / f"{name}.grid", {"base": str(base)}).table


def steps(table: Table, a: str, sign: str, b: str) -> int:
    """Runs one sum or product, checks it, and returns its steps."""
    base = len(table.symbols) - 2
    done = run(table, string_world(a + sign + b))
    x, y = from_base(a, DIGITS[:base]), from_base(b, DIGITS[:base])
    expected = in_base(x + y if sign == "+" else x * y, DIGITS[:base])
    assert done.outcome == Outcome.HALTED
    assert done.result and set(done.result) <= set(DIGITS[:base]), (a, b, done.result)
    assert from_base(done.result, DIGITS[:base]) == from_base(expected, DIGITS[:base]), (a, b, done.result)
    return done.steps


def operands(base: int, longest: int, count: int, seed: int) -> list[tuple[str, str]]:
    """Random pairs of unequal lengths with leading zeros, then all pairs of repeated digits."""
    rng = random.Random(seed)

    def number() -> str:
        return "".join(rng.choice(DIGITS[:base]) for _ in range(rng.randint(1, longest)))

    drawn = [(number(), number()) for _ in range(count)]
    repeated = [(x * longest, y * longest) for x in DIGITS[:base] for y in DIGITS[:base]]
    return drawn + repeated


@pytest.mark.parametrize(("name", "states"), [("add2", 12), ("add10", 20), ("mult2", 32), ("mult10", 108)])
def test_experts_fit_the_papers_state_counts_and_alphabets(name: str, states: int) -> None:
    table = load(EXAMPLES / f"{name}.grid").table
    base = 2 if name.endswith("2") else 10
    assert len(table.states) <= states
    assert table.symbols == ("_", *DIGITS[:base], "+" if name.startswith("add") else "*")


@pytest.mark.parametrize("base", BASES)
def test_addition_is_right_in_every_base_within_70_steps_for_3_digits(base: int) -> None:
    table = expert("add", base)
    assert len(table.states) == base + 10
    assert max(steps(table, a, "+", b) for a, b in operands(base, 3, 400, base)) <= 70


@pytest.mark.parametrize("base", BASES)
def test_multiplication_is_right_in_every_base_within_464_steps_for_5_digits(base: int) -> None:
    table = expert("mult", base)
    assert max(steps(table, a, "*", b) for a, b in operands(base, 5, 150, base)) <= 464


@pytest.mark.parametrize(("name", "sign", "factor"), [("add", "+", 2.5), ("mult", "*", 14)])
def test_long_operands_take_quadratic_time(name: str, sign: str, factor: float) -> None:
    table = expert(name, 10)
    n = 60
    worst = max(steps(table, x * n, sign, y * n) for x, y in ("00", "99", "19", "91", "50"))
    assert worst <= factor * n * n
    for a, b in (("9" * 200, "1"), ("1", "9" * 200), ("0" * 150 + "7", "8")):
        steps(table, a, sign, b)
