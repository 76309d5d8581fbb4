"""The checker proven in Rocq: it says what the first one says, and its definitions are those of the simulator."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proven import gridcheck
from gridlang.compiler.proven.gridcheck import HERE, program
from gridlang.compiler.proven.kernel import packed, theorem
from gridlang.compiler.proven.listing import listed
from gridlang.compiler.simulation.simulate import run, with_places
from gridlang.compiler.verifier.verify import verify
from gridlang.world import World
from tests.forgeries.genuine import DIFFERENT, PROVEN, genuine
from tests.strategies import tables, worlds
from tests.support.proven_certificates import STORED_INPUTS, WORDS, by_values, text_of
from tests.support.proven_checker import is_proven
from tests.support.searches import searched

CASES = (*PROVEN, *DIFFERENT)
STEPS = 40
built = pytest.mark.skipif(program() is None, reason="gridcheck is not built: make -C compiler/proven")


@built
@given(tables(max_states=5, max_symbols=4).flatmap(lambda t: st.tuples(st.just(t), worlds(t))))
@searched(40)
def test_runs_of_the_proofs_are_those_of_the_simulator(drawn: tuple[Any, World]) -> None:
    table, world = drawn
    ended = run(table, world, STEPS, trace=True)
    moments = [
        (step.state, step.cell, step.read) for step in with_places(table, world.start, ended.trace or ())
    ]
    moments += [(ended.state, ended.cell, ended.symbol)] if ended.outcome == "stuck" else []
    expected = [[table.states.index(q), *cell, table.symbols.index(x)] for q, cell, x in moments]
    cells = [[x, y, symbol] for (x, y), symbol in world.cells.items()]
    data = {"table": certified_table(table), "cells": cells, "start": list(world.start)}
    asked = [str(program()), "--run", str(STEPS), "/dev/stdin"]
    shown = subprocess.run(asked, input=text_of(data), capture_output=True, check=True).stdout.decode()
    lines = [[int(number) for number in line.split()] for line in shown.splitlines()]
    assert lines[: len(expected)] == expected
    assert ended.outcome == "halted" or len(lines) == len(expected)


def test_nothing_is_assumed_in_the_proofs() -> None:
    for source in HERE.glob("*/*.v"):
        found = re.findall(r"\b(Admitted|admit|Axiom|Conjecture|Parameter|Abort)\b", source.read_text())
        assert not found, source


def test_a_theorem_holds_the_bytes_of_its_certificate_and_has_its_name() -> None:
    data = text_of(genuine(CASES[0]))
    written = theorem(data, "a-b.json", "out.v").decode("latin-1")
    assert "Theorem a_b_holds : holds a_b." in written
    assert f"file : string := unpacked (\n{packed(listed(data))})%packed" in written


@built
@pytest.mark.parametrize("name", STORED_INPUTS)
def test_values_and_words_are_valid(name: str) -> None:
    text = text_of(by_values(name, "words" if name in WORDS else "values"))
    assert is_proven(text) and verify(text.decode()).valid


@built
def test_too_little_stack_is_not_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.loads(listed(text_of(genuine("inputs"))))
    data["evidence"]["elements"] *= 100
    checker = tmp_path / "gridcheck"
    checker.write_text(f'#!/bin/sh\nulimit -s 128\nexec {program()} "$@"\n')
    checker.chmod(0o755)
    monkeypatch.setattr(gridcheck, "program", lambda: str(checker))
    with pytest.raises(gridcheck.NoAnswer, match="out of stack"):
        gridcheck.is_proven(text_of(data))
