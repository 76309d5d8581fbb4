"""Certificates that the proven checker is given besides the genuine ones: by stored values, and of weights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any
from unittest import mock

from gridlang.compiler.extraction.extract import extract
from gridlang.compiler.extraction.snapped_inference import codebook_of, snapping_of
from gridlang.compiler.proofs.certificates import Subject, certificate
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.proofs.results.claims import Claim
from gridlang.compiler.proofs.results.correctness import claims_of, strongest
from gridlang.compiler.proofs.values import value_proofs
from gridlang.compiler.proofs.values.clause_goals import wanted_values
from gridlang.compiler.tensors.dfst import Dfst, read_dfst
from gridlang.table import Table
from gridlang.table_json import FORMAT, table_from_json
from tests.forgeries.edits import signed
from tests.forgeries.genuine import EXTRACTION, certified
from tests.programs import ROOT
from tests.support.weights import TABLES, model

STORED_INPUTS = {  # of tables whose values are stored, or words
    "increment": "a = digit+",
    "times": "a = one+, star, b = one+",
    "sortbase3": "a = digit+",
    "binary_multiplication": "a = bit+, sign, b = bit+",
    "binary_addition": "a = bit+, sign, b = bit+",
    "duplicate": "w = letter+",
    "twice": "a = letter+",
    "odds": "w = letter+",
}
WORDS = ("duplicate", "twice", "odds")
SHIPPED = ("add2", "mult2", "add10")  # mult10 settles only in `equiv`, which takes longer


def text_of(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False).encode()


@cache
def by_values(name: str, kind: str = "values") -> dict[str, Any]:
    """That an agent leaves what its clause says, by stored values or words, and that it is never stuck."""
    stored = json.loads((ROOT / "tests" / "golden" / kind / f"{name}.json").read_text())
    source = {**stored["table"], "format": FORMAT, "input": STORED_INPUTS[name], "output": ""}
    table = table_from_json(json.dumps(source))
    side = Subject(table, f"{name}.grid", name.encode())
    data: dict[str, Any] = json.loads(certificate(side, side, prove(table, table, "inputs", stuck="never")))
    data["left"]["table"] = data["right"]["table"] = stored["table"]
    shown = {"kind": kind, **stored["output"]}
    data["claims"] = [{"assume": [], "ends": ["wrong"], "evidence": shown}]
    data["claim"]["output"] = True
    data["claim"]["says"] += ", and where LEFT halts it leaves what its output clause says"
    return signed(data)


@cache
def by_output(table: Table, thresholds: bool = False) -> dict[str, Any]:
    """The strongest that is proven of an agent; of sorted rows by `thresholds`."""
    verdict = strongest(table, _by_thresholds(table) if thresholds else claims_of(table))
    assert verdict is not None
    return certified(table, table, verdict)


def _by_thresholds(table: Table) -> Sequence[Claim]:
    """Few symbols are sorted by values, if that is tried."""
    with mock.patch.object(value_proofs, "wanted_values", lambda *given: wanted_values(*given)[1:]):
        return claims_of(table)


def shipped(name: str) -> Dfst:
    return read_dfst(str(ROOT / "examples" / "models" / f"{name}.safetensors"))


@cache
def of_weights(name: str) -> str:
    """That a model's own table does what it does, which is soon shown; and the codebook of its weights."""
    learned = name not in SHIPPED
    dfst, expert = (model(name), "add2") if learned else (shipped(name), name)
    book = codebook_of(dfst, extract(dfst, expert=TABLES[expert], scope="inputs"))
    snapping, _ = snapping_of(dfst, book) or ({}, None)
    verdict = replace(prove(book.table, book.table, "table"), subject="snapped model")
    origin = {**EXTRACTION, "merging": "none", "guessed": 0}
    side = Subject(book.table, "right.safetensors", b"right", extraction=origin, snapping=snapping)
    return certificate(Subject(book.table, "left.grid", b"left"), side, verdict)
