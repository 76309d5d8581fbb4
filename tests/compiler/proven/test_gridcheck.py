"""The checker proven in Rocq: it says what the first one says, and its definitions are those of the simulator."""

from __future__ import annotations

import copy
import random
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
from gridlang.compiler.simulation.simulate import Moment, run
from gridlang.compiler.verifier.verify import verify
from gridlang.world import World
from tests.forgeries.edits import signed
from tests.forgeries.genuine import DIFFERENT, PROVEN, copied, genuine
from tests.strategies import tables, worlds
from tests.support.edited import edit, leaves
from tests.support.proven_certificates import STORED_INPUTS, WORDS, by_values, text_of
from tests.support.proven_checker import is_proven
from tests.support.searches import searched

CASES = (*PROVEN, *DIFFERENT)
STEPS = 40
built = pytest.mark.skipif(program() is None, reason="gridcheck is not built: make -C compiler/proven")


@built
@pytest.mark.parametrize("name", CASES)
def test_a_genuine_certificate_is_valid(name: str) -> None:
    assert is_proven(text_of(genuine(name))) is True


@built
@given(tables(max_states=5, max_symbols=4).flatmap(lambda t: st.tuples(st.just(t), worlds(t))))
@searched(40)
def test_runs_of_the_proofs_are_those_of_the_simulator(drawn: tuple[Any, World]) -> None:
    table, world = drawn
    expected: list[list[int]] = []

    def watch(moment: Moment) -> None:
        expected.append([moment.state, *moment.cell, moment.symbol])

    ended = run(table, world, STEPS, watch=watch)
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
    assert f"file : string := unpacked (\n{packed(data)})%packed" in written


@built
@pytest.mark.parametrize("name", STORED_INPUTS)
def test_values_and_words_are_valid(name: str) -> None:
    text = text_of(by_values(name, "words" if name in WORDS else "values"))
    assert is_proven(text) and verify(text.decode()).valid


CLAUSES = {
    "times": [["repeat", "*", ["length", ["part", 0]]], ["repeat", "1", ["length", ["part", 0]]]],
    "sortbase3": [["repeat", "1", ["length", ["part", 0]]], ["number", ["part", 0]]],
    "binary_multiplication": [
        ["text", ["*", ["number", ["reverse", ["part", 0]]], ["number", ["reverse", ["part", 2]]]]],
        ["*", ["number", ["reverse", ["part", 0]]], ["number", ["reverse", ["part", 2]]]],
    ],
}


@built
@pytest.mark.parametrize("name", CLAUSES)
def test_values_of_another_clause_are_refused(name: str) -> None:
    for value in CLAUSES[name]:
        data = copy.deepcopy(by_values(name))
        data["left"]["table"]["output"]["value"] = data["right"]["table"]["output"]["value"] = value
        text = text_of(signed(data))
        assert not verify(text.decode()).valid and is_proven(text) is False, value


@built
def test_values_of_a_text_that_is_not_in_order_are_refused() -> None:
    """Where `beside` halts at once, all symbols are still there, but not sorted."""
    data = copy.deepcopy(by_values("sortbase3"))
    rules = data["left"]["table"]["rules"]
    rules[rules.index(["beside(1)", "0", "1", "L", "put(0)"])] = ["beside(1)", "0", "0", "S", "beside(1)"]
    data["right"]["table"] = data["left"]["table"]
    text = text_of(signed(data))
    assert not verify(text.decode()).valid and is_proven(text) is False


@built
@pytest.mark.parametrize("name", ["increment", "times", "sortbase3", "binary_multiplication"])
@given(chance=st.randoms(use_true_random=False))
@searched(14)
def test_both_checkers_say_the_same_of_edited_values(name: str, chance: random.Random) -> None:
    data = by_values(name)
    paths = [path for path in leaves(data) if path[:2] == ("total", "output")]
    verify(text_of(signed(edit(data, chance.choice(paths), chance))).decode())  # asks both


@built
def test_too_little_stack_is_not_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = copied(genuine("inputs"))
    data["evidence"]["elements"] *= 100
    checker = tmp_path / "gridcheck"
    checker.write_text(f'#!/bin/sh\nulimit -s 128\nexec {program()} "$@"\n')
    checker.chmod(0o755)
    monkeypatch.setattr(gridcheck, "program", lambda: str(checker))
    with pytest.raises(gridcheck.NoAnswer, match="out of stack"):
        gridcheck.is_proven(text_of(data))
