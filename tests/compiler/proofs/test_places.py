"""Places of an input tell what each column must hold, or that nothing finite can."""

from __future__ import annotations

from itertools import islice

import pytest

from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.results.readings import as_checked
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.readings import LEADING, reading_of
from gridlang.compiler.verifier.clauses.verdicts import NOTHING
from gridlang.compiler.verifier.places import Places, check_no_blank
from gridlang.compiler.verifier.tables import Wrong
from gridlang.loading import loads
from gridlang.table import Table

CLAUSES = [
    ("a = digit+", "a div 3"),
    ("a = digit*, 'x'", "a div 2"),
    ("a = digit+, 'x', b = digit+", "a div 4"),
    ("a = digit+", "a mod 3"),
    ("a = digit*", "1 if length(a) mod 2 == 0 else 0"),
    ("a = letter+", "'x' if count(a, 'y') > 1 else \"yz\""),
    ("a = letter+, 'x', b = digit+", "\"z\" if b >= 5 and not count(a, 'y') mod 2 == 1 else 'y'"),
    ("a = digit+, 'x', b = digit+", "1 if a < 2 or b mod 2 != 1 else 0 if a == 2 else 2"),
    ("a = letter+", "\"\" if number(a) == 1 else 'y'"),
    ("a = letter+", '(count(a, "yzy") - 2 * length(a)) mod 3'),
    ("a = letter+, 'x', b = digit*", '"z" if count(a, "zz") * length(b) + length(a) > 1 else "y"'),
    ("a = digit+, 'x', b = digit+", "1 if (a + 2 * b) mod 3 == a mod 2 else 0"),
]
ANCHORS = [
    ("start", 0),
    ("start", -1),
    ("start", 2),
    ("end", 0),
    ("end", 1),
    ("end", -2),
]


def agent_with(inputs: str, output: str) -> Table:
    source = (
        f"agent a\nalphabet\n  digit = 0..2\n  letter = 'y' | 'z'\n  'x'\ninput {inputs}\noutput {output}\n"
    )
    return loads(f"{source}start go\nstate go\n  any : halt\n").table


def expected_places(table: Table, anchor: tuple[str, int]) -> tuple[Places, int | None]:
    """Places that tell what is wanted, and the zero of a number; Wrong if they cannot."""
    left = as_checked(table)
    clause = InputClause(left)
    check_no_blank(clause)
    reading = reading_of(left, clause, anchor)
    return Places(left, clause, reading, agree=True), reading.zero


def wanted_on(places: Places, symbols: tuple[str, ...], text: str) -> set[tuple[tuple[int, ...], ...]]:
    """What is wanted on every path of an input: far to the left, within it, and far to the right."""
    far, wants = 8, set()
    row = [symbols.index(symbol) for symbol in text] + [0] * far
    for start, left in places.starts:
        paths = [((places.told[start],), start)]
        for each in row[:-1]:
            paths = [
                ((*wanted, places.told[to]), to)
                for wanted, place in paths
                for symbol, to in places.onward[place]
                if symbol == each
            ]
        outwards, at = [], left
        for _ in range(far):
            outwards.append(places.told[at])
            ((_, at),) = places.onward[at]
        wants |= {(tuple(reversed(outwards)), wanted) for wanted, _ in paths}
    return wants


@pytest.mark.parametrize(
    ("inputs", "output", "anchor"),
    [(*clause, ANCHORS[(index + turn) % 6]) for index, clause in enumerate(CLAUSES) for turn in (0, 3)],
)
def test_every_input_has_one_path_and_it_wants_what_the_clause_says(
    inputs: str, output: str, anchor: tuple[str, int]
) -> None:
    table = agent_with(inputs, output)
    rule = output_rule(table)
    assert rule is not None
    places, zero = expected_places(table, anchor)
    for text in (text for length in range(6) for text in islice(rule.language.strings(length), 40)):
        paths = wanted_on(places, table.symbols, text)
        assert len(paths) == 1
        ((before, wanted),) = paths
        cells = [*before, *wanted]
        shown = "".join("0" if w == LEADING else "_" if w == NOTHING else table.symbols[w] for w in cells)
        value = rule.expected(text)
        assert value is not None
        if zero is not None:
            assert rule.agrees(value, shown.strip("_")) or (not text and value == "0")
        else:
            assert shown.strip("_") == value


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        ("a = digit+, 'x', b = digit+", "a + b"),
        ("a = digit+, 'x', b = digit+", "b + 1"),
        ("a = letter+", "reverse(a)"),
        ("a = digit*, b = digit*", "a + 1"),
        ("a = digit+", "a * a"),
        ("a = digit+", "a + 5000"),
        ("a = _*, digit", "1 if length(a) == 0 else 0"),
        ("a = letter+", "1 if count(a, 'y') - count(a, 'z') > 0 else 0"),
        ("a = letter+", "1 if count(a, 'y') > count(a, 'z') else 0"),
        ("a = letter+", '1 if count(a, "") mod 2 == 1 else 0'),
        ("a = digit+, 'x'", "value(a) mod length(a)"),
        ("a = (digit | 'x')+", "value(a) mod 2"),
    ],
)
def test_what_cannot_be_said_by_columns_is_left_unsaid(inputs: str, output: str) -> None:
    table = agent_with(inputs, output)
    with pytest.raises(Wrong):
        expected_places(table, ("start", 0))
