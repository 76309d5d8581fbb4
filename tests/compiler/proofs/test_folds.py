"""Two numbers on a folded tape: the fold is the world, proofs are right by brute force, and both checkers agree."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.proofs.certificates import Subject, certificate
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.joint_step import NEVER
from gridlang.compiler.proofs.results.fold_results import fold_result
from gridlang.compiler.proofs.results.output_proofs import prove_output
from gridlang.compiler.proofs.results.readings import as_checked
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.verifier.folds.folded_readings import FoldedReading
from gridlang.compiler.verifier.folds.folded_tape import FoldedTape
from gridlang.compiler.verifier.tables import LeavesRows
from gridlang.compiler.verifier.verify import verify
from gridlang.loading import load, loads
from gridlang.outcomes import Outcome
from gridlang.table import Table
from gridlang.table_json import table_to_json
from gridlang.world import string_world
from tests.forgeries.edits import signed
from tests.forgeries.genuine import certified, text_of
from tests.programs import EXAMPLES
from tests.support.agents import FOLDED
from tests.support.changed_rules import changed, changes, errs
from tests.support.folding import MARGIN, Column, FoldedWorld
from tests.support.searches import searched

ADDERS = {"add": "+", "tally": "+", "weigh": "-", "compare": "?"}


@cache
def table_of(name: str, base: int = 2) -> Table:
    return loads(FOLDED[name]).table if name in FOLDED else load(EXAMPLES / f"{name}.grid", base=base).table


def rule_of(table: Table) -> OutputRule:
    rule = output_rule(table)
    assert rule is not None
    return rule


def proof_text(table: Table) -> str | None:
    """The certificate of a fold, without a look at any run before."""
    left = as_checked(table)
    proof, size, _ = fold_result(table, left, FoldedReading(left, False), 0, True)
    if proof is None:
        return None
    verdict = Verdict(True, "inputs", size, 0, stuck=NEVER, output=True, radius=1, evidence=proof)
    side = Subject(table, "agent.grid", b"")
    return certificate(side, side, verdict)


@pytest.mark.parametrize("base", [2, 3])  # base ten is among the examples
@pytest.mark.parametrize("name", ["add", "compare"])
def test_sums_and_comparisons_are_proven(name: str, base: int) -> None:
    text = proof_text(table_of(name, base))
    assert text is not None and verify(text).valid


SAID_OTHERWISE = {
    "add": ("b + a", "1 * b + (a * 1) + 0", "a + b * (0 + 1)"),
    "compare": (
        "'>' if b < a else '=' if not a != b else '<'",
        "\"<\" if a <= b and a != b else '>' if b <= a and not b == a or a > b else '='",
    ),
}


@pytest.mark.parametrize(
    ("name", "clause"), [(n, c) for n, clauses in SAID_OTHERWISE.items() for c in clauses]
)
def test_a_clause_can_say_it_otherwise(name: str, clause: str) -> None:
    table = table_of(name)
    parts = table.symbols, table.states, table.rows, table.classes, table.input
    table = Table(table.name, *parts, clause)
    claim = prove_output(table)
    assert claim is not None and claim.answer == "proven" and claim.verdict is not None
    assert verify(text_of(certified(table, table, claim.verdict))).valid


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("add", "a + b + 1"),
        ("add", "2 * a + b"),
        ("add", "a"),
        ("compare", "'<' if a > b else '=' if a == b else '>'"),
    ],
)
def test_another_clause_is_not_proven(name: str, clause: str) -> None:
    table = table_of(name)
    parts = table.symbols, table.states, table.rows, table.classes, table.input
    assert proof_text(Table(table.name, *parts, clause)) is None


LONGEST = {"add": 4, "tally": 4, "weigh": 3, "compare": 4}


@pytest.mark.long
@given(st.sampled_from(sorted(LONGEST)), st.data())
@searched(8)
def test_no_mutant_is_proven_that_is_wrong_on_a_short_input(name: str, data: st.DataObject) -> None:
    mutant = changed(table_of(name), data.draw(st.sampled_from(changes(table_of(name)))))
    text = proof_text(mutant)
    if text is not None:
        assert not errs(mutant, 2 * LONGEST[name] + 1)
        assert verify(text).valid


@pytest.mark.long
@given(st.sampled_from(sorted(LONGEST)), st.data())
@searched(15)
def test_a_proof_does_not_hold_for_a_mutant_that_is_wrong(name: str, data: st.DataObject) -> None:
    """The evidence of the agent, with the table of a mutant on both sides and digests made anew."""
    forged = json.loads(genuine_text(name))
    mutant = changed(table_of(name), data.draw(st.sampled_from(changes(table_of(name)))))
    for side in ("left", "right"):
        forged[side]["table"] = json.loads(table_to_json(mutant, families=False))
    if verify(json.dumps(signed(forged))).valid:
        assert not errs(mutant, 2 * LONGEST[name] + 1)


@cache
def genuine_text(name: str) -> str:
    text = proof_text(table_of(name))
    assert text is not None
    return text


@given(st.sampled_from(sorted(LONGEST)), st.data(), st.booleans(), st.booleans())
@searched(40)
def test_a_folded_tape_is_the_world_after_every_run(
    name: str, data: st.DataObject, mutated: bool, shifting: bool
) -> None:
    """The folded machine ends where LEFT does, with the same cells, whether or not the fold moves."""
    table = table_of(name)
    if mutated:
        table = changed(table, data.draw(st.sampled_from(changes(table_of(name)))))
    texts = [text for text in rule_of(table).language.shortest(6) if ADDERS[name] in text]
    text = data.draw(st.sampled_from(texts))
    done = run(table, string_world(text), MARGIN - 10)
    rows = {y for _, y in done.world.cells}
    assume(done.outcome == Outcome.HALTED and rows <= {-1, 0, 1})
    first, second = text.split(ADDERS[name])
    number = {symbol: index for index, symbol in enumerate(table.symbols)}
    expected = {cell: number[symbol] for cell, symbol in done.world.cells.items() if symbol != "_"}
    tape = FoldedTape(as_checked(table), -1, 1, shifting)

    def step(control: tuple[int, ...], tracks: Column) -> tuple[tuple[int, ...], Column, int] | None:
        after = tape.step(control, (*tracks[0], *tracks[1], 0, 0))
        return after and (after[0], (after[1][:3], after[1][3:6]), after[2])

    sign = number[ADDERS[name]]
    folded = FoldedWorld([number[c] for c in first], sign, [number[c] for c in second])
    try:
        folded.run((0, 0, 0, 0, sign, 0), step)
    except LeavesRows:
        assume(False)  # The head was in another row on its way.
    assert folded.unfolded() == expected
