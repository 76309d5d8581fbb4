"""Forged results: what is wanted, where it stands, and which clauses say so are others; and forged snapped models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gridlang.compiler.proofs.certificates import certified_table
from gridlang.table import Table
from tests.forgeries.edits import SHOWN, Edit, Forged, both, put
from tests.forgeries.genuine import RESULTS, Certificate, genuine

LEAVES = ", and where LEFT halts it leaves what its output clause says"
OTHER_CLAUSES = {  # an output clause that is another, and an input clause that is wider
    "number": (
        ("a div 3", "a", "a * 2", "1 + 1", "a mod 2", "b div 2", "a div 2 + 1", "a div"),
        ("a = digit*", "a = any+"),
    ),
    "verdict": (
        ("0 if count(a, 1) mod 2 == 1 else 1", "a", "1", "a mod 2", "length(a) mod 2"),
        ("a = bit*",),
    ),
}


def forged() -> Iterator[Forged]:
    """All of them."""
    for name in OTHER_CLAUSES:
        yield from _results(name)
    yield Forged("the text is elsewhere", "verdict", put(*SHOWN, "anchor", 1, value=3), "claims")
    yield Forged("the text is at the start", "verdict", put(*SHOWN, "anchor", 0, value="start"), "claims")
    yield Forged("the text is nowhere", "verdict", put(*SHOWN, "anchor", value=None), "claims")
    for anchor in (["middle", 0], ["end", 101], ["end", True], ["end"], "se", 0):
        forged_anchor = put(*SHOWN, "anchor", value=anchor)
        yield Forged(f"the anchor is {anchor}", "number", forged_anchor, "claims")
    yield Forged("a strip shows results", "never strips", leaves, "claim")
    yield from _snapped()


def _results(name: str) -> Iterator[Forged]:
    evidence = genuine(name)["claims"][0]["evidence"]
    outputs, table = OTHER_CLAUSES[name], RESULTS[name]()
    yield from bad_outputs(name)
    for output in outputs[0]:
        yield Forged(f"the output is {output}", name, another_clause(table, "output", output), "")
    for inputs in outputs[1]:
        yield Forged(f"the input is {inputs}", name, another_clause(table, "input", inputs), "")
    for row in (evidence["rows"][1] + 1, evidence["rows"][0] - 1, None, False):
        yield Forged(f"the row is {row}", name, put(*SHOWN, "row", value=row), "claims")
    yield Forged("nothing is claimed of results", name, silent, "claim")
    yield Forged("it may be stuck", name, put("claim", "stuck", value="same"), "claim")
    yield Forged("results are of a difference", name, put("claim", "equivalent", value=False), "claim")
    yield Forged("it is a strip", name, put(*SHOWN, "kind", value="strips"), "claims")
    yield Forged("LEFT halts elsewhere", name, early_halt, "")


def another_clause(table: Table, clause: str, text: str) -> Edit:
    """Another clause, on both sides."""
    tree = certified_table(replace(table, **{clause: text}))[clause]
    return both(*(put(side, "table", clause, value=tree) for side in ("left", "right")))


def bad_outputs(name: str) -> Iterator[Forged]:
    """Output clauses that are no trees."""
    value = genuine(name)["left"]["table"]["output"]["value"]
    deep: Any = value
    for _ in range(99):
        deep = ["not", deep]
    for tree in (
        *(None, True, -1, 10**9 + 1, 2**61, [], {}, [[]], [None], [value], [["+"], value, value], deep),
        *(["part"], ["part", True], ["part", 9], ["part", -1], ["number"], ["number", 0], ["number", "0"]),
        *(["number", ["part", 0], 0], ["length"], ["count", ["part", 0]], ["count", ["part", 0], 1]),
        *(["count", ["part", 0], "01"], ["mod", value], ["mod", value, value, value]),
        *(["if", value, value], ["text", value, value], ["reverse", value]),
    ):
        output = {"digits": "01", "value": tree}
        forged_clause = both(*(put(side, "table", "output", value=output) for side in ("left", "right")))
        yield Forged(f"the output is {str(tree)[:30]}", name, forged_clause, "left")
    for digits in (None, 1, "0", "00", "_1", "é0", ["0", "1"]):
        output = {"digits": digits, "value": value}
        forged_clause = both(*(put(side, "table", "output", value=output) for side in ("left", "right")))
        yield Forged(f"digits are {digits!r}", name, forged_clause, "left")


def silent(data: Certificate) -> None:
    data["claim"]["output"] = False
    data["claim"]["says"] = data["claim"]["says"].removesuffix(LEAVES)


def leaves(data: Certificate) -> None:
    data["claim"]["output"] = True
    data["claim"]["says"] += LEAVES


def early_halt(data: Certificate) -> None:
    """A rule of the start state halts at once, on both sides."""
    for side in ("left", "right"):
        table = data[side]["table"]
        rule = next(rule for rule in table["rules"] if rule[0] == table["start"] and rule[1] != "_")
        rule[2:] = [rule[1], "S", rule[0]]


def _snapped() -> Iterator[Forged]:
    """Claims about weights with snapped inference, of what is no such thing."""
    book = genuine("snapped")["right"]["snapping"]
    table = put("claim", "subject", value="table")
    yield Forged("it is a table's", "snapped", table, "claim")
    yield Forged("the codebook is gone", "snapped", put("right", "snapping", value=None), "claim")
    values: list[Any] = [[], "", 0, False, [book]]
    for value in values:
        yield Forged(
            f"the codebook is {str(value)[:9]!r}", "snapped", put("right", "snapping", value=value), "right"
        )
    yield Forged("LEFT is snapped too", "snapped", put("left", "snapping", value=book), "left")
    yield Forged("LEFT is snapped instead", "snapped", _other_side, "left")
    yield Forged(
        "its states were folded", "snapped", put("right", "extraction", "merging", value="folded"), "right"
    )
    yield Forged("it was not extracted", "snapped", _not_extracted, "right")
    yield Forged("a pair was guessed", "snapped", put("right", "extraction", "guessed", value=1), "right")
    yield Forged("a rule is another", "snapped", put("right", "table", "rules", 0, 3, value="U"))
    yield Forged("a table has a codebook", "inputs", put("right", "snapping", value=book), "claim")
    subject = put("claim", "subject", value="snapped model")
    yield Forged("a table is snapped", "inputs", both(subject, put("right", "snapping", value=book)), "right")


def _other_side(data: Certificate) -> None:
    data["left"]["snapping"], data["right"]["snapping"] = data["right"]["snapping"], None


def _not_extracted(data: Certificate) -> None:
    data["right"].update(extracted=False, extraction=None)
