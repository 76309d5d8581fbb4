"""What is wanted of two numbers is what the language says, to both checkers."""

from __future__ import annotations

import random
from itertools import islice

from hypothesis import assume, given
from hypothesis import strategies as st

from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.proofs.results.output_proofs import proven_alone
from gridlang.compiler.proofs.results.readings import as_checked
from gridlang.compiler.verifier.clauses.readings import LEADING
from gridlang.compiler.verifier.folds.folded_readings import FoldedReading, lines
from gridlang.compiler.verifier.folds.folded_tape import FoldedTape
from gridlang.compiler.verifier.folds.folds import LEFT
from gridlang.compiler.verifier.tables import Wrong
from gridlang.compiler.verifier.verify import verify
from gridlang.diagnostics import GridError
from gridlang.loading import load
from gridlang.table import Table
from tests.forgeries.edits import signed
from tests.forgeries.genuine import certified, text_of
from tests.programs import EXAMPLES
from tests.support.output_clauses import another_value, endless, two_number_clauses
from tests.support.searches import searched


def reading_of(inputs: str, clause: str) -> tuple[Table, OutputRule, FoldedReading] | None:
    table = endless(inputs, clause)
    try:
        rule = output_rule(table)
        return (table, rule, FoldedReading(as_checked(table), False)) if rule is not None else None
    except (GridError, Wrong):
        return None


@given(two_number_clauses)
@searched(60)
def test_what_is_wanted_of_two_numbers_is_what_the_language_says(clause: str) -> None:
    read = reading_of("a = digit+, 'x', b = digit+", clause)
    assume(read is not None)
    assert read is not None
    table, rule, reading = read
    for text in (text for length in range(3, 7) for text in islice(rule.language.strings(length), 40)):
        a, b = ([int(digit) for digit in reversed(number)] for number in text.split("x"))
        state, wanted = reading.start, []
        for i in range(max(len(a), len(b))):
            state, column = reading.step(state, *(n[i] if i < len(n) else 0 for n in (a, b)))
            wanted.append(column)
        while reading.sum and state:
            state, column = reading.beyond(state)
            wanted.append(column)
        assert reading.beyond(state) == ((state, state) if not reading.sum else (0, LEADING))
        symbols = wanted if reading.sum else [reading.verdicts[state]]
        shown = "".join(table.symbols[symbol] for symbol in reversed(symbols))
        expected = rule.expected(text)
        assert isinstance(expected, str) and rule.agrees(expected, shown), (text, shown)


@given(two_number_clauses, st.randoms(use_true_random=False))
@searched(15)
def test_both_checkers_read_clauses_of_two_numbers_alike(clause: str, chance: random.Random) -> None:
    """An agent that never halts leaves nothing wrong; but what is wanted must be what the clause says."""
    inputs = chance.choice(["a = digit+, 'x', b = digit+", "a = (digit, digit)+, letter, b = digit+"])
    read = reading_of(inputs, clause)
    assume(read is not None)
    assert read is not None
    table, _, reading = read
    stands = "first" if reading.sum else "between"
    part = {"kind": "folds", "rows": [0, 0], "row": 0, "shifts": False, "stands": stands}
    part["classes"] = list(range(len(table.symbols)))
    data = certified(table, table, proven_alone(table, part))
    assert verify(text_of(data)).valid
    for _ in range(3):
        value = another_value(data["left"]["table"]["output"]["value"], chance)
        for side in ("left", "right"):
            data[side]["table"]["output"]["value"] = value
        verify(text_of(signed(data)))


def test_a_verdict_is_known_to_the_left_of_both_numbers() -> None:
    table = load(EXAMPLES / "compare.grid", base=2).table
    reading, tape = FoldedReading(as_checked(table), False), FoldedTape(as_checked(table), 0, 0, False)
    onward = (column for columns in lines(reading, tape).values() for column, _ in columns)
    assert {column[-2] for column in onward if column[-1] == LEFT} == {0, 1, 2}
