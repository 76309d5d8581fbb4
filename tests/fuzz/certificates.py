"""Certificates: parts changed, exchanged or lost, tables changed with them, and all digests made anew."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from click.testing import CliRunner

from gridlang.cli import main
from gridlang.table_json import table_to_json
from tests.forgeries.edits import PARTS, signed
from tests.fuzz.mutations import changed_json
from tests.programs import EXAMPLES, PROGRAMS

SECONDS = 30.0
# Agents small enough that brute force knows them: what is claimed of each against itself, and against a mutant.
SUBJECTS = ("increment", "beaver", "compare", "palindrome")
SCOPES = ("worlds", "inputs", "table")


def prepare(home: Path) -> None:
    """Certificates of proofs and of differences, at each scope."""
    for program in PROGRAMS:
        if program.name not in SUBJECTS:
            continue
        left, mutant = str(EXAMPLES / f"{program.name}.grid"), home / f"{program.name}-mutant.json"
        table = json.loads(table_to_json(program.load().table))
        table["rules"][1][3] = "U" if table["rules"][1][3] != "U" else "D"
        mutant.write_text(json.dumps(table), encoding="utf-8")
        for scope in SCOPES:
            for kind, right in (("same", left), ("other", str(mutant))):
                path = home / f"{program.name}-{scope}-{kind}.certificate"
                CliRunner().invoke(main, ["equiv", left, right, "--scope", scope, "--certificate", str(path)])
    for path in home.glob("*.certificate"):
        if path.stat().st_size > 400_000:  # A larger one takes seconds to check.
            path.unlink()


def make(random: Random, home: Path, folder: Path) -> list[list[str]]:
    paths = sorted(home.glob("*.certificate"))
    data, other = (json.loads(random.choice(paths).read_text(encoding="utf-8")) for _ in range(2))
    for _ in range(random.choice((1, 1, 2))):
        data = random.choice(CHANGES)(data, other, random)
    if random.random() < 0.95:
        data = signed(data)
    (folder / "proof.json").write_text(json.dumps(data), encoding="utf-8")
    return [["verify", "proof.json"], ["verify", "proof.json", "--json"], ["=claim", "proof.json"]]


def _strange(data: Any, other: Any, random: Random) -> Any:
    """Anything anywhere."""
    part = random.choice(PARTS)
    return {**data, part: changed_json(data[part], random)}


def _rule(data: Any, other: Any, random: Random) -> Any:
    """A rule of one table, or of both in the same way: the evidence is about other tables."""
    sides = random.choice((["left"], ["right"], ["left", "right"]))
    if not all(_rules(data, side) for side in sides):
        return data
    at = random.randrange(min(len(_rules(data, side)) for side in sides))
    place = random.choice((0, 1, 2, 3, 4, None))
    for side in sides:
        rules, table = _rules(data, side), data[side]["table"]
        if place is None:
            del rules[at]
        else:
            choices = {0: table["states"], 4: table["states"], 3: [*"UDLRS"]}
            rules[at][place] = random.choice(choices.get(place, table["symbols"]))
    return data


def _rules(data: Any, side: str) -> list[Any]:
    try:
        return (
            []
            if len({len(rule) for rule in data[side]["table"]["rules"]}) != 1
            else data[side]["table"]["rules"]
        )
    except (KeyError, TypeError):
        return []


def _evidence(data: Any, other: Any, random: Random) -> Any:
    """Numbers of the evidence changed, or elements of it lost."""
    return {**data, "evidence": changed_json(data["evidence"], random)}


def _exchanged(data: Any, other: Any, random: Random) -> Any:
    """A part of another certificate, or the sides exchanged."""
    if random.random() < 0.3:
        return {**data, "left": data["right"], "right": data["left"]}
    part = random.choice(PARTS)
    return {**data, part: other[part]}


def _claimed(data: Any, other: Any, random: Random) -> Any:
    """More is claimed, in the words that go with it."""
    if not isinstance(data["claim"], dict):
        return data
    claim = {**data["claim"], "scope": random.choice(("worlds", "inputs", "observed", "table"))}
    if random.random() < 0.3:
        claim["equivalent"] = not claim.get("equivalent")
    words = other["claim"].get("says") if isinstance(other["claim"], dict) else ""
    claim["says"] = random.choice((claim.get("says"), words))
    return {**data, "claim": claim}


def _clause(data: Any, other: Any, random: Random) -> Any:
    """Other inputs are declared, or the tree of a clause is changed."""
    trees = (
        *(
            [["+", "01"]],
            [["*", "01"]],
            ["0", ["+", "1"]],
            [["?", "01"]],
            [],
            "01",
            [["+", [",", "01", "01"]]],
        ),
        *(
            [["|", "0", ["+", "1"]]],
            [["+", ["*", "01"]]],
            [["?"]],
            [["+", "0", "1"]],
            nested(9),
            nested(400),
        ),
    )
    for side in random.choice((["left"], ["left", "right"])):
        if isinstance(data[side], dict) and isinstance(data[side].get("table"), dict):
            table = data[side]["table"]
            clause = random.choice(("input", "input", "output"))
            changed = changed_json(table.get(clause), random)
            table[clause] = random.choice((changed, random.choice(trees) if clause == "input" else changed))
    return data


def nested(depth: int) -> Any:
    """A clause of one cell inside of many pieces."""
    piece: Any = "01"
    for _ in range(depth):
        piece = ["?", piece]
    return [piece]


CHANGES = (_strange, _rule, _rule, _rule, _evidence, _evidence, _exchanged, _claimed, _clause)
