"""Genuine certificates of every kind, each of a proof or a difference that needs what it holds."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

from gridlang.compiler.extraction.extract import extract
from gridlang.compiler.extraction.snapped_inference import codebook_of, snapping_of
from gridlang.compiler.proofs.abstractions.grains import grains
from gridlang.compiler.proofs.certificates import Subject, certificate
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.halting.halting import prove_halting
from gridlang.compiler.proofs.joint_step import UNASKED, Stuck
from gridlang.compiler.proofs.prove import SCOPES, comparison_of, prove
from gridlang.compiler.proofs.results.correctness import claims_of, strongest
from gridlang.compiler.proofs.results.output_proofs import prove_output
from gridlang.compiler.proofs.stages import Allowance, Proof, StripStage
from gridlang.loading import load, loads
from gridlang.table import Entry, Table
from tests.programs import EXAMPLES
from tests.support.agents import DIV3, EVERYTHING, source
from tests.support.pairs import D, L, R, U, changed, table_of, there_and_back
from tests.support.weights import rotated

Certificate = dict[str, Any]
EXTRACTION = {
    "weights_sha256": hashlib.sha256(b"right").hexdigest(),
    "scope": "inputs",
    "seed": 0,
    "worlds": 0,
    "inputs": 120,
    "longest": 900,
    "steps": 40_000,
    "merging": "folded",
    "guessed": 3,
    "states": 12,
    "clusters": 15,
}


def copied(data: Any) -> Any:
    """A copy that may be edited; `copy.deepcopy` takes many times as long, and thousands are made."""
    return pickle.loads(pickle.dumps(data, pickle.HIGHEST_PROTOCOL))


def certified(left: Table, right: Table, verdict: Verdict, extracted: bool = False) -> Certificate:
    origin = EXTRACTION if extracted else None
    sides = Subject(left, "left.grid", b"left"), Subject(right, "right.grid", b"right", extraction=origin)
    data: Certificate = json.loads(certificate(*sides, verdict))
    return data


def descending(never: Entry) -> Table:
    """Eats its input and goes down for ever, to and fro on every row; on an x it acts in a way never seen."""
    eat, down = (Entry(0, D, 1), Entry(0, R, 0)), (Entry(1, R, 2), never)
    fro, back = (Entry(1, L, 3), never), (never, Entry(0, D, 1))
    states = ("eat", "down", "fro", "back")
    return Table("down", ("_", "x"), states, (eat, down, fro, back), (), "a = 'x'*")


def by_strips(left: Table, right: Table, number: int, scope: str, stuck: Stuck) -> Verdict | None:
    """What strips of one grain say; None where they prove nothing."""
    stage = StripStage(list(grains(left))[number], Allowance(5_000))
    proof = stage.prove(comparison_of(left, right, scope, stuck))
    if not isinstance(proof, Proof):
        return None
    states, stuck_branches, radius = proof[1:]
    return Verdict(True, scope, states, stuck_branches, stuck=stuck, radius=radius, evidence=proof.evidence)


def snapped(expert: Table) -> Certificate:
    """A proof about weights with snapped inference: those of an expert in other coordinates."""
    dfst = rotated(expert, 1)
    book = codebook_of(dfst, extract(dfst, seed=1, expert=expert))
    snapping, _ = snapping_of(dfst, book) or ({}, None)
    verdict = replace(prove(expert, book.table, "inputs"), subject="snapped model")
    origin = {**EXTRACTION, "merging": "none", "guessed": 0}
    model = Subject(book.table, "right.safetensors", b"right", extraction=origin, snapping=snapping)
    data: Certificate = json.loads(certificate(Subject(expert, "left.grid", b"left"), model, verdict))
    return data


RESULTS: dict[str, Callable[[], Table]] = {  # agents that leave what their output clauses say
    "number": lambda: loads(source("half")).table,
    "verdict": lambda: loads(source("parity")).table,
    "sum": lambda: load(EXAMPLES / "add.grid", base=2).table,
    "order": lambda: load(EXAMPLES / "compare.grid", base=2).table,
}


def of_results(name: str) -> Certificate:
    """A proof that an agent leaves what its output clause says."""
    table = RESULTS[name]()
    claim = prove_output(table)
    assert claim is not None and claim.verdict is not None, claim
    return certified(table, table, claim.verdict)


Makers = dict[str, Callable[[], Certificate]]


def _same(
    table: Callable[[], Table], scope: str, stuck: Stuck = UNASKED, extracted: bool = False
) -> Certificate:
    """A proof that an agent does what it does itself."""
    return certified(table(), table(), prove(table(), table(), scope, stuck=stuck), extracted)


def _pair(left: Table, right: Table, scope: str, stuck: Stuck = UNASKED) -> Certificate:
    return certified(left, right, prove(left, right, scope, stuck=stuck))


def _add2() -> Table:
    return table_of("add2")


def _palindromes() -> tuple[Table, Table]:
    """Two agents that differ, but on no declared input."""
    palindrome = table_of("palindrome")
    return palindrome, changed(palindrome, "halt", "a")


def _hidden() -> Certificate:
    return _pair(there_and_back(1, Entry(0, 0, 0)), there_and_back(1, Entry(1, 1, 0)), "worlds")


def _anywhere() -> Certificate:
    palindrome, _ = _palindromes()
    verdict = by_strips(palindrome, palindrome, 0, "worlds", "same")
    assert verdict is not None
    return certified(palindrome, palindrome, verdict)


def _drifting() -> Certificate:
    return _pair(descending(Entry(1, U, 1)), descending(Entry(0, D, 0)), "inputs")


def _wrong(scope: str) -> Certificate:
    return _pair(_add2(), changed(_add2(), "carry(1)", "0", move=2), scope)


PROVEN: Makers = {  # each of a proof that needs what it holds
    "table": lambda: _same(_add2, "table"),
    "observed": lambda: _pair(_add2(), changed(_add2(), "carry(1)", "0"), "observed"),
    "windows": _hidden,
    "inputs": lambda: _pair(*_palindromes(), "inputs"),
    "descents": _drifting,
    "anywhere": _anywhere,
    "strict strips": lambda: _pair(*_palindromes(), "inputs", stuck="same"),
    "never strips": lambda: _same(_add2, "inputs", stuck="never"),
    "extracted": lambda: _same(_add2, "worlds", extracted=True),
    "acceptor": lambda: _pair(DIV3, EVERYTHING, "worlds"),
    "strict table": lambda: _pair(DIV3, DIV3, "table", stuck="same"),
    "strict windows": lambda: _pair(DIV3, DIV3, "worlds", stuck="same"),
    "never windows": lambda: _pair(EVERYTHING, EVERYTHING, "worlds", stuck="never"),
    "snapped": lambda: snapped(table_of("increment")),
    **{name: partial(of_results, name) for name in RESULTS},
}
DIFFERENT: Makers = {  # a difference at every scope, and those that only a strict claim sees
    **{f"different {scope}": partial(_wrong, scope) for scope in SCOPES},
    "different strict": lambda: _pair(DIV3, EVERYTHING, "inputs", stuck="same"),
    "different never": lambda: _pair(DIV3, DIV3, "worlds", stuck="never"),
}


def of_halting(example: str) -> Certificate:
    """A proof that every run of an example in base 2 ends."""
    table = load(EXAMPLES / f"{example}.grid", base=2).table
    ending, why = prove_halting(table)
    assert ending is not None, why
    return certified(table, table, ending)


def _halting_sum() -> Certificate:
    """All that is proven of an agent that adds."""
    table = load(EXAMPLES / "add.grid", base=2).table
    verdict = strongest(table, claims_of(table))
    assert verdict is not None
    return certified(table, table, verdict)


HALTING: Makers = {  # a strip of its own, one beside other evidence, and where LEFT may be stuck
    "halting": lambda: of_halting("increment"),
    "halting sum": _halting_sum,
    "ending": lambda: of_halting("subtract"),
}


@cache
def genuine(name: str) -> Certificate:
    """The genuine certificate of a name: made once, and not to be edited (`copied` may be)."""
    return {**PROVEN, **DIFFERENT, **HALTING}[name]()


def text_of(data: Certificate) -> str:
    return json.dumps(data, ensure_ascii=False) + "\n"
