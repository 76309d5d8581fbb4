"""Output clauses mean to the proofs what they mean to `gridlang test`."""

from __future__ import annotations

import json
import subprocess
from itertools import islice

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridlang.clauses.functions import Acceptance
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proven.gridcheck import program
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import OutputClause
from gridlang.compiler.verifier.tables import Wrong
from gridlang.diagnostics import GridError
from gridlang.table import Table
from tests.support.output_clauses import INPUTS, clauses_of, endless, output_clauses
from tests.support.searches import searched

CALLS = ("reverse({})", "sorted({})", "repeat({}, 2)", "text({} + 1)", "reverse(text({} * 2))", "{} div 2")
EVERY = (
    "every({}, 1, 2)",
    "every({}, 2, 3)",
    "join(every({}, 2, 2), {})",
    "every({}, 0, 2)",
    "every({}, 9, 1)",
)
NUMBERS = ("number({})", "{} * {} - 3", "{} + 10", "value({}) + 4", "number(reverse({}))", "length({}) - 1")
CASES = ('"x" if {} == "10" else "_y_"', "sorted({}) if length({}) > 2 else repeat('x', length({}) - 2)")
PARTS = ("a", "a", "b")
built = pytest.mark.skipif(program() is None, reason="gridcheck is not built: make -C compiler/proven")
clauses = output_clauses | st.builds(
    lambda form, part: form.replace("{}", part),
    st.sampled_from([*CALLS, *EVERY, *NUMBERS, *CASES]),
    st.sampled_from(PARTS),
)


def answers(table: Table, asked: list[tuple[list[str], str]]) -> list[tuple[bool, bool]] | None:
    """Of the parts of an input, and a text: whether there is a value, and whether it is said; None if unread."""
    data = json.dumps({"table": certified_table(table), "asked": asked}).encode()
    done = subprocess.run([str(program()), "--says", "/dev/stdin"], input=data, capture_output=True)
    lines = [line.split() for line in done.stdout.decode().splitlines()]
    assert done.returncode in (0, 1), done
    return None if done.returncode else [(value == "true", said == "true") for value, said in lines]


def rule_of(table: Table) -> OutputRule | None:
    try:
        return output_rule(table)
    except GridError:
        return None


def is_read_by_the_first(table: Table) -> bool:
    rules = clauses_of(table)
    try:
        OutputClause(rules, InputClause(rules))
    except Wrong:
        return False
    return True


def expected_of(rule: OutputRule, text: str) -> str | Acceptance | None:
    """What must be left; None if the clause has no value, or reads what is no digit."""
    try:
        return rule.expected(text)
    except GridError:
        return None


def shown_for(rule: OutputRule, text: str) -> list[str]:
    """What might be left of an input, right and wrong."""
    expected = expected_of(rule, text)
    right = expected if isinstance(expected, str) else ""
    return [shown for shown in (right, f"0{right}", right[1:], f"{right}1") if shown == shown.strip("_")]


@built
@given(st.sampled_from(INPUTS), clauses)
@searched(60)
def test_a_result_is_right_to_the_proofs_if_it_is_to_the_language(inputs: str, output: str) -> None:
    table = endless(inputs, output)
    rule = rule_of(table)
    assume(rule is not None)
    assert rule is not None
    texts = [text for length in range(6) for text in islice(rule.language.strings(length), 9)]
    asked = [(rule.language.pieces(text), shown) for text in texts for shown in shown_for(rule, text)]
    said = answers(table, asked)
    assert (said is not None) == is_read_by_the_first(table)
    for (pieces, shown), (has_value, is_said) in zip(asked, said or (), strict=said is not None):
        expected = expected_of(rule, "".join(pieces))
        assert not isinstance(expected, Acceptance)
        if expected is None:
            assert not has_value
        elif (
            is_said or "-" not in expected
        ):  # Numbers below zero are said by nothing: no proof is about them.
            assert has_value and is_said == rule.agrees(expected, shown), (pieces, shown)
