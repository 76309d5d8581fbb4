"""Forged folds: columns, controls and grams of two numbers on one tape are others, or are gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.forgeries.edits import Edit, Forged, both, drop, put
from tests.forgeries.genuine import RESULTS, Certificate, genuine
from tests.forgeries.results import another_clause, bad_outputs, early_halt, leaves, silent

OTHER_CLAUSES = {  # an output clause that is another, and an input clause that is wider
    "sum": (
        ("a + b + 1", "a", "2 * a + b", "a * b", "a + b div 1", "0 if a < b else 1", "c + b", "a + 1001 * b"),
        ("a = digit+, sign, b = digit*", "a = digit*, sign, b = digit+", "a = digit+, any, b = digit+"),
    ),
    "order": (
        (
            "'<' if a > b else '=' if a == b else '>'",
            "'<' if a < b else '>'",
            "'<'",
            "a",
            '"<<" if a < b else "="',
        ),
        ("a = digit+, ask?, b = digit+", "a = digit+, ask+, b = digit+", "a = digit+, ask | '_', b = digit+"),
    ),
}
GRAMS = ("head_left", "head_right", "left", "right")


def forged() -> Iterator[Forged]:
    """All of them."""
    for name in OTHER_CLAUSES:
        yield from _clauses(name)
        yield from _wanted(name)
    yield from _parts("sum")  # of the same form in both, and there smaller
    yield from _grams("sum")
    yield Forged("the fold does not move", "sum", put("evidence", "shifts", value=[]))
    yield Forged("a fold is no result", "number", _silent_kind)
    yield Forged("a strip shows a fold", "never strips", both(leaves, _kind("folds")))


def _clauses(name: str) -> Iterator[Forged]:
    (outputs, inputs), table = OTHER_CLAUSES[name], RESULTS[name]()
    yield from bad_outputs(name)
    for output in outputs:
        yield Forged(f"the output is {output}", name, another_clause(table, "output", output), "")
    for clause in inputs:
        yield Forged(f"the input is {clause}", name, another_clause(table, "input", clause), "")
    yield Forged("results of RIGHT are others", name, put("right", "table", "output", value=None), "right")
    yield Forged("LEFT halts elsewhere", name, early_halt, "")
    yield Forged("nothing is claimed of results", name, silent)
    yield Forged("it may be stuck", name, put("claim", "stuck", value="same"), "claim")
    yield Forged("it counts otherwise", name, put("claim", "product_states", value=1), "claim")


def _wanted(name: str) -> Iterator[Forged]:
    """What a fold says of the result."""
    labels = genuine(name)["evidence"]["labels"]
    for stands in ("first", "between", "nowhere", None, 1) if name == "sum" else ("first", "second", None):
        yield Forged(f"it stands {stands}", name, put("evidence", "stands", value=stands))
    wanted = _wanted_label(labels)
    other = max(label[-2] for label in labels) - labels[wanted][-2]
    for value in (-3, 99, other + (other == labels[wanted][-2]), None, True):
        yield Forged(f"{value} is wanted", name, put("evidence", "labels", wanted, -2, value=value))


def _wanted_label(labels: list[list[int]]) -> int:
    return next(i for i, label in enumerate(labels) if label[-1] == 2 and label[-2] >= 0)


def _parts(name: str) -> Iterator[Forged]:
    evidence = genuine(name)["evidence"]
    low, high = evidence["rows"]
    for rows in ([low, high + 1], [low + 1, high], [0], [-(10**9), 10**9], [low, True], None):
        yield Forged(f"the rows are {rows}", name, put("evidence", "rows", value=rows))
    for row in (low - 1, high + 1, None, False, "0"):
        yield Forged(f"the row is {row!r}", name, put("evidence", "row", value=row))
    for key in evidence:
        yield Forged(f"{key} is missing", name, drop("evidence", key))
        yield Forged(f"{key} is null", name, put("evidence", key, value=None))
    yield Forged("a fold says more", name, put("evidence", "halts", value=True))
    yield Forged("it is a strip", name, both(silent, _kind("strips")))
    yield Forged("it is a result", name, _kind("results"))
    last = len(evidence["labels"]) - 1
    wanted = _wanted_label(evidence["labels"])
    for value in (-1, 1, 3, 4):
        yield Forged(f"a column lies at {value}", name, put("evidence", "labels", wanted, -1, value=value))
    for value in (-2, 99):
        yield Forged(f"a cell is {value}", name, put("evidence", "labels", wanted, 0, value=value))
    yield Forged("a label is missing", name, drop("evidence", "labels", last))
    yield Forged("a label stands twice", name, put("evidence", "labels", 0, value=evidence["labels"][1]))
    yield Forged("two labels are swapped", name, _swapped("labels"))
    yield Forged("two controls are swapped", name, _swapped("controls"))
    for at, value in ((0, 99), (0, -1), (1, 11), (1, -1), (2, high + 1), (3, 99), (3, -1)):
        forged_control = put("evidence", "controls", 0, at, value=value)
        yield Forged(f"{value} is at {at} of a control", name, forged_control)
    yield Forged("all columns look alike", name, put("evidence", "coarse", value=[0] * (last + 1)))
    yield Forged("a coarse number is none", name, put("evidence", "coarse", 0, value=-1))


def _grams(name: str) -> Iterator[Forged]:
    evidence = genuine(name)["evidence"]
    for key in GRAMS:
        control = next(c for c, grams in enumerate(evidence[key]) if grams)
        first = ("evidence", key, control)
        yield Forged(f"a control has no {key}", name, put(*first, value=[]))
        yield Forged(f"a label has no {key}", name, drop(*first, 0))
        yield Forged(f"a neighbour on {key} is missing", name, drop(*first, 0, -1))
        yield Forged(f"a label of {key} does not exist", name, put(*first, 0, 0, value=10**6))
        yield Forged(f"a label of {key} stands twice", name, _twice(key, control))
        yield Forged(f"a control is missing in {key}", name, drop("evidence", key, -1))
        yield Forged(f"a neighbour on {key} is true", name, put(*first, 0, 1, value=True))


def _kind(kind: str) -> Edit:
    return put("evidence", "kind", value=kind)


def _silent_kind(data: Certificate) -> None:
    data["evidence"]["kind"] = "folds"


def _swapped(key: str) -> Edit:
    def edit(data: Certificate) -> None:
        some: list[Any] = data["evidence"][key]
        some[0], some[-1] = some[-1], some[0]

    return edit


def _twice(key: str, control: int) -> Edit:
    def edit(data: Certificate) -> None:
        grams = data["evidence"][key][control]
        grams.append(grams[0])

    return edit
