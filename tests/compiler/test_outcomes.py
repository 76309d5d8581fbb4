"""Outcomes and reasons are the same in Python, C and JavaScript."""

from __future__ import annotations

import re

from gridlang.compiler.drawing.templates import resource
from gridlang.compiler.simulation.native.sources import part
from gridlang.outcomes import ENDS, Outcome


def test_c_numbers_them_as_python_does() -> None:
    listed = re.search(r"enum \{(.*?)\}", part("outcomes.c"), re.DOTALL)
    assert listed and re.findall(r"\w+", listed[1]) == [end.name for end in ENDS]


def test_javascript_has_the_words_of_outcomes() -> None:
    script = resource("gridlang.compiler.drawing/web/outcomes.js")
    listed = re.findall(r'(\w+): "(\w+)"', script)
    assert listed == [(outcome.name, outcome.value) for outcome in Outcome]
