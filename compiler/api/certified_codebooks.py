"""Snapped inference with the codebook of a certificate: the very one that a proof was about."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from compiler.api.certified_files import weights_of
from compiler.arguments import ModelLike, Path, model_file
from compiler.program_files import read_file
from compiler.tensors.dfst import only_dfst
from compiler.tensors.model import model_from_bytes
from compiler.tensors.snapping import check_snapping
from gridlang.diagnostics import GridError, fail
from gridlang.program import Program
from gridlang.table import Table
from gridlang.table_json import FORMAT, table_from_json

ANEW = "make one with `gridlang equiv LEFT MODEL --snap --certificate CERT`"


def certified_program(certificate: Path, model: ModelLike) -> Program:
    """The table that a model is, once its vectors are snapped to the centres in a certificate.

    GridError unless the certificate is about these weights, and they snap to its table by its codebook.
    """
    path, file = os.fspath(certificate), model_file(model)
    side = _side(path)
    data = weights_of(model)
    digest = hashlib.sha256(data).hexdigest()
    said = side["extraction"]["weights_sha256"]
    if digest != said:
        told = f"this certificate is about other weights than {file}: of SHA-256 {said}, not {digest}"
        raise fail("G156", told, ANEW, path)
    checked = check_snapping(side, only_dfst(model_from_bytes(data, file), "only a DFST can be snapped"))
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
    """A table of a certificate, which has trees in place of its clauses."""
    try:
        return table_from_json(json.dumps({**data, "format": FORMAT, "input": "", "output": ""}), path)
    except GridError as error:
        raise fail("G156", error.diagnostics[0].message, ANEW, path) from None
