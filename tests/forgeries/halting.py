"""Forged halting: weights, ranks, marks and strips that are others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gridlang.compiler.verifier.strips import check_strips
from gridlang.compiler.verifier.tables import rules_of
from tests.forgeries.edits import SHOWN, Edit, Forged, drop, put
from tests.forgeries.genuine import Certificate

RANKING = (*SHOWN, "ranking")
STRIP = ("claims", 1, "evidence", "strip")  # of the sum


def forged() -> Iterator[Forged]:
    """Of a certificate with a strip of its own evidence, one with another strip, and one that claims nothing."""
    yield Forged("it is not shown", "halting", put("claims", value=[]), "claim")
    yield Forged("it is not claimed", "halting", _unclaimed, "claim")
    yield Forged("its words say more", "ending", _halts_instead, "claim")
    yield Forged(
        "it shows an output", "halting", put("claims", 0, "ends", value=["endless", "wrong"]), "claim"
    )
    yield Forged("claims are an object", "halting", put("claims", value={}), "claims")
    yield Forged("a claim holds more", "halting", put("claims", 0, "note", value=None), "claims")
    yield Forged("there is no ranking", "halting", put(*RANKING, value=None), "claims")
    yield Forged("it has no strip", "halting sum", put(*STRIP, value=None), "claims")
    yield Forged(
        "the strip is of another kind", "halting sum", put(*STRIP, "kind", value="results"), "claims"
    )
    yield Forged("the ranking is of another agent", "halting", _other_ranking, "claims")
    yield Forged("the table runs for ever", "halting", _endless_table, "claims")
    yield from _weights()
    yield from _ranks()


def _weights() -> Iterator[Forged]:
    yield Forged("no weight is left", "halting", put(*RANKING, "weights", value=[]), "claims")
    yield Forged("a weight is negative", "halting", put(*RANKING, "weights", 0, 3, value=-1), "claims")
    yield Forged("a weight is zero", "halting", put(*RANKING, "weights", 0, 3, value=0), "claims")
    yield Forged("a weight is true", "halting", put(*RANKING, "weights", 0, 3, value=True), "claims")
    yield Forged("a weight is of no side", "halting", put(*RANKING, "weights", 0, 1, value=0), "claims")
    yield Forged("a weight is of no label", "halting", put(*RANKING, "weights", 0, 2, value=999), "claims")
    yield Forged("a weight stands twice", "halting", _twice, "claims")
    for side in (-1, 1):
        yield Forged(f"endless blanks weigh on side {side}", "halting", _endless_weight(side), "claims")


def _ranks() -> Iterator[Forged]:
    yield Forged("an element has no rank", "halting", drop(*RANKING, "elements", 0), "claims")
    yield Forged("a rank does not exist", "halting", put(*RANKING, "elements", 0, value=999), "claims")
    yield Forged("a rank is cut", "halting", drop(*RANKING, "ranks", 0, 0), "claims")
    yield Forged("a rank is empty", "halting", put(*RANKING, "ranks", 0, value=[]), "claims")
    yield Forged("components are in another order", "halting", _turned, "claims")
    yield Forged("all ranks are one", "halting", _flat, "claims")
    for value in (-1, [], None):
        marks = put(*STRIP, "marks", 0, value=value)
        yield Forged(f"a state leaves the mark {value}", "halting sum", marks, "claims")


def _ranking(data: Certificate) -> dict[str, Any]:
    ranking: dict[str, Any] = data["claims"][0]["evidence"]["ranking"]
    return ranking


def _unclaimed(data: Certificate) -> None:
    data["claim"]["halts"] = False
    data["claim"]["says"] = data["claim"]["says"].removesuffix(", and LEFT halts")


def _halts_instead(data: Certificate) -> None:
    data["claim"]["says"] = data["claim"]["says"].replace("every run of LEFT ends", "LEFT halts")


def _other_ranking(data: Certificate) -> None:
    from tests.forgeries.genuine import genuine

    data["claims"][0]["evidence"]["ranking"] = genuine("ending")["claims"][0]["evidence"]["ranking"]


def _endless_table(data: Certificate) -> None:
    """Where the agent was to halt it goes to and fro; the evidence is that of an agent that halts there."""
    for side in ("left", "right"):
        for rule in data[side]["table"]["rules"]:
            if rule[1] == rule[2] and rule[3] == "S":
                rule[3] = "R"


def _twice(data: Certificate) -> None:
    _ranking(data)["weights"].append(_ranking(data)["weights"][0])


def _endless_weight(side: int) -> Edit:
    def edit(data: Certificate) -> None:
        left = rules_of(data["left"]["table"], "left", None)
        strip = check_strips(left, left, "inputs", data["evidence"], "unasked")
        labels = (strip.labels[label] for label in strip.ordered()[0])
        blank = next(i for i, (cells, _, mark) in enumerate(labels) if mark == -1 and not any(cells))
        _ranking(data)["weights"].append([0, side, blank, 1])

    return edit


def _turned(data: Certificate) -> None:
    ranks = _ranking(data)["ranks"]
    most = max(rank[0] for rank in ranks)
    for rank in ranks:
        rank[0] = most - rank[0]


def _flat(data: Certificate) -> None:
    _ranking(data)["elements"] = [0] * len(_ranking(data)["elements"])
