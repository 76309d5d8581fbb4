"""Certificates: what was proven is found valid, and what was edited is not, whoever made the digests."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.prove import SCOPES, prove
from gridlang.compiler.verifier.verify import Checked, canonical, verify
from gridlang.diagnostics import GridError
from gridlang.table import Table
from tests.forgeries import forgeries
from tests.forgeries.edits import PARTS, Forgery, signed
from tests.forgeries.genuine import DIFFERENT, PROVEN, certified, copied, genuine
from tests.support.chance_edits import mutate
from tests.support.pairs import (
    first_difference,
    pairs,
    small_inputs,
    small_worlds,
    table_of,
)
from tests.support.searches import searched, searching


def checked(data: dict[str, Any]) -> Checked:
    return verify(json.dumps(data, ensure_ascii=False))


CASES = (*PROVEN, *DIFFERENT)


@pytest.mark.parametrize("name", CASES)
def test_what_was_decided_is_found_valid(name: str) -> None:
    judged = checked(genuine(name))
    assert judged.valid and not judged.problems
    assert judged.claim and judged.claim == genuine(name)["claim"]
    assert judged.left and judged.left["source_sha256"] == hashlib.sha256(b"left").hexdigest()


def test_a_large_part_is_written_in_pieces_and_as_json_writes_it() -> None:
    part = {"b": [["é", 1]] * 25_000, "a": {"": [], "empty": {}}}
    pieces = list(canonical(part))
    assert "".join(pieces) == json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert max(map(len, pieces)) < len("".join(pieces)) / 2


@searching
def test_every_forgery_is_rejected_and_says_where() -> None:
    def is_caught(forgery: Forgery) -> bool:
        judged = verify(forgery.text)
        return not judged.valid and judged.problems[0].where.startswith(forgery.where)

    assert [forgery.name for forgery in forgeries() if not is_caught(forgery)] == []


def test_the_kinds_of_evidence_are_all_here() -> None:
    kinds = {name: data["evidence"]["kind"] for name, data in zip(CASES, map(genuine, CASES), strict=True)}
    assert set(kinds.values()) == {"windows", "strips", "difference"}
    shown = {each["evidence"]["kind"] for name in CASES for each in genuine(name)["claims"]}
    assert shown == {"results", "folds"}
    assert kinds["inputs"] == kinds["descents"] == "strips"


@pytest.mark.parametrize("name", CASES)
@given(st.sampled_from(PARTS), st.randoms(use_true_random=False))
@searched(9)
def test_an_edited_certificate_is_rejected_and_says_where(
    name: str, part: str, chance: random.Random
) -> None:
    edited = copied(genuine(name))
    mutate(edited[part], chance)
    if edited != genuine(name):
        judged = checked(edited)
        assert not judged.valid
        places = " ".join(problem.where for problem in judged.problems)
        assert part in places or places == "certificate"


@given(pairs(), st.sampled_from(SCOPES))
@searched(50)
def test_evidence_for_one_table_does_not_serve_another(pair: tuple[Table, Table], scope: str) -> None:
    """The proof that LEFT does what it does itself, with a mutant put in RIGHT's place."""
    left, right = pair
    verdict = prove(left, left, scope, limit=500)
    data = certified(left, left, verdict)
    assert checked(data).valid
    data["right"]["table"] = certified_table(right)
    if checked(signed(data)).valid:
        small = small_inputs(left) if scope == "inputs" else small_worlds(left)
        assert all(first_difference(left, right, world) is None for world in small) or scope == "observed"


def test_what_was_not_decided_is_not_certified() -> None:
    with pytest.raises(GridError, match="G142"):
        certified(table_of("add2"), table_of("add2"), Verdict(None, "worlds", 0, 0))
