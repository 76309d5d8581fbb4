"""Certificates: a verdict with everything that is needed to check it again, as a JSON file.

The file holds the claim, both tables with their clauses as trees (`clause_trees`), and the evidence: the
relation itself, or the world and both traces. Every part has its digest. `compiler/verifier` reads it and
shares no code with what wrote it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from compiler.proofs.abstractions.folds import FoldProof
from compiler.proofs.abstractions.strips import StripProof
from compiler.proofs.abstractions.windows import WindowProof
from compiler.proofs.clause_trees import input_tree, output_tree
from compiler.proofs.equivalence import Observation, Pairs, Verdict, where_stuck
from compiler.proofs.joint_step import NEVER, STRICT, UNASKED
from compiler.proofs.results.strip_results import ResultProof
from gridlang.diagnostics import fail
from gridlang.table import Table
from gridlang.table_json import table_to_json

FORMAT = "gridlang-certificate/3"
CLAIMS = {
    "worlds": "on every world, from every start cell",
    "inputs": "on every declared input of LEFT",
    "observed": "on every sequence of reads that RIGHT was observed on",
    "table": "on every sequence of reads",
}
# What a difference says of where LEFT is stuck: a proof would have said both things, so one of them is wrong.
OR_STUCK = {UNASKED: "", STRICT: ", or is not stuck where LEFT is", NEVER: ", or LEFT is stuck"}
_NONE: Mapping[str, str] = MappingProxyType({})
LEAVES = ", and where LEFT halts it leaves what its output clause says"


class Subject(NamedTuple):
    """One side of a comparison: its table, and what that was made from.

    `source` is what was read from the file: a source with all that it imports, or the bytes of a table or a
    model. `arguments` are the values of the agent's parameters. Of learned weights, `extraction` says how the
    table was extracted from them, and `snapping` how they are held to it.
    """

    table: Table
    file: str
    source: bytes
    arguments: Mapping[str, str] = _NONE
    extraction: Mapping[str, Any] | None = None
    snapping: Mapping[str, Any] | None = None


def certificate(left: Subject, right: Subject, verdict: Verdict) -> str:
    """The text of a certificate; GridError for a verdict that says nothing."""
    if verdict.equivalent is None:
        hint = "a certificate needs a proof or a difference; try another --radius or --scope"
        raise fail("G142", "nothing was decided, so there is nothing to certify", hint)
    parts = {
        "claim": _claim(verdict),
        "left": _subject(left),
        "right": _subject(right),
        "evidence": _evidence(verdict),
    }
    digests = {name: digest(part) for name, part in parts.items()}
    lines = [f'"format": {json.dumps(FORMAT)}']
    lines += [f'"{name}": {_text(part)}' for name, part in {**parts, "digests": digests}.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def digest(part: object) -> str:
    """The SHA-256 of a part in its one canonical spelling."""
    return hashlib.sha256(_text(part).encode()).hexdigest()


def _text(part: object) -> str:
    return json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _claim(verdict: Verdict) -> dict[str, Any]:
    where = CLAIMS[verdict.scope]
    does = f"RIGHT does what LEFT does {where}{where_stuck(verdict.stuck, 'LEFT')}"
    does += LEAVES * verdict.output
    does_not = f"RIGHT does not do what LEFT does {where}{OR_STUCK[verdict.stuck]}"
    return {
        "says": does if verdict.equivalent else does_not,
        "equivalent": verdict.equivalent,
        "scope": verdict.scope,
        "subject": verdict.subject,
        "stuck": verdict.stuck,
        "output": verdict.output,
        "radius": verdict.radius if verdict.equivalent else None,
        "product_states": verdict.product_states if verdict.equivalent else None,
        "stuck_branches": verdict.stuck_branches if verdict.equivalent else None,
        "unobserved_branches": verdict.unobserved_branches if verdict.equivalent else None,
    }


def _subject(side: Subject) -> dict[str, Any]:
    table = certified_table(side.table)
    return {
        "file": side.file.encode("utf-8", "backslashreplace").decode(),  # A name need not be Unicode.
        "arguments": dict(side.arguments),
        "extracted": side.extraction is not None,
        "extraction": side.extraction and dict(side.extraction),
        "snapping": side.snapping and dict(side.snapping),
        "source_sha256": hashlib.sha256(side.source).hexdigest(),
        "table_sha256": digest(table),
        "table": table,
    }


def certified_table(table: Table) -> dict[str, Any]:
    """A table as it stands in a certificate, with its clauses as trees."""
    data: dict[str, Any] = json.loads(table_to_json(table, families=False))
    del data["format"]
    return {**data, "input": input_tree(table), "output": output_tree(table)}


def _evidence(verdict: Verdict) -> dict[str, Any]:
    proof = verdict.evidence
    if isinstance(proof, Pairs):
        return {"kind": "pairs", "pairs": proof.pairs}
    if isinstance(proof, WindowProof):
        elements = [[p, q, *_flat(known)] for p, q, known in proof.elements]
        return {"kind": "windows", "radius": proof.radius, "elements": elements}
    if isinstance(proof, StripProof):
        return _strips(proof)
    if isinstance(proof, ResultProof):
        return _results(proof)
    if isinstance(proof, FoldProof):
        return _folds(proof)
    assert verdict.counterexample is not None
    return _difference(verdict, verdict.counterexample)


def _flat(known: tuple[tuple[tuple[int, int], int], ...]) -> list[int]:
    return [number for (x, y), symbol in known for number in (x, y, symbol)]


def _strips(proof: StripProof) -> dict[str, Any]:
    detail, columns = proof.detail, proof.columns
    return {
        "kind": "strips",
        "rows": proof.rows,
        "depth": detail.depth,
        "dim": detail.dimmed,
        "columns": columns and {"starts": columns.starts, "steps": columns.steps},
        "classes": proof.classes,
        "marks": detail.marks,
        "kinds": detail.kinds,
        "labels": [(*cells, place, mark) for cells, place, mark in proof.labels],
        "coarse": proof.coarse,
        "left": proof.left,
        "right": proof.right,
        "elements": [(p, q, row, *left, label, *right) for p, q, row, left, label, right in proof.nodes],
        "descents": proof.descents,
    }


def _results(proof: ResultProof) -> dict[str, Any]:
    expected = proof.expected
    side = "end" if expected.anchor.end else "start"
    result = {
        "row": proof.row,
        "anchor": [side, expected.anchor.offset],
        "before": expected.before,
        "beside": expected.beside,
        "expects": expected.expects,
        "expects_before": expected.expects_before,
    }
    return {**_strips(proof.strip), "kind": "results", "result": result}


def _folds(proof: FoldProof) -> dict[str, Any]:
    def grams(sides: tuple[tuple[list[list[int]], list[list[int]]], ...], side: int) -> list[list[list[int]]]:
        return [lists[side] for lists in sides]

    return {
        "kind": "folds",
        "rows": proof.rows,
        "row": proof.row,
        "stands": proof.stands,
        "shifts": proof.shifts,
        "controls": [(c.state, c.phase, c.row, *c.between) for c in proof.controls],
        "labels": [(*c.tracks[0], *c.tracks[1], c.wanted, c.where) for c in proof.labels],
        "coarse": proof.coarse,
        "head_left": grams(proof.heads, 0),
        "head_right": grams(proof.heads, 1),
        "left": grams(proof.grams, 0),
        "right": grams(proof.grams, 1),
    }


def _difference(verdict: Verdict, steps: tuple[Observation, ...]) -> dict[str, Any]:
    world = verdict.world
    return {
        "kind": "difference",
        "input": verdict.input,
        "start": world.start if world else None,
        "cells": sorted((*cell, symbol) for cell, symbol in world.cells.items()) if world else None,
        "reads": [step.read for step in steps],
        "left": [step.left for step in steps],
        "right": [step.right for step in steps],
    }
