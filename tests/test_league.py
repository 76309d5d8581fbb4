"""The league: what is trained in one place is judged in another, and what two draws came to is judged once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import benchmarks.league as league
from benchmarks import league_asking
from benchmarks.league_asking import asked_table
from benchmarks.league_blind_page import interval
from benchmarks.league_draws import Learned, stacked, traces_of, weights_in
from benchmarks.league_networks import Networks, keep, kept
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from gridlang.learners.runtime.processes import Done
from gridlang.loading import load
from gridlang.table import MOVES, Table
from tests.programs import EXAMPLES


def model(**said: str) -> bytes:
    exact = table_to_dfst(load(EXAMPLES / "increment.grid").table)
    return dfst_to_bytes(replace(exact, metadata={**exact.metadata, **said}))


def test_networks_come_back_as_they_were_kept(tmp_path: Path) -> None:
    networks = Networks([Learned(0, 20, 0.5, model()), Learned(1, 19, 0.5, b"")], {"cores": 2, "gpu": True})
    keep(networks, tmp_path / "line.zip")
    assert kept(tmp_path / "line.zip") == networks


def test_what_several_draws_came_to_is_asked_about_once_and_counts_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = model(made="by one"), model(made="by another")
    assert one != other and weights_in(one) == weights_in(other)
    asked = []

    def here(work, questions, *_, **__):  # type: ignore[no-untyped-def]
        for question in questions:
            asked.append((question.draw, question.scope))
            yield Done(question, (question.scope == "inputs", 3, 1.0), "", 1.0)

    monkeypatch.setattr(league, "in_processes", here)
    learned = [Learned(0, 20, 0.1, one), Learned(1, 20, 0.1, other), Learned(2, 20, 0.1, b"")]
    draws = league.judged(learned, load(EXAMPLES / "increment.grid"), float("inf"))
    assert asked == [(0, "worlds"), (0, "inputs")]
    assert [(draw["inputs"], draw["worlds"], draw["states"]) for draw in draws] == [
        (True, False, 3),
        (True, False, 3),
        (False, False, None),
    ]


def test_a_draw_has_its_own_share_of_traces_that_are_trained_on_together() -> None:
    program = load(EXAMPLES / "increment.grid")
    parts = [traces_of(program, rule, 5, 7, 500) for rule in ("worlds", "reads", "both")]
    whole, shares = stacked(parts)
    for part, share in zip(parts, shares, strict=True):
        rows = slice(share.first, share.first + share.number)
        assert np.array_equal(whole.x[rows, : part.x.shape[1]], part.x)
        assert np.array_equal(whole.length[rows], part.length)
    assert traces_of(program, "worlds", 5, 7, 500).x.tolist() == parts[0].x.tolist()


class Follows:
    """A network in disguise: it does what a table does, and anything where that has no rule."""

    def __init__(self, table: Table, drifts: bool = False) -> None:
        self.table, self.drifts = table, drifts

    def follower(self) -> Follows:
        return self

    def follow(self, reads: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float32], None]:
        many = len(self.table.symbols)
        said = np.zeros((*reads.shape, many + len(MOVES)), np.float32)
        for word, acts in zip(reads, said, strict=True):
            state: int | None = 0
            for step, (read, act) in enumerate(zip(word, acts, strict=True)):
                entry = None if state is None else self.table.rows[state][read]
                write, move, state = (read, 0, None) if entry is None else entry
                act[(write + (self.drifts and step**2 % 7 == 4)) % many] = act[many + move] = 1.0
        return said, None


@pytest.mark.parametrize("name", ["increment", "add2"])
def test_a_network_that_does_what_a_table_does_gives_that_table_when_asked(name: str) -> None:
    program = load(EXAMPLES / f"{name}.grid")
    traces = traces_of(program, "random-reads", 100, 7, 500)
    table = asked_table(Follows(program.table), program.table, traces, 0)  # type: ignore[arg-type]
    assert table is not None and prove(program.table, table, "worlds").equivalent
    assert len(table.states) <= len(program.table.states)


def test_a_network_that_errs_with_time_gives_another_table_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(league_asking, "MOST_STATES", 20)
    program = load(EXAMPLES / "increment.grid")
    traces = traces_of(program, "random-reads", 100, 7, 500)
    table = asked_table(Follows(program.table, drifts=True), program.table, traces, 0)  # type: ignore[arg-type]
    assert table is None or not prove(program.table, table, "worlds").equivalent


def test_the_interval_of_no_success_is_not_empty_and_holds_what_was_seen() -> None:
    low, high = interval(0, 16)
    assert low == pytest.approx(0.0, abs=1e-9) and 0.15 < high < 0.25
    assert interval(12, 16)[0] < 0.75 < interval(12, 16)[1]
