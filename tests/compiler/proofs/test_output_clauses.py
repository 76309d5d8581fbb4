"""Output clauses mean what the language says: to the checker and to the prover."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.readings import LEADING, reading_of
from gridlang.compiler.verifier.clauses.verdicts import NOTHING
from gridlang.compiler.verifier.places import Reading
from gridlang.compiler.verifier.tables import Wrong
from gridlang.compiler.verifier.verify import verify
from gridlang.diagnostics import GridError
from gridlang.table import Table
from tests.forgeries.edits import signed
from tests.forgeries.genuine import certified, text_of
from tests.support.output_clauses import (
    ANCHORS,
    INPUTS,
    Anchor,
    another_value,
    clauses_of,
    endless,
    output_clauses,
    proof_of_results,
)
from tests.support.searches import searched

FAR = 12  # columns beside an input, more than any text needs here


def rule_of(table: Table) -> OutputRule | None:
    try:
        return output_rule(table)
    except GridError:
        return None


def read_by_checker(table: Table, anchor: Anchor) -> tuple[InputClause, Reading] | None:
    """What the first checker reads; None if it reads nothing."""
    rules = clauses_of(table)
    try:
        clause = InputClause(rules)
        return clause, reading_of(rules, clause, anchor)
    except Wrong:
        return None


def wanted_by(clause: InputClause, reading: Reading, text: str) -> Iterator[list[int]]:
    """What is wanted from far to the left to far to the right, for each way to read an input to its end."""
    runs: list[tuple[int, Any, list[int]]] = []
    for state, outwards in reading.starts:
        far = [reading.left] * (FAR - len(outwards))
        runs.append((clause.start(), state, [*far, *reversed(outwards)]))
    for symbol in text:
        runs = [
            (clause.step(here, symbol), later, [*wanted, column])
            for here, state, wanted in runs
            for later, column in reading.step(state, clause.part_read(here, symbol), symbol)
        ]
    for here, state, wanted in runs:
        after = reading.ended(state)
        if clause.may_end(here) and after is not None:
            yield [*wanted, *after, *[NOTHING] * (FAR - len(after))]


@given(st.sampled_from(INPUTS), output_clauses, st.sampled_from(ANCHORS))
@searched(40)
def test_what_the_checker_reads_is_what_the_language_says(inputs: str, output: str, anchor: Anchor) -> None:
    table = endless(inputs, output)
    read = read_by_checker(table, anchor)
    assume(read is not None)
    assert read is not None
    clause, reading = read
    if any("_" in symbols for symbols, _ in clause.reads.values()):
        return
    rule = rule_of(table)
    assert rule is not None, "the language has no such clause"
    for text in (text for length in range(5) for text in islice(rule.language.strings(length), 25)):
        if not _parts_are_told(clause, text):
            return
        expected = rule.expected(text)
        try:
            (cells,) = wanted_by(clause, reading, text)
        except Wrong as wrong:
            assert "may be no expression" in str(wrong)
            return
        shown = "".join("0" if w == LEADING else "_" if w == NOTHING else table.symbols[w] for w in cells)
        assert expected is not None
        if reading.zero is not None:
            assert rule.agrees(expected, shown.rstrip("_"))
        else:
            assert shown.strip("_") == expected


def _parts_are_told(clause: InputClause, text: str) -> bool:
    here = clause.start()
    for symbol in text:
        try:
            clause.part_read(here, symbol)
        except Wrong:
            return False
        here = clause.step(here, symbol)
    return True


@given(st.sampled_from(INPUTS), output_clauses, st.sampled_from(ANCHORS), st.randoms(use_true_random=False))
@searched(20)
def test_what_the_prover_says_both_checkers_read_alike(
    inputs: str, output: str, anchor: Anchor, chance: random.Random
) -> None:
    """An agent that never halts leaves nothing wrong; but what is wanted must be what the clause says."""
    table = endless(inputs, output)
    rule = rule_of(table)
    assume(rule is not None)
    assert rule is not None
    try:
        data = certified(table, table, proof_of_results(table, anchor))
    except Wrong:
        return
    assert verify(text_of(data)).valid
    for _ in range(3):
        which = chance.choice(["row", "anchor", "output", "output"])
        if which == "output":
            value = another_value(data["left"]["table"]["output"]["value"], chance)
            for side in ("left", "right"):
                data[side]["table"]["output"]["value"] = value
        elif which == "anchor":
            data["claims"][0]["evidence"][which][1] += chance.choice([-1, 1])
        else:
            data["claims"][0]["evidence"][which] += chance.choice([-1, 1])
        verify(text_of(signed(data)))


@pytest.mark.parametrize(
    ("classes", "inputs", "output"),
    [
        ((("d", "0123456789aab"),), "a = d+", "a * 2"),
        ((("n", "aba"),), "a = n", "'a' if number(a) == 0 else 'b'"),
        ((("d", "0123456789_"),), "a = 'a'", "10"),
        ((("d", "0123456789-"),), "a = d+", "a mod 2"),
        ((), "a = 'a' | 'b'", "a + 1"),
        ((("d", "01"),), "a = d+", "a" + " + 1" * 60),
    ],
)
def test_digits_that_could_be_read_in_two_ways_and_long_clauses_are_not_read(
    classes: tuple[tuple[str, str], ...], inputs: str, output: str
) -> None:
    symbols = ("_", *"0123456789ab", "-")
    row = tuple(endless("a = bit", "a").rows[0][0]._replace(write=write) for write in range(len(symbols)))
    table = Table("t", symbols, ("go",), (row,), classes, inputs, output)
    assert read_by_checker(table, ("start", 0)) is None
