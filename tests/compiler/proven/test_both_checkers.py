"""Both checkers say the same of what chance makes of a certificate, and of what is none."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.prove import SCOPES, prove
from gridlang.compiler.proven.gridcheck import is_proven
from gridlang.compiler.verifier.verify import verify
from gridlang.diagnostics import GridError
from gridlang.syntax.unparse import input_clause
from gridlang.table import Entry, Table
from tests.forgeries.edits import signed
from tests.forgeries.genuine import (
    DIFFERENT,
    PROVEN,
    by_strips,
    certified,
    copied,
    genuine,
    text_of,
)
from tests.support.chance_edits import mutant
from tests.support.clause_tokens import CLASSES, SYMBOLS, TOKENS
from tests.support.pairs import MODES, pairs
from tests.support.searches import searched
from tests.syntax_strategies import counted_clauses


@given(pairs(), st.sampled_from(SCOPES), st.sampled_from(MODES), st.integers(0, 13), st.randoms())
@searched(60)
def test_what_chance_makes_of_a_certificate_is_judged_alike(
    pair: tuple[Table, Table], scope: str, stuck: Any, number: int, chance: random.Random
) -> None:
    """Proofs and differences of random agents, by each method; then mutants of them, with digests made anew."""
    left, right = chance.choice([pair, (pair[0], pair[0])])
    stuck = "unasked" if scope == "observed" else stuck
    verdicts: list[Verdict | None] = [prove(left, right, scope, limit=500, stuck=stuck)]
    if scope in ("worlds", "inputs"):
        verdicts.append(by_strips(left, right, number, scope, stuck))
    for verdict in verdicts:
        if verdict is not None and verdict.equivalent is not None:
            data = certified(left, right, verdict)
            assert verify(text_of(data)).valid
            for _ in range(3):
                verify(text_of(mutant(data, chance)))


@pytest.mark.parametrize("name", [*PROVEN, *DIFFERENT])
@given(chance=st.randoms(use_true_random=False))
@searched(15)
def test_mutants_of_genuine_certificates_are_judged_alike(name: str, chance: random.Random) -> None:
    verify(text_of(mutant(genuine(name), chance)))


_rows = [(tuple(Entry(symbol, move, 0) for symbol in range(len(SYMBOLS))),) for move in (2, 3)]
_tokens = st.lists(
    st.sampled_from([token for token in TOKENS if token not in ("٣", "\u2028")]), min_size=1, max_size=8
)
_clauses = (
    _tokens.map(" ".join)
    | _tokens.map("".join)
    | counted_clauses(["bit", "n", "é"], "01a'\\_", 9).map(input_clause)
)


@given(_clauses, st.lists(st.text(SYMBOLS, max_size=4), min_size=3, max_size=6))
@searched(60)
def test_clauses_are_read_as_the_language_reads_them(clause: str, texts: list[str]) -> None:
    """A difference at the first step is shown on an input exactly if that is a declared one."""
    sides = [Table("t", SYMBOLS, ("go",), rows, tuple(CLASSES.items()), clause) for rows in _rows]
    try:
        language = language_of(sides[0])
    except GridError:
        language = None
    data = certified(*sides, prove(*sides, "table"))
    data["claim"]["scope"], data["claim"]["says"] = "inputs", genuine("different inputs")["claim"]["says"]
    for text in texts:
        shown = text[:1] or "_"
        data["evidence"] = {
            "kind": "difference",
            "input": text,
            "start": [0, 0],
            "cells": [[x, 0, symbol] for x, symbol in enumerate(text) if symbol != "_"],
            "reads": [shown],
            "left": [[shown, "L"]],
            "right": [[shown, "R"]],
        }
        declared = language is not None and language.mismatch(text) is None
        assert verify(text_of(signed(data))).valid == declared, text


@pytest.mark.parametrize(
    "data", [b'"\xff"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b'"\xe2\x82']
)
def test_what_is_no_utf_8_is_no_certificate(data: bytes) -> None:
    assert not is_proven(data)


@pytest.mark.parametrize("name", ["é", "\u2028", "\U0001f600", '"\\', "\x7f", "\b\f\n\r\t\x01", "ﬀ/", "\0"])
def test_a_certificate_may_hold_any_text_in_any_spelling(name: str) -> None:
    data = copied(genuine("windows"))
    data["left"]["file"], data["left"]["arguments"] = (
        name,
        {name: name, "z": name, "a": "", "é": "", "😀": "", "ﬀ": ""},
    )
    for text in (text_of(signed(data)), json.dumps(signed(data))):
        assert verify(text).valid


def test_a_hostile_certificate_is_answered_within_seconds() -> None:
    """By the first checker, which is asked first."""
    start, first = time.process_time(), getattr(verify, "__wrapped__", verify)
    data = copied(genuine("inputs"))
    anything = "".join(data["left"]["table"]["symbols"])
    deep: Any = anything
    for _ in range(400):
        deep = ["?", deep]
    for clause in (
        [["?", anything]] * 4_000,
        [["*", anything], "_", *[anything] * 24],
        [deep],
        [anything] * 99_999,
    ):
        data["left"]["table"]["input"] = clause
        assert not first(text_of(signed(data))).valid
    assert time.process_time() - start < 30  # all four together
