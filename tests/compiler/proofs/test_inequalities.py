"""Conditions that compare things of any size: what would be below 0 where it could be excludes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import gridlang as gl
from gridlang.compiler.proofs.joint_step import NEVER
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.verifier.verify import verify
from gridlang.table import Table
from tests.forgeries.edits import signed
from tests.forgeries.genuine import copied
from tests.support.agents import (
    ENDLESS,
    LARGER,
    LONGER,
    MONUS,
    ODD,
)
from tests.support.proven_certificates import by_output

Data = dict[str, Any]


def table_of(source: str) -> Table:
    return gl.loads(source).table


def test_rules_that_no_declared_input_uses_do_not_matter() -> None:
    verdict = prove(table_of(ENDLESS), table_of(MONUS), "inputs")
    assert verdict.equivalent and verdict.conditioned and verdict.stuck == NEVER
    allowed = table_of(ENDLESS.replace(LONGER, " where length(a) + 1 >= length(b)"))
    assert prove(allowed, table_of(MONUS), "inputs").equivalent is False


def _unused(edit: Callable[[list[Any]], None]) -> Callable[[Data], None]:
    return lambda data: edit(data["claims"][0]["ends"])


def _of_stuck(edit: Callable[[Data], None]) -> Callable[[Data], None]:
    return lambda data: edit(data["claims"][0]["evidence"])


def _swap(data: Data) -> None:
    for claim in data["claims"]:
        claim["assume"] = [not way for way in claim["assume"]]


def _negative(stuck: Data) -> None:
    stuck["ends"][0][-1][0][0] = -1


def _no_weight(stuck: Data) -> None:
    stuck["ends"][0][-2][0] = [1, ["N", 0, 1, 0, 1, 2]]


def _values_below_0(stuck: Data) -> None:
    stuck["proofs"][0]["systems"][0]["values"][1] = -1


def _contrary(stuck: Data) -> None:
    for end in stuck["ends"]:
        for comparison in end[-1]:
            comparison[1][0] = "<"


def _unasked(data: Data) -> None:
    data["claim"]["stuck"] = "unasked"
    data["claim"]["output"] = False
    data["claims"] = [each for each in data["claims"] if "wrong" not in each["ends"]]
    data["claim"]["says"] = (
        "RIGHT does what LEFT does on every declared input of LEFT, and every run of LEFT ends"
    )


def _by_zero(data: Data) -> None:
    for side in ("left", "right"):
        condition = data[side]["table"]["output"]["value"][1]
        assert condition[1] == ["mod", ["count", ["part", 0], "1"], 2]
        condition[1][2] = 0


FORGED: dict[str, tuple[str, Callable[[Data], None], str]] = {
    "no ends": (MONUS, _of_stuck(lambda stuck: stuck["ends"].clear()), "LEFT may be stuck"),
    "a number below 0": (MONUS, _of_stuck(_negative), "times a number below 0"),
    "no weight first": (MONUS, _of_stuck(_no_weight), "not of weights alone"),
    "values below 0": (MONUS, _of_stuck(_values_below_0), "a base or a value below 0"),
    "another comparison": (MONUS, _of_stuck(_contrary), "LEFT may be stuck"),
    "a rule that is used": (ENDLESS, _unused(lambda ends: ends.append([0, 0])), "LEFT may be stuck"),
    "a rule that is none": (ENDLESS, _unused(lambda ends: ends.append([0])), "are none"),
    "no rule left out": (ENDLESS, _unused(lambda ends: ends.pop()), "does not keep"),
    "branches exchanged": (LARGER, _swap, "a symbol that the clause never has"),
    "a remainder by zero": (ODD, _by_zero, "by what may have no value"),
    "not claimed": (MONUS, _unasked, "do not show it"),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_inequalities_are_refused(name: str) -> None:
    source, edit, blamed = FORGED[name]
    data = copied(by_output(gl.loads(source).table))
    edit(data)
    checked = verify(json.dumps(signed(data)))
    assert not checked.valid and blamed in checked.problems[0].message
