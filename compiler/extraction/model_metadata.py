"""What a model declares of itself: its name, the classes of its symbols, and its inputs."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from gridlang.clauses.input_clauses import parse_language
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.tensors.model import Model, classes_of, source_table, symbols_of
from gridlang.diagnostics import GridError
from gridlang.table import Table
from gridlang.vocabulary import is_name

Classes = tuple[tuple[str, str], ...]


class Declared(NamedTuple):
    """Name, classes and clauses of an agent; the language is None where no inputs are declared."""

    name: str
    classes: Classes = ()
    input: str = ""
    output: str = ""
    language: InputLanguage | None = None


def declared(dfst: Model, expert: Table | None = None) -> Declared:
    """What the metadata tell; if they tell of no inputs, what the expert does, or the source they carry."""
    name = dfst.metadata.get("name", "")
    stated = _checked(name, classes_of(dfst), dfst.metadata.get("input", ""), "", dfst)
    if stated.language is None:
        for table in (expert, source_table(dfst)):
            if table is not None and table.input:
                other = _checked(name, table.classes, table.input, table.output, dfst)
                if other.language is not None:
                    return other
    elif expert is not None and expert.input == stated.input:
        return stated._replace(output=expert.output)
    return stated


def _checked(name: str, classes: Classes, clause: str, output: str, dfst: Model) -> Declared:
    """Only what makes sense for the symbols of this model."""
    symbols = symbols_of(dfst)
    named = name if is_name(name) else "learned"
    good = all(is_name(n) and members and set(members) <= set(symbols) for n, members in classes)
    if not good or len(dict(classes)) != len(classes):
        classes = ()
    language = None
    if clause:
        with suppress(GridError):
            language = parse_language(clause, dict(classes), symbols)
    if language is None or not all(cell and set(cell) <= set(symbols) for cell in language.cells):
        return Declared(named, classes)
    return Declared(named, classes, clause, output, language)
