"""Forged halting: weights, ranks, marks and strips that are others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gridlang.compiler.verifier.strips import check_strips
from gridlang.compiler.verifier.tables import rules_of
from tests.forgeries.edits import Edit, Forged, drop, put
from tests.forgeries.genuine import Certificate

RANKING = ("total", "halting", "ranking")
STRIP = ("total", "halting", "strip")


def forged() -> Iterator[Forged]:
    """Of a certificate with a strip of its own evidence, one with another strip, and one that claims nothing."""
    yield Forged("it is not shown", "halting", put("total", "halting", value=None), "claim")
    yield Forged("it is not claimed", "halting", _unclaimed, "claim")
    yield Forged("its words say more", "ending", _halts_instead, "claim")
    yield Forged("it shows an output", "halting", put("total", "output", value={}))
    yield Forged("total is a list", "halting", put("total", value=["halting", "output"]), "total")
    yield Forged("total holds more", "halting", put("total", "note", value=None), "total")
    yield Forged("there is no ranking", "halting", put(*RANKING, value=None), "total")
    yield Forged("its evidence has no strip", "halting sum", put(*STRIP, value=None), "total")
    yield Forged("the strip is of another kind", "halting sum", put(*STRIP, "kind", value="results"), "total")
    yield Forged("the ranking is of another agent", "halting", _other_ranking, "total")
    yield Forged("the table runs for ever", "halting", _endless_table, "total")
    yield from _weights()
    yield from _ranks()


def _weights() -> Iterator[Forged]:
    yield Forged("no weight is left", "halting", put(*RANKING, "weights", value=[]), "total")
    yield Forged("a weight is negative", "halting", put(*RANKING, "weights", 0, 3, value=-1), "total")
    yield Forged("a weight is zero", "halting", put(*RANKING, "weights", 0, 3, value=0), "total")
    yield Forged("a weight is true", "halting", put(*RANKING, "weights", 0, 3, value=True), "total")
    yield Forged("a weight is of no side", "halting", put(*RANKING, "weights", 0, 1, value=0), "total")
    yield Forged("a weight is of no label", "halting", put(*RANKING, "weights", 0, 2, value=999), "total")
    yield Forged("a weight stands twice", "halting", _twice, "total")
    for side in (-1, 1):
        yield Forged(f"endless blanks weigh on side {side}", "halting", _endless_weight(side), "total")


def _ranks() -> Iterator[Forged]:
    yield Forged("an element has no rank", "halting", drop(*RANKING, "elements", 0), "total")
    yield Forged("a rank does not exist", "halting", put(*RANKING, "elements", 0, value=999), "total")
    yield Forged("a rank is cut", "halting", drop(*RANKING, "ranks", 0, 0), "total")
    yield Forged("a rank is empty", "halting", put(*RANKING, "ranks", 0, value=[]), "total")
    yield Forged("components are in another order", "halting", _turned, "total")
    yield Forged("all ranks are one", "halting", _flat, "total")
    for value in (-1, [], None):
        marks = put(*STRIP, "marks", 0, value=value)
        yield Forged(f"a state leaves the mark {value}", "halting sum", marks, "total")


def _ranking(data: Certificate) -> dict[str, Any]:
    ranking: dict[str, Any] = data["total"]["halting"]["ranking"]
    return ranking


def _unclaimed(data: Certificate) -> None:
    data["claim"]["halts"] = False
    data["claim"]["says"] = data["claim"]["says"].removesuffix(", and LEFT halts")


def _halts_instead(data: Certificate) -> None:
    data["claim"]["says"] = data["claim"]["says"].replace("every run of LEFT ends", "LEFT halts")


def _other_ranking(data: Certificate) -> None:
    from tests.forgeries.genuine import genuine

    data["total"]["halting"]["ranking"] = genuine("ending")["total"]["halting"]["ranking"]


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
