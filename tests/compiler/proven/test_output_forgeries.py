"""Both checkers say the same of what chance makes of the evidence of outputs, and of the tables it is about."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from gridlang.compiler.proven.gridcheck import program
from gridlang.compiler.verifier.verify import verify
from gridlang.loading import load, loads
from tests.forgeries.edits import signed
from tests.forgeries.genuine import copied
from tests.programs import EXAMPLES
from tests.support.agents import (
    LARGER,
    MONUS,
    SAME_LENGTH,
    SECOND,
)
from tests.support.chance_edits import mutate
from tests.support.proven_certificates import by_output, by_values, text_of
from tests.support.proven_checker import is_proven
from tests.support.searches import examples, searching

built = pytest.mark.skipif(program() is None, reason="gridcheck is not built: make -C compiler/proven")
Data = dict[str, Any]
KINDS: dict[str, Callable[[], Data]] = {  # of evidence, perhaps with what it is about
    "sorted": lambda: by_output(load(EXAMPLES / "sort.grid", base=3).table, thresholds=True),
    "values, of branches": lambda: by_output(loads(LARGER).table),
    "inequalities, of an acceptor": lambda: by_output(loads(SAME_LENGTH).table),
    "values": lambda: by_values("sortbase3"),
    "values, of a product": lambda: by_values("binary_multiplication"),
    "words": lambda: by_values("twice", "words"),
    "values, by equalities": lambda: by_output(loads(SECOND).table),
    "values, never stuck by inequalities": lambda: by_output(loads(MONUS).table),
}


@built
@searching
@pytest.mark.parametrize("kind", KINDS)
def test_changed_evidence_of_outputs_is_judged_alike(kind: str) -> None:
    genuine, valid = KINDS[kind](), 0
    assert any(each["evidence"]["kind"] == kind.split(",")[0] for each in genuine["claims"])
    assert is_proven(text_of(genuine)) is True
    seeds = range(examples(60))
    for seed in seeds:
        chance, data = random.Random(f"{kind} {seed}"), copied(genuine)
        mutate(chance.choice(data["claims"])["evidence"], chance)
        if seed % 3 == 0:
            mutate(data["left"]["table"], chance)
            data["right"]["table"] = copied(data["left"]["table"])
        valid += verify(text_of(signed(data)).decode()).valid  # The proven checker is held against it.
    assert valid < len(seeds) / 3
