"""Certificates: a verdict with everything that is needed to check it again, as a JSON file.

The file holds the claim, both tables with the trees of their clauses, and the evidence: the
relation itself, or the world and both traces; and what is claimed of LEFT alone. Every part
has its digest. `compiler/verifier` reads it and uses nothing of what wrote it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.clause_data import as_data, input_as_data
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.verifier.verify import FORMAT, canonical, digest, said, verify
from gridlang.diagnostics import GridError, fail
from gridlang.program import Program
from gridlang.table import Table
from gridlang.table_json import table_data

_NONE: Mapping[str, str] = MappingProxyType({})


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

    @classmethod
    def of(cls, program: Program) -> Subject:
        return cls(program.table, program.file, program.as_read(), program.argument_texts())


def certificate(left: Subject, right: Subject, verdict: Verdict) -> str:
    """The text of a certificate; GridError for a verdict that says nothing."""
    if verdict.equivalent is None:
        hint = "a certificate needs a proof or a difference; try another --radius or --scope"
        raise fail("G142", "nothing was decided, so there is nothing to certify", hint)
    parts = {
        "claim": _claim(verdict),
        "left": _subject(left, verdict.conditioned),
        "right": _subject(right, verdict.conditioned),
        "evidence": verdict.evidence or _difference(verdict),
        "claims": [each._asdict() for each in verdict.never],
    }
    digests = {name: digest(part) for name, part in parts.items()}
    lines = [f'"format": {json.dumps(FORMAT)}']
    lines += [f'"{name}": {"".join(canonical(part))}' for name, part in {**parts, "digests": digests}.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def accepted(left: Subject, right: Subject, verdict: Verdict) -> tuple[Verdict, str]:
    """A verdict and its certificate, once `verify` has accepted that; unknown, and none, if it refuses it."""
    if verdict.equivalent is None:
        return verdict, ""
    text = certificate(left, right, verdict)
    checked = verify(text)
    if checked:
        return verdict, text
    where, message = checked.problems[0]
    reason = f"what was found was refused by the checker of certificates: {where}: {message}"
    hint = "please report this bug with the files"
    return Verdict(None, verdict.scope, 0, 0, subject=verdict.subject, reason=reason, hint=hint), ""


def _claim(verdict: Verdict) -> dict[str, Any]:
    return {
        "says": said(
            verdict.equivalent is True,
            verdict.scope,
            verdict.stuck,
            halts=verdict.halts,
            output=verdict.output,
            accepts=verdict.accepts,
        ),
        "equivalent": verdict.equivalent,
        "scope": verdict.scope,
        "subject": verdict.subject,
        "stuck": verdict.stuck,
        "halts": verdict.halts,
        "output": verdict.output,
        "radius": verdict.radius if verdict.equivalent else None,
        "product_states": verdict.product_states if verdict.equivalent else None,
        "stuck_branches": verdict.stuck_branches if verdict.equivalent else None,
        "unobserved_branches": verdict.unobserved_branches if verdict.equivalent else None,
    }


def _subject(side: Subject, conditioned: bool) -> dict[str, Any]:
    table = certified_table(side.table, conditioned)
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


def certified_table(table: Table, conditioned: bool = False) -> dict[str, Any]:
    """A table as it stands in a certificate, with its clauses as trees: the condition if it is used.

    What is not a clause of the language stays the text that it is.
    """
    data = table_data(table)
    del data["format"]
    try:
        language = language_of(table)
    except GridError:
        return data
    try:
        rule = output_rule(table)
    except GridError:
        rule = None
    if language is not None:
        data["input"] = input_as_data(table, language)
    if rule is not None:
        data["output"] = {"digits": rule.digits, "value": as_data(rule, rule.node)}
    if rule is not None and conditioned and rule.language.condition:
        data["where"] = as_data(rule, rule.language.condition.node)
    return data


def _difference(verdict: Verdict) -> dict[str, Any]:
    world, steps = verdict.world, verdict.counterexample or ()
    return {
        "kind": "difference",
        "input": verdict.input,
        "start": world.start if world else None,
        "cells": sorted((*cell, symbol) for cell, symbol in world.cells.items()) if world else None,
        "reads": [step.read for step in steps],
        "left": [step.left for step in steps],
        "right": [step.right for step in steps],
    }
