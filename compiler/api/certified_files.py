"""Whether files match a certificate: their tables are made again, and compared with its own.

The checker of certificates reads nothing but the certificate. What ties it to files is here, and needs the
language, or the digest of a model: a table that was extracted from weights is not extracted again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gridlang.compiler import given
from gridlang.compiler.given import AgentLike, ModelLike, Path, read_file
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.held_clauses import check_clauses
from gridlang.compiler.tensors.dfst import dfst_from_bytes, only_dfst
from gridlang.compiler.tensors.snapping import check_snapping
from gridlang.compiler.verifier.tables import Problem
from gridlang.diagnostics import GridError, fail
from gridlang.program import Program
from gridlang.table import Table
from gridlang.table_json import FORMAT, table_from_json

if TYPE_CHECKING:
    from gridlang.compiler.tensors.snapping import CheckedSnapping

ANEW = "make one with `gridlang equiv LEFT MODEL --snap --certificate CERT`"


# parts of a table in the order of comparison, and their names
CALLED = {
    "name": "another name",
    "symbols": "another alphabet",
    "classes": "other classes of symbols",
    "input": "another input clause",
    "output": "another output clause",
    "where": "another condition",
    "states": "other states",
}
NOT_IT = ("G026", "G082")  # a file without the parameters of a side, or with weights that are no table
LONGEST_SHOWN = 60  # characters of a part, which is read twice in one line


def file_problems(
    certificate: Mapping[str, Any],
    left: AgentLike | ModelLike,
    right: AgentLike | ModelLike,
    definitions: Mapping[str, str],
) -> list[Problem]:
    """The differences between two files and the sides of a certificate.

    Sources are loaded with the arguments of the certificate, or with definitions that are given instead.
    """
    sides = {"left": left, "right": right}
    for name in definitions:
        if not any(name in certificate[side]["arguments"] for side in sides):
            raise fail("G026", f"neither side of this certificate has a parameter `{name}`")
    return [
        Problem(side, message)
        for side, thing in sides.items()
        for message in _messages(certificate[side], thing, definitions)
    ]


def _messages(
    side: Mapping[str, Any], thing: AgentLike | ModelLike, definitions: Mapping[str, str]
) -> Iterator[str]:
    if side["extraction"] and given.is_weights(thing):
        file, digest = given.model_file(thing), hashlib.sha256(weights_of(thing)).hexdigest()
        said = side["extraction"]["weights_sha256"]
        if digest != said:
            yield f"its table was not extracted from {file}: that has SHA-256 {digest}, not {said}"
        return
    own = {name: value for name, value in definitions.items() if name in side["arguments"]}
    try:
        program = given.as_program(thing, {**side["arguments"], **own})
    except GridError as error:
        if error.diagnostics[0].code not in NOT_IT:
            raise
        yield f"its table was not made from this: {error.diagnostics[0].message}"
        return
    yield from table_differences(side["table"], program.table, program.file)
    try:
        check_clauses(program.table)
    except GridError as error:
        yield f"{program.file}: {error.diagnostics[0].message}"


def weights_of(model: ModelLike) -> bytes:
    if isinstance(model, str | os.PathLike):
        return read_file(os.fspath(model))
    return only_dfst(model, "only a DFST can be snapped").to_bytes()


def snapped_weights(side: Mapping[str, Any], thing: AgentLike | ModelLike) -> CheckedSnapping | None:
    """Checks weights against the codebook of a side; None without weights or a codebook."""
    if side["snapping"] is None or not given.is_weights(thing):
        return None
    return check_snapping(side, only_dfst(given.as_any_model(thing), "only a DFST can be snapped"))


def table_differences(certified: Mapping[str, Any], table: Table, file: str) -> Iterator[str]:
    """The differences between the table in a certificate and that of a file, in words."""
    made = certified_table(table, "where" in certified)
    clauses = {"input": table.input, "output": table.output, "where": table.input}
    for part, called in CALLED.items():
        if made.get(part) == certified.get(part):
            continue
        if part in clauses:  # the certificate has a tree instead of text
            clause = clauses[part]
            yield f"{file} has {called}: `{clause}`" if clause else f"{file} has no {part} clause"
            continue
        texts = [json.dumps(data[part], ensure_ascii=False) for data in (made, certified)]
        shown = f": {texts[0]}, not {texts[1]}" if max(map(len, texts)) <= LONGEST_SHOWN else ""
        yield f"{file} has {called}{shown}"
    mine, theirs = ({(rule[0], rule[1]): rule[2:] for rule in data["rules"]} for data in (certified, made))
    other = [key for key in sorted({*mine, *theirs}) if mine.get(key) != theirs.get(key)]
    if other:
        state, symbol = other[0]
        rules = theirs.get(other[0]), mine.get(other[0])
        acts = [f"`write {rule[0]}, {rule[1]} -> {rule[2]}`" if rule else "none" for rule in rules]
        many = f"{len(other):,} other rules, the first" if len(other) > 1 else "another rule:"
        yield f"{file} has {many} `{state}` on `{symbol}`: {acts[0]}, not {acts[1]}"


def certified_program(certificate: Path, model: ModelLike) -> Program:
    """The table that a model is, once its vectors are snapped to the centres in a certificate.

    GridError unless the certificate is about these weights, and they snap to its table by its codebook.
    """
    path, file = os.fspath(certificate), given.model_file(model)
    side = _side(path)
    data = weights_of(model)
    digest = hashlib.sha256(data).hexdigest()
    said = side["extraction"]["weights_sha256"]
    if digest != said:
        message = f"this certificate is about other weights than {file}: of SHA-256 {said}, not {digest}"
        raise fail("G156", message, ANEW, path)
    checked = check_snapping(side, only_dfst(dfst_from_bytes(data, file), "only a DFST can be snapped"))
    if checked.problems:
        raise fail("G156", f"these weights do not snap as it says: {checked.problems[0]}", ANEW, path)
    return Program(certificate_table(side["table"], path), file)


def _side(path: str) -> Mapping[str, Any]:
    """The side of a certificate that is about snapped weights."""
    try:
        side = json.loads(read_file(path))["right"]
        if side["snapping"] is not None and isinstance(side["extraction"]["weights_sha256"], str):
            return dict(side)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise fail("G156", "this is not a certificate", ANEW, path) from None
    raise fail("G156", "this certificate has no codebook: its claim is not about snapped weights", ANEW, path)


def certificate_table(data: Mapping[str, Any], path: str) -> Table:
    """A table of a certificate; its clauses are trees there, and are left out."""
    try:
        return table_from_json(json.dumps({**data, "format": FORMAT, "input": "", "output": ""}), path)
    except GridError as error:
        raise fail("G156", error.diagnostics[0].message, ANEW, path) from None
