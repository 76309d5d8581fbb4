"""A certificate as a theorem that Rocq's kernel checks."""

from __future__ import annotations

import json
import re
from pathlib import PurePath
from typing import Any

THEOREM = """\
(** What {file} claims; check with `coqc -R build Gridlang {file_v}` in compiler/proven, after `make`. *)
From Coq Require Import String.
From Gridlang Require Import Grid Json Certificate Check.

Definition file : string := "{text}"%string.

Definition {name} : claim := Eval vm_compute in claim_in file.

Theorem {name}_holds : holds {name}.
Proof.
  assert (E : claim_in file = {name}) by (vm_compute; reflexivity).
  rewrite <- E. apply claim_in_holds. vm_compute. reflexivity.
Qed.
Print Assumptions {name}_holds.
"""


OUTPUT_KINDS = ("folds", "results", "values")  # as Certificate.v has them
FORMS = ("number", "+", "*", "div", "part")  # of results that Check.v knows


def is_provable(certificate: bytes) -> bool:
    """Whether Check.v knows the claim of a valid certificate, and its kind of evidence."""
    data = json.loads(certificate)
    evidence = data["evidence"]
    everywhere = evidence["kind"] == "strips" and evidence["columns"] is None
    return not everywhere and (not data["claim"]["output"] or _is_known_output(data))


def _is_known_output(data: dict[str, Any]) -> bool:
    kind = (data["total"]["output"] or data["evidence"])["kind"]
    value = data["left"]["table"]["output"]["value"]
    told = isinstance(value, list) and value[0] in FORMS
    return kind in OUTPUT_KINDS and (kind != "results" or told)


def theorem(certificate: bytes, file: str, file_v: str) -> bytes:
    """The text of a Rocq file; the bytes of the certificate stand in it as they are."""
    name = re.sub(r"\W+", "_", PurePath(file).stem, flags=re.ASCII).strip("_").lower() or "certificate"
    name = name if name[0].isalpha() else f"c_{name}"
    text = certificate.decode("latin-1").replace('"', '""')
    names = {"file": PurePath(file).name, "file_v": PurePath(file_v).name, "name": name}
    return THEOREM.format(**names, text=text).encode("latin-1", "replace")
