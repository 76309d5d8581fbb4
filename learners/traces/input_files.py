"""Inputs and worlds that somebody wrote down: strings one a line, pictures with empty lines between them."""

from __future__ import annotations

import re
from typing import TypeVar

from gridlang.clauses.given_inputs import input_error
from gridlang.clauses.inputs import language_of
from gridlang.diagnostics import fail
from gridlang.source import Source, Span
from gridlang.table import Table
from gridlang.world import World, picture_world

Item = TypeVar("Item", str, World)
LINE = re.compile(r"\S(?:[^\n]*\S)?")
PICTURE = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")  # A picture is lines that are not empty.


def given_inputs(table: Table, source: Source) -> list[str]:
    """The inputs in a text; GridError at the first that is not of the declared form."""
    language = language_of(table)
    inputs = []
    for match in LINE.finditer(source.text):
        span = Span(source, match.start(), match.end())
        error = input_error(language, match[0], table.symbols, span)
        if error:
            raise error
        inputs.append(match[0])
    return _some(inputs, source)


def given_worlds(table: Table, source: Source) -> list[World]:
    """The worlds in a text; GridError at the first that is no picture."""
    spans = [Span(source, match.start(), match.end()) for match in PICTURE.finditer(source.text)]
    return _some([picture_world(span, table.symbols) for span in spans], source)


def _some(items: list[Item], source: Source) -> list[Item]:
    if not items:
        raise fail("G103", "there is nothing to record: this file is empty", file=source.path)
    return items
