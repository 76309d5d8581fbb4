"""Agents that tests change, compile and prove, each in a file of `tests/agents`."""

from __future__ import annotations

from gridlang.loading import loads
from tests.programs import ROOT


def source(name: str) -> str:
    return (ROOT / "tests" / "agents" / f"{name}.grid").read_text(encoding="utf-8")


# They tell binary multiples of three from all other numbers, or nothing from anything.
DIV3, EVERYTHING = loads(source("div3")).table, loads(source("everything")).table
THIRDS = source("thirds")

# Their output clauses compare lengths or counts, or have a condition.
MONUS, ENDLESS, LARGER = map(source, ("monus", "endless", "larger"))
LONGER = " where length(a) >= length(b)"  # the condition of the first two
SAME_LENGTH, SECOND, ODD = map(source, ("same_length", "second", "odd"))
DECREMENT, PAIRS = map(source, ("decrement", "pairs"))

# Theirs can be said on a folded tape.
FOLDED = {name: source(name) for name in ("tally", "weigh")}
