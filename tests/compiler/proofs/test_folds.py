"""Two numbers on a folded tape: the fold is the world, proofs are right by brute force, and both checkers agree."""

from __future__ import annotations

from functools import cache

from hypothesis import assume, given
from hypothesis import strategies as st

from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.proofs.results.readings import as_checked
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.verifier.folds.folded_tape import FoldedTape
from gridlang.compiler.verifier.tables import LeavesRows
from gridlang.loading import load, loads
from gridlang.outcomes import Outcome
from gridlang.table import Table
from gridlang.world import string_world
from tests.programs import EXAMPLES
from tests.support.agents import FOLDED
from tests.support.changed_rules import changed, changes
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


@given(st.sampled_from(sorted(ADDERS)), st.data(), st.booleans(), st.booleans())
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
