"""Forged folds: columns, controls and grams of two numbers on one tape are others, or are gone."""

from __future__ import annotations

from collections.abc import Iterator

from tests.forgeries.edits import SHOWN, Edit, Forged, drop, put
from tests.forgeries.genuine import RESULTS, genuine
from tests.forgeries.results import another_clause, bad_outputs, early_halt, silent

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


def forged() -> Iterator[Forged]:
    """All of them."""
    for name in OTHER_CLAUSES:
        yield from _clauses(name)
        yield from _wanted(name)
    yield from _parts("sum")  # of the same form in both, and there smaller
    yield Forged("the fold does not move", "sum", put(*SHOWN, "shifts", value=False), "claims")
    yield Forged("a fold is no result", "number", _kind("folds"), "claims")


def _clauses(name: str) -> Iterator[Forged]:
    (outputs, inputs), table = OTHER_CLAUSES[name], RESULTS[name]()
    yield from bad_outputs(name)
    for output in outputs:
        yield Forged(f"the output is {output}", name, another_clause(table, "output", output), "")
    for clause in inputs:
        yield Forged(f"the input is {clause}", name, another_clause(table, "input", clause), "")
    yield Forged("LEFT halts elsewhere", name, early_halt, "")
    yield Forged("nothing is claimed of results", name, silent, "claim")
    yield Forged("it may be stuck", name, put("claim", "stuck", value="same"), "claim")
    yield Forged("it counts otherwise", name, put("claim", "product_states", value=1), "claim")


def _wanted(name: str) -> Iterator[Forged]:
    """Where a result stands."""
    for stands in ("first", "between", "nowhere", None, 1) if name == "sum" else ("first", "second", None):
        yield Forged(f"it stands {stands}", name, put(*SHOWN, "stands", value=stands), "claims")


def _parts(name: str) -> Iterator[Forged]:
    evidence = genuine(name)["claims"][0]["evidence"]
    low, high = evidence["rows"]
    for rows in ([low + 1, high], [0], [-(10**9), 10**9], [low, True], None):
        yield Forged(f"the rows are {rows}", name, put(*SHOWN, "rows", value=rows), "claims")
    for row in (low - 1, high + 1, None, False, "0"):
        yield Forged(f"the row is {row!r}", name, put(*SHOWN, "row", value=row), "claims")
    for key in evidence:
        yield Forged(f"{key} is missing", name, drop(*SHOWN, key), "claims")
        yield Forged(f"{key} is null", name, put(*SHOWN, key, value=None), "claims")
    yield Forged("a fold says more", name, put(*SHOWN, "halts", value=True), "claims")
    yield Forged("it is a strip", name, _kind("strips"), "claims")
    yield Forged("it is a result", name, _kind("results"), "claims")
    symbols = len(evidence["classes"])
    for value in ([], [-1] * symbols, [0] * symbols, [True] * symbols, None):
        yield Forged(f"classes are {str(value)[:20]}", name, put(*SHOWN, "classes", value=value), "claims")
    for value in ([], 1, "", None):
        yield Forged(f"it shifts {value!r}", name, put(*SHOWN, "shifts", value=value), "claims")


def _kind(kind: str) -> Edit:
    return put(*SHOWN, "kind", value=kind)
