"""Certificates of minimality: what was changed is refused, and derivations are checked alike in C and plainly."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import zlib
from array import array
from collections.abc import Callable
from typing import Any

import pytest

from gridlang.compiler.simulation.native.c_library import CLibrary
from gridlang.learners.methods.minimality.check import PARTS, CheckedMinimality, check_minimality
from gridlang.learners.methods.minimality.derivation import NotDerived, check_derivation
from tests.support.refuted import refuted

pytest.importorskip("pysat")


def edited(text: str, edit: Callable[[dict[str, Any]], object], *, signed: bool = True) -> str:
    """The certificate after an edit; with a digest that fits it, as a forger would make one."""
    data = json.loads(text)
    edit(data)
    if signed:
        parts = {name: data[name] for name in PARTS}
        spelled = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        data["sha256"] = hashlib.sha256(spelled.encode()).hexdigest()
    return json.dumps(data)


def with_derivation(data: dict[str, Any], change: Callable[[bytes], bytes]) -> None:
    lines = zlib.decompress(base64.b64decode(data["evidence"]["derivation"]))
    data["evidence"]["derivation"] = base64.b64encode(zlib.compress(change(lines))).decode()


def one_fewer(data: dict[str, Any]) -> None:
    """A claim of one state more than is excluded, in words that fit it."""
    claim = data["claim"]
    claim["excluded"] += 1
    claim["says"] = claim["says"].replace(
        f"with {claim['excluded'] - 1} states", f"with {claim['excluded']} states"
    )


def another_rule(data: dict[str, Any]) -> None:
    rule = data["table"]["rules"][0]
    rule[2] = "_" if rule[2] != "_" else "a"


FORGERIES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a smaller bound in words": (lambda d: d["claim"].update(excluded=1), "claim"),
    "a stronger claim": (one_fewer, "evidence"),
    "another rule": (another_rule, "table"),
    "other traces": (lambda d: d["traces"].update(sha256="0" * 64), "traces"),
    "another suffix": (lambda d: d["evidence"]["suffixes"].__setitem__(0, ""), "evidence"),
    "a node twice": (
        lambda d: d["evidence"]["clique"].__setitem__(1, d["evidence"]["clique"][0]),
        "evidence",
    ),
    "a larger clique": (lambda d: d["evidence"]["clique"].append([0, 0]), "evidence"),
    "no prefixes": (lambda d: d["evidence"].update(prefixes=[]), "evidence"),
    "nodes told apart by nothing": (lambda d: d["evidence"]["apart"].append([0, 0, ""]), "evidence"),
    "a prefix of no trace": (lambda d: d["evidence"]["prefixes"].append([10**6, 1]), "evidence"),
    "no derivation": (lambda d: with_derivation(d, lambda _: b""), "evidence"),
    "the empty clause at once": (lambda d: with_derivation(d, lambda _: b"a\0"), "evidence"),
    "no binary": (lambda d: with_derivation(d, lambda lines: b"?" + lines), "evidence"),
    "half a derivation": (lambda d: with_derivation(d, lambda lines: lines[: len(lines) // 2]), "evidence"),
    "no numbers": (lambda d: d["evidence"].update(clique="0123456"), "certificate"),
    "no base64": (lambda d: d["evidence"].update(derivation="###"), "certificate"),
    "an unknown part": (lambda d: d["evidence"].update(more=1), "evidence"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_certificate_is_refused_although_its_digest_fits(name: str) -> None:
    traces, text = refuted(4)
    edit, where = FORGERIES[name]
    checked = check_minimality(edited(text, edit), traces)
    assert not checked.valid and checked.problems[0].where == where, checked


def test_what_the_search_writes_is_valid_and_any_byte_that_changes_it_is_seen() -> None:
    for seed in (3, 4, 8, 10):
        traces, text = refuted(seed)
        assert check_minimality(text, traces).valid
        assert check_minimality(edited(text, lambda _: None), traces).valid
    drawn = random.Random(0)
    for _ in range(60):
        at = drawn.randrange(len(text))
        other = text[:at] + drawn.choice('0123456789abcdef[]{},"') + text[at + 1 :]
        if other != text:
            assert not check_minimality(other, traces).valid, other[at - 20 : at + 20]


def test_other_traces_of_the_same_agent_are_refused() -> None:
    assert check_minimality(refuted(3)[1], refuted(4)[0]).problems[0].where == "traces"


def binary(lines: list[str]) -> bytes:
    packed = bytearray()
    for line in lines:
        words = line.split()
        packed += b"d" if words[0] == "d" else b"a"
        for word in words[words[0] == "d" :]:
            code = 2 * abs(int(word)) + (int(word) < 0)
            while code > 127:
                packed.append(128 | code & 127)
                code >>= 7
            packed.append(code)
    return bytes(packed)


def verdict(formula: array[int], lines: bytes, variables: int) -> str:
    try:
        check_derivation(formula, lines, variables)
    except NotDerived as problem:
        return str(problem)
    return "derived"


def test_c_and_python_agree_on_derivations_of_random_formulas_whole_and_damaged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pysat.solvers import Solver

    answers = set()
    for seed in range(25):
        drawn = random.Random(seed)
        variables = drawn.randint(5, 60)
        clauses = [
            [drawn.choice((1, -1)) * v for v in drawn.sample(range(1, variables + 1), 3)]
            for _ in range(5 * variables)
        ]
        with Solver("glucose4", bootstrap_with=clauses, with_proof=True) as solver:
            unsatisfiable = not solver.solve()
            lines = solver.get_proof() if unsatisfiable else ["1 0", "0"]
        formula = array("i", [number for clause in clauses for number in (*clause, 0)])
        damaged = [line for line in lines if drawn.random() > 0.2]
        for derivation in (binary(lines), binary(damaged), binary(lines)[:-3], b""):
            native = verdict(formula, derivation, variables)
            with monkeypatch.context() as without:
                without.setattr(CLibrary, "builds", lambda _: False)
                assert native == verdict(formula, derivation, variables)
            answers.add(native.split()[0])
        assert not unsatisfiable or verdict(formula, binary(lines), variables) == "derived"
        assert unsatisfiable or native != "derived"
    assert {"derived", "clause", "it", "this"} <= answers


def test_a_checked_certificate_says_what_it_claims() -> None:
    traces, text = refuted(4)
    checked = check_minimality(text, traces)
    assert isinstance(checked, CheckedMinimality) and checked.claim is not None
    assert checked.claim["states"] == checked.claim["excluded"] + 1
