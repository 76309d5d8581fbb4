"""Acceptors: what is changed in a proof that they halt and are stuck where their clause says so is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gridlang as gl
from gridlang.compiler.verifier.verify import Checked, verify
from tests.forgeries.edits import signed
from tests.forgeries.genuine import copied, text_of
from tests.support.agents import THIRDS
from tests.support.proven_certificates import by_output


def _forged(edit: Callable[[dict[str, Any]], object]) -> Checked:
    data = copied(by_output(gl.loads(THIRDS).table))
    edit(data)
    return verify(text_of(signed(data)))


def _case(way: bool) -> Callable[[dict[str, Any]], Any]:
    """The claim of the inputs on which the condition of the clause holds, or does not."""
    return lambda data: next(each for each in data["claims"] if each["assume"] == [way])


def _clause(tree: Any) -> Callable[[dict[str, Any]], object]:
    def edit(data: dict[str, Any]) -> None:
        for side in ("left", "right"):
            data[side]["table"]["output"]["value"] = tree

    return edit


def _rules(*rules: tuple[str, ...]) -> Callable[[dict[str, Any]], object]:
    """Other rules on the blank."""

    def edit(data: dict[str, Any]) -> None:
        for side in ("left", "right"):
            table = data[side]["table"]
            table["rules"] = [rule for rule in table["rules"] if rule[1] != "_"] + [
                list(rule) for rule in rules
            ]

    return edit


def _without_end(data: dict[str, Any]) -> None:
    data["claim"]["halts"] = False
    data["claims"] = [each for each in data["claims"] if "endless" not in each["ends"]]
    data["claim"]["says"] = data["claim"]["says"].replace(", and every run of LEFT ends", "")


A = ["number", ["part", 0]]
ZERO = ["==", ["mod", A, 3], 0]


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: _case(True)(data).update(evidence=None),
        lambda data: data["claims"].remove(_case(True)(data)),
        lambda data: data["claims"].remove(_case(False)(data)),
        lambda data: _case(True)(data).update(assume=[False]),
        lambda data: _case(False)(data).update(assume=[]),
        lambda data: _case(True)(data).update(more=None),
        lambda data: _case(True)(data)["evidence"].update(kind="results"),
        lambda data: _case(True)(data)["evidence"]["kinds"].pop(),
        lambda data: _case(False)(data)["evidence"].update(met=False),
        _clause(["if", ["==", ["mod", A, 3], 1], ["accept"], ["stuck"]]),
        _clause(["if", ZERO, ["stuck"], ["accept"]]),
        _clause(["if", ["and", ZERO, [">", A, 7]], ["accept"], ["stuck"]]),
        _clause(["if", ["or", ZERO, ["==", A, 1]], ["accept"], ["stuck"]]),
        _clause(["if", ["==", ["mod", A, 6], 0], ["accept"], ["stuck"]]),
        _clause(["if", ["other", "a mod 3 == 0"], ["accept"], ["stuck"]]),
        _clause(["if", ZERO, ["accept"], 1]),
        _clause(["if", ZERO, ["accept"]]),
        _clause(["accept"]),
        _clause(["stuck"]),
        _clause("accept"),
        _rules(*((f"rest({n})", "_", "_", "S", f"rest({n})") for n in (0, 1))),
        _rules(("rest(1)", "_", "_", "S", "rest(1)")),
        _rules(),
        _without_end,
    ],
)
def test_a_forged_certificate_is_refused(edit: Callable[[dict[str, Any]], object]) -> None:
    assert not _forged(edit).valid


def test_a_clause_that_splits_the_inputs_alike_is_shown_by_the_same_evidence() -> None:
    assert _forged(_clause(["if", ["not", ZERO], ["stuck"], ["accept"]])).valid
