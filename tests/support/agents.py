"""Agents that tests change, compile and prove, each in a file of `tests/agents`."""

from __future__ import annotations

from gridlang.loading import loads
from tests.programs import ROOT


def source(name: str) -> str:
    return (ROOT / "tests" / "agents" / f"{name}.grid").read_text(encoding="utf-8")


# They tell binary multiples of three from all other numbers, or nothing from anything.
DIV3, EVERYTHING = loads(source("div3")).table, loads(source("everything")).table
THIRDS = source("thirds")

# Their output clauses compare lengths, counts, or a word with its mirror image.
MONUS, ENDLESS, DISTANCE, LARGER = map(source, ("monus", "endless", "distance", "larger"))
LONGER = " where length(a) >= length(b)"  # the condition of the first two
SAME_LENGTH, SAME_COUNT, MAJORITY = map(source, ("same_length", "same_count", "majority"))
SECOND, ODD, STROKES = map(source, ("second", "odd", "strokes"))

# Their output clauses make words of words.
LEFT_COPY, MIRROR, BEHIND, GLUE = map(source, ("left_copy", "mirror", "behind", "glue"))
LENGTHS, EVENS_FIRST, ODDS_ALONE = map(source, ("lengths", "evens_first", "odds_alone"))
ROTATE, COUNTED = map(source, ("rotate", "counted"))

# Their output clauses can be said column by column, or on a folded tape.
ON_STRIPS = {name: source(name) for name in ("parity", "words", "half", "rest")}
TALLY, WEIGH, LENGTH, LATE, TWICE = map(source, ("tally", "weigh", "length", "late", "twice"))
FOLDED = {"tally": TALLY, "weigh": WEIGH}
AGENTS = {**ON_STRIPS, **FOLDED}
