"""A certificate as a theorem that Rocq's kernel checks."""

from __future__ import annotations

import json
import re
from pathlib import PurePath
from typing import Any

from gridlang.compiler.proven.listing import listed

FIRST, BASE = 35, 90  # symbols of codes: printable, and no quotation mark
LINE = 30_000  # symbols per literal, which Rocq reads recursively

THEOREM = """\
(** What {file} claims; check with `coqc -R build Gridlang {file_v}` in compiler/proven, after `make`. *)
From Coq Require Import List String.
From Gridlang Require Import Statement Json Packed Certificate Check.

Definition file : string := unpacked (
{text})%packed.

Definition {name} : claim := Eval vm_compute in claim_in file.

Theorem {name}_holds : holds {name}.
Proof.
  assert (E : claim_in file = {name}) by (vm_compute; reflexivity).
  rewrite <- E. apply claim_in_holds. vm_compute. reflexivity.
Qed.
Print Assumptions {name}_holds.
"""

ENGINES = """\
(** What {file} claims of the weights in {model}; check as the other theorems. *)
From Coq Require Import PeanoNat ZArith List String.
From Gridlang Require Import Statement Multiplies Json Packed Certificate Check.
From Gridlang Require Import Engines Weights Models Learned.

Definition file : string := unpacked (
{text})%packed.
Definition model : string := unpacked (
{weights})%packed.

Definition {name} : claim := Eval vm_compute in claim_in file.
Definition {name}_weights : weights := weights_for file model.

Lemma {name}_read : claim_in file = {name}.
Proof. vm_compute. reflexivity. Qed.
Lemma {name}_checked : check file = Valid.
Proof. vm_cast_no_check (eq_refl Valid). Qed.
Lemma {name}_weights_checked : weights_verdict file model = Valid.
Proof. vm_cast_no_check (eq_refl Valid). Qed.

Theorem {name}_engines : {statement}.
Proof.
  rewrite <- {name}_read.
  apply ({lemma} file model {name}_checked {name}_weights_checked); vm_compute; reflexivity.
Qed.
Print Assumptions {name}_engines.
"""

TOTAL = """
Definition {name}_output : output_clause := Eval vm_compute in
  match leaves {name} with Some o => o | None => Output_clause (Declared nil nil nil) (Constant 0) end.

Theorem {name}_total : forall T, engine {name}_weights T ->
  forall parts, declared (o_inputs {name}_output) parts ->
  exists n d, halts_after T n (input_world (List.concat parts)) 0 0 d /\\
    exists r l, value_of {name}_output parts = Some r /\\ stands (cells d) l /\\
      says (o_digits {name}_output) r l.
Proof.
  apply (learned_total file model {name}_checked {name}_weights_checked); vm_compute; reflexivity.
Qed.
Print Assumptions {name}_total.
"""

NUMBERS = """
Theorem {name}_on_numbers : forall T, engine {name}_weights T ->
  forall a b, (0 <= a)%Z -> (0 <= b)%Z -> let digits := digits_of (o_digits {name}_output) in
  exists n d l, halts_after T n (input_world (digits a ++ {sign}%N :: digits b)) 0 0 d /\\
    stands (cells d) l /\\ l <> nil /\\ spells (o_digits {name}_output) l = Some (a {operator} b)%Z.
Proof.
  intros T HT a b Ha Hb. apply (on_numbers T (o_digits {name}_output) {sign}%N {named});
    [reflexivity | apply Nat.leb_le | exact ({name}_total T HT) | exact Ha | exact Hb |]; reflexivity.
Qed.
Print Assumptions {name}_on_numbers.
"""
OPERATORS = {"+": "Add", "-": "Sub", "*": "Mul"}

ANY = (
    "forall T, engine {name}_weights T ->\n"
    "  equivalent (stuck {name}) (alphabet {name}) (at_scope {name}) (LEFT {name}) T"
)
CAREFUL = (
    "forall T, careful_engine {name}_weights T ->\n"
    "  if equal {name} then equivalent (stuck {name}) (alphabet {name}) (at_scope {name}) (LEFT {name}) T\n"
    "  else ~ equivalent (stuck {name}) (alphabet {name}) (at_scope {name}) (LEFT {name}) T"
)


def theorem(
    certificate: bytes, file: str, file_v: str, weights: bytes | None = None, model: str = ""
) -> bytes:
    """The text of a Rocq file, which holds the bytes of the certificate.

    With the `weights` of a model, it is about every engine that runs them.
    """
    name = re.sub(r"\W+", "_", PurePath(file).stem, flags=re.ASCII).strip("_").lower() or "certificate"
    name = name if name[0].isalpha() else f"c_{name}"
    names = {"file": PurePath(file).name, "file_v": PurePath(file_v).name, "name": name}
    names["text"] = packed(listed(certificate))
    if weights is None:
        return THEOREM.format(**names).encode("latin-1", "replace")
    claim = json.loads(certificate)["claim"]
    # An engine that goes on where nothing is known need not stop with RIGHT, nor differ from LEFT.
    any_engine = claim["equivalent"] and claim["stuck"] != "same" and claim["scope"] != "observed"
    statement = (ANY if any_engine else CAREFUL).format(name=name)
    lemma = "learned_engines" if any_engine else "learned_careful_engines"
    told = {"model": PurePath(model).name, "weights": packed(weights), "statement": statement, "lemma": lemma}
    total = any_engine and claim["stuck"] == "never" and claim["halts"] and claim["output"]
    text = ENGINES.format(**names, **told)
    if total:
        text += TOTAL.format(name=name) + _on_numbers(json.loads(certificate)["left"]["table"], name)
    return text.encode("latin-1", "replace")


def packed(text: bytes) -> str:
    """The list of literals that `unpacked` in Packed.v makes a text of, by LZW."""
    known = {bytes([symbol]): symbol for symbol in range(256)}
    codes, last = [], text[:1]
    for symbol in (text[i : i + 1] for i in range(1, len(text))):
        longer = last + symbol
        if longer in known:
            last = longer
        else:
            codes.append(known[last])
            if len(known) < BASE**3:
                known[longer] = len(known)
            last = symbol
    codes.append(known[last])
    places = (BASE**2, BASE, 1)
    written = "".join(chr(FIRST + code // place % BASE) for code in codes for place in places)
    lines = (written[i : i + LINE] for i in range(0, len(written), LINE))
    return "".join(f'"{line}" :: ' for line in lines) + "nil"


def _on_numbers(table: dict[str, Any], name: str) -> str:
    """In words of numbers, where an input is a number, a sign and a number, and the output one of both."""
    digits, value = table["output"]["digits"], table["output"]["value"]
    number = ["+", digits]
    match table["input"], value:
        case [first, str(sign), second], [operator, ["number", ["part", 0]], ["number", ["part", 2]]]:
            if first == second == number and len(sign) == 1 and operator in OPERATORS:
                where = table["symbols"].index(sign)
                return NUMBERS.format(name=name, sign=where, operator=operator, named=OPERATORS[operator])
    return ""
