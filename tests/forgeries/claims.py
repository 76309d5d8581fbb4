"""Forged claims, digests, sides and tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from tests.forgeries.edits import ALSO, PARTS, Edit, Forged, both, claimed, drop, put
from tests.forgeries.genuine import Certificate


def _deep(depth: int) -> list[Any]:
    piece: Any = "0"
    for _ in range(depth):
        piece = ["?", piece]
    return [piece]


BAD_CLAUSES: tuple[Any, ...] = (
    *("(a", "", [], [""], [["+"]], [["+", "0", "0"]], [["-", "0"]], [[["+"], "0"]], [["|"]], [[","]]),
    *([None], [0], [True], [{}], [[]], [["+", 0]], ["é"], ["0", ["?", [",", "0", None]]], _deep(151)),
)


def forged() -> Iterator[Forged]:
    """All of them."""
    for group in (_claims, _digests, _sides, _tables):
        yield from group()


def _claims() -> Iterator[Forged]:
    """Claims that are none, or say more than is meant."""
    values: dict[str, tuple[Any, ...]] = {
        "says": ("RIGHT does what LEFT does", None),
        "equivalent": (1, None),
        "scope": ("everything", []),
        "subject": ("model", "snapped model"),
        "stuck": ("both", None),
        "output": (True, 0),
        "halts": (True, 0),
        "product_states": (1, True),
        "stuck_branches": (-1,),
        "unobserved_branches": (None,),
        "radius": (None, True),
    }
    for key, value in ((key, value) for key, some in values.items() for value in some):
        yield Forged(f"{key} is {value!r}", "windows", put("claim", key, value=value), "claim")
    yield Forged("more is claimed beside it", "windows", put("claim", "agrees", value=True), "claim")
    yield Forged("it does not say at which scope", "windows", drop("claim", "scope"), "claim")
    yield Forged("the claim is a list", "windows", put("claim", value=[]), "claim")
    yield Forged(
        "the words are those of a difference", "windows", put("claim", "equivalent", value=False), "claim"
    )
    yield Forged("a difference is called a proof", "different worlds", claimed("worlds"))
    yield Forged(
        "the claim is strict, its words are not", "acceptor", put("claim", "stuck", value="same"), "claim"
    )
    yield Forged(
        "more branches are unobserved", "observed", put("claim", "unobserved_branches", value=9), "claim"
    )
    yield Forged("no branch is stuck", "acceptor", put("claim", "stuck_branches", value=0), "claim")
    yield Forged("what was observed is strict", "observed", _strict_observed, "claim")
    yield Forged("what was observed is all", "observed", claimed("table"))
    yield Forged("inputs are all worlds", "inputs", claimed("worlds"))
    yield Forged("inputs are all reads", "inputs", claimed("table"))
    yield Forged("worlds are all reads", "windows", claimed("table"))
    yield Forged("reads are worlds", "table", claimed("worlds"))
    yield Forged("there are no inputs", "windows", claimed("inputs"), "claim")


def _strict_observed(data: Certificate) -> None:
    data["claim"]["stuck"] = "same"
    data["claim"]["says"] += ALSO["same"]


def _digests() -> Iterator[Forged]:
    """Parts that are missing, or are more than there can be."""
    for part in (*PARTS, "digests"):
        yield Forged(f"{part} is missing", "windows", drop(part), "certificate")
    yield Forged("a part is unknown", "windows", put("note", value="checked twice"), "certificate")
    yield Forged(
        "its format is the first", "windows", put("format", value="gridlang-certificate/1"), "format"
    )
    yield Forged("its format is a number", "windows", put("format", value=2), "format")
    yield Forged("its format is missing", "windows", drop("format"), "format")
    yield Forged("it has no digests", "windows", put("digests", value=[]), "digests")
    yield Forged("a kind is unknown", "windows", put("evidence", "kind", value="faith"))
    yield Forged("a kind is a list", "windows", put("evidence", "kind", value=[]))
    yield Forged("evidence holds more", "windows", put("evidence", "note", value=""))
    yield Forged("evidence is a list", "windows", put("evidence", value=[]))
    yield Forged("evidence is of another kind", "windows", put("evidence", "kind", value="pairs"))


def _sides() -> Iterator[Forged]:
    """What is said of where the tables come from."""
    other = hashlib.sha256(b"other weights").hexdigest()
    for side in ("left", "right"):
        yield Forged(f"{side} has no file", "windows", put(side, "file", value=None), side)
        yield Forged(f"{side} has no arguments", "windows", put(side, "arguments", value=None), side)
        yield Forged(
            f"{side} has a number for one", "windows", put(side, "arguments", value={"base": 2}), side
        )
        yield Forged(f"{side} says more", "windows", put(side, "trusted", value=True), side)
        yield Forged(f"{side} has no digest", "windows", drop(side, "source_sha256"), side)
        yield Forged(f"{side} is a list", "windows", put(side, value=[]), side)
    yield Forged(
        "it hides that it is extracted", "extracted", put("right", "extracted", value=False), "right"
    )
    yield Forged("it hides of what", "extracted", put("right", "extraction", value=None), "right")
    yield Forged("it was extracted of nothing", "windows", put("right", "extracted", value=True), "right")
    yield Forged("it is of other weights", "extracted", put("right", "source_sha256", value=other), "right")
    weights = put("right", "extraction", "weights_sha256", value=other)
    yield Forged("it names other weights", "extracted", weights, "right")
    yield Forged("guesses are raw", "extracted", put("right", "extraction", "merging", value="none"), "right")
    yield Forged(
        "merging is unknown", "extracted", put("right", "extraction", "merging", value="well"), "right"
    )
    yield Forged("guesses are not told", "extracted", drop("right", "extraction", "guessed"), "right")
    yield Forged(
        "guesses are fewer than none", "extracted", put("right", "extraction", "guessed", value=-1), "right"
    )
    yield Forged("guesses are true", "extracted", put("right", "extraction", "guessed", value=True), "right")
    yield Forged("extraction says more", "extracted", put("right", "extraction", "sure", value=1), "right")
    snapped = both(put("claim", "subject", value="snapped model"), put("right", "snapping", value={}))
    yield Forged("the model itself is meant", "extracted", snapped, "right")
    yield Forged("it is snapped beside the claim", "extracted", put("right", "snapping", value={}), "claim")


def _tables() -> Iterator[Forged]:
    """Tables that are none, or are others."""
    for side in ("left", "right"):
        table = (side, "table")
        yield Forged(f"{side} has a state twice", "table", put(*table, "states", 1, value="seek"), side)
        yield Forged(f"{side} has no table", "table", put(*table, value=None), side)
        yield Forged(f"{side} starts elsewhere", "table", put(*table, "start", value="carry(1)"), side)
        yield Forged(f"{side} has another blank", "table", put(*table, "blank", value="0"), side)
        yield Forged(f"{side} has other moves", "table", put(*table, "moves", 0, value="N"), side)
        yield Forged(f"{side} has a symbol twice", "table", put(*table, "symbols", 1, value="_"), side)
        yield Forged(f"{side} has a long symbol", "table", put(*table, "symbols", 1, value="00"), side)
        yield Forged(f"{side} has a rule twice", "table", _repeated_rule(side), side)
        yield Forged(f"{side} has a rule too short", "table", put(*table, "rules", 0, value=["seek"]), side)
        yield Forged(f"{side} goes nowhere", "table", put(*table, "rules", 0, 4, value="nowhere"), side)
        yield Forged(f"{side} moves nowhere", "table", put(*table, "rules", 0, 3, value="N"), side)
        yield Forged(f"{side} writes nothing", "table", put(*table, "rules", 0, 2, value="?"), side)
        yield Forged(f"{side} halts and goes on", "table", _idle_rule(side), side)
        yield Forged(f"{side} has numbers for states", "table", put(*table, "states", 1, value=1), side)
        yield Forged(
            f"{side} has classes of nothing", "table", put(*table, "classes", value=[["a", "?"]]), side
        )
        yield Forged(f"{side} has a clause that is a number", "table", put(*table, "input", value=1), side)
        yield Forged(f"{side} says more", "table", put(*table, "families", value=[]), side)
        yield Forged(f"{side} has a text of symbols", "table", put(*table, "symbols", value="_01+"), side)
        yield Forged(f"{side} has an object of classes", "table", _class_object(side), side)
        yield Forged(f"{side} has rules that are texts", "acceptor", _text_rules(side), side)
    for clause in BAD_CLAUSES:
        for name in ("inputs", "snapped"):
            forged_clause = put("left", "table", "input", value=clause)
            yield Forged(f"the clause is {str(clause)[:20]}", name, forged_clause, "left")
    wider = put("left", "table", "input", value=[["*", "_abc"]])
    yield Forged("the clause is wider", "inputs", wider)
    for name in ("table", "windows", "inputs", "extracted", "never windows"):
        yield Forged("RIGHT is another", name, _other_write("right"))
        yield Forged("LEFT is another", name, _other_write("left"))
        yield Forged("RIGHT is stuck", name, _without_first_rule)


def _class_object(side: str) -> Edit:
    return lambda data: put(side, "table", "classes", value=dict(data[side]["table"]["classes"]))(data)


def _text_rules(side: str) -> Edit:
    """Rules of five letters, which can be read one by one, once states have names of one letter."""

    def edit(data: Certificate) -> None:
        table = data[side]["table"]
        letter = {state: "abcdefgh"[number] for number, state in enumerate(table["states"])}
        table["states"], table["start"] = list(letter.values()), letter[table["start"]]
        table["rules"] = [
            letter[before] + read + write + move + letter[after]
            for before, read, write, move, after in table["rules"]
        ]

    return edit


def _other_write(side: str) -> Edit:
    """The start state writes another symbol on a blank, or moves elsewhere."""

    def edit(data: Certificate) -> None:
        table = data[side]["table"]
        rule = next(rule for rule in table["rules"] if rule[0] == table["start"])
        rule[3] = "U" if rule[3] != "U" else "D"

    return edit


def _without_first_rule(data: Certificate) -> None:
    table = data["right"]["table"]
    table["rules"] = [rule for rule in table["rules"] if rule[0] != table["start"]]


def _repeated_rule(side: str) -> Edit:
    return lambda data: data[side]["table"]["rules"].append(data[side]["table"]["rules"][0])


def _idle_rule(side: str) -> Edit:
    def edit(data: Certificate) -> None:
        table = data[side]["table"]
        rule = table["rules"][0]
        rule[2:] = [rule[1], "S", next(state for state in table["states"] if state != rule[0])]

    return edit
